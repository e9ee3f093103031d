"""The content of the overlay: a box with the lines of one or two languages, which fade after speech."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, QObject, QPointF, QRectF, QSize, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.look.theme import caption_font
from app.overlay.overlay_colours import dimmed, mixed, outline
from app.overlay.overlay_lines import PITCH, Ink, Lines, Page, Passage, RollUp
from app.preferences import preferences

USUAL_CHARACTERS, LEAST_CHARACTERS, MOST_CHARACTERS = 42, 12, 84
FADE_MILLISECONDS, ROLL_MILLISECONDS, NOTICE_MILLISECONDS = 500, 140, 5000
SHORTEST_HOLD_SECONDS, LONGEST_HOLD_SECONDS = 3.0, 6.0
READING_CHARACTERS_PER_SECOND = 17.0
LEAST_PIXELS = 62
"""Least height, in which the controls fit."""

REST_OPACITY = 0.10
"""Opacity of the empty box, so that it can be found with the mouse."""

_RADIUS = 14.0
_HINT_SHARE = 0.6


class OverlayFace(QWidget):
    """Paints passages as rolling lines in the colours of an overlay's preferences.

    Text stays for as long as it takes to read it and then fades, unless the preferences keep it until there is new
    text; the box fades with it. While `framed` (the mouse or
    the keyboard is on it) nothing fades and the whole box is visible.

    Attributes:
        look: the preferences that are shown.
        framed: whether the mouse or the keyboard is on it.

    Signals:
        faded: nothing is shown any more.
    """

    faded = Signal()

    def __init__(self, look: preferences.OverlayOptions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.framed = False
        self._focused = False
        self._rests = False
        self._taken_pixels = 0
        self._hint = ""
        self._notice = ""
        self._is_first = False  # the notice replaces text
        self._silence = QTimer(self, singleShot=True, interval=NOTICE_MILLISECONDS)
        self._silence.timeout.connect(self._be_silent)
        self._font = QFont()
        self._blocks: tuple[_Block, ...] = ()
        self._spoken = _Block(self)
        self._translated = _Block(self)
        self._presence = 0.0
        self._hold = QTimer(self, singleShot=True)
        self._hold.timeout.connect(self._fade)
        self._fading = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FADE_MILLISECONDS)
        self._fading.valueChanged.connect(self._be_present)
        self._fading.finished.connect(self._empty)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.apply(look)

    @property
    def presence(self) -> float:
        """Opacity of the text, 0 to 1."""
        return self._presence

    @property
    def shown(self) -> tuple[list[str], list[str]]:
        """The visible lines: spoken text, and its translation."""
        return self._spoken.shown, self._translated.shown

    def apply(self, look: preferences.OverlayOptions, *, translates: bool = True) -> None:
        """Apply preferences; without translation, spoken text is shown whatever languages are set."""
        self.look = look
        font = caption_font(look.points)
        if look.font:
            font.setFamilies([look.font, *font.families()])
        font.setWeight(QFont.Weight.Medium)
        self._font = font
        languages = look.languages if translates else "spoken"
        blocks = {"spoken": (self._spoken,), "translation": (self._translated,)}
        self._blocks = blocks.get(languages, (self._spoken, self._translated))
        self._lay_out()
        if look.stays and self._presence:
            self._hold.stop()
            self._fading.stop()
            self._presence = 1.0
        elif self._presence and not self._hold.isActive():
            self._hold_text()

    def set_hint(self, hint: str) -> None:
        """Set the text to show while the box is framed and empty."""
        self._hint = hint
        self.update()

    def say(self, notice: str) -> None:
        """Show a sentence for some seconds, unless there is text."""
        self._say(notice, first=False)

    def say_first(self, notice: str) -> None:
        """Show a sentence for some seconds, in place of any text."""
        self._say(notice, first=True)

    def _say(self, notice: str, *, first: bool) -> None:
        self._notice, self._is_first = notice, first
        self.update()
        self._silence.start()

    def _be_silent(self) -> None:
        self._notice = ""
        self.update()

    @property
    def _is_saying(self) -> bool:
        return bool(self._notice) and (self._is_first or not self._presence)

    def set_framed(self, framed: bool, *, focused: bool = False) -> None:
        """Show the whole box: the mouse is over it, or it has the keyboard."""
        changed = framed != self.framed
        self.framed, self._focused = framed, focused
        if changed and self._presence:
            self._be_present(1.0)
            self._fading.stop()
            self._hold.stop()
            if not framed:
                self._hold_text()
        self.update()

    def leave_right(self, pixels: int) -> None:
        """Keep text clear of the controls, for which `pixels` at the right are kept, whether or not they are shown."""
        self._taken_pixels = pixels
        self._lay_out()

    def set_rests(self, rests: bool) -> None:
        """Set whether a faint shade of the empty box remains."""
        self._rests = rests
        self.update()

    def show_passages(self, spoken: Sequence[Passage], translated: Sequence[Passage]) -> None:
        """Show spoken text and its translations; both include at least what has not rolled up yet."""
        before = self.shown
        self._spoken.passages, self._translated.passages = tuple(spoken), tuple(translated)
        self._lay_out()
        after = self.shown
        if after != before and any(any(lines) for lines in after):
            self._fading.stop()
            self._presence = 1.0
            self._hold_text()
        self.update()

    def needed_from(self) -> int:
        """Return the first passage that is still needed; earlier ones have rolled up."""
        return min(block.roll.start_id for block in self._blocks)

    def clear(self) -> None:
        """Remove all text shown so far."""
        self._fading.stop()
        self._hold.stop()
        self._empty()

    def fitting(self, characters: float, lines: int | None = None) -> QSize:
        """Return the size for a number of characters per line; lines default to the preferences'."""
        metrics = QFontMetricsF(self._font)
        width = characters * metrics.averageCharWidth() + self._side + self._right
        height = self._height_of(lines or self.look.lines) + 2 * self._margin
        return QSize(round(width), max(round(height), LEAST_PIXELS))

    def characters(self, width: int) -> float:
        """Return how many average characters fit in a line of a box of this width."""
        return (width - self._side - self._right) / QFontMetricsF(self._font).averageCharWidth()

    def lines_within(self, height: int) -> int:
        """Return how many lines of each language fit in a box of this height; at least one."""
        each = self._height_of(2) - self._height_of(1)
        beyond = (height - 2 * self._margin - self._height_of(1)) / each
        return min(max(round(beyond) + 1, 1), preferences.MOST_OVERLAY_LINES)

    @property
    def _side(self) -> float:
        return QFontMetricsF(self._font).height() * 0.55

    @property
    def _right(self) -> float:
        """Space at the right of the text."""
        return max(self._side, float(self._taken_pixels))

    @property
    def _margin(self) -> float:
        return QFontMetricsF(self._font).height() * 0.3

    @property
    def _gap(self) -> float:
        """Space between spoken text and its translation."""
        return QFontMetricsF(self._font).height() * 0.22

    def _height_of(self, lines: int) -> float:
        """Return the height of `lines` lines of each language."""
        blocks = len(self._blocks)
        return blocks * lines * QFontMetricsF(self._font).height() * PITCH + (blocks - 1) * self._gap

    def _lay_out(self) -> None:
        background = QColor(self.look.background)
        opacity = self.look.opacity
        for block, name in ((self._spoken, self.look.text), (self._translated, self.look.translation)):
            text = QColor(name)
            ink = Ink(text, dimmed(text, background, opacity), outline(text, background, opacity))
            if block in self._blocks:
                block.lay_out(self._font, max(self.width() - self._side - self._right, 1.0), self.look.lines, ink)
            else:
                block.lines = None
        self.update()

    def _hold_text(self) -> None:
        if self.framed or self.look.stays:
            return
        characters = sum(len(line) for lines in self.shown for line in lines)
        seconds = characters / READING_CHARACTERS_PER_SECOND
        self._hold.start(round(1000 * min(max(seconds, SHORTEST_HOLD_SECONDS), LONGEST_HOLD_SECONDS)))

    def _fade(self) -> None:
        if self.isVisible():
            self._fading.start()
        else:
            self._empty()

    def _be_present(self, presence: object) -> None:
        assert isinstance(presence, float)
        self._presence = presence
        self.update()

    def _empty(self) -> None:
        self._presence = 0.0
        for block in (self._spoken, self._translated):
            block.roll.clear(block.passages)
            block.lines = None
        self.update()
        self.faded.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_box(painter)
        if self._is_saying:
            self._paint_hint(painter, self._notice)
        elif self._presence:
            painter.setOpacity(self._presence)
            top = max(self._margin, (self.height() - self._height_of(self.look.lines)) / 2)
            for block in self._blocks:
                top += block.paint(painter, QPointF(self._side, top)) + self._gap
        elif self.framed:
            self._paint_hint(painter, self._hint)
        painter.end()

    def _paint_box(self, painter: QPainter) -> None:
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        colour = QColor(self.look.background)
        stands_out = self.framed or self._is_saying
        full = max(self.look.opacity, 0.75) if stands_out else self.look.opacity * self._presence
        colour.setAlphaF(max(full, min(self.look.opacity, REST_OPACITY) if self._rests else 0.0))
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.framed:
            edge = QColor(self.look.translation if self._focused else self.look.text)
            edge.setAlphaF(1.0 if self._focused else 0.35)
            painter.setPen(QPen(edge, 2.0 if self._focused else 1.0))
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)

    def _paint_hint(self, painter: QPainter, hint: str) -> None:
        font = QFont(self._font)
        font.setPointSizeF(max(self._font.pointSizeF() * _HINT_SHARE, 9.0))
        painter.setFont(font)
        painter.setPen(mixed(QColor(self.look.text), QColor(self.look.background), 0.15))
        room = QRectF(self.rect()).adjusted(self._side, 4, -self._right, -4)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(room, flags, hint)


