"""The bar below the conversation: a field for questions, the button to speak, and the state."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QWidget

from app.actions import AssistantActions
from app.assistant.assistant_state import AssistantState
from app.assistant.talk_button import TalkButton
from app.look.theme import Theme
from app.widgets.action_button import ActionButton
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import in_column, in_row
from app.widgets.level_meter import LevelMeter

NARROWEST_PIXELS = 290
STATE_PIXELS, LEVEL_FROM_PIXELS = 190, 320
"""Least widths beside the button and the choice: for the state, and also for the level."""

MOST_CHARACTERS = 2000
_LIGHT_OF = {
    AssistantState.READY: "off",
    AssistantState.LOADING: "waiting",
    AssistantState.RESTARTING: "waiting",
    AssistantState.NO_MODEL: "broken",
    AssistantState.ENGINE_STOPPED: "broken",
    AssistantState.OPENING: "waiting",
    AssistantState.HOLD: "off",
    AssistantState.LISTENING: "listening",
    AssistantState.HEARING: "hearing",
    AssistantState.NO_SOUND: "waiting",
    AssistantState.THINKING: "waiting",
    AssistantState.ANSWERING: "hearing",
    AssistantState.SPEAKING: "hearing",
    AssistantState.REPLAYING: "hearing",
}


class TalkBar(QWidget):
    """Accepts questions, and shows an AssistantState.

    Attributes:
        field: for typed questions.
        talk: the button to speak.
        open_microphone: the microphone stays open, instead of for as long as the button is held.

    Signals:
        asked: a typed question.
    """

    asked = Signal(str)

    def __init__(self, theme: Theme, actions: AssistantActions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Type a question…"))
        self.field.setAccessibleName(self.tr("Question"))
        self.field.setMaxLength(MOST_CHARACTERS)
        self.field.setClearButtonEnabled(False)
        self._send = actions.send
        self.send = ActionButton(actions.send, "main")
        self.send.set_compact(True)
        self.stop = ActionButton(actions.stop, "stop")
        self.stop.set_compact(True)
        self.talk = TalkButton(theme)
        self.open_microphone = QCheckBox(self.tr("&Keep the microphone open"))
        self.open_microphone.setToolTip(self.tr("Speak whenever you like: a pause ends your question."))
        self.level = LevelMeter()
        self.light = QFrame()  # its colour repeats the words beside it
        self.light.setObjectName("light")
        self.light.setFixedSize(QSize(10, 10))
        self.state = ElidedLabel()
        self.state.setAccessibleName(self.tr("State"))
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._lay_out()
        self.field.textChanged.connect(self._note_text)
        self.field.returnPressed.connect(self._ask)
        actions.send.triggered.connect(self._ask)
        self._note_text("")
        self.show_can_stop(False)
        self.show_state(AssistantState.READY)

    def show_state(self, state: AssistantState) -> None:
        """Show the state."""
        self.light.setProperty("state", _LIGHT_OF[state])
        self.light.style().unpolish(self.light)
        self.light.style().polish(self.light)
        self.state.setText(self._words_for(state))

    def show_can_stop(self, can_stop: bool) -> None:
        """Show or hide the button that stops an answer."""
        had_focus = self.stop.hasFocus()
        self.stop.setVisible(can_stop)
        if had_focus and not can_stop:
            self.field.setFocus()

    def show_microphone(self, is_open: bool) -> None:
        """Show whether the microphone is open."""
        self.talk.show_listening(is_open)
        if not is_open:
            self.level.rest()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _lay_out(self) -> None:
        column = in_column(on=self, margins=(16, 12, 20, 12), spacing=10)
        written = in_row((self.field, 1), self.send, self.stop, spacing=8)
        self._spoken = in_row(spacing=14)
        for widget in (self.talk, self.open_microphone, self.level, self.light):
            self._spoken.addWidget(widget)
        self._spoken.addWidget(self.state, 1)
        self._below = QHBoxLayout()
        column.addLayout(written)
        column.addLayout(self._spoken)
        column.addLayout(self._below)
        self.setMinimumWidth(NARROWEST_PIXELS)  # it rearranges itself if there is less room

    def _arrange(self) -> None:
        """Hide the level, then move the choice below, if there is little room."""
        wanted = self.talk.sizeHint().width() + self.open_microphone.sizeHint().width()
        self.level.setVisible(self.width() >= wanted + LEVEL_FROM_PIXELS)
        row = self._spoken if self.width() >= wanted + STATE_PIXELS else self._below
        if row.indexOf(self.open_microphone) < 0:
            self._spoken.removeWidget(self.open_microphone)
            self._below.removeWidget(self.open_microphone)
            row.insertWidget(1 if row is self._spoken else 0, self.open_microphone)

    def _note_text(self, text: str) -> None:
        self._send.setEnabled(any(character.isalnum() for character in text))

    def _ask(self) -> None:
        if self._send.isEnabled():
            text = self.field.text()
            self.field.clear()
            self.asked.emit(text)

    def _words_for(self, state: AssistantState) -> str:
        words = {
            AssistantState.READY: self.tr("Ready"),
            AssistantState.LOADING: self.tr("Loading the models…"),
            AssistantState.RESTARTING: self.tr("Restarting the assistant…"),
            AssistantState.NO_MODEL: self.tr("A model cannot be loaded"),
            AssistantState.ENGINE_STOPPED: self.tr("The assistant stopped"),
            AssistantState.OPENING: self.tr("Opening the microphone…"),
            AssistantState.HOLD: self.tr("Ready when you hold the button"),
            AssistantState.LISTENING: self.tr("Listening"),
            AssistantState.HEARING: self.tr("Hearing you"),
            AssistantState.NO_SOUND: self.tr("No sound is coming in"),
            AssistantState.THINKING: self.tr("Thinking…"),
            AssistantState.ANSWERING: self.tr("Answering"),
            AssistantState.SPEAKING: self.tr("Speaking"),
            AssistantState.REPLAYING: self.tr("Playing an answer again"),
        }
        return words[state]
