"""Keeping the system from slowing Earshot down while it records or speaks, even without a visible window."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.assistant.assistant_state import AssistantState
from app.assistant.live_assistant import LiveAssistant
from app.captions.session import LiveSession
from app.macos.activity import Activity

_AT_WORK = frozenset(
    {AssistantState.THINKING, AssistantState.ANSWERING, AssistantState.SPEAKING, AssistantState.REPLAYING}
)


class Wakefulness(QObject):
    """Holds an Activity while captions or a conversation are running.

    Attributes:
        activity: the held activity.
    """

    def __init__(
        self, session: LiveSession, assistant: LiveAssistant, parent: QObject, activity: Activity | None = None
    ) -> None:
        """Follow the sessions; `activity` defaults to this system's own."""
        super().__init__(parent)
        self._session = session
        self._assistant = assistant
        self.activity = activity or Activity("Live captions and conversation")
        session.began.connect(self._follow)
        session.status_changed.connect(self._follow)
        assistant.state_changed.connect(self._follow)
        assistant.microphone_changed.connect(self._follow)

    def stop(self) -> None:
        """End the activity, before the app ends."""
        self.activity.hold(False)

    def _follow(self) -> None:
        captions = self._session.is_busy and not self._session.is_paused
        self.activity.hold(captions or self._assistant.is_listening or self._assistant.state in _AT_WORK)
