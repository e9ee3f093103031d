"""A small chart of one figure: its present value, the one before the last change, and its newest values."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look.decimals import decimal, shortest
from app.look.theme import figures_font
from app.tuning.board import Figure, FigureUnit
from app.tuning.series import Series, ceiling

EDGE_PIXELS, LOW_EDGE_PIXELS = 10, 6
ROUNDING_PIXELS = 10
PLOT_PIXELS, LOW_PLOT_PIXELS = 40, 16
GAP_PIXELS = 6
LINE_PIXELS = 1.6
SMALL_FACTOR, VALUE_FACTOR = 0.85, 1.35
NOTHING = "–"


class FigureChart(QWidget):
    """Draws a Series. It has no timer of its own: `refresh` shows new values."""

    def __init__(self, figure: Figure, series: Series, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figure = figure
        self._series = series
        self._low = False
        self.setAccessibleName(self.title)
        self.setToolTip(self._meaning())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.refresh()

    @property
    def title(self) -> str:
        """Name of the figure for people."""
        names = {
            "word_latency_seconds": self.tr("Delay of words"),
            "real_time_factor": self.tr("Real-time factor"),
            "caption_erasure": self.tr("Flicker"),
            "caption_acceptance": self.tr("Guesses reused"),
            "translation_erasure": self.tr("Flicker"),
            "translation_acceptance": self.tr("Guesses reused"),
            "first_sound_seconds": self.tr("First sound"),
            "endpoint_seconds": self.tr("End noticed"),
            "answer_acceptance": self.tr("Guesses reused"),
            "premade": self.tr("Ready in time"),
        }
        return names[self.figure.name]

    @property
    def now(self) -> str:
        """Present value with its unit."""
        return self.words(self._series.now)

    @property
    def before(self) -> str:
        """Value before the last change; empty if unknown."""
        return "" if self._series.before is None else self.tr("was {}").format(self.words(self._series.before))

    @property
    def top(self) -> float:
        """End of the axis, which begins at 0."""
        if self.figure.whole:
            return 1.0
        return ceiling(max(self._series.high or 0.0, self._series.before or 0.0))

    def words(self, value: float | None) -> str:
        """Format a value with its unit."""
        if value is None:
            return NOTHING
        if self.figure.unit is FigureUnit.SECONDS:
            return self.tr("{} s").format(decimal(value, 2))
        if self.figure.unit is FigureUnit.SHARE:
            return self.tr("{:.0f}%").format(100 * value)
        return decimal(value, 2)

    def set_low(self, low: bool) -> None:
        """Set a lower height, without labels at the axis."""
        if low != self._low:
            self._low = low
            self.updateGeometry()
            self.update()

    def refresh(self) -> None:
        """Show the newest values."""
        description = self._description()
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
        self.update()

    def sizeHint(self) -> QSize:
        small, value = self._metrics_heights()
        plot = LOW_PLOT_PIXELS if self._low else PLOT_PIXELS
        return QSize(150, small + value + plot + 2 * self._edge + GAP_PIXELS)

    def minimumSizeHint(self) -> QSize:
        return QSize(112, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_card(painter)
        area = QRectF(self.rect()).adjusted(EDGE_PIXELS, self._edge, -EDGE_PIXELS, -self._edge)
        plot = self._paint_words(painter, area)
        if self._series.values:
            self._paint_plot(painter, self._paint_axis(painter, plot))
        else:
            self._paint_nothing(painter, plot)
        painter.end()

    def _paint_card(self, painter: QPainter) -> None:
        painter.setPen(QPen(self._colour(QPalette.ColorRole.Mid), 1))
        painter.setBrush(self._colour(QPalette.ColorRole.Button))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), ROUNDING_PIXELS, ROUNDING_PIXELS)

    def _paint_words(self, painter: QPainter, area: QRectF) -> QRectF:
        """Draw the title, and the value with the earlier one beneath; return the remaining area."""
        small, value = self._metrics_heights()
        painter.setFont(self._small_font())
        painter.setPen(self._colour(QPalette.ColorRole.Dark))
        row = QRectF(area.left(), area.top(), area.width(), small)
        title = painter.fontMetrics().elidedText(self.title, Qt.TextElideMode.ElideRight, round(area.width()))
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        row = QRectF(area.left(), area.top() + small, area.width(), value)
        needed = QFontMetrics(self._value_font()).horizontalAdvance(self.now) + 6
        if needed + painter.fontMetrics().horizontalAdvance(self.before) <= row.width():
            painter.drawText(row, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self.before)
        painter.setFont(self._value_font())
        painter.setPen(self._colour(QPalette.ColorRole.WindowText))
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.now)
        return area.adjusted(0, small + value + GAP_PIXELS, 0, 0)

    def _paint_axis(self, painter: QPainter, plot: QRectF) -> QRectF:
        """Draw both ends of the axis and, if there is room, their labels; return the area beside the labels."""
        if self._low:
            return plot
        painter.setFont(self._small_font())
        painter.setPen(self._colour(QPalette.ColorRole.Dark))
        high, low = self._axis_words(self.top), self._axis_words(0.0)
        metrics = painter.fontMetrics()
        width = max(metrics.horizontalAdvance(high), metrics.horizontalAdvance(low)) + 6
        column = QRectF(plot.right() - width, plot.top() - 3, width, plot.height() + 6)
        painter.drawText(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, high)
        painter.drawText(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, low)
        room = plot.adjusted(0, 0, -width, 0)
        painter.setPen(QPen(self._colour(QPalette.ColorRole.Mid), 1))
        for height in (room.top(), room.bottom()):
            painter.drawLine(QPointF(room.left(), height), QPointF(room.right(), height))
        return room

    def _paint_plot(self, painter: QPainter, room: QRectF) -> None:
        series, top = self._series, self.top
        places = points(series.values, room, top, self.figure.most)
        if series.before is not None:
            height = room.bottom() - room.height() * min(series.before / top, 1.0)
            painter.setPen(QPen(self._colour(QPalette.ColorRole.Dark), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(room.left(), height), QPointF(room.right(), height))
        if series.change_at is not None:
            # Between the last value before the change and the first one after it.
            last = places[series.change_at - 1].x()
            place = (last + places[series.change_at].x()) / 2 if series.change_at < len(places) else last
            painter.setPen(QPen(self._colour(QPalette.ColorRole.WindowText), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(place, room.top()), QPointF(place, room.bottom()))
        accent = self._colour(QPalette.ColorRole.Accent)
        if len(places) > 1:
            line = QPainterPath(places[0])
            for place_of_value in places[1:]:
                line.lineTo(place_of_value)
            painter.setPen(QPen(accent, LINE_PIXELS, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(line)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawEllipse(places[-1], 2.5, 2.5)

    def _paint_nothing(self, painter: QPainter, plot: QRectF) -> None:
        painter.setFont(self._small_font())
        painter.setPen(self._colour(QPalette.ColorRole.Dark))
        painter.drawText(plot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, self.tr("not measured yet"))

    @property
    def _edge(self) -> int:
        """Margin above and below."""
        return LOW_EDGE_PIXELS if self._low else EDGE_PIXELS

    def _axis_words(self, value: float) -> str:
        if self.figure.unit is FigureUnit.SHARE:
            return self.words(value)
        return self.tr("{} s").format(shortest(value)) if self.figure.unit is FigureUnit.SECONDS else shortest(value)

    def _description(self) -> str:
        series = self._series
        if series.low is None or series.high is None:
            return self.tr("Not measured yet.")
        parts = [self.tr("{} now").format(self.now)] if series.now is not None else []
        if series.before is not None:
            parts.append(self.tr("{} before the last change").format(self.words(series.before)))
        parts.append(self.tr("recently between {} and {}").format(self.words(series.low), self.words(series.high)))
        return ", ".join(parts)

    def _meaning(self) -> str:
        meanings = {
            "word_latency_seconds": self.tr("From the end of a word until it is confirmed."),
            "real_time_factor": self.tr("Computing time per second of sound. Below 1, captions keep up."),
            "caption_erasure": self.tr("Words that changed after they were shown, per hundred that stayed."),
            "caption_acceptance": self.tr("How much of the previous guess was still right at the next update."),
            "translation_erasure": self.tr("Words that changed after they were shown, per hundred that stayed."),
            "translation_acceptance": self.tr(
                "How much of the previous translation was still right when more was said."
            ),
            "first_sound_seconds": self.tr("From the end of your question to the first sound of the answer."),
            "endpoint_seconds": self.tr("From the end of your question until Earshot noticed it."),
            "answer_acceptance": self.tr("How much of the answer that was prepared while you spoke could be used."),
            "premade": self.tr("How often the first sentence was prepared in advance and could be used."),
        }
        return meanings[self.figure.name]

    def _metrics_heights(self) -> tuple[int, int]:
        return QFontMetrics(self._small_font()).height(), QFontMetrics(self._value_font()).height()

    def _small_font(self) -> QFont:
        font = figures_font()
        font.setPointSizeF(font.pointSizeF() * SMALL_FACTOR)
        return font

    def _value_font(self) -> QFont:
        font = figures_font()
        font.setPointSizeF(font.pointSizeF() * VALUE_FACTOR)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _colour(self, role: QPalette.ColorRole) -> QColor:
        return self.palette().color(role)


def points(values: Sequence[float], room: QRectF, top: float, most: int) -> list[QPointF]:
    """Return the points of values: the newest at the right, with the spacing of `most` values."""
    step = room.width() / max(1, most - 1)
    return [
        QPointF(
            room.right() - step * (len(values) - 1 - place),
            room.bottom() - room.height() * min(max(value / top, 0.0), 1.0),
        )
        for place, value in enumerate(values)
    ]
