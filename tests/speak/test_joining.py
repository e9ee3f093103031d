"""Sentences joined: no gap but ours, no click, evenly loud, never clipped."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio import Samples
from engine.speak.ahead import SpeechAhead
from engine.speak.espeak import EspeakVoice
from engine.speak.joining import LEVEL, PAUSE_SECONDS, SILENT, Leveller, SpeechJoiner, trimmed
from engine.speak.voice import in_chunks
from tests.speak.scripted_voice import CHUNK, RATE_HZ, ScriptedVoice, tone

PAUSE = round(PAUSE_SECONDS * RATE_HZ)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE_HZ), np.float32)


def whole(parts: Iterable[Samples]) -> Samples:
    return np.concatenate([np.zeros(0, np.float32), *parts])


def root_mean_square(samples: Samples) -> float:
    voiced = samples[np.abs(samples) > SILENT]
    return float(np.sqrt(np.mean(np.square(voiced, dtype=np.float64))))


def in_sizes(samples: Samples, sizes: Iterable[int]) -> list[Samples]:
    parts, position = [], 0
    for size in sizes:
        parts.append(samples[position : position + size])
        position += size
    return [*parts, samples[position:]]


def test_silence_around_a_sentence_is_cut_and_within_it_stays() -> None:
    spoken = [silence(0.4), tone(4), silence(0.3), tone(4), silence(0.5)]
    cut = whole(trimmed([whole(spoken)], RATE_HZ))
    assert len(cut) / RATE_HZ == pytest.approx(0.2 + 0.3 + 0.2, abs=0.06)
    assert np.abs(cut[:100]).max() < 0.1 and np.abs(cut[-50:]).max() < SILENT


@given(st.lists(st.integers(0, 3000), max_size=12))
def test_the_sizes_of_parts_make_no_difference_to_what_is_left(sizes: list[int]) -> None:
    spoken = whole([silence(0.1), tone(3), silence(0.2), tone(2), silence(0.1)])
    at_once, in_parts = whole(trimmed([spoken], RATE_HZ)), whole(trimmed(in_sizes(spoken, sizes), RATE_HZ))
    np.testing.assert_array_equal(at_once, in_parts)


@pytest.mark.parametrize("parts", [[], [silence(0)], [silence(1)], [silence(0.5)] * 3, [silence(1) + 0.5 * SILENT]])
def test_silence_alone_leaves_nothing(parts: list[Samples]) -> None:
    assert len(whole(trimmed(parts, RATE_HZ))) == 0


def test_sound_that_breaks_off_begins_and_ends_softly() -> None:
    constant = np.full(RATE_HZ, 0.5, np.float32)
    cut = whole(trimmed([constant], RATE_HZ))
    edged = np.concatenate([[0], cut, [0]])
    assert np.abs(np.diff(edged)).max() < 0.01
    assert cut.max() == 0.5


@pytest.mark.parametrize("samples", [1, 10, 100])
def test_the_shortest_sound_is_no_error(samples: int) -> None:
    cut = whole(trimmed([np.full(samples, 0.5, np.float32)], RATE_HZ))
    assert len(cut) == samples


@pytest.mark.parametrize("level", [0.02, 0.05, 0.1, 0.3, 0.6])
def test_quiet_and_loud_voices_come_out_alike(level: float) -> None:
    joiner = SpeechJoiner(RATE_HZ)
    joined = [whole(joiner.join(ScriptedVoice(lambda _: tone(60, level)).speak("x"))) for _ in range(4)]
    first, last = (root_mean_square(sentence[-20 * CHUNK :]) for sentence in (joined[0], joined[-1]))
    assert first == pytest.approx(LEVEL, rel=0.5)  # within 6 dB after 3 seconds
    assert last == pytest.approx(LEVEL, rel=0.25)  # and within 2 dB after 10


def test_pauses_do_not_count_as_quiet_speech() -> None:
    level = Leveller(RATE_HZ)
    for _ in range(10):
        whole([level(chunk) for chunk in in_chunks([tone(10), silence(2)], RATE_HZ)])
    assert root_mean_square(level(tone(10))) == pytest.approx(LEVEL, rel=0.05)


def test_the_gain_glides() -> None:
    level = Leveller(RATE_HZ)
    quiet_then_loud = np.concatenate([tone(40, 0.02), tone(40, 0.2)])
    out = whole([level(chunk) for chunk in in_chunks([quiet_then_loud], RATE_HZ)])
    steepest = 2 * np.pi * 11 / CHUNK  # of a sine of amplitude 1
    assert np.abs(np.diff(out)).max() <= steepest * 1.5


@given(st.floats(0, 5), st.integers(0, 2**31))
def test_nothing_is_ever_clipped_or_no_number(gain: float, seed: int) -> None:
    samples = (gain * np.random.default_rng(seed).standard_normal(3 * CHUNK)).astype(np.float32)
    level = Leveller(RATE_HZ)
    for chunk in in_chunks([samples], RATE_HZ):
        out = level(chunk)
        assert out.dtype == np.float32
        assert np.isfinite(out).all() and np.abs(out).max(initial=0) <= 1


def test_between_sentences_there_is_our_pause_and_none_before_the_first() -> None:
    joiner = SpeechJoiner(RATE_HZ)
    first, second = (list(joiner.join(ScriptedVoice(lambda _: tone(4)).speak("x"))) for _ in range(2))
    assert len(whole(first)) == 4 * CHUNK
    assert len(second[0]) == PAUSE and not second[0].any()
    assert len(whole(second)) == PAUSE + 4 * CHUNK
    joiner.restart()
    assert len(whole(joiner.join(ScriptedVoice(lambda _: tone(4)).speak("x")))) == 4 * CHUNK


def test_a_sentence_that_says_nothing_makes_no_pause() -> None:
    joiner = SpeechJoiner(RATE_HZ)
    sentences = [tone(4), silence(0), tone(4)]
    lengths = [len(whole(joiner.join(ScriptedVoice(lambda _, s=s: s).speak("x")))) for s in sentences]
    assert lengths == [4 * CHUNK, 0, PAUSE + 4 * CHUNK]


def test_a_sentence_that_was_cut_off_does_not_spare_the_next_its_pause() -> None:
    joiner = SpeechJoiner(RATE_HZ)
    cut_off = joiner.join(ScriptedVoice().speak("x"))
    next(cut_off)
    cut_off.close()
    assert len(next(joiner.join(ScriptedVoice().speak("x")))) == PAUSE


def test_a_spoken_reply_has_no_clicks_and_no_long_gaps() -> None:
    voice = EspeakVoice()
    ahead, joiner = SpeechAhead(voice), SpeechJoiner(voice.rate_hz)
    sentences = ["Hello there!", "Sure, I have turned on the lights.", "...", "It is nine o'clock.", "Bye."]
    raw = [whole(voice.speak(sentence)) for sentence in sentences]
    reply = whole(chunk for sentence in sentences for chunk in joiner.join(ahead.speak(sentence)))
    steepest = max(float(np.abs(np.diff(part)).max()) for part in raw if len(part))
    assert np.abs(np.diff(np.concatenate([[0], reply, [0]]))).max() < 1.3 * steepest
    quiet = np.flatnonzero(np.abs(reply) > SILENT)
    gaps = np.diff(quiet) / voice.rate_hz
    assert gaps.max() < 0.3
    assert sum(gaps > 0.15) >= 3
    assert root_mean_square(reply) == pytest.approx(LEVEL, rel=0.2)


def test_joints_are_silent_where_two_sentences_meet() -> None:
    """A jump at a joint would be a click: the samples on both of its sides are nearly zero."""
    voice = EspeakVoice()
    ahead, joiner = SpeechAhead(voice), SpeechJoiner(voice.rate_hz)
    for sentence in ("Stop", "Zap", "Go", "Yes", "Whatever it is"):
        chunks = whole(joiner.join(ahead.speak(sentence)))
        assert abs(chunks[0]) < 0.01 and abs(chunks[-1]) < 0.01
