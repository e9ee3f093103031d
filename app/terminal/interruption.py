"""Ctrl-C during captions: the first ends the audio, so that its last words are still recognized; the second quits.

So does a terminal that is closed, except that nobody is there to quit.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import TypeVar

from app.preferences.program import ending_signals

Item = TypeVar("Item")


class Interruption:
    """A context in which signals request an end; see `ending_signals`.

    Attributes:
        asked: whether a signal has come: the audio ends here.
        stop: set by the signal, for a source that ends when it is set; None for one that cannot.
    """

    def __init__(self, stop: threading.Event | None = None) -> None:
        self.asked = False
        self.stop = stop
        self._waiting = False
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        for number in ending_signals():
            self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def until_asked(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items until a signal comes, even while waiting for the next item."""
        iterator = iter(items)
        try:
            while not self.asked or self.stop is not None:
                self._waiting = threading.current_thread() is threading.main_thread()
                item = next(iterator)
                self._waiting = False
                yield item
        except (StopIteration, _EndOfWaiting):
            return
        finally:
            self._waiting = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            if number in (signal.SIGINT, signal.SIGTERM):
                raise KeyboardInterrupt
            return
        self.asked = True
        if self.stop is not None:
            self.stop.set()
        elif self._waiting:
            raise _EndOfWaiting


class _EndOfWaiting(BaseException):
    """Ends a read that might otherwise wait forever, as from a silent pipe; `except Exception` must not catch it."""
