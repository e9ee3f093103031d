"""The source of downloads, and the folder they are stored in."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.models.model_words import ModelWords
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.layouts import in_column, in_row
from engine.errors import EngineError
from engine.models.hub import HUB, endpoint_of
from engine.models.hub_cache import hub_folder


class DownloadLocation(QWidget):
    """A line at the foot of the page: the mirror, which can be changed, the folder and its free space.

    Attributes:
        mirror: the field for the mirror; empty for Hugging Face, or for HF_ENDPOINT.
    """

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._words = ModelWords(self)
        self._space = QLabel()
        self._space.setProperty("role", "small")
        self._space.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._problem = QLabel()
        self._problem.setProperty("role", "problem")
        self._problem.setWordWrap(True)
        self._problem.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._problem.hide()
        label = QLabel(self.tr("Do&wnload from:"))
        self.mirror = QLineEdit()
        self.mirror.setPlaceholderText(endpoint_of())
        self.mirror.setToolTip(
            self.tr("The address of a mirror, if Hugging Face cannot be reached; leave empty for Hugging Face itself")
        )
        self.mirror.setAccessibleName(self.tr("Download from"))
        self.mirror.setMinimumWidth(140)
        self.mirror.setMaximumWidth(260)
        self.mirror.editingFinished.connect(self.apply_mirror)
        self.mirror.textEdited.connect(lambda: self._complain(""))
        label.setBuddy(self.mirror)
        row = in_row((self._space, 1), label, (self.mirror, 2), spacing=10)
        in_column(row, self._problem, on=self, margins=(24, 8, 24, 8), spacing=2)
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        settings.changed.connect(self._follow)
        self._show_mirror(settings.preferences)

    @property
    def problem(self) -> str:
        """Error message about the typed mirror."""
        return self._problem.text()

    def apply_mirror(self) -> None:
        """Store the typed address, if it is one."""
        typed = self.mirror.text().strip().rstrip("/")
        if typed == HUB:
            typed = ""
        try:
            endpoint_of(typed)
        except EngineError:
            self._complain(self.tr("This is not an address. Addresses begin with https:// or http://."))
            return
        self._complain("")
        self._settings.alter(lambda now: replace(now, behaviour=replace(now.behaviour, mirror=typed)))
        self.mirror.setText(typed)

    def show_space(self) -> None:
        """Show the folder of models and its free space."""
        folder = hub_folder()
        there = next((each for each in (folder, *folder.parents) if each.is_dir()), Path.home())
        free = self._words.size(shutil.disk_usage(there).free)
        self._space.setText(self.tr("{free} free").format(free=free))
        self._space.setToolTip(
            self.tr("Models are kept in {folder}, shared with other programs.").format(folder=folder)
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.mirror.hasFocus():
            self._complain("")
            self._show_mirror(self._settings.preferences)
            return
        super().keyPressEvent(event)

    def _complain(self, sentence: str) -> None:
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))
        self.mirror.setProperty("wrong", bool(sentence))
        self.mirror.style().unpolish(self.mirror)
        self.mirror.style().polish(self.mirror)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.behaviour.mirror != after.behaviour.mirror:
            self._show_mirror(after)

    def _show_mirror(self, preferences: Preferences) -> None:
        self.mirror.setText(preferences.behaviour.mirror)
