"""The hush-word bench: every padding on the same recordings, and what came of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.terminal.cli import main
from engine.events import Hypothesis, Word
from engine.hear.whisper.hush import ExtraKeysValues, HushWord, save_hush_word
from engine.hear.whisper.load import load_hearing_model
from engine.hear.whisper.measured_padding import find_measured_padding
from engine.metrics import WordErrors
from lab.bench.captions.hush_word import (
    ALONE,
    FIGURES,
    PADDINGS,
    PaddingResult,
    figures,
    padding_of,
    report,
    usable_paddings,
)
from lab.bench.captions.methods import PEER
from tests.random_whisper import TINY, write_random_model

WHOLE_WINDOW = TINY | {"n_audio_ctx": 1500}


def compared() -> tuple[PaddingResult, ...]:
    """Return results of all paddings, each a little worse than the one before."""
    return tuple(
        PaddingResult(
            name,
            (WordErrors(number, 0, 0, 100), WordErrors(0, 0, 2 * number, 100)),
            macs=4_000_000_000 // (1 if name == "full" else 2),
            cut=(WordErrors(0, number, 0, 50),) * 2,
        )
        for number, name in enumerate(PADDINGS)
    )


def test_the_figures_are_those_of_all_clips() -> None:
    found = figures(compared())
    assert found["wer_full"] == 0.0
    assert found["wer_none"] == round(3 / 200, 4)
    assert found["wer_hush"] == round(3 * PADDINGS.index("hush") / 200, 4)
    assert found["gmacs_ratio"] == 2.0
    assert found["cut_wer_none"] == round(1 / 50, 4) and found["cut_words"] == 100
    assert found["words"] == 200
    assert set(FIGURES) == {
        "wer_full",
        "wer_none",
        "wer_zeros",
        "wer_noise",
        "wer_hush",
        "wer_hush_alone",
        "wer_silence_cache",
        "wer_peer",
    }


def test_a_model_without_a_hush_word_has_no_figures_of_one() -> None:
    found = figures([result for result in compared() if result.padding != "hush"])
    assert found["wer_hush"] is None and found["gmacs_ratio"] is None
    assert found["wer_silence_cache"] is not None


def test_the_report_shows_every_padding() -> None:
    shown = report(compared())
    assert all(f"\n{name} " in shown for name in PADDINGS)
    assert "50.0%" in shown and "200 words; 100 before a cut" in shown
    assert "[+2.0 +2.0]" in shown  # each part has as many more errors with the second padding


class Peer:
    """A stand-in for faster-whisper, which writes for minutes with a model that has learnt nothing."""

    def __init__(self, hearing: object) -> None:
        pass

    def hear(self, samples: object, **rest: object) -> Hypothesis:
        return Hypothesis((Word(" number", 0.0, 0.5),), "en")


@pytest.fixture(autouse=True)
def peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.bench.captions.peer.has_peer", lambda: True)
    monkeypatch.setattr("lab.bench.captions.peer.PeerRecognizer", Peer)


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A manifest of two recordings and one that no window holds."""
    lines = []
    for index, seconds in enumerate((1, 4, 31)):
        noise = 0.1 * np.random.default_rng(index).standard_normal(seconds * 16_000)
        soundfile.write(tmp_path / f"{index}.wav", noise, 16_000)
        lines.append(json.dumps({"file": f"{index}.wav", "text": f"number {index}"}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
    return tmp_path / "manifest.jsonl"


def test_a_models_hush_word_has_a_row_where_there_is_one(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.hear.whisper.hush.own_hush_words", lambda: tmp_path / "words")
    folder = write_random_model(tmp_path / "model", WHOLE_WINDOW)
    command = ["bench", "hush-word", "--model", str(folder), "--manifest", str(recordings)]
    assert main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert "has no hush word: its row is left out" in err and "earshot train hush-word" in err
    bare = json.loads(out)["figures"]
    assert bare["wer_hush"] is None and bare["words"] == 4  # the third recording is too long
    assert bare["wer_peer"] == 0.5  # it leaves every number out
    hearing = load_hearing_model(folder)
    monkeypatch.setattr("engine.hear.whisper.measured_padding.own_hush_words", lambda: tmp_path / "words")
    assert main([*command, "--adopt"]) == 0
    assert "hears with" in capsys.readouterr().out
    measured = find_measured_padding(hearing)
    assert measured is not None and set(measured.word_errors) == set(measured.gmacs) >= {"full", "silence_cache"}
    assert PEER not in measured.word_errors  # it is no padding
    word = HushWord(hearing.fingerprint, hearing.name, np.full(8000, 0.01, np.float32))
    save_hush_word(word, tmp_path / "words" / f"{hearing.fingerprint}.safetensors")
    assert main([*command, "--quick"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "\nhush " in out and "recordings of" in out
    assert f"\n{PEER} " in out


def test_a_hush_word_has_a_row_without_what_was_trained_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.hear.whisper.hush.own_hush_words", lambda: tmp_path / "words")
    hearing = load_hearing_model(write_random_model(tmp_path / "model", WHOLE_WINDOW))
    assert ALONE not in usable_paddings(hearing) and "hush" not in usable_paddings(hearing)
    dims = hearing.model.dims
    sides = (dims.n_audio_layer, dims.n_audio_head, dims.n_audio_state), (
        dims.n_text_layer, dims.n_text_head, dims.n_text_state,
    )  # fmt: skip
    kept = [np.ones((layers, heads, 2, states // heads), np.float32) for layers, heads, states in sides for _ in "kv"]
    word = HushWord(hearing.fingerprint, hearing.name, np.full(8000, 0.01, np.float32), ExtraKeysValues(*kept))
    save_hush_word(word, tmp_path / "words" / f"{hearing.fingerprint}.safetensors")
    assert {ALONE, "hush"} <= set(usable_paddings(hearing))
    with_kept, alone = (padding_of(hearing, name) for name in ("hush", ALONE))
    assert np.array_equal(with_kept.tail, alone.tail)
    assert (with_kept.beside(50), alone.beside(50)) == (2, 0)


def test_recordings_that_are_all_too_long_are_one_line(
    recordings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recordings.write_text(recordings.read_text().splitlines()[-1])
    folder = write_random_model(tmp_path / "model", WHOLE_WINDOW)
    assert main(["bench", "hush-word", "--model", str(folder), "--manifest", str(recordings)]) == 1
    assert "longer than 30 s" in capsys.readouterr().err.splitlines()[-1]


def test_people_are_heard_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_random_model(tmp_path / "model", WHOLE_WINDOW)
    assert main(["bench", "hush-word", "--model", str(folder), "--limit", "2", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["audio"] == "2 recordings of people, speakers 2412 251 of LibriSpeech (--split judge), in lab/people."
    assert record["figures"]["words"] > 10


def test_no_recordings_are_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "hush-word", "--limit", "0"]) == 2
    assert "--limit must be at least 1" in capsys.readouterr().err
