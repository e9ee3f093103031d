"""Results that are kept in a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.metrics import WordErrors
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.captions.measure import ClipResult, RoundTotals
from lab.bench.captions.methods import CaptionSetup
from lab.bench.errors import BenchError
from lab.bench.saved import SavedCases

CLIP = Clip("a", "One two.")
TOTALS = RoundTotals(rounds=3, encoder_gmacs=0.5)
RESULT = ClipResult("a", "One two.", "One too.", 1.5, WordErrors(1, 0, 0, 2), (0.25, 0.5), TOTALS, 0.7, 0.6)
WAYS = [CaptionSetup(CaptionOptions())]


def saved(path: Path, identity: str = "model") -> SavedCases[ClipResult]:
    return SavedCases(path, identity, ClipResult)


def test_a_result_is_the_same_after_it_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    saved(path).add(WAYS, CLIP, {"a": RESULT})
    again = saved(path)
    assert again.get(WAYS, CLIP) == {"a": RESULT}
    assert again.reused == 1


@pytest.mark.parametrize(
    ("identity", "options", "clip"),
    [
        ("another", CaptionOptions(), CLIP),
        ("model", CaptionOptions(step_seconds=1), CLIP),
        ("model", CaptionOptions(), replace(CLIP, name="b")),
        ("model", CaptionOptions(), replace(CLIP, text="One.")),
    ],
)
def test_results_of_something_else_are_never_taken(
    tmp_path: Path, identity: str, options: CaptionOptions, clip: Clip
) -> None:
    path = tmp_path / "results.jsonl"
    saved(path).add(WAYS, CLIP, {"a": RESULT})
    assert saved(path, identity).get([CaptionSetup(options)], clip) is None
    assert saved(path).get([*WAYS, *WAYS], CLIP) is None  # measured at another time


@pytest.mark.parametrize("content", ["no json", "{}", '{"key": "a", "result": {"a": {}}}', "[]"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(content)
    with pytest.raises(BenchError, match=r"Line 1 of .*results\.jsonl"):
        saved(path)
    assert path.read_text() == content
