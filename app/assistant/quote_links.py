"""Times of quoted lines, as links to where they were said."""

from __future__ import annotations

from PySide6.QtCore import QDate, QLocale, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from engine.answer.tools.outcomes import MOST_QUOTED, Quote, write_moment

LONGEST_NAME = 80
SPACING_PIXELS = 4


class QuoteLinks(QWidget):
    """Links in rows, as many in each row as fit; hidden if there are none.

    Attributes:
        buttons: the links to all quotes of an answer, in their order.

    Signals:
        chosen: a Quote.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: tuple[QPushButton, ...] = ()
        self._quotes: tuple[Quote, ...] = ()
        self._most_pixels = 480
        self._title = QLabel(self.tr("Show:"))
        self._title.setProperty("role", "small")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 0, 0, 0)
        self._grid.setSpacing(SPACING_PIXELS)
        self._grid.addWidget(self._title, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    def show_quotes(self, quotes: tuple[Quote, ...]) -> None:
        """Show links to these lines, in place of others."""
        quotes = quotes[-MOST_QUOTED:]
        if quotes == self._quotes:
            return
        self._quotes = quotes
        for button in self.buttons:
            self._grid.removeWidget(button)
            button.deleteLater()
        self.buttons = tuple(map(self._link, quotes))
        self._arrange()
        self.setVisible(bool(quotes))

    def limit(self, pixels: int) -> None:
        """Limit the width."""
        if pixels != self._most_pixels:
            self._most_pixels = pixels
            self._arrange()

    def _arrange(self) -> None:
        widest = max((button.sizeHint().width() for button in self.buttons), default=1)
        room = self._most_pixels - self._grid.contentsMargins().left() - self._title.sizeHint().width()
        columns = max(room // (widest + SPACING_PIXELS), 1)
        for place, button in enumerate(self.buttons):
            self._grid.addWidget(button, place // columns, 1 + place % columns)
        for column in range(max(self._grid.columnCount(), columns + 2)):
            self._grid.setColumnStretch(column, int(column > columns))  # the rest of the row stays empty

    def _link(self, quote: Quote) -> QPushButton:
        moment = write_moment(quote.seconds)
        if quote.day is not None:
            day = QDate(quote.day.year, quote.day.month, quote.day.day)
            moment = f"{QLocale().toString(day, QLocale.FormatType.ShortFormat)}, {moment}"
        button = QPushButton(moment)
        button.setProperty("role", "link")
        button.setToolTip(quote.text)
        button.setAccessibleName(self.tr("Show “{}”").format(quote.text[:LONGEST_NAME]))
        button.clicked.connect(lambda: self.chosen.emit(quote))
        return button
