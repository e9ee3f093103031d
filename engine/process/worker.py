"""The interface of the sessions that an engine process may hold: captions, a file, a transcript, a conversation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from engine.process.messages import Command, Event, Progress


class Worker(ABC):
    """A session at work. Call `hear` after every batch of commands, `work` while it is `busy` and no command waits.

    Attributes:
        over: the session has finished and sends nothing more.
        progress_seconds: least audio between two reports of progress, in seconds.
    """

    progress_seconds = 0.2

    def __init__(self, send: Callable[[Event], None]) -> None:
        """Send all events by `send`, in order."""
        self.over = False
        self._send = send
        self._reported_seconds: dict[int, float] = {}  # by side

    @property
    @abstractmethod
    def busy(self) -> bool:
        """Return whether `work` has anything to do."""

    @abstractmethod
    def carry_out(self, command: Command) -> None:
        """Carry out one command. Raises EngineError."""

    @abstractmethod
    def hear(self) -> None:
        """Hear what is due, and report progress. Raises EngineError."""

    @abstractmethod
    def work(self) -> None:
        """Work for the time of one forward. Raises EngineError."""

    @abstractmethod
    def close(self) -> None:
        """Drop the work in flight."""

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            self._send(event)

    def _report(self, progress: Progress, *, whole: bool = False) -> None:
        """Report progress, if there is enough new audio or it is the `whole`."""
        if whole or progress.audio_seconds - self._reported_seconds.get(progress.side, 0.0) >= self.progress_seconds:
            self._reported_seconds[progress.side] = progress.audio_seconds
            self._send(progress)
