"""A conversation with sound coming in and going out: when a turn is settled."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from app.sound.loudspeaker import Loudspeaker
from app.terminal.interruption import Interruption
from app.terminal.live_conversation import LiveConversation
from engine.audio import Samples
from engine.turns import Heard, Interrupted, Turn, TurnEvent

QUESTION = "How far is the moon?"
ANSWERED = Turn(1, 0, QUESTION, "It is a long way off.")
STOPPED = Interrupted(1, 0, 1.0, "It is")

Moment = tuple[float, float, list[TurnEvent]]
"""The time on the clock, the second up to which was heard, and the events that come then."""


class ScriptedSession:
    """A session in which what happens is written down, a moment at each look."""

    busy = False

    def __init__(self, moments: Sequence[Moment], over: threading.Event) -> None:
        self.now = self.audio_seconds = 0.0
        self.clock = SimpleNamespace(now=lambda: self.now)
        self._moments = list(moments)
        self._over = over

    def update(self) -> Iterator[TurnEvent]:
        if not self._moments:
            self._over.set()
            return
        self.now, self.audio_seconds, events = self._moments.pop(0)
        yield from events

    def played(self, seconds: float) -> None:
        """Ignore what was played."""

    def work(self) -> None:
        """Do nothing: no work is left."""

    def finish(self) -> Iterator[TurnEvent]:
        return iter(())


def settled(*moments: Moment, loudspeaker: Loudspeaker | None = None) -> list[float]:
    """Return when turns were settled, in a conversation of these moments."""
    over, found = threading.Event(), list[float]()

    def microphone() -> Iterator[Samples]:
        over.wait(20)
        yield from ()

    session: Any = ScriptedSession(moments, over)
    live = LiveConversation(session, microphone(), loudspeaker or Loudspeaker(None), None)
    live.on_settled = lambda: found.append(session.now)
    list(live.events(Interruption()))
    return found


def test_a_turn_is_settled_when_nobody_went_on_with_it() -> None:
    assert settled((1.0, 1.0, [ANSWERED]), (1.7, 1.7, []), (1.9, 1.9, []), (3.0, 3.0, [])) == [1.9]


@pytest.mark.parametrize("event", [Heard(1, 1, "How far"), STOPPED])
def test_a_turn_that_is_taken_up_or_interrupted_is_not_settled(event: TurnEvent) -> None:
    assert settled((1.0, 1.0, [ANSWERED]), (1.5, 1.5, [event]), (9.0, 9.0, [])) == []


def test_an_interrupted_reply_is_settled_when_it_is_known_what_became_of_it() -> None:
    went_on = Turn(1, 1, QUESTION, "It is a long way off.")
    moments = (1.0, 1.0, [ANSWERED]), (1.5, 1.5, [STOPPED]), (2.5, 2.5, []), (4.0, 4.0, [went_on]), (5.0, 5.0, [])
    assert settled(*moments) == [5.0]


def test_a_turn_is_not_settled_before_hearing_has_come_so_far() -> None:
    assert settled((1.0, 1.0, [ANSWERED]), (3.0, 1.2, []), (4.0, 1.9, [])) == [4.0]


def test_a_loudspeaker_that_was_hushed_has_an_interruption_on_its_way() -> None:
    loudspeaker = Loudspeaker(None)
    loudspeaker.hush()
    assert settled((1.0, 1.0, [ANSWERED]), (3.0, 3.0, []), loudspeaker=loudspeaker) == []
