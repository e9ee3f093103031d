"""Speech to learn from is what a manifest names or a model wrote down, and some speakers are held out."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine.recipes.speech.speech_source import Recording, Speech, SpeechError, dirtied, find_speech
from engine.recipes.speech.transcripts import Clip, Transcript, TranscriptError, Transcripts, read_manifest
from tests.recipes.recordings import TEXTS, write_recordings

SECOND = np.sin(np.arange(16_000, dtype=np.float32))


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return write_recordings(tmp_path)


def said_in(speech: Speech) -> tuple[set[str], set[str]]:
    """What is held out, and what is drawn."""
    return {heard.text for heard in speech.held_out()}, {speech.draw(Random(seed)).text for seed in range(80)}


def test_speakers_are_held_out(manifest: Path) -> None:
    speech = find_speech(manifest, ["en"], "", 30.0)
    apart, drawn = said_in(speech)
    assert len(apart) == 1 and drawn == set(TEXTS) - apart
    one = read_manifest(manifest, ["en"])[0]
    with pytest.raises(SpeechError, match="two speakers"):
        Speech([Recording(one), Recording(one)])


def test_recordings_are_no_longer_than_asked_and_in_the_models_languages(manifest: Path) -> None:
    apart, drawn = said_in(find_speech(manifest, ["en"], "", 0.75))
    assert apart | drawn == set(TEXTS[:3])
    with pytest.raises(SpeechError, match=r"no recording of at most 0\.1 s"):
        find_speech(manifest, ["en"], "", 0.1)
    with pytest.raises(TranscriptError, match="names no recording in fr"):
        find_speech(manifest, ["fr"], "", 30.0)


def test_of_a_models_transcripts_its_tokens_are_known(manifest: Path, tmp_path: Path) -> None:
    def wrote(clip: Clip, *tokens: int) -> Transcript:
        places = np.zeros((len(tokens) + 1, 16))
        return Transcript(clip, np.array(tokens, np.int32), places.astype(np.int32), places.astype(np.float16), ())

    clips = read_manifest(manifest, ["en"])
    written = [wrote(clip, 7, number) for number, clip in enumerate(clips[:3])]
    Transcripts(tmp_path / "written", "mine").add(0, [*written, wrote(clips[3])])
    speech = find_speech(tmp_path / "written", ["en"], "mine", 30.0)
    heard = [*speech.held_out(), *(speech.draw(Random(seed)) for seed in range(20))]
    assert {one.tokens for one in heard} == {(7, 0), (7, 1), (7, 2)}  # nothing is learnt where nothing was written
    assert all(len(one.samples) >= 8000 for one in heard)
    with pytest.raises(TranscriptError, match="another model"):
        find_speech(tmp_path / "written", ["en"], "theirs", 30.0)


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
