"""Lines that fill word by word and roll up when they are full, like live captions on television.

Shown text does not jump: a line keeps its words as long as they are recognized the same, and text that has rolled up
does not come down again when a word is withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPen, QTextCharFormat, QTextLayout, QTextOption

from app.look.text_layout import is_wide, may_break_before

_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
PITCH = 1.18
"""Distance between lines, in heights of the font."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A caption's part of the lines.

    Attributes:
        id: the caption's id; later ones are higher.
        text: the text, without line breaks.
        solid: number of its characters that will not change any more.
        language: its code ("de"), which determines the text direction.
        speaker: who says it; another speaker starts on a new line.
        moved: the part of the text, from one character to another, that stood in the passage before until that ended.
    """

    id: int
    text: str
    solid: int
    language: str = "en"
    speaker: str = ""
    moved: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Ink:
    """Colours of text.

    Attributes:
        edge: outline of the letters; None for no outline.
    """

    solid: QColor
    pending: QColor
    edge: QColor | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Space and font for lines.

    Attributes:
        width: width in pixels.
        lines: most lines at a time.
    """

    font: QFont
    width: float
    lines: int
    direction: Qt.LayoutDirection = Qt.LayoutDirection.LeftToRight

    @property
    def pitch(self) -> float:
        """Distance between lines, in pixels."""
        return QFontMetricsF(self.font).height() * PITCH


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines to draw.

    Attributes:
        text: the layout; its first line lies at 0, the next a pitch below.
        edge: the same as an outline, to be drawn first; None for no outline.
        first: the topmost visible line; those above have rolled up.
        rolled: whether they rolled up just now.
    """

    text: QTextLayout
    edge: QTextLayout | None
    first: int
    rolled: bool

    @property
    def shown(self) -> list[str]:
        """The visible lines."""
        written = self.text.text().encode("utf-16-le")
        lines = (self.text.lineAt(number) for number in range(self.first, self.text.lineCount()))
        return [
            written[2 * line.textStart() : 2 * (line.textStart() + line.textLength())].decode("utf-16-le").strip()
            for line in lines
        ]


class RollUp:
    """The roll-up state of the lines of one language.

    It remembers where the topmost line began, and lays out only what follows.

    Attributes:
        start_id: passages before this one are not needed any more.
    """

    def __init__(self) -> None:
        self.start_id = -1
        self._offset = 0
        self._first = 0

    def clear(self, passages: Sequence[Passage]) -> None:
        """Start at the top with the text after these passages."""
        last = passages[-1] if passages else Passage(-1, "", 0)
        self.start_id, self._offset, self._first = last.id, len(last.text), 0

    def lines(self, passages: Iterable[Passage], page: Page, ink: Ink) -> Lines:
        """Lay out the text after the last start, rolled up as far as there is no room."""
        flow = _Flow(self._following(passages))
        text = flow.laid_out(page, ink)
        before = self._first
        self._first = min(max(before, text.lineCount() - page.lines), max(text.lineCount() - 1, 0))
        rolled = self._first > before
        if self._first > 1:  # one hidden line is kept, visible while it rolls away
            self.start_id, self._offset = flow.place(text.lineAt(self._first - 1).textStart())
            self._first = 1
            flow = _Flow(self._following(passages))
            text = flow.laid_out(page, ink)
        edge = flow.laid_out(page, ink, outlined=True) if ink.edge is not None else None
        return Lines(text, edge, self._first, rolled)

    def _following(self, passages: Iterable[Passage]) -> list[tuple[Passage, int]]:
        """Return the passages that are still needed, each with the first needed character.

        What had rolled up of a passage stays hidden where it has moved to the next one.
        """
        needed = []
        hidden = 0
        for passage in passages:
            if passage.id > self.start_id:
                begin, end = passage.moved
                needed.append((passage, min(begin + hidden, end) if hidden > 0 else 0))
                hidden -= end - begin + 1
            elif passage.id == self.start_id:
                needed.append((passage, _word_start(passage.text, self._offset)))
                hidden = self._offset - len(passage.text) - 1
        return needed


class _Flow:
    """Passages as one text."""

    def __init__(self, passages: Sequence[tuple[Passage, int]]) -> None:
        self._text = ""
        self._places: list[tuple[int, int, int]] = []  # start of a passage in the text, its id, its offset
        self._pending: list[tuple[int, int]] = []
        speaker = ""
        for passage, offset in passages:
            written = passage.text[offset:]
            stripped = written.lstrip()
            offset += len(written) - len(stripped)
            if not stripped:
                continue
            if self._text and passage.speaker != speaker:
                self._text += "\N{LINE SEPARATOR}"
            elif self._text and not (is_wide(self._text[-1]) and is_wide(stripped[0])):
                self._text += " "
            speaker = passage.speaker
            begin = len(self._text)
            self._places.append((begin, passage.id, offset))
            self._text += stripped
            solid = begin + max(passage.solid - offset, 0)
            if solid < len(self._text):
                self._pending.append((solid, len(self._text)))

    def place(self, unit: int) -> tuple[int, int]:
        """Return the passage and the character in it at a position in UTF-16 units."""
        at = len(self._text.encode("utf-16-le")[: 2 * unit].decode("utf-16-le"))
        begin, number, offset = next(each for each in reversed(self._places) if each[0] <= at)
        return number, offset + at - begin

    def laid_out(self, page: Page, ink: Ink, *, outlined: bool = False) -> QTextLayout:
        layout = QTextLayout(self._text, page.font)
        layout.setCacheEnabled(True)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(page.direction)
        option.setAlignment(_RIGHT if page.direction == Qt.LayoutDirection.RightToLeft else _LEFT)
        layout.setTextOption(option)
        layout.setFormats(self._formats(page, ink, outlined))
        if not self._text:
            return layout
        layout.beginLayout()
        ascent, pitch, number = QFontMetricsF(page.font).ascent(), page.pitch, 0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(page.width)
            line.setPosition(QPointF(0, number * pitch + ascent - line.ascent()))  # baselines at even distances
            number += 1
        layout.endLayout()
        return layout

    def _formats(self, page: Page, ink: Ink, outlined: bool) -> list[QTextLayout.FormatRange]:
        if outlined and ink.edge is not None:
            width = max(2.0, QFontMetricsF(page.font).height() * 0.16)
            pen = QPen(ink.edge, width, j=Qt.PenJoinStyle.RoundJoin)
            return [_range(0, self._units(len(self._text)), ink.edge, pen)]
        solid = [_range(0, self._units(len(self._text)), ink.solid)]
        pending = [
            _range(self._units(begin), self._units(end) - self._units(begin), ink.pending)
            for begin, end in self._pending
        ]
        return solid + pending

    def _units(self, at: int) -> int:
        return len(self._text[:at].encode("utf-16-le")) // 2


def _range(start: int, length: int, colour: QColor, outline: QPen | None = None) -> QTextLayout.FormatRange:
    style = QTextCharFormat()
    style.setForeground(colour)
    if outline is not None:
        style.setTextOutline(outline)
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, length, style
    return made


def _word_start(text: str, offset: int) -> int:
    """Return the start of the word at a character, because its recognition may have changed."""
    offset = min(offset, len(text))
    while 0 < offset < len(text) and not may_break_before(text, offset):
        offset -= 1
    return offset
