"""The switch that starts Earshot with the user's session."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QShowEvent

from app.preferences.autostart import (
    is_known,
    is_possible,
    session_command,
    start_with_session,
    starts_with_session,
)
from app.preferences.background_request import BackgroundAnswer, BackgroundRequest
from app.preferences.preferences import Preferences
from app.preferences.program import flatpak_id
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
        self._request: BackgroundRequest | None = None
        self._granted = False

    def show_preferences(self, preferences: Preferences) -> None:
        self._show_truth()

    def put(self, value: Any) -> None:
        self.say("")
        try:
            if flatpak_id():
                self._ask(bool(value))
            else:
                start_with_session(bool(value))
        except OSError as error:
            self.say(self.tr("This cannot be changed here: {}.").format(error.strerror or error))
        self._show_truth()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_truth()

    def _ask(self, on: bool) -> None:
        """Ask the desktop, which may ask the user: the switch shows its answer, not the wish."""
        if self._request is not None:
            self._request.close()
        reason = self.tr("Earshot waits in the background, so that captions are at hand.")
        self._request = BackgroundRequest(session_command(), reason, on, self)
        self._request.answered.connect(self._receive_answer)

    def _receive_answer(self, answer: BackgroundAnswer) -> None:
        self._request = None
        if answer in (BackgroundAnswer.STARTS, BackgroundAnswer.STARTS_NOT):
            self._granted = answer is BackgroundAnswer.STARTS
        elif answer is BackgroundAnswer.DENIED:
            self.say(self.tr("The desktop does not allow it: see its settings for programs in the background."))
        else:
            self.say(self.tr("This cannot be changed here: {}.").format(self.tr("the desktop has no portal for it")))
        self._show_truth()

    def _show_truth(self) -> None:
        self.control.blockSignals(True)
        self.control.setChecked(starts_with_session() if is_known() else self._granted)
        self.control.blockSignals(False)
        self.setEnabled(is_possible())
