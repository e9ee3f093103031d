"""A row for the words and names that are likely to be said, one per line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QPushButton

from app.preferences.settings import Settings
from app.preferences.vocabulary import PATH, parse_vocabulary, read_vocabulary, with_words
from app.settings.lines_row import LinesRow
from app.widgets.labels import plain
from app.widgets.layouts import in_row
from engine.errors import EngineError
from engine.options import MOST_ENTRIES


class WordsRow(LinesRow):
    """A field of words, and a button that adds those of a file.

    Attributes:
        from_file: the button.
    """

    def __init__(self, settings: Settings) -> None:
        explanation = self.tr(
            "Names and terms that Earshot should write as you do, one a line, up to {}. They are used where the sound "
            "fits, in captions and in what you say to the assistant."
        )
        example = self.tr("Anna Kowalczyk")
        super().__init__(
            settings, PATH, self.tr("Words to &know"), explanation.format(MOST_ENTRIES), f"{example}\nKubernetes"
        )
        self.from_file = QPushButton(self.tr("Add from a fi&le…"))
        self.from_file.setAccessibleName(plain(self.from_file.text()).rstrip("…"))
        self.from_file.clicked.connect(self._ask_for_file)
        column = self.layout()
        assert column is not None
        row = in_row(self.from_file)
        row.addStretch(1)
        column.insertLayout(1, row)  # type: ignore[attr-defined]

    def parse(self, text: str) -> Any:
        return parse_vocabulary(text)

    def lines(self, value: Any) -> list[str]:
        return list(value)

    def add_file(self, path: Path) -> None:
        """Add the words of a file; if that cannot be, show why."""
        self.store_text()
        try:
            words = read_vocabulary(path, "")
            self._settings.alter(lambda now: with_words(now, words))
        except EngineError as error:
            self.say_error(error)
        else:
            self.say("")
            self.show_preferences(self._settings.preferences)

    def _ask_for_file(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        kinds = self.tr("Text files (*.txt);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, self.tr("File of words, one a line"), folder, kinds)
        if name:
            self.add_file(Path(name))
