"""The switch that starts Earshot with the user's session."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QShowEvent

from app.preferences.autostart import is_possible, start_with_session, starts_with_session
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.rows import SwitchRow


class SessionStartRow(SwitchRow):
    """Shows whether the system starts Earshot, which other programs may change, too, and changes it there."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(
            settings,
            "",
            self.tr("Start when I lo&g in"),
            self.tr("Without a window: Earshot waits in the tray, or minimised where there is none."),
        )

    def show_preferences(self, preferences: Preferences) -> None:
        self._show_truth()

    def put(self, value: Any) -> None:
        try:
            start_with_session(bool(value))
        except OSError as error:
            self.say(self.tr("This cannot be changed here: {}.").format(error.strerror or error))
        else:
            self.say("")
        self._show_truth()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_truth()

    def _show_truth(self) -> None:
        self.control.blockSignals(True)
        self.control.setChecked(starts_with_session())
        self.control.blockSignals(False)
        self.setEnabled(is_possible())
