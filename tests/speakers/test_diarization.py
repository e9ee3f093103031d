from __future__ import annotations

import numpy as np
import pytest

from engine.audio import Samples
from engine.speakers.diarization import Diarizer
from engine.speakers.turns import SpeakerTurn
from tests.people_clips import people_clips
from tests.speakers.two_people import conversation


@pytest.fixture(scope="module")
def diarizer() -> Diarizer:
    return Diarizer()


def chunks(samples: Samples, size: int = 16_000) -> list[Samples]:
    return [samples[at : at + size] for at in range(0, len(samples), size)]


def speaker_at(turns: tuple[SpeakerTurn, ...], second: float) -> int | None:
    return next((turn.speaker for turn in turns if turn.start <= second < turn.end), None)


def test_two_people_are_told_apart_whatever_the_chunks(diarizer: Diarizer) -> None:
    samples, spoken = conversation()
    found = diarizer(chunks(samples))
    turns = found.turns
    assert {turn.speaker for turn in turns} == {0, 1}
    assert [speaker_at(turns, (start + end) / 2) for start, end, _ in spoken] == [0, 1, 0, 1]
    assert diarizer(chunks(samples, 7001)).turns == turns
    assert len(found.voices) == 2 and float(found.voices[0] @ found.voices[1]) < 0.4
    assert list(turns) == sorted(turns, key=lambda turn: turn.start)


def test_the_number_that_is_given_holds(diarizer: Diarizer) -> None:
    samples, _ = conversation()
    assert {turn.speaker for turn in diarizer(chunks(samples), 1).turns} == {0}
    assert {turn.speaker for turn in diarizer(chunks(samples), 2).turns} == {0, 1}


def test_one_voice_is_one_speaker(diarizer: Diarizer) -> None:
    voice = np.concatenate([clip.samples for clip in people_clips() if clip.name.startswith("LJ001")] * 2)
    assert {turn.speaker for turn in diarizer(chunks(voice)).turns} == {0}


def test_silence_noise_and_a_tone_make_no_speaker(diarizer: Diarizer) -> None:
    seconds = np.arange(12 * 16_000) / 16_000
    noise = np.random.default_rng(3).standard_normal(len(seconds)) * 0.03
    tone = 0.2 * np.sin(2 * np.pi * 440 * seconds)
    for samples in (np.zeros(len(seconds)), noise, tone):
        assert diarizer(chunks(samples.astype(np.float32))).turns == ()
    assert diarizer([]).turns == ()


def test_progress_is_told_in_order(diarizer: Diarizer) -> None:
    samples, _ = conversation()
    told: list[float] = []
    diarizer(chunks(samples), report=told.append)
    assert told == sorted(told) and told[-1] > 5.0
