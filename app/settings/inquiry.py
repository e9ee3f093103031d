"""Slow questions, such as which models are installed, answered off the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

Answer = TypeVar("Answer")


class Inquiry(QObject):
    """Runs questions on one thread, one after the other, and passes the answers to the GUI thread."""

    _answered = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="settings")
        self._answered.connect(self._pass_on)

    def ask(self, question: Callable[[], Answer], receive: Callable[[Answer], object]) -> None:
        """Run a question, and call `receive` with the answer."""
        self._thread.submit(lambda: self._answered.emit(receive, question()))

    def close(self) -> None:
        """Wait for the running question, and drop the others."""
        self._thread.shutdown(cancel_futures=True)

    def _pass_on(self, receive: Callable[[Any], object], answer: Any) -> None:
        receive(answer)
