"""The captions benchmark: honest figures from clips whose words are known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app import captioning
from app.cli import main
from engine.bench.captions import BenchError, Clip, figures, measure, read_manifest, report, spoken_clips
from engine.options import CaptionOptions
from tests.app.scripted_hearing import ScriptedRecognizer, write_wav


@pytest.fixture(scope="module")
def clip() -> Clip:
    return spoken_clips(1)[0]


def test_spoken_clips_know_when_each_word_is_said(clip: Clip) -> None:
    assert [word.text.strip() for word in clip.words] == clip.text.split()
    ends = [word.end for word in clip.words]
    assert ends == sorted(ends)
    assert ends[-1] < len(clip.listen()) / 16_000


def test_perfect_hearing_has_no_errors_and_a_delay(clip: Clip) -> None:
    results = list(measure(ScriptedRecognizer(clip.words), [clip], CaptionOptions()))
    found = figures(results)
    assert found["wer"] == found["offline_wer"] == 0
    assert 0 < found["real_time_factor"] < 1
    assert 0 < found["word_latency_seconds"] < 3
    assert found["word_latency_p50_seconds"] <= found["word_latency_p95_seconds"]
    assert len(results[0].latencies) == len(clip.words)


def test_missed_words_count_over_all_clips_together(clip: Clip) -> None:
    deaf = ScriptedRecognizer(())
    perfect = ScriptedRecognizer(clip.words)
    results = [each for hearer in (perfect, deaf) for each in measure(hearer, [clip], CaptionOptions())]
    found = figures(results)
    assert found["wer"] == 0.5
    text = report(results)
    assert "all " in text
    assert f"said:  {clip.text}" in text
    assert "heard: (nothing)" in text


def test_a_manifest_names_files_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write_wav(tmp_path / "sub" / "a.wav", np.ones(160) / 2)
    lines = [
        {"id": "a", "file": "sub/a.wav", "text": "One.", "seconds": 1},
        {"file": "sub/b.wav", "text": "Zwei.", "lang": "de"},
        {"file": "sub/c.wav", "text": "Three.", "lang": "en"},
    ]
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    clips = read_manifest(manifest, ["en"])
    assert [(clip.name, clip.text, clip.language) for clip in clips] == [("a", "One.", "en"), ("c", "Three.", "en")]
    assert len(clips[0].listen()) == 160
    assert len(read_manifest(manifest, ["en"], limit=1)) == 1


@pytest.mark.parametrize("content", [None, "", "no json\n", '{"file": "a.wav"}\n', "[1]\n", b"\xff\xfe"])
def test_a_manifest_without_recordings_is_one_clear_sentence(tmp_path: Path, content: str | bytes | None) -> None:
    manifest = tmp_path / "manifest.jsonl"
    if content is not None:
        manifest.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BenchError, match="manifest"):
        read_manifest(manifest, ["en"])


def test_the_command_ends_in_one_line_of_figures(
    clip: Clip, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(captioning, "load_recognizer", lambda model, options: ScriptedRecognizer(clip.words))
    assert main(["bench", "captions", "--quick", "--sentences", "2", "--limit", "1", "--json"]) == 0
    out, err = capsys.readouterr()
    record = json.loads(out.splitlines()[-1])
    assert {"wer", "offline_wer", "word_latency_seconds", "real_time_factor"} <= set(record["figures"])
    assert all(isinstance(value, int | float) for value in record["figures"].values())
    assert err == ""


def test_a_recording_that_is_missing_is_one_line(
    clip: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(captioning, "load_recognizer", lambda model, options: ScriptedRecognizer(clip.words))
    (tmp_path / "m.jsonl").write_text('{"file": "gone.wav", "text": "One."}\n')
    assert main(["bench", "captions", "--manifest", str(tmp_path / "m.jsonl")]) == 1
    assert "gone.wav" in capsys.readouterr().err
