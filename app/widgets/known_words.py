"""Words that a person adds to those that Earshot knows, by one click on a correction or a name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from app.preferences.paths import value_at, with_value
from app.preferences.settings import Settings
from app.preferences.vocabulary import PATH, with_words
from app.widgets.labels import literal
from engine.errors import OptionError

MOST_CHARACTERS = 24
"""Longest text of an action's words: a button cannot be broken into lines."""


class KnownWords(QObject):
    """Makes actions that add words to the list in the settings.

    Signals:
        notice_given: a sentence about the change, and the QAction that undoes it.
        problem_found: why words could not be added, and None.
    """

    notice_given = Signal(str, object)
    problem_found = Signal(str, object)

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings

    def actions(self, words: Sequence[str]) -> tuple[QAction, ...]:
        """Return an action that adds these words, or none if all of them are known."""
        known = {word.casefold() for word in value_at(self._settings.preferences, PATH)}
        added = tuple(word for word in words if word.casefold() not in known)
        if not added:
            return ()
        action = QAction(self.tr("&Know “{}” from now on").format(literal(_short(", ".join(added)))), self)
        action.triggered.connect(lambda: self.add(added))
        return (action,)

    def add(self, words: Sequence[str]) -> None:
        """Add words to the list, and offer to undo that."""
        before = value_at(self._settings.preferences, PATH)
        try:
            self._settings.alter(lambda now: with_words(now, words))
        except OptionError as error:
            self.problem_found.emit(str(error), None)
            return
        undo = QAction(self.tr("&Undo"), self)
        undo.triggered.connect(lambda: self._settings.alter(lambda now: with_value(now, PATH, before)))
        self.notice_given.emit(self.tr("“{}” is among the words to know now.").format(", ".join(words)), undo)


def _short(words: str) -> str:
    return words if len(words) <= MOST_CHARACTERS else f"{words[: MOST_CHARACTERS - 1]}…"
