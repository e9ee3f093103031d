"""The decision after a crash of the engine: start it again, or ask a person after several crashes in a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

MOST_CRASHES = 3
"""Crashes after which a person is asked: within WITHIN_SECONDS, or in a row with nothing achieved in between."""

WITHIN_SECONDS = 60.0


class Link(Enum):
    """The state of the link to an engine process.

    Attributes:
        LOADING: the process starts, or loads a model.
        HEARS: it is ready, or hears.
        RESTARTING: it crashed, and another one is on its way.
        NO_MODEL: a model could not be loaded.
        STOPPED: it crashed too often, and is started again only when a person asks for it.
    """

    LOADING = auto()
    HEARS = auto()
    RESTARTING = auto()
    NO_MODEL = auto()
    STOPPED = auto()


@dataclass(frozen=True, slots=True)
class Crashes:
    """The crashes of an engine so far.

    Attributes:
        moments: when the newest ones happened, in seconds of time.monotonic(), oldest first.
        in_vain: how many there were since the engine last achieved something.
    """

    moments: tuple[float, ...] = ()
    in_vain: int = 0

    def achieved(self) -> Crashes:
        """Return the same crashes after the engine has done what it is for."""
        return replace(self, in_vain=0) if self.in_vain else self


def after_crash(crashes: Crashes, now: float) -> tuple[Link, Crashes]:
    """Return the state that follows a crash at `now`, RESTARTING or STOPPED, and the crashes with this one."""
    moments = (*crashes.moments, now)[-MOST_CRASHES:]
    in_vain = crashes.in_vain + 1
    often = len(moments) == MOST_CRASHES and now - moments[0] < WITHIN_SECONDS
    state = Link.STOPPED if often or in_vain >= MOST_CRASHES else Link.RESTARTING
    return state, Crashes(moments, in_vain)
