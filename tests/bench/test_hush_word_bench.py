"""The hush-word bench: trains, compares every padding, prints what it found, and keeps what it trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("espeakng_loader", reason="the sibling learns from espeak-ng's voice")

from app.cli import main
from engine.bench.hush_word import FIGURES, PADDINGS, Comparison, PaddingResult, figures, report
from engine.metrics import WordErrors

EDGES = (1.0, 2.0, 3.0)


def compared(quick: bool = False) -> Comparison:
    """Every padding a little worse than the one before, over two lengths of three."""
    results = [
        PaddingResult(
            name,
            EDGES,
            (WordErrors(number, 0, 0, 100), WordErrors(0, 0, 2 * number, 100), WordErrors()),
            macs=4_000_000_000 // (1 if name == "full" else 2),
            surplus=2 * number,
        )
        for number, name in enumerate(PADDINGS)
    ]
    return Comparison("sibling", (0.8, 2.2), tuple(results), quick)


def test_the_figures_are_those_of_all_clips() -> None:
    found = figures(compared())
    assert found["wer_full"] == 0.0
    assert found["wer_none"] == round(3 / 200, 4)
    assert found["wer_hush"] == round(3 * PADDINGS.index("hush") / 200, 4)
    assert found["gmacs_ratio"] == 2.0
    assert found["words"] == 200
    assert "quick" not in found and figures(compared(quick=True))["quick"] is True
    assert set(FIGURES) == {"wer_full", "wer_none", "wer_zeros", "wer_noise", "wer_hush", "wer_silence_cache"}


def test_the_report_shows_every_padding_as_a_whole_and_by_length() -> None:
    text = report(compared())
    whole, lengths = text.split("WER by length")
    for name in PADDINGS:
        assert f"\n{name} " in whole and f"\n{name} " in lengths
    assert "0-1 s" in lengths and "1-2 s" in lengths and "2-3 s" not in lengths  # nothing is that long
    assert "trained on 0.8 to 2.2 s" in lengths
    assert "50.0%" in whole
    assert "quick" not in text and "A quick run" in report(compared(quick=True))


def test_a_quick_run_trains_measures_and_is_not_trained_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["bench", "hush-word", "--quick", "--json", "--out", str(tmp_path)]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["bench"] == "hush-word" and first["figures"]["quick"] is True
    assert first["figures"].keys() >= {*FIGURES, "gmacs_ratio"}
    assert first["figures"]["gmacs_ratio"] > 1.5

    def refuse(*_: object) -> None:
        raise AssertionError("what is kept must not be trained again")

    monkeypatch.setattr("engine.recipes.padded_sibling.train", refuse)
    monkeypatch.setattr("engine.bench.hush_word.train", refuse)
    assert main(command) == 0
    again = json.loads(capsys.readouterr().out)
    # espeak-ng goes on from its last utterance, so within a process the same words sound a little different again.
    assert again["figures"] == pytest.approx(first["figures"], abs=0.25)


def test_a_model_of_ones_own_is_measured_with_its_own_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np
    import soundfile

    from tests.models.random_whisper import write_random_model

    lines = []
    for index in range(12):
        noise = 0.1 * np.random.default_rng(index).standard_normal(6000)
        soundfile.write(tmp_path / f"{index}.wav", noise, 16_000)
        lines.append(json.dumps({"file": f"{index}.wav", "text": f"number {index}"}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
    folder = write_random_model(tmp_path / "model")
    data = ["--manifest", str(tmp_path / "manifest.jsonl"), "--out", str(tmp_path / "out")]
    assert main(["bench", "hush-word", "--model", str(folder), *data, "--quick"]) == 0
    text = capsys.readouterr().out
    assert "silence_cache" in text and "A quick run" in text


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--model", "starter"], "need each other"),
        (["--manifest", "x.jsonl"], "need each other"),
        (["--minutes", "0"], "--minutes must be positive"),
        (["--minutes", "nan"], "--minutes must be positive"),
    ],
)
def test_half_an_order_is_bad_usage(options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "hush-word", *options]) == 2
    assert complaint in capsys.readouterr().err
