"""A bar with the progress of work on a kept transcript, and a button that cancels it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget

from app.widgets.layouts import in_row


class WorkBar(QWidget):
    """A bar that is visible while it is busy.

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

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.cancel = QPushButton(self.tr("Cancel"))
        in_row(self.label, (self.progress, 1), self.cancel, on=self, margins=(20, 4, 12, 4), spacing=12)
        self.hide()
