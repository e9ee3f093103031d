"""Questions whose answers take a while, such as which models are here, asked without holding up the window."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

Answer = TypeVar("Answer")


class Inquiry(QObject):
    """Asks on one thread of its own, one question after the other, and answers on the window's."""

    _answered = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="settings")
        self._answered.connect(self._pass_on)

    def ask(self, question: Callable[[], Answer], take: Callable[[Answer], object]) -> None:
        """Have `take` called with the answer, soon."""
        self._thread.submit(lambda: self._answered.emit(take, question()))

    def close(self) -> None:
        """Wait for the question that is being asked, and drop the others."""
        self._thread.shutdown(cancel_futures=True)

    def _pass_on(self, take: Callable[[Any], object], answer: Any) -> None:
        take(answer)
