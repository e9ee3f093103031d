"""Ctrl-C during captions: the first ends the audio, so that its last words are still recognized; the second quits.

So does a terminal that is closed, except that nobody is there to quit.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import TypeVar

Item = TypeVar("Item")


ENDINGS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""Signals that request an end; the last comes, often twice, when the terminal is closed."""


class Interruption:
    """A context in which the signals of ENDINGS request an end, unless they are ignored, as after `nohup`.

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
        for number in ENDINGS:
            if signal.getsignal(number) != signal.SIG_IGN:
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
