"""A microphone that hears the call from a loudspeaker gives on what is its own, by real voices in made-up rooms."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.captions.call_echo import AHEAD_SECONDS, LONGEST_WAIT_SECONDS, CallEcho
from engine.captions.sides import CaptionSides
from engine.events import Caption, Incident
from tests.audio.test_barge_in import noise, own_voice, room, through, user_voice

if TYPE_CHECKING:
    from engine.captions.session import CaptionSession

CHUNK = 1600
QUIET = np.zeros(SAMPLE_RATE_HZ // 2, np.float32)


def through_both(microphone: Samples, call: Samples, call_delay_seconds: float = 0.0) -> Samples:
    """Pass both streams on in turn, as devices do; return what is left of the microphone's."""
    echo = CallEcho(call_delay_seconds)
    parts = []
    for at in range(0, max(len(microphone), len(call)), CHUNK):
        echo.add_call(call[at : at + CHUNK])
        parts.append(echo.add_microphone(microphone[at : at + CHUNK]))
    return np.concatenate([*parts, echo.finish()])


class Listener:
    """A session of captions that keeps what it is to hear."""

    compute_seconds = 0.0

    def __init__(self) -> None:
        self.incidents: deque[Incident] = deque()
        self.samples: list[Samples] = []

    def add_audio(self, chunk: Samples) -> None:
        self.samples.append(chunk)

    def note_beside(self, seconds: float) -> None:
        pass

    def finish(self) -> Iterator[Caption]:
        return iter(())


def power(samples: Samples) -> float:
    return float(np.mean(np.square(samples)))


def alike(one: Samples, other: Samples) -> float:
    return float(np.corrcoef(one, other)[0, 1])


def test_nothing_is_left_of_the_call() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice()])
    heard = through(call, room(0.08, 0.2, -10)) + noise(len(call), 0.0005)
    given = through_both(heard, call)
    assert len(given) == len(heard)
    assert power(given) < 0.01 * power(heard)


def test_a_microphone_that_is_moved_passes_nothing_of_the_call_on() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice(), QUIET, own_voice()])
    moved = len(own_voice()) + len(QUIET) + len(own_voice()) // 2
    before, after = through(call, room(0.06, 0.3, -9)), through(call, room(0.06, 0.3, -3, seed=5))
    heard = np.concatenate([before[:moved], after[moved:]]) + noise(len(call), 0.0005)
    assert power(through_both(heard, call)) < 0.01 * power(heard)


def test_the_first_own_words_over_the_call_are_kept() -> None:
    call = own_voice()
    heard = through(call, room(0.06, 0.3, -9)) + noise(len(call), 0.0005)
    own = user_voice()[: len(call)]
    heard[: len(own)] += own
    assert alike(through_both(heard, call)[: len(own)], own) > 0.9


def test_an_echo_that_comes_before_the_recorded_call_is_one_too() -> None:
    late = round(0.5 * AHEAD_SECONDS * SAMPLE_RATE_HZ)
    call = np.concatenate([own_voice(), QUIET, own_voice()])
    heard = np.concatenate([through(call, room(0.0, 0.2, -10))[late:], np.zeros(late, np.float32)])
    assert power(through_both(heard, call)[SAMPLE_RATE_HZ:]) < 0.02 * power(heard[SAMPLE_RATE_HZ:])


def test_streams_that_begin_at_different_seconds_are_aligned() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice()])
    heard = through(call, room(0.08, 0.2, -10)) + noise(len(call), 0.0005)
    early, late = round(0.04 * SAMPLE_RATE_HZ), round(0.7 * SAMPLE_RATE_HZ)
    for skipped in (early, late):
        last = slice(-len(own_voice()), None)
        given = through_both(heard, call[skipped:], skipped / SAMPLE_RATE_HZ)
        assert power(given[last]) < 0.01 * power(heard[last])
        echo = CallEcho(-skipped / SAMPLE_RATE_HZ)
        echo.add_call(call)
        given = np.concatenate([echo.add_microphone(heard[skipped:]), echo.finish()])
        assert power(given[last]) < 0.01 * power(heard[last])


def test_what_was_learnt_of_the_call_outlives_its_silence() -> None:
    pause = noise(15 * SAMPLE_RATE_HZ, 0.0005)
    call = np.concatenate([own_voice(), pause, own_voice()])
    heard = through(call, room(0.08, 0.2, -10)) + noise(len(call), 0.0005, seed=2)
    again = slice(len(call) - len(own_voice()), None)
    assert power(through_both(heard, call)[again]) < 0.01 * power(heard[again])


def test_while_the_call_is_silent_the_microphone_stays_as_it_is() -> None:
    heard = user_voice()[: len(user_voice()) // 7 * 5]
    given = through_both(heard, np.zeros(len(heard), np.float32))
    np.testing.assert_allclose(given, heard, atol=1e-5)


def test_own_words_stay_while_the_call_speaks_into_headphones() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice()])
    heard = noise(len(call), 0.0005)
    begin = len(own_voice()) + len(QUIET)
    own = user_voice()[: len(own_voice())]
    heard[begin : begin + len(own)] += own
    given = through_both(heard, call)
    assert alike(given[begin : begin + len(own)], own) > 0.95


def test_own_words_stay_over_the_call_from_a_loudspeaker() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice()])
    heard = through(call, room(0.08, 0.2, -10))
    begin = len(own_voice()) + len(QUIET)
    own = user_voice()[: len(own_voice())]
    heard[begin : begin + len(own)] += own
    given = through_both(heard, call)
    assert alike(given[begin : begin + len(own)], own) > 0.9


def test_the_microphone_does_not_wait_long_for_a_call_that_gives_nothing() -> None:
    echo = CallEcho()
    heard = user_voice()
    given = np.concatenate([echo.add_microphone(heard[at : at + CHUNK]) for at in range(0, len(heard), CHUNK)])
    assert len(heard) - len(given) < (LONGEST_WAIT_SECONDS + 0.1) * SAMPLE_RATE_HZ
    np.testing.assert_allclose(np.concatenate([given, echo.finish()]), heard, atol=1e-5)


def test_a_call_that_was_late_for_a_while_is_in_step_again() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice(), QUIET, own_voice()])
    heard = through(call, room(0.08, 0.2, -10))
    echo = CallEcho()
    parts, held = [], np.zeros(0, np.float32)
    for at in range(0, len(call), CHUNK):
        held = np.concatenate([held, call[at : at + CHUNK]])
        if not SAMPLE_RATE_HZ < at < 3 * SAMPLE_RATE_HZ:
            echo.add_call(held)
            held = held[:0]
        parts.append(echo.add_microphone(heard[at : at + CHUNK]))
    given = np.concatenate([*parts, echo.finish()])
    assert len(given) == len(heard)
    last = slice(len(call) - len(own_voice()), None)
    assert power(given[last]) < 0.02 * power(heard[last])


def test_the_first_side_is_heard_without_the_second_to_its_end() -> None:
    call = np.concatenate([own_voice(), QUIET, own_voice()])
    heard = through(call, room(0.08, 0.2, -10))
    listeners = Listener(), Listener()
    sides = CaptionSides(cast("tuple[CaptionSession, ...]", listeners), CallEcho())
    for at in range(0, len(call), CHUNK):
        sides.add_audio((1, call[at : at + CHUNK]))
        sides.add_audio((0, heard[at : at + CHUNK]))
    list(sides.finish())
    microphone, computer = (np.concatenate(each.samples) for each in listeners)
    assert len(microphone) == len(heard)
    assert power(microphone) < 0.01 * power(heard)
    np.testing.assert_array_equal(computer, call)
