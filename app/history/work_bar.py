"""A bar with the progress of an engine's work on a kept transcript, and a button that cancels it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget

from app.engine_link.engine_client import EngineClient
from app.look.problems import in_words
from app.widgets.layouts import in_row


class WorkBar(QWidget):
    """A bar that is visible while it is busy, with an engine of its own that ends with its work.

    Attributes:
        label: what is done.
        progress: how far it is.
        cancel: the button that cancels.

    Signals:
        finished, failed: the result, in one sentence.
        busy_changed: whether it works.
    """

    finished = Signal(str)
    failed = Signal(str)
    busy_changed = Signal(bool)

    def __init__(self, failure: str, client: EngineClient | None = None) -> None:
        """Build the bar; `failure` is the sentence of work that failed, with a place for the reason."""
        super().__init__()
        self._failure = failure
        self._client = client or EngineClient(self)
        self._session: int | None = None
        self.label = QLabel()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.cancel = QPushButton(self.tr("Cancel"))
        in_row(self.label, (self.progress, 1), self.cancel, on=self, margins=(20, 4, 12, 4), spacing=12)
        self.hide()
        self.cancel.clicked.connect(self.stop)
        self._client.failed.connect(self._fail)
        self._client.crashed.connect(lambda: self._fail(self.tr("It stopped before it had finished. Try again.")))

    @property
    def is_busy(self) -> bool:
        """Return whether it works on a session."""
        return self._session is not None

    def stop(self) -> None:
        """Cancel the work, if there is any, and close the engine."""
        if self.is_busy:
            self._session = None
            self._client.shut_down()
            self.hide()
            self.busy_changed.emit(False)

    def _open(self, session: int) -> None:
        """Show the bar and start the engine for work on a session."""
        self._session = session
        self.show()
        self._client.start()
        self.busy_changed.emit(True)

    def _close(self) -> int | None:
        """Close the bar and the engine; return the session that was worked on, None if that was cancelled."""
        session = self._session
        self.stop()
        return session

    def _fail(self, reason: str) -> None:
        if self.is_busy:
            self.stop()
            self.failed.emit(self._failure.format(in_words(reason)))
