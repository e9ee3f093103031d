"""Thread settings as bars, of which one can be selected."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QSizePolicy, QWidget

from app.look.decimals import decimal
from app.look.theme import figures_font
from app.tuning.measured_ways import MeasuredSettings, ThreadSetting
from app.widgets.layouts import in_column

BAR_PIXELS = 7
EDGE_PIXELS = 8
ROUNDING_PIXELS = 8


class WayBar(QRadioButton):
    """A thread setting: its name, its delay, and a bar as long as the delay."""

    def __init__(self, way: ThreadSetting, best: bool, longest_seconds: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.way = way
        self._share = way.cost_seconds / longest_seconds if longest_seconds > 0 else 0.0
        self._best = best
        self._value = self.tr("{} s").format(decimal(way.cost_seconds, 2))
        name = self.tr("{} to write, {} to listen").format(way.cpu_threads, way.gpu_threads)
        self._name = self.tr("{}, overlapping").format(name) if way.pipeline else name
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(self.tr("{}, the best").format(self._value) if best else self._value)
        self.setToolTip(self._name)

    def sizeHint(self) -> QSize:
        return QSize(200, QFontMetrics(figures_font()).height() + BAR_PIXELS + 2 * EDGE_PIXELS + 5)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def hitButton(self, place: QPoint) -> bool:
        return True  # the whole bar can be clicked, not only the usual circle

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        area = QRectF(self.rect()).adjusted(EDGE_PIXELS, EDGE_PIXELS, -EDGE_PIXELS, -EDGE_PIXELS)
        painter.setFont(figures_font())
        metrics = painter.fontMetrics()
        row = QRectF(area.left(), area.top(), area.width(), metrics.height())
        value = self.tr("best · {}").format(self._value) if self._best else self._value
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText if self._best else QPalette.ColorRole.Dark))
        painter.drawText(row, Qt.AlignmentFlag.AlignRight, value)
        room = round(row.width()) - metrics.horizontalAdvance(value) - 8
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft, name)
        self._paint_bar(painter, area)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        palette = self.palette()
        checked, focused = self.isChecked(), self.hasFocus()
        if not checked and not focused and not self.underMouse():
            return
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Accent), 2) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Highlight) if checked else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), ROUNDING_PIXELS, ROUNDING_PIXELS)

    def _paint_bar(self, painter: QPainter, area: QRectF) -> None:
        palette = self.palette()
        bar = QRectF(area.left(), area.bottom() - BAR_PIXELS, area.width(), BAR_PIXELS)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(bar, BAR_PIXELS / 2, BAR_PIXELS / 2)
        bar.setWidth(max(BAR_PIXELS, bar.width() * min(self._share, 1.0)))
        painter.setBrush(palette.color(QPalette.ColorRole.Accent if self._best else QPalette.ColorRole.Dark))
        painter.drawRoundedRect(bar, BAR_PIXELS / 2, BAR_PIXELS / 2)


class WayBars(QWidget):
    """All measured settings; the best is selected at first.

    Attributes:
        bars: bars in the order of measuring.

    Signals:
        picked: another ThreadSetting is selected.
    """

    picked = Signal(ThreadSetting)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars: tuple[WayBar, ...] = ()
        self.setAccessibleName(self.tr("Delay of words by shares of the processor"))
        self._group = QButtonGroup(self)
        self._column = in_column(on=self, margins=0, spacing=2)
        self._group.buttonToggled.connect(self._tell)

    @property
    def way(self) -> ThreadSetting | None:
        """Selected setting."""
        chosen = self._group.checkedButton()
        return chosen.way if isinstance(chosen, WayBar) else None

    def show_ways(self, measured: MeasuredSettings) -> None:
        """Show new measurements."""
        for bar in self.bars:
            self._group.removeButton(bar)
            self._column.removeWidget(bar)
            bar.deleteLater()
        longest = max(way.cost_seconds for way in measured.settings)
        self.bars = tuple(WayBar(way, way == measured.best, longest) for way in measured.settings)
        for bar in self.bars:
            self._group.addButton(bar)
            self._column.addWidget(bar)
        next(bar for bar in self.bars if bar.way == measured.best).setChecked(True)

    def _tell(self, bar: object, checked: bool) -> None:
        if checked and isinstance(bar, WayBar):
            self.picked.emit(bar.way)
