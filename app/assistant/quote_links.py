"""The times of lines that an answer quotes, as links to where they were said."""

from __future__ import annotations

from PySide6.QtCore import QDate, QLocale, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.widgets.layouts import Stretch, in_row
from engine.answer.tools.outcomes import Quote, write_moment

MOST_LINKS = 6
LONGEST_NAME = 80


class QuoteLinks(QWidget):
    """A row of links; hidden where there are none.

    Attributes:
        buttons: the links, in the order of the quotes; of many the newest.

    Signals:
        chosen: a Quote.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: tuple[QPushButton, ...] = ()
        self._quotes: tuple[Quote, ...] = ()
        title = QLabel(self.tr("Show:"))
        title.setProperty("role", "small")
        self._row = in_row(title, Stretch(1), on=self, margins=(8, 0, 0, 0), spacing=4)
        self.hide()

    def show_quotes(self, quotes: tuple[Quote, ...]) -> None:
        """Show the ways to these lines, in place of others."""
        quotes = quotes[-MOST_LINKS:]
        if quotes == self._quotes:
            return
        self._quotes = quotes
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons = tuple(map(self._link, quotes))
        for place, button in enumerate(self.buttons, 1):
            self._row.insertWidget(place, button)
        self.setVisible(bool(quotes))

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
