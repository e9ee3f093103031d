"""Detection of an engine process that does not move any more, from its heartbeat."""

from __future__ import annotations

from dataclasses import dataclass

from engine.process.messages import Beat

LONGER_THAN_EVER = 10.0
"""A piece of work is not given up before it has taken so many times as long as the longest one before."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of silence, after which the engine counts as stuck.

    Attributes:
        look_seconds: how often that is looked at.
        silent_looks: so many looks in a row without a beat, and the process has been stopped or hangs as a whole.
        first_looks: the same before its first beat, while it starts.
        stuck_seconds: so long at one piece of work, and that hangs; the loading of a model may take any time.
    """

    look_seconds: float = 1.0
    silent_looks: int = 10
    first_looks: int = 90
    stuck_seconds: float = 30.0


class Pulse:
    """Follows the beats of one process after the other; taken on one thread, looked at by another.

    Silence is counted in looks and not in seconds: an app that was itself suspended looks no more often than once
    when it wakes up, and draws no conclusions.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._longest = 0.0  # seconds of the longest piece of work that came to an end, in any process
        self.begin()

    def begin(self) -> None:
        """Begin to follow another process, which has not beaten yet."""
        self._newest: Beat | None = None
        self._beats = self._seen = 0
        self._silent_looks = 0

    def record_beat(self, beat: Beat) -> None:
        """Record a beat of the process."""
        before = self._newest
        if before is not None and not before.loading and beat.working_seconds < before.working_seconds:
            self._longest = max(self._longest, before.working_seconds)
        self._newest = beat
        self._beats += 1

    def is_stuck(self) -> bool:
        """Look once: whether the process does not get on any more."""
        patience = self._patience
        if self._beats == self._seen:
            self._silent_looks += 1
            return self._silent_looks >= (patience.silent_looks if self._beats else patience.first_looks)
        self._seen = self._beats
        self._silent_looks = 0
        newest = self._newest
        longest = max(patience.stuck_seconds, LONGER_THAN_EVER * self._longest)
        return newest is not None and not newest.loading and newest.working_seconds > longest
