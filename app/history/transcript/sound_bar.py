"""The bar below a kept transcript: playback of its sound, and the present position."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QWidget

from app.look.theme import figures_font
from app.transcript.reading_view import clock_time
from app.widgets.action_button import ActionButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import in_row


class SoundBar(QWidget):
    """Shows a button that plays and pauses, the time, and what a click on a line does."""

    def __init__(self, play: QAction) -> None:
        super().__init__()
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.button = ActionButton(play)
        self.time = QLabel()
        self.time.setFont(figures_font())
        self.hint = quiet_label(self.tr("Click a line to hear it."), "small")
        in_row(self.button, self.time, (self.hint, 1), on=self, margins=(20, 8, 20, 8), spacing=14)
        self.show_time(0.0)
        self.hide()

    def show_time(self, seconds: float) -> None:
        """Show the present position in seconds."""
        self.time.setText(clock_time(seconds))
