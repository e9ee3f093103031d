"""The page of the assistant: the conversation, the field for questions and the button to speak."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QStackedWidget, QWidget

from app.actions import AssistantActions
from app.assistant.assistant_state import AssistantState
from app.assistant.conversation_view import ConversationView
from app.assistant.empty_conversation import EmptyConversation
from app.assistant.exchange import Exchange
from app.assistant.live_assistant import LiveAssistant
from app.assistant.talk_bar import MOST_CHARACTERS, TalkBar
from app.look import interface_language
from app.look.language_names import language_name
from app.look.theme import Theme, caption_font
from app.models.model_words import ModelWords
from app.models.uses import general_model_bytes, host_of, title_of, unanswered_language
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.action_button import ActionButton
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import Spacing, in_column, in_row
from app.widgets.message_bar import MessageBar
from engine.process.messages import Ready

TEXT_SHARE = 0.68
"""Size of the text in proportion to that of captions: it is read at a desk, not from afar."""

ROOMY_FROM_PIXELS, COMPACT_BELOW_PIXELS = 900, 600
SIGN_FROM_PIXELS, HEADER_FROM_PIXELS = 520, 300
"""Least heights of the page that leave room for the sign of an empty conversation, and also for a header."""

MARGIN_PIXELS = 18
_WITH_A_COMMAND = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


class AssistantPage(QWidget):
    """Shows a LiveAssistant, and passes on what a person asks of it.

    Typing on the page begins a question. The space key is push-to-talk unless it is needed to write or to press a
    button.

    Signals:
        models_wanted: a model could not be loaded; the person wants to choose another.
        model_wanted: the person wants a model that answers in this language (its code).
        quote_chosen: a Quote of captions, to be shown where it stands.
    """

    models_wanted = Signal()
    model_wanted = Signal(str)
    quote_chosen = Signal(object)

    def __init__(
        self,
        assistant: LiveAssistant,
        settings: Settings,
        theme: Theme,
        actions: AssistantActions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._assistant = assistant
        self._settings = settings
        self._do = actions
        self._space_held = False
        self._model = ""
        self.empty = EmptyConversation(theme)
        self.view = ConversationView(assistant, theme)
        self.newest = ActionButton(actions.newest, "floating", self.view)
        self.newest.hide()
        self.bar = TalkBar(theme, actions)
        self.stage = QStackedWidget()
        self.message = MessageBar(theme, self.stage)
        self.message.placed.connect(lambda pixels: self.view.setViewportMargins(0, 0, 0, pixels))
        self.stage.setObjectName("stage")
        self.stage.addWidget(_scrolled(self.empty))
        self.stage.addWidget(self.view)
        self._models = QAction(self.tr("Choose a &model…"), self)
        self._models.triggered.connect(self.models_wanted)
        self._lay_out(actions)
        self._connect(actions)
        self._listen_to(assistant)
        settings.changed.connect(self._apply_preferences)
        self._apply_preferences(settings.preferences, settings.preferences)
        self._show_state(assistant.state)
        self._show_stage()

    def focus_field(self) -> None:
        """Move the keyboard focus to the field for questions."""
        self.bar.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Space or not self._assistant.pushes_to_talk:
            if not self._begins_question(event):
                super().keyPressEvent(event)
        elif not event.isAutoRepeat() and not self._space_held:
            self._space_held = True
            self.bar.talk.hold()

    def _begins_question(self, event: QKeyEvent) -> bool:
        """Write a letter that nothing else has handled into the field; return False if it was no letter."""
        letter = event.text().strip()
        if not letter.isprintable() or not letter or event.modifiers() & _WITH_A_COMMAND:
            return False
        self.focus_field()
        QCoreApplication.sendEvent(self.bar.field, event)
        return True

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Space or not self._space_held:
            super().keyReleaseEvent(event)
        elif not event.isAutoRepeat():
            self._space_held = False
            self.bar.talk.let_go()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow() and self._space_held:
            self._space_held = False  # its release goes to another window
            self._assistant.release()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        aloud, copy, anew = self._header_buttons
        copy.set_compact(self.width() < ROOMY_FROM_PIXELS)
        for button in (aloud, anew):
            button.set_compact(self.width() < COMPACT_BELOW_PIXELS)
        self.empty.show_sign(self.height() >= SIGN_FROM_PIXELS)
        self.header.setVisible(self.height() >= HEADER_FROM_PIXELS)
        self._place_newest()

    # --- layout ---

    def _lay_out(self, actions: AssistantActions) -> None:
        self.header = self._header(actions)
        self.stage.setMinimumHeight(1)  # the bar below needs all of its height, and the conversation scrolls
        in_column(self.header, (self.stage, 1), self.bar, on=self, margins=0, spacing=0)
        order = (self.bar.field, self.bar.send, self.bar.stop, self.bar.talk, self.bar.open_microphone)
        rest = (*self._header_buttons, *self.empty.examples, self.empty.other_model, self.view)
        every = (*order, *rest)
        for before, after in pairwise(every):
            QWidget.setTabOrder(before, after)

    def _header(self, actions: AssistantActions) -> QWidget:
        header = QWidget()
        header.setObjectName("header")
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        title = QLabel(self.tr("Assistant"))
        title.setProperty("role", "heading")
        self.model = ElidedLabel()
        self.model.setProperty("role", "quiet")
        self.model.setAccessibleName(self.tr("Model that answers"))
        self._header_buttons = (
            ActionButton(actions.aloud, "flat"),
            ActionButton(actions.copy_all, "flat"),
            ActionButton(actions.begin_anew, ""),
        )
        self._header_buttons[0].setCheckable(True)
        header.setMinimumWidth(1)  # its buttons become compact once there is less room than they ask for
        row = in_row(title, Spacing(4), (self.model, 1), on=header, margins=(20, 10, 16, 10), spacing=8)
        for button in self._header_buttons:
            row.addWidget(button)
        return header

    def _connect(self, actions: AssistantActions) -> None:
        assistant, bar = self._assistant, self.bar
        bar.asked.connect(assistant.ask)
        bar.field.inputRejected.connect(self._say_most)
        bar.talk.talk_began.connect(assistant.press)
        bar.talk.talk_ended.connect(assistant.release)
        bar.talk.listening_toggled.connect(self._toggle_listening)
        bar.open_microphone.clicked.connect(self._keep_open)
        self.empty.example_chosen.connect(assistant.ask)
        self.empty.other_model.clicked.connect(
            lambda: self.model_wanted.emit(unanswered_language(self._settings.preferences, interface_language.spoken()))
        )
        self.view.copy_wanted.connect(_copy)
        self.view.quote_chosen.connect(self.quote_chosen)
        self.view.following_changed.connect(self._offer_newest)
        actions.listen.triggered.connect(self._toggle_listening)
        actions.stop.triggered.connect(assistant.stop)
        actions.begin_anew.triggered.connect(self._begin_anew)
        actions.aloud.triggered.connect(self._answer_aloud)
        actions.copy_all.triggered.connect(self._copy_all)
        actions.replay_last.triggered.connect(assistant.replay_last)
        actions.restart_engine.triggered.connect(assistant.restart_engine)
        actions.newest.triggered.connect(self.view.jump_to_newest)

    def _listen_to(self, assistant: LiveAssistant) -> None:
        assistant.state_changed.connect(self._show_state)
        assistant.microphone_changed.connect(self._show_microphone)
        assistant.talking_changed.connect(self.bar.talk.show_talking)
        assistant.level_measured.connect(self.bar.level.show_level)
        assistant.model_loaded.connect(self._show_model)
        assistant.noticed.connect(self.message.show_notice)
        assistant.failed.connect(self._show_failure)
        assistant.engine_crashed.connect(self._show_crash)
        for signal in (assistant.conversation.added, assistant.conversation.cleared, assistant.conversation.changed):
            signal.connect(self._show_stage)

    # --- display ---

    def _show_state(self, state: AssistantState) -> None:
        self.bar.show_state(state)
        self._offer()

    def _show_stage(self) -> None:
        has_any = bool(self._assistant.conversation.exchanges)
        self.stage.setCurrentIndex(1 if has_any else 0)
        self._offer()

    def _offer(self) -> None:
        """Enable the commands that are possible now."""
        assistant, exchanges = self._assistant, self._assistant.conversation.exchanges
        can_stop = assistant.can_stop
        self._do.stop.setEnabled(can_stop)
        self.bar.show_can_stop(can_stop)
        self._do.begin_anew.setEnabled(bool(exchanges))
        self._do.copy_all.setEnabled(bool(exchanges))
        self._do.replay_last.setEnabled(assistant.can_replay_last)
        self._do.restart_engine.setEnabled(assistant.state is AssistantState.ENGINE_STOPPED)

    def _show_microphone(self, is_open: bool) -> None:
        self.bar.show_microphone(is_open)
        self._do.name_listening(is_open)

    def _show_model(self, ready: Ready) -> None:
        if ready.kind == "language":
            self._model = self.tr("{} on the {}").format(title_of(ready.model), ready.device.upper())
            self._apply_preferences(self._settings.preferences, self._settings.preferences)

    def _say_most(self) -> None:
        most = QLocale().toString(MOST_CHARACTERS)
        self.message.show_notice(self.tr("A question can be {} characters long; the rest was left out.").format(most))

    def _show_failure(self, message: str) -> None:
        no_model = self._assistant.state is AssistantState.NO_MODEL
        self.message.show_problem(message, self._models if no_model else None)

    def _show_crash(self) -> None:
        text = self.tr("The assistant's engine stopped several times. What was said is kept.")
        self.message.show_problem(text, self._do.restart_engine)

    def _apply_preferences(self, before: Preferences, now: Preferences) -> None:
        holds = now.assistant.turns.push_to_talk
        self.bar.talk.show_mode(holds=holds)
        self.bar.open_microphone.setChecked(not holds)
        self.empty.advise(holds=holds)
        code = unanswered_language(now, interface_language.spoken())
        size = general_model_bytes(now)
        self.empty.offer_model(language_name(code) if code else "", ModelWords(self).size(size) if size else "")
        self.empty.show_host(host_of(now.models.assistant))
        self._do.listen.setVisible(not holds)
        self._do.aloud.setChecked(now.behaviour.speaks)
        self._header_buttons[0].setChecked(now.behaviour.speaks)
        self.view.show_details(now.appearance.details)
        self.model.setText(self._model if now.appearance.details else "")
        self.view.set_text_font(caption_font(now.appearance.points * TEXT_SHARE))

    def _offer_newest(self, following: bool) -> None:
        if following and self.newest.hasFocus():
            self.view.setFocus()
        self.newest.setVisible(not following)
        self._place_newest()

    def _place_newest(self) -> None:
        self.newest.adjustSize()
        left = (self.view.width() - self.newest.width()) // 2
        self.newest.move(left, self.view.height() - self.newest.height() - MARGIN_PIXELS)
        self.newest.raise_()

    # --- commands ---

    def _toggle_listening(self) -> None:
        if self._assistant.is_listening:
            self._assistant.close_microphone()
        else:
            self._assistant.open_microphone()

    def _keep_open(self, keep: bool) -> None:
        self._settings.alter(lambda p: _pushing_to_talk(p, not keep))

    def _answer_aloud(self, aloud: bool) -> None:
        self._settings.alter(lambda p: replace(p, behaviour=replace(p.behaviour, speaks=aloud)))

    def _begin_anew(self) -> None:
        self._assistant.begin_anew()
        self.focus_field()

    def _copy_all(self) -> None:
        _copy("\n\n".join(self._as_text(each) for each in self._assistant.conversation.exchanges))

    def _as_text(self, exchange: Exchange) -> str:
        lines = [self.tr("You: {}").format(exchange.asked)]
        return "\n".join([*lines, *([self.tr("Earshot: {}").format(exchange.shown)] if exchange.answer else [])])


def _scrolled(widget: QWidget) -> QScrollArea:
    """Let a widget be taller than the window."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(widget)
    return area


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _pushing_to_talk(preferences: Preferences, pushes: bool) -> Preferences:
    assistant = preferences.assistant
    return replace(preferences, assistant=replace(assistant, turns=replace(assistant.turns, push_to_talk=pushes)))
