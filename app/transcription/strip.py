"""A strip at the foot of the window, as long as recordings are being transcribed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from app.look.text_layout import printable
from app.transcription.job import Stage
from app.transcription.queue import TranscriptionQueue
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import in_row

BAR_PIXELS = 140
_STEPS = 1000


class TranscriptionStrip(QWidget):
    """Shows what a TranscriptionQueue does, and leads to it.

    Attributes:
        text: which recording it is, and how far.
        show_button: leads to the queue.

    Signals:
        show_wanted: show the queue.
    """

    show_wanted = Signal()

    def __init__(self, queue: TranscriptionQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = ElidedLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setProperty("role", "quiet")
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(BAR_PIXELS)
        self.bar.setAccessibleName(self.tr("Progress of all transcriptions"))
        self.show_button = QPushButton(self.tr("Show transcriptions"))
        self.show_button.setProperty("role", "flat")
        self.show_button.clicked.connect(self.show_wanted)
        in_row((self.text, 1), self.bar, self.show_button, on=self, margins=(16, 2, 12, 2), spacing=12)
        queue.listed.connect(self._follow)
        queue.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        jobs = self._queue.jobs
        active = next((each for each in jobs if not each.is_over and each.stage is not Stage.WAITING), None)
        self.setVisible(active is not None)
        if active is None:
            return
        meant = [each for each in jobs if each.stage is not Stage.CANCELLED]
        over = sum(each.is_over for each in meant)
        told = self.tr("Transcribing {name} · {number} of {count}")
        self.text.setText(told.format(name=printable(active.title), number=over + 1, count=len(meant)))
        self.bar.setValue(round(_STEPS * (over + active.share) / len(meant)))