class _Block(QObject):
    """The lines of one language.

    Attributes:
        passages: the passages last set.
        lines: their layout, if there are any.
    """

    def __init__(self, face: OverlayFace) -> None:
        super().__init__(face)
        self.roll = RollUp()
        self.passages: tuple[Passage, ...] = ()
        self.lines: Lines | None = None
        self._page = Page(QFont(), 1.0, 1)
        self._rising = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=ROLL_MILLISECONDS)
        self._rising.valueChanged.connect(lambda _: face.update())

    @property
    def shown(self) -> list[str]:
        return self.lines.shown if self.lines else []

    def lay_out(self, font: QFont, width: float, lines: int, ink: Ink) -> None:
        language = self.passages[-1].language if self.passages else "en"
        self._page = Page(font, width, lines, QLocale(language).textDirection())
        self.lines = self.roll.lines(self.passages, self._page, ink)
        if self.lines.rolled:
            self._rising.start()

    def paint(self, painter: QPainter, place: QPointF) -> float:
        """Draw the lines downwards from a position, and return the height reserved for them."""
        page = self._page
        height = page.lines * page.pitch
        if self.lines is not None:
            rise = float(self._rising.currentValue()) if self._rising.state() == _RUNNING else 0.0
            side = page.pitch / 4  # for outlines and for overhanging letters
            painter.save()
            painter.setClipRect(QRectF(place.x() - side, place.y(), page.width + 2 * side, height + side / 2))
            start = QPointF(place.x(), place.y() + (rise - self.lines.first) * page.pitch)
            if self.lines.edge is not None:
                self.lines.edge.draw(painter, start)
            self.lines.text.draw(painter, start)
            painter.restore()
        return height


_RUNNING = QVariantAnimation.State.Running
