from math import ceil

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.duplex import BEFORE_SECONDS, ECHO_SECONDS, Duplex
from engine.audio.inbox import Inbox

CHUNK = 512
NOTICED = 0.384
ECHOES = ceil(ECHO_SECONDS * SAMPLE_RATE_HZ / CHUNK)  # chunks in which what was spoken still comes back


def numbered(index: int) -> np.ndarray:
    return np.full(CHUNK, index, np.float32)


def passed(duplex: Duplex, sounding: list[bool]) -> np.ndarray:
    """Return the first sample of each chunk that was let through, 0 for silence."""
    parts = [part for index, now in enumerate(sounding, 1) for part in duplex.add(numbered(index), sounding=now)]
    return np.array([part[0] for part in parts], int)


def test_while_nobody_speaks_everything_passes_at_once() -> None:
    assert passed(Duplex(NOTICED), [False] * 3).tolist() == [1, 2, 3]


def test_where_nothing_can_interrupt_there_is_silence_while_the_assistant_speaks() -> None:
    duplex = Duplex(None)
    assert passed(duplex, [False, True, True] + [False] * (ECHOES + 1)).tolist() == [1, 0, 0] + [0] * ECHOES + [
        4 + ECHOES
    ]
    assert not duplex.holding


def test_what_was_held_back_is_silence_unless_it_was_let_in_and_all_of_it_comes_in_the_end() -> None:
    sounding = [False] * 5 + [True] * 60 + [False] * 40
    expected = [*range(1, 6), *[0] * (60 + ECHOES), *range(66 + ECHOES, 106)]
    assert passed(Duplex(NOTICED), sounding).tolist() == expected


def test_an_interruption_is_heard_from_before_it_was_noticed() -> None:
    duplex = Duplex(NOTICED)
    before = passed(duplex, [True] * 60)
    let_in = [int(part[0]) for part in duplex.let_in()]
    assert not before.any()
    assert let_in == list(range(len(before) + 1, 61))
    assert len(let_in) * CHUNK == pytest.approx((NOTICED + BEFORE_SECONDS) * SAMPLE_RATE_HZ, abs=CHUNK)
    assert passed(duplex, [False]).tolist() == [1]


def test_where_the_users_voice_is_known_alone_it_is_heard_alone() -> None:
    duplex = Duplex(NOTICED)
    held = 60 - len(passed(duplex, [True] * 60))
    (heard,) = duplex.let_in(np.full(1000, 7.0, np.float32))
    assert len(heard) == held * CHUNK
    assert not heard[:-1000].any()
    assert (heard[-1000:] == 7).all()


def test_the_inbox_gives_windows_and_never_reaches_across_a_mark() -> None:
    inbox = Inbox()
    inbox.add(np.arange(700, dtype=np.float32))
    inbox.mark()
    inbox.add(np.arange(700, 1100, dtype=np.float32))
    parts, marks = [], []
    while (part := inbox.remove(window=CHUNK)) is not None:
        parts.append(part)
        marks.append(inbox.pass_mark())
    assert [len(part) for part in parts] == [512, 188, 324]
    assert marks == [False, True, False]
    rest = inbox.remove(window=CHUNK, whole=False)
    assert rest is not None
    assert np.array_equal(np.concatenate([*parts, rest]), np.arange(1100, dtype=np.float32))
