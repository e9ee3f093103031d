"""Speech to train on comes from recordings, and some of it is held out."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
import soundfile

from engine.recipes.hush_word import HushWordError, Recording
from engine.recipes.speech_source import RecordedSpeech, SpeechError, dirtied

SECOND = np.sin(np.arange(16_000, dtype=np.float32))


def test_recordings_are_held_out_by_what_is_said_in_them() -> None:
    recordings = [Recording(f"number {index % 6}", samples=SECOND) for index in range(12)]
    speech = RecordedSpeech(recordings, held_out=1)
    (apart,) = {spoken.text for spoken in speech.held_out()}
    random = Random(0)
    assert {speech.draw(random).text for _ in range(80)} == {f"number {index}" for index in range(6)} - {apart}
    with pytest.raises(SpeechError, match="different words"):
        RecordedSpeech([recordings[0], recordings[6]])


def test_recordings_of_a_manifest_are_those_in_the_models_languages(tmp_path: Path) -> None:
    lines = []
    for text, language in (("hello", "en"), ("good morning", "en"), ("hallo", "de")):
        soundfile.write(tmp_path / f"{text}.wav", SECOND, 16_000)
        lines.append(json.dumps({"file": f"{text}.wav", "text": text, "lang": language}))
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(lines))
    speech = RecordedSpeech.read(manifest, ["en"])
    said = {spoken.text for spoken in speech.held_out()} | {speech.draw(Random(seed)).text for seed in range(20)}
    assert said == {"hello", "good morning"}
    assert all(spoken.samples is not None and len(spoken.samples) == 16_000 for spoken in speech.held_out())
    with pytest.raises(HushWordError, match="names no recording in fr"):
        RecordedSpeech.read(manifest, ["fr"])


def test_noise_and_level_differ_from_time_to_time_and_come_again_with_the_seed() -> None:
    versions = [dirtied(SECOND, Random(seed)) for seed in range(40)]
    assert all(np.array_equal(dirtied(SECOND, Random(seed)), versions[seed]) for seed in range(3))
    for version in versions:
        assert version.dtype == np.float32 and np.abs(version).max() <= 1.0
    clean = sum(abs(np.corrcoef(SECOND, version)[0, 1]) > 1 - 1e-6 for version in versions)
    assert 10 < clean < 30  # about half of them
    levels = [float(np.abs(version).max()) for version in versions]
    assert min(levels) < 0.4 and max(levels) > 0.8
    assert not dirtied(np.zeros(100, np.float32), Random(0)).any()
