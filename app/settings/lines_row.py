"""A row for a list that is typed, one entry a line."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QPlainTextEdit

from app.look.problems import in_words
from app.preferences.settings import Settings
from app.widgets.rows import Row
from engine.errors import EngineError

HEIGHT_PIXELS = 110


class LinesRow(Row):
    """A field of lines, stored when the user leaves it."""

    is_wide = True
    control: QPlainTextEdit

    def __init__(self, settings: Settings, path: str, name: str, explanation: str, example: str) -> None:
        super().__init__(settings, path, QPlainTextEdit(), name, explanation)
        self.control.setPlaceholderText(example)
        self.control.setTabChangesFocus(True)
        self.control.setFixedHeight(HEIGHT_PIXELS)
        self.control.installEventFilter(self)

    @abstractmethod
    def parse(self, text: str) -> Any:
        """Return the value that a text stands for. Raises EngineError if there is none."""

    @abstractmethod
    def lines(self, value: Any) -> list[str]:
        """Return the lines that stand for a value."""

    def show_value(self, value: Any) -> None:
        text = "\n".join(self.lines(value))
        if text != self.control.toPlainText() and not self.problem:
            self.control.setPlainText(text)

    def store_text(self) -> None:
        """Store the content of the field; if it is not valid, show why and keep it for correction."""
        try:
            value = self.parse(self.control.toPlainText())
        except EngineError as error:
            self.say_error(error)
        else:
            self.put(value)
            self.show_value(value)

    def say_error(self, error: EngineError) -> None:
        """Show beneath the field what is wrong."""
        text = in_words(str(error))
        self.say(text[:1].upper() + text[1:])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.control and event.type() == QEvent.Type.FocusOut:
            self.store_text()
        return super().eventFilter(watched, event)
