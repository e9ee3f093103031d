"""A slider along a recording: a click leads to that second, dragging shows where it would."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractSlider, QSlider, QStyle, QStyleOptionSlider

from app.transcript.reading_view import clock_time

STEP_SECONDS, PAGE_SECONDS = 5, 30
_PER_SECOND = 10


class SeekBar(QSlider):
    """Shows and changes a position in seconds; the arrow keys move it by 5 s, the page keys by 30 s.

    Signals:
        chosen: the second to go to.
        moved_to: the second above which the handle is held.
    """

    chosen = Signal(float)
    moved_to = Signal(float)

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName(self.tr("Position"))
        self.setSingleStep(STEP_SECONDS * _PER_SECOND)
        self.setPageStep(PAGE_SECONDS * _PER_SECOND)
        self.actionTriggered.connect(self._choose)
        self.sliderReleased.connect(lambda: self.chosen.emit(self.sliderPosition() / _PER_SECOND))
        self.sliderMoved.connect(lambda value: self.moved_to.emit(value / _PER_SECOND))

    def set_length(self, seconds: float) -> None:
        """Reach to this second."""
        self.setRange(0, round(seconds * _PER_SECOND))

    def show_position(self, seconds: float) -> None:
        """Show a position, in words for a screen reader, too."""
        self.setValue(round(seconds * _PER_SECOND))
        self.setAccessibleDescription(clock_time(seconds))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the handle to where the mouse is pressed, so that it can be dragged from there."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
        handle = self.style().subControlRect(control, option, part, self)
        groove = self.style().subControlRect(control, option, QStyle.SubControl.SC_SliderGroove, self)
        if event.button() == Qt.MouseButton.LeftButton and not handle.contains(event.position().toPoint()):
            room = groove.width() - handle.width()
            at = round(event.position().x()) - groove.left() - handle.width() // 2
            self.setSliderPosition(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), at, room))
        super().mousePressEvent(event)
        if self.isSliderDown():
            self.moved_to.emit(self.sliderPosition() / _PER_SECOND)

    def _choose(self, action: int) -> None:
        """Go where a key or the wheel leads."""
        if action != QAbstractSlider.SliderAction.SliderMove.value:
            self.chosen.emit(max(self.minimum(), min(self.sliderPosition(), self.maximum())) / _PER_SECOND)
