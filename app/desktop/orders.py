"""Orders of the command line to the running app: `earshot toggle captions` and its like."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.actions import Actions
from app.assistant.live_assistant import LiveAssistant
from app.captions.session import LiveSession
from app.desktop.dictation import Dictation


class Orders:
    """Carries out orders by the actions that buttons and keys trigger, too."""

    def __init__(self, actions: Actions, session: LiveSession, dictation: Dictation, assistant: LiveAssistant) -> None:
        self._actions = actions
        self._session = session
        self._dictation = dictation
        self._assistant = assistant
        self._ways: Mapping[str, Callable[[], None]] = {
            "status": lambda: None,
            "stop": actions.stop.trigger,
            "mark": actions.mark_place.trigger,
            "toggle captions": self.toggle_captions,
            "toggle overlay": actions.overlay.trigger,
            "toggle dictation": dictation.toggle,
            "toggle microphone": actions.assistant.listen.trigger,
        }

    def carry_out(self, order: str) -> Mapping[str, object]:
        """Carry out an order, and return what is on then; an unknown one changes nothing and is told."""
        way = self._ways.get(order)
        if way is None:
            return {"unknown": order}
        way()
        return {
            "captions": self._session.is_recording,
            "overlay": self._actions.overlay.isChecked(),
            "dictation": self._dictation.is_on,
            "microphone": self._assistant.is_listening,
        }

    def toggle_captions(self) -> None:
        """Start captions or go on with paused ones, or else stop them."""
        runs = self._session.is_busy and not self._session.is_paused
        (self._actions.stop if runs else self._actions.start).trigger()
