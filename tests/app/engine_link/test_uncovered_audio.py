"""The part of a recording that is kept for another engine."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from app.engine_link.uncovered_audio import KEPT_SECONDS, RECALLED_SECONDS, UncoveredAudio
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.options import MAX_BUFFER_SECONDS


class Receiver:
    """Keeps what was passed on, by side, and in which order the sides came."""

    def __init__(self) -> None:
        self.sides: list[int] = []
        self._samples = {0: np.zeros(0, np.float32), 1: np.zeros(0, np.float32)}

    def __call__(self, samples: Samples, side: int) -> None:
        self.sides.append(side)
        self._samples[side] = np.concatenate([self._samples[side], samples])

    def take(self, side: int = 0) -> Samples:
        self.sides.clear()
        taken, self._samples[side] = self._samples[side], np.zeros(0, np.float32)
        return taken


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def audio(receiver: Receiver) -> UncoveredAudio:
    return UncoveredAudio(1, receiver)


def ramp(seconds: float, first: int = 0) -> Samples:
    return np.arange(first, first + round(seconds * SAMPLE_RATE_HZ), dtype=np.float32)


def nothing(starts: Sequence[float]) -> None:
    """Begin no session."""


def test_everything_is_passed_on_and_counted(audio: UncoveredAudio, receiver: Receiver) -> None:
    audio.add(ramp(0.5))
    audio.add(ramp(0.25, 8000))
    assert np.array_equal(receiver.take(), ramp(0.75))
    assert audio.seconds == 0.75


def test_all_after_the_last_committed_word_is_sent_again_with_some_context(
    audio: UncoveredAudio, receiver: Receiver
) -> None:
    for part in range(100):
        audio.add(ramp(0.1, part * 1600))
    receiver.take()
    audio.note_committed(0, RECALLED_SECONDS + 0.33)
    begun: list[Sequence[float]] = []
    audio.send_again(begun.append)
    assert begun == [audio.starts] == [(pytest.approx(0.33),)]
    assert np.array_equal(receiver.take(), ramp(10.0)[round(0.33 * SAMPLE_RATE_HZ) :])


def test_times_are_those_of_the_transcript(receiver: Receiver) -> None:
    audio = UncoveredAudio(1, receiver, start_seconds=100.0)
    for part in range(10):
        audio.add(ramp(1.0, part * SAMPLE_RATE_HZ))
    assert (audio.seconds, audio.starts) == (10.0, (100.0,))
    audio.note_committed(0, 107.0)
    assert audio.starts == (102.0,)
    audio.note_heard(0, 104.0 + MAX_BUFFER_SECONDS)
    assert audio.starts == (104.0,)


def test_two_sides_are_kept_from_moments_of_their_own_and_sent_again_in_time(receiver: Receiver) -> None:
    audio = UncoveredAudio(2, receiver)
    for part in range(10):
        for side in range(2):
            audio.add(ramp(1.0, part * SAMPLE_RATE_HZ), side)
    audio.note_committed(1, RECALLED_SECONDS + 3.0)
    receiver.take(0)
    receiver.take(1)
    begun: list[Sequence[float]] = []
    audio.send_again(begun.append)
    assert begun == [(0.0, 3.0)]
    assert receiver.sides == [0, 0, 0] + [0, 1] * 7
    assert np.array_equal(receiver.take(0), ramp(10.0))
    assert np.array_equal(receiver.take(1), ramp(10.0)[3 * SAMPLE_RATE_HZ :])


def test_nothing_new_comes_between_the_beginning_of_a_session_and_what_is_sent_again(
    audio: UncoveredAudio, receiver: Receiver
) -> None:
    audio.add(ramp(1.0))
    receiver.take()
    microphone = threading.Thread(target=lambda: audio.add(ramp(0.1, 16000)))

    def begin(starts: Sequence[float]) -> None:
        microphone.start()
        microphone.join(timeout=0.05)  # time enough for the microphone to come in between, if it could
        receiver.take()  # audio from before the session is not part of it

    audio.send_again(begin)
    microphone.join()
    assert np.array_equal(receiver.take(), ramp(1.1))


def test_an_earlier_end_forgets_nothing_and_a_later_one_no_more_than_there_is(
    audio: UncoveredAudio, receiver: Receiver
) -> None:
    audio.add(ramp(1.0))
    audio.note_committed(0, RECALLED_SECONDS + 0.5)
    audio.note_committed(0, RECALLED_SECONDS + 0.2)
    assert audio.starts == (0.5,)
    audio.note_committed(0, RECALLED_SECONDS + 7.0)
    audio.add(ramp(0.1, 16000))
    receiver.take()
    audio.send_again(nothing)
    assert np.array_equal(receiver.take(), ramp(0.1, 16000))


def test_what_the_engine_has_let_go_of_is_forgotten(audio: UncoveredAudio) -> None:
    for _ in range(40):
        audio.add(ramp(1.0))
    audio.note_heard(0, 20.0)
    assert audio.starts == (0.0,)
    audio.note_heard(0, MAX_BUFFER_SECONDS + 5)
    assert audio.starts == (5.0,)


def test_memory_is_bounded_while_nobody_hears() -> None:
    silence = np.zeros(SAMPLE_RATE_HZ * 10, np.float32)
    audio = UncoveredAudio(1, lambda samples, side: None)
    for _ in range(70):
        audio.add(silence)
    assert audio.seconds - audio.starts[0] == KEPT_SECONDS


def test_a_listener_is_given_everything_once(audio: UncoveredAudio) -> None:
    listener = Receiver()
    audio.listener = listener
    audio.add(ramp(1.0))
    audio.send_again(nothing)
    audio.add(ramp(1.0, SAMPLE_RATE_HZ))
    assert np.array_equal(listener.take(), ramp(2.0))
    audio.close()
    audio.add(ramp(1.0))
    assert len(listener.take()) == 0


def test_nothing_is_passed_on_after_closing(audio: UncoveredAudio, receiver: Receiver) -> None:
    audio.add(ramp(0.1))
    audio.close()
    audio.add(ramp(0.1))
    audio.send_again(nothing)
    assert len(receiver.take()) == 1600
