"""What of a recording is remembered for a new engine."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from app.captions.uncommitted_audio import KEPT_SECONDS, RECALLED_SECONDS, UncommittedAudio
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.options import MAX_BUFFER_SECONDS


class Receiver:
    """Keeps what was passed on."""

    def __init__(self) -> None:
        self.samples = np.zeros(0, np.float32)

    def __call__(self, samples: Samples) -> None:
        self.samples = np.concatenate([self.samples, samples])

    def take(self) -> Samples:
        taken, self.samples = self.samples, np.zeros(0, np.float32)
        return taken


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def audio(receiver: Receiver) -> UncommittedAudio:
    return UncommittedAudio(receiver)


def ramp(seconds: float, first: int = 0) -> Samples:
    return np.arange(first, first + round(seconds * SAMPLE_RATE_HZ), dtype=np.float32)


def test_everything_is_passed_on_and_counted(audio: UncommittedAudio, receiver: Receiver) -> None:
    audio.add(ramp(0.5))
    audio.add(ramp(0.25, 8000))
    assert np.array_equal(receiver.samples, ramp(0.75))
    assert audio.seconds == 0.75


def test_all_after_the_last_committed_word_is_sent_again_with_some_context(
    audio: UncommittedAudio, receiver: Receiver
) -> None:
    for part in range(100):
        audio.add(ramp(0.1, part * 1600))
    receiver.take()
    audio.committed(RECALLED_SECONDS + 0.33)
    begun: list[float] = []
    audio.send_again(begun.append)
    assert begun == [audio.start_seconds] == [pytest.approx(0.33)]
    assert np.array_equal(receiver.take(), ramp(10.0)[round(0.33 * SAMPLE_RATE_HZ) :])


def test_nothing_new_comes_between_the_beginning_of_a_session_and_what_is_sent_again(
    audio: UncommittedAudio, receiver: Receiver
) -> None:
    audio.add(ramp(1.0))
    receiver.take()
    microphone = threading.Thread(target=lambda: audio.add(ramp(0.1, 16000)))

    def begin(seconds: float) -> None:
        microphone.start()
        microphone.join(timeout=0.05)  # as long as it would have to come in between
        receiver.take()  # whatever came before the session began is none of its audio

    audio.send_again(begin)
    microphone.join()
    assert np.array_equal(receiver.samples, ramp(1.1))


def test_an_earlier_end_forgets_nothing_and_a_later_one_no_more_than_there_is(
    audio: UncommittedAudio, receiver: Receiver
) -> None:
    audio.add(ramp(1.0))
    audio.committed(RECALLED_SECONDS + 0.5)
    audio.committed(RECALLED_SECONDS + 0.2)
    assert audio.start_seconds == 0.5
    audio.committed(RECALLED_SECONDS + 7.0)
    audio.add(ramp(0.1, 16000))
    receiver.take()
    audio.send_again(lambda seconds: None)
    assert np.array_equal(receiver.samples, ramp(0.1, 16000))


def test_what_the_engine_has_let_go_of_is_forgotten(audio: UncommittedAudio) -> None:
    for _ in range(40):
        audio.add(ramp(1.0))
    audio.heard(20.0)
    assert audio.start_seconds == 0.0
    audio.heard(MAX_BUFFER_SECONDS + 5)
    assert audio.start_seconds == 5.0


def test_memory_is_bounded_while_nobody_hears(audio: UncommittedAudio) -> None:
    silence = np.zeros(SAMPLE_RATE_HZ * 10, np.float32)
    audio.send = lambda samples: None
    for _ in range(70):
        audio.add(silence)
    assert audio.seconds - audio.start_seconds == KEPT_SECONDS


def test_a_listener_is_given_everything_once(audio: UncommittedAudio, receiver: Receiver) -> None:
    listener = Receiver()
    audio.listener = listener
    audio.add(ramp(1.0))
    audio.send_again(lambda seconds: None)
    audio.add(ramp(1.0, SAMPLE_RATE_HZ))
    assert np.array_equal(listener.take(), ramp(2.0))
    audio.close()
    audio.add(ramp(1.0))
    assert len(listener.take()) == 0


def test_nothing_is_passed_on_after_closing(audio: UncommittedAudio, receiver: Receiver) -> None:
    audio.add(ramp(0.1))
    audio.close()
    audio.add(ramp(0.1))
    audio.send_again(lambda seconds: None)
    assert len(receiver.samples) == 1600
