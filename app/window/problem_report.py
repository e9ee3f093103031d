"""A report of a problem as text to copy. Nothing is sent."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict

import PySide6
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QPushButton, QWidget

from app.preferences.preferences import Preferences
from app.preferences.program import is_bundle, version
from app.widgets.labels import announce, quiet_label
from app.widgets.layouts import in_column, in_row
from app.widgets.screen_room import ScreenDialog

_PERSONAL = (
    "glossary", "vocabulary", "left_out", "allowed", "places", "geometry", "mirror", "screen", "input", "output",
)  # fmt: skip
"""Settings whose values may tell something of the person: only that they were changed is told."""


class ProblemReport(ScreenDialog):
    """Shows a report that a person can complete and copy.

    Attributes:
        text: the report.
    """

    def __init__(self, preferences: Preferences, messages: Sequence[str], parent: QWidget | None = None) -> None:
        """Report on these preferences; `messages` are those that were shown, the newest last."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Report a problem"))
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Report"))
        self.text.setTabChangesFocus(True)
        asked = self.tr("What did you do, what happened, and what did you expect?")
        self.text.setPlainText(f"{asked}\n\n\n\n{facts(preferences, messages)}")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy_button = QPushButton(self.tr("&Copy"))
        self.copy_button.setProperty("role", "main")
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.told = quiet_label("")
        about = quiet_label(
            self.tr("Complete this text, copy it and send it to whoever gave you Earshot. Nothing is sent by itself.")
        )
        below = in_row((self.told, 1), buttons)
        in_column(about, (self.text, 1), below, on=self, margins=(22, 20, 22, 16), spacing=12)
        self.resize(620, 520)
        self.copy_button.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.told.setText(self.tr("Copied."))
        announce(self, self.told.text())


def facts(preferences: Preferences, messages: Sequence[str]) -> str:
    """Return what helps to understand a problem, in English, since it is for the developers."""
    desktop = os.environ.get("XDG_CURRENT_DESKTOP", "")
    rows = {
        "Earshot": f"{version()}{', packaged' if is_bundle() else ''}",
        "System": f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} CPUs",
        "Python": platform.python_version(),
        "Qt": f"{PySide6.__version__}, {QGuiApplication.platformName()}{f', {desktop}' if desktop else ''}",
        "Changed settings": json.dumps(changed(asdict(preferences), asdict(Preferences())), ensure_ascii=False),
        "Messages": "".join(f"\n  {each}" for each in messages) or "none",
    }
    if sys.platform == "darwin":
        rows["macOS"] = platform.mac_ver()[0]
    return "\n".join(f"{name}: {value}" for name, value in rows.items())


def changed(values: dict[str, object], usual: dict[str, object]) -> dict[str, object]:
    """Return the settings that are not as usual; of personal ones only that they are not."""
    found: dict[str, object] = {}
    for name, value in values.items():
        before = usual.get(name)
        if value == before:
            continue
        if isinstance(value, dict) and isinstance(before, dict):
            if inner := changed(value, before):
                found[name] = inner
        else:
            is_path = isinstance(value, str) and os.sep in value
            found[name] = "(changed)" if name in _PERSONAL or is_path else value
    return found
