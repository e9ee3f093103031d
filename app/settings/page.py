"""A page of the settings: rows on cards, in a column that scrolls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QLayout, QPushButton, QScrollArea, QWidget

from app.look.theme import as_letters_grow
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.layouts import in_column
from app.widgets.rows import NARROW_PIXELS, Row

_MARGIN = 16


class SettingsPage(QScrollArea):
    """A page of rows that follow the preferences and can be searched.

    Attributes:
        title: name in the list of pages.
        rows: rows from top to bottom.
    """

    def __init__(self, settings: Settings, title: str, introduction: str = "") -> None:
        super().__init__()
        self.title = title
        self.rows: list[Row] = []
        self._settings = settings
        self._cards: dict[QFrame, list[QWidget]] = {}
        self._words: dict[QFrame, str] = {}
        self._for_details: set[QWidget] = set()
        self._searched = ""
        self._content = QWidget()
        self._content.setProperty("role", "page")
        self._column = in_column(on=self._content, margins=(_MARGIN, 20, _MARGIN, _MARGIN), spacing=14)
        heading = QLabel(title)
        heading.setProperty("role", "title")
        self._column.addWidget(heading)
        if introduction:
            label = QLabel(introduction)
            label.setProperty("role", "quiet")
            label.setWordWrap(True)
            self._column.addWidget(label)
        self._column.addStretch(1)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(title)
        self.setWidget(self._content)
        settings.changed.connect(self._follow)

    def card(self, heading: str, *parts: Row | QWidget | QLayout) -> QFrame:
        """Add a card; its rows follow the preferences."""
        card = QFrame()
        card.setProperty("role", "card")
        column = in_column(on=card, margins=(18, 14, 18, 16), spacing=14)
        if heading:
            label = QLabel(heading)
            label.setProperty("role", "heading")
            column.addWidget(label)
        self._cards[card] = []
        for part in parts:
            if isinstance(part, QLayout):
                column.addLayout(part)
                continue
            column.addWidget(part)
            self._cards[card].append(part)
            if isinstance(part, Row):
                self.rows.append(part)
                part.show_preferences(self._settings.preferences)
        texts = [label.text() for label in card.findChildren(QLabel) if not isinstance(label.parent(), Row)]
        texts += [button.text() for button in card.findChildren(QPushButton)]
        self._words[card] = " ".join(texts).replace("&", "").casefold()
        self._column.insertWidget(self._column.count() - 1, card)
        return card

    @property
    def least_width(self) -> int:
        """Width of its widest part, since nothing scrolls horizontally."""
        return self._content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()

    def keep_for_details(self, *rows: Row) -> None:
        """Show these rows only with details, or if a search finds them."""
        self._for_details.update(rows)
        self.search(self._searched)

    def show_preferences(self, preferences: Preferences) -> None:
        """Show the preferences in all rows."""
        for row in self.rows:
            row.show_preferences(preferences)
        if self._for_details:
            self.search(self._searched)

    def search(self, text: str) -> int:
        """Show only the rows, or else the cards, that hold all words of a text; return how many. An empty text shows
        all.
        """
        self._searched = text
        words = text.casefold().split()
        found = 0
        for card, every in self._cards.items():
            parts = every if words or self._settings.preferences.appearance.details else self._usual(every)
            hits: list[QWidget] = [
                part for part in parts if isinstance(part, Row) and all(word in part.words for word in words)
            ]
            if (not words or not hits) and all(word in self._words[card] for word in words):
                hits = parts
            for part in every:
                part.setVisible(part in hits)
            card.setVisible(hits is parts or bool(hits))
            found += 1 if hits is parts else len(hits)
        return found

    def _usual(self, parts: list[QWidget]) -> list[QWidget]:
        return [part for part in parts if part not in self._for_details]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_preferences(self._settings.preferences)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fold()

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if self.isVisible():  # otherwise it is updated when it is shown
            self.show_preferences(after)

    def _fold(self) -> None:
        narrow = self.viewport().width() - 2 * _MARGIN < as_letters_grow(NARROW_PIXELS)
        for row in self.rows:
            row.make_narrow(narrow)
