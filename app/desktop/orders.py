"""Orders of the command line to the running app: `earshot toggle captions` and its like."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.actions import Actions
from app.assistant.live_assistant import LiveAssistant
from app.captions.session import LiveSession
from app.desktop.dictation import Dictation


class Orders:
    """Carries out orders by the actions that buttons and keys trigger, too.

    Attributes:
        mark: marks the newest word of the captions, whichever page is shown.
    """

    def __init__(self, actions: Actions, session: LiveSession, dictation: Dictation, assistant: LiveAssistant) -> None:
        self._actions = actions
        self._session = session
        self._dictation = dictation
        self._assistant = assistant
        self.mark: Callable[[], None] = lambda: None
        self._ways: Mapping[str, Callable[[], str | None]] = {
            "status": lambda: None,
            "stop": actions.stop.trigger,
            "mark": self._mark,
            "toggle captions": self.toggle_captions,
            "toggle overlay": actions.overlay.trigger,
            "toggle dictation": self._toggle_dictation,
            "toggle microphone": actions.assistant.listen.trigger,
        }

    def carry_out(self, order: str) -> Mapping[str, object]:
        """Carry out an order, and return what is on then.

        An unknown one changes nothing and is told, and so is why one cannot be carried out now.
        """
        way = self._ways.get(order)
        if way is None:
            return {"unknown": order}
        if problem := way():
            return {"problem": problem}
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

    def _mark(self) -> str | None:
        if not self._session.is_busy:
            return "No captions are running, so there is nothing to mark."
        if not self._session.captions.rowCount():
            return "Nothing has been said yet that could be marked."
        self.mark()
        return None

    def _toggle_dictation(self) -> str | None:
        refusals: list[str] = []
        listening = self._dictation.refused.connect(lambda why, way_out: refusals.append(why))
        self._dictation.toggle()
        self._dictation.refused.disconnect(listening)
        return "".join(refusals) or None
