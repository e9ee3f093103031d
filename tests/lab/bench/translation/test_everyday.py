"""Everyday lines and their judgements."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from app.terminal.cli import main
from lab.bench.errors import BenchError
from lab.bench.translation import everyday
from lab.bench.translation.everyday import Everyday
from tests.language_models import write_language_model


def test_there_are_twenty_lines_of_each_of_ten_kinds_and_a_score_of_each_in_every_language() -> None:
    lines = everyday.read_lines()
    assert sorted(Counter(kind for kind, _ in lines).values()) == [20] * 10
    judged = everyday.read_judgements()
    assert Counter(language for language, _, _ in judged) == dict.fromkeys(("de", "es", "fr", "pt"), 200)
    assert {source for _, source, _ in judged} == {source for _, source in lines}


def test_only_what_was_judged_counts() -> None:
    scores = (4, 3, 2, None)
    lines = [Everyday("news" if score else "work", "It rains.", "Es regnet.", score) for score in scores]
    news, work, everything = everyday.summaries(lines)
    assert (news.kind, work.kind, everything.kind) == ("news", "work", "all")
    assert news.usable_share == everything.usable_share == 2 / 3
    assert work.usable_share is None
    found = everyday.figures(everything)
    assert (found["mean_score"], found["not_judged"]) == (3, 1)
    low, share, high = (found[f"usable_share{bound}"] for bound in ("_low", "", "_high"))
    assert low is not None and share is not None and high is not None and low < share < high


def test_nothing_judged_has_no_figures() -> None:
    assert everyday.figures(everyday.summaries([Everyday("work", "It rains.", "x", None)])[-1]) == {
        "usable_share": None, "usable_share_low": None, "usable_share_high": None, "mean_score": None, "not_judged": 1
    }  # fmt: skip


def test_a_row_that_is_no_judgement_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "judged.tsv"
    path.write_text("de\tIt rains.\tEs regnet.\t4\nde\tIt rains.\tEs regnet.\t5\n")
    monkeypatch.setattr(everyday, "JUDGEMENTS", path)
    with pytest.raises(BenchError, match=r"Line 2 of .* 0 to 4"):
        everyday.read_judgements()


def test_the_starters_lines_were_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "translation", "--set", "everyday", "--to", "pt", "--limit", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["lines"] for row in found["rows"]] == [3, 3]
    assert found["figures"]["not_judged"] == 0


def test_the_translations_of_another_model_are_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_language_model(tmp_path / "model", eos_token_id=[0, *range(200, 240)])
    assert main(["bench", "translation", "--set", "everyday", "--model", str(folder), "--limit", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures"]["not_judged"] == 2


def test_what_needs_references_does_not_go_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "translation", "--set", "everyday", "--hearing"]) == 2
    assert "judged line by line" in capsys.readouterr().err
