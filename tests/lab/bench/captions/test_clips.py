"""The clips that the captions benchmark hears."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from lab.bench.captions.clips import (
    PAUSE_SECONDS,
    BenchError,
    Clip,
    bench_sentences,
    read_manifest,
    spoken_clips,
)
from lab.recipes.speech.espeak import SyntheticVoice
from tests.app.scripted_hearing import write_wav


def seconds_of(clip: Clip) -> float:
    return len(clip.listen()) / SAMPLE_RATE_HZ


def assert_words_are_timed(clip: Clip) -> None:
    assert [word.text.strip() for word in clip.words] == clip.text.split()
    starts, ends = [word.start for word in clip.words], [word.end for word in clip.words]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert starts[0] >= PAUSE_SECONDS
    assert ends[-1] < seconds_of(clip)


def test_a_spoken_clip_knows_when_each_word_is_said() -> None:
    first, second = spoken_clips(2)
    assert_words_are_timed(first)
    assert_words_are_timed(second)
    assert f"{first.text} {second.text}" == " ".join(bench_sentences()[:6])


def test_voices_take_turns_clip_by_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, quick = SyntheticVoice("en-us", 100), SyntheticVoice("en-us", 300)
    monkeypatch.setattr("lab.bench.captions.clips.VOICES", (slow, quick))
    clips = spoken_clips(3)
    monkeypatch.setattr("lab.bench.captions.clips.VOICES", (quick, slow))
    others = spoken_clips(3)
    longer = [seconds_of(a) > 1.5 * seconds_of(b) for a, b in zip(clips, others, strict=True)]
    shorter = [1.5 * seconds_of(a) < seconds_of(b) for a, b in zip(clips, others, strict=True)]
    assert longer == [True, False, True] and shorter == [False, True, False]


def test_words_are_loud_where_they_are_said_to_be() -> None:
    (clip,) = spoken_clips(1)
    samples = clip.listen()
    said = np.zeros(len(samples), bool)
    for word in clip.words:
        said[round(word.start * SAMPLE_RATE_HZ) : round(word.end * SAMPLE_RATE_HZ)] = True
    assert np.square(samples[~said]).mean() < 0.01 * np.square(samples[said]).mean()


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
