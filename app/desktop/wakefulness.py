"""Telling the system that Earshot is at work while it listens or speaks, also with no window in sight."""

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
    """Holds an Activity as long as captions are made or a conversation goes on.

    Attributes:
        activity: what is held.
    """

    def __init__(
        self, session: LiveSession, assistant: LiveAssistant, parent: QObject, activity: Activity | None = None
    ) -> None:
        """`activity` is this system's own where none is given."""
        super().__init__(parent)
        self._session = session
        self._assistant = assistant
        self.activity = activity or Activity("Live captions and conversation")
        session.status_changed.connect(self._follow)
        assistant.state_changed.connect(self._follow)
        assistant.microphone_changed.connect(self._follow)

    def stop(self) -> None:
        """Let it go, for the app's end."""
        self.activity.hold(False)

    def _follow(self) -> None:
        self.activity.hold(self._session.is_busy or self._assistant.is_listening or self._assistant.state in _AT_WORK)
