from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.whole import Window, next_window, resume_at, transcribe
from engine.events import Word
from engine.hear.recognizer import WINDOW_SECONDS, WhisperRecognizer
from engine.hear.whisper.load import HearingModel
from tests.hear.planted import PlantedRecognizer, numbered, plant
from tests.hear.short_decoding import SHORT

RATE = SAMPLE_RATE_HZ


def noise(seconds: float, level: float = 0.1, seed: int = 0) -> np.ndarray:
    return (level * np.random.default_rng(seed).normal(size=round(seconds * RATE))).astype(np.float32)


def words(*spans: tuple[float, float]) -> list[Word]:
    return numbered(spans)


def test_short_audio_is_one_window() -> None:
    samples = noise(27.9)
    assert next_window(samples, 0) == Window(0, len(samples), whole=True)
    assert next_window(samples, 20 * RATE) == Window(20 * RATE, len(samples), whole=True)


def test_a_window_ends_in_the_pause_near_its_longest_end() -> None:
    samples = noise(60.0)
    samples[round(24.0 * RATE) : round(24.5 * RATE)] *= 0.01
    window = next_window(samples, 0)
    assert window.whole
    assert 24.0 <= window.end / RATE <= 24.5
    assert next_window(samples, 5 * RATE).end / RATE == pytest.approx(24.25, abs=0.25)


def test_without_a_pause_the_end_may_cut_a_word() -> None:
    window = next_window(noise(60.0), 0)
    assert not window.whole
    assert 18 <= window.end / RATE <= WINDOW_SECONDS


def test_words_at_a_rough_end_are_heard_again_from_the_gap_before_them() -> None:
    samples = noise(60.0)
    heard = words((1, 2), (20, 25), (25.2, 26.4), (26.4, 27.0))
    assert resume_at(samples, Window(0, 27 * RATE, whole=False), heard) == round(25.1 * RATE)
    assert resume_at(samples, Window(0, 27 * RATE, whole=True), heard) == 27 * RATE


def test_a_recognizer_that_stops_early_is_asked_again_where_it_stopped() -> None:
    samples = noise(60.0)
    window = Window(0, 27 * RATE, whole=True)
    assert resume_at(samples, window, words((1, 2), (2, 10))) == 10 * RATE
    assert resume_at(samples, window, words((1, 2), (20, 26))) == 27 * RATE


def test_silence_after_the_last_word_is_not_heard_again() -> None:
    samples = noise(27.0)
    samples[round(10.1 * RATE) :] *= 0.05
    assert resume_at(samples, Window(0, 27 * RATE, whole=True), words((1, 2), (2, 10))) == 27 * RATE


def test_every_window_makes_progress() -> None:
    samples = noise(60.0)
    for heard in ([], words((0, 0.5)), words((0, 3.9))):
        for whole in (True, False):
            assert resume_at(samples, Window(0, 27 * RATE, whole), heard) == 27 * RATE


@st.composite
def speech(draw: st.DrawFn) -> list[Word]:
    """Up to two minutes of words of 0.05 to 1.2 s, with pauses of any length or none."""
    count = draw(st.integers(0, 120))
    lengths = draw(st.lists(st.integers(5, 120), min_size=count, max_size=count))
    pauses = draw(st.lists(st.sampled_from([0, 0, 0, 4, 30, 150]), min_size=count, max_size=count))
    spans, now = [], 0
    for length, pause in zip(lengths, pauses, strict=True):
        start = now + pause
        now = start + length
        spans.append((start / 100, now / 100))
    return numbered(spans)


@given(speech(), st.sampled_from([0.0, 0.3, 40.0]))
def test_no_word_is_lost_or_repeated_at_a_seam(said: list[Word], silence_seconds: float) -> None:
    end = max([word.end for word in said], default=0.0) + silence_seconds
    recognizer = PlantedRecognizer(said)
    heard = transcribe(recognizer, plant(said, end))
    assert [word.text for word in heard] == [word.text for word in said]
    assert [(word.start, word.end) for word in heard] == [
        (pytest.approx(word.start), pytest.approx(word.end)) for word in said
    ]
    assert all(stop - start <= WINDOW_SECONDS + 1e-6 for start, stop, _ in recognizer.calls)


def test_windows_stand_alone() -> None:
    said = numbered([(index * 1.0, index + 0.9) for index in range(100)])
    recognizer = PlantedRecognizer(said)
    transcribe(recognizer, plant(said), window_seconds=15.0)
    assert all(prompt == "" and stop - start <= 15.0 for start, stop, prompt in recognizer.calls)


def test_no_audio_is_no_words() -> None:
    assert transcribe(PlantedRecognizer([]), np.zeros(0, np.float32)) == ()


def test_a_long_recording_is_heard_to_its_end(tiny_model: Callable[..., HearingModel]) -> None:
    recognizer = WhisperRecognizer(tiny_model(0), replace(SHORT, temperatures=(0.0, 0.4)))
    heard = transcribe(recognizer, noise(40.0), language="en")
    times = [moment for word in heard for moment in (word.start, word.end)]
    assert times == sorted(times)
    assert 20.0 < times[-1] <= 40.0
