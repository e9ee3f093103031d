"""Ctrl-C during captioning: the first ends the audio, so that what was said is still heard; the second ends all."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import TypeVar

Item = TypeVar("Item")


class Interruption:
    """A context within which SIGINT and SIGTERM ask for an end.

    Attributes:
        asked: a signal has come: the audio ends here.
        stop: set by the signal, for a source that ends by itself when it is set; None for one that cannot.
    """

    def __init__(self, stop: threading.Event | None = None) -> None:
        self.asked = False
        self.stop = stop
        self._waiting = False
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def until_asked(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on until a signal comes, also while the next item is still being waited for."""
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
            raise KeyboardInterrupt
        self.asked = True
        if self.stop is not None:
            self.stop.set()
        elif self._waiting:
            raise _EndOfWaiting


class _EndOfWaiting(BaseException):
    """Ends a read that might otherwise wait for ever, as from a silent pipe; no `except Exception` may eat it."""
