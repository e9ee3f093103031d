"""The bar below a kept transcript: playback of its sound, its position and its speed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from app.history.transcript.seek_bar import SeekBar
from app.look.decimals import decimal
from app.look.theme import figures_font
from app.transcript.reading_view import clock_time
from app.widgets.action_button import ActionButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.rows import combo

SPEEDS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


class SoundBar(QWidget):
    """Shows buttons that play, pause and go back, a bar to seek, the speed, and what a click on a line does.

    Attributes:
        bar: shows and changes the position.
        speed: the speeds to choose from.

    Signals:
        speed_chosen: how fast to play, 1 is as it was said.
    """

    speed_chosen = Signal(float)

    def __init__(self, play: QAction, back: QAction) -> None:
        super().__init__()
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.button = ActionButton(play)
        self.back = ActionButton(back)
        self.back.set_compact(True)
        self.time, self.length = QLabel(), QLabel()
        for label, name in ((self.time, self.tr("Position")), (self.length, self.tr("Length"))):
            label.setFont(figures_font())
            label.setAccessibleName(name)
        self.bar = SeekBar()
        self.speed = combo()
        self.speed.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.speed.setAccessibleName(self.tr("Speed"))
        label = quiet_label(self.tr("Speed"), "small", wraps=False)
        label.setBuddy(self.speed)
        for speed in SPEEDS:
            self.speed.addItem(f"{decimal(speed, 2).rstrip('0').rstrip('.,')}×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.hint = quiet_label(self.tr("Click a line to hear it."), "small")
        above = in_row(self.time, (self.bar, 1), self.length, spacing=12)
        below = in_row(self.button, self.back, label, self.speed, Stretch(1), spacing=10)
        in_column(above, below, self.hint, on=self, margins=(20, 6, 20, 8), spacing=4)
        self.bar.moved_to.connect(self._show_position)
        self.speed.activated.connect(lambda: self.speed_chosen.emit(self.speed.currentData()))
        self.show_length(0.0)
        self.show_time(0.0)
        self.hide()

    def show_time(self, seconds: float) -> None:
        """Show the present position in seconds, unless a person is choosing another one."""
        if not self.bar.isSliderDown():
            self.bar.show_position(seconds)
            self._show_position(seconds)

    def show_length(self, seconds: float) -> None:
        """Show how long the sound is."""
        self.bar.set_length(seconds)
        self.length.setText(clock_time(seconds))

    def _show_position(self, seconds: float) -> None:
        self.time.setText(clock_time(seconds))
