"""A row for terms and their translations, one per line."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QPlainTextEdit

from app.look.problems import in_words
from app.preferences.glossary import parse_glossary
from app.preferences.settings import Settings
from app.widgets.rows import Row
from engine.errors import OptionError

HEIGHT_PIXELS = 110


class GlossaryRow(Row):
    """A field of lines such as "term = translation", stored when the user leaves it."""

    is_wide = True
    control: QPlainTextEdit

    def __init__(self, settings: Settings, path: str, name: str, explanation: str) -> None:
        super().__init__(settings, path, QPlainTextEdit(), name, explanation)
        self.control.setPlaceholderText(self.tr("neural network = neuronales Netz"))
        self.control.setTabChangesFocus(True)
        self.control.setFixedHeight(HEIGHT_PIXELS)
        self.control.installEventFilter(self)

    def show_value(self, value: Any) -> None:
        text = "\n".join(f"{term} = {translation}" for term, translation in value)
        if text != self.control.toPlainText() and not self.problem:
            self.control.setPlainText(text)

    def store_text(self) -> None:
        """Store the content of the field; if it is no valid glossary, show why and keep it for correction."""
        try:
            terms = parse_glossary(self.control.toPlainText())
        except OptionError as error:
            text = in_words(str(error))
            self.say(text[:1].upper() + text[1:])
        else:
            self.put(terms)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.control and event.type() == QEvent.Type.FocusOut:
            self.store_text()
        return super().eventFilter(watched, event)
