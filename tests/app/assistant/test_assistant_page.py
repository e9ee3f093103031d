"""The page of the assistant, shown what an engine would tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QTextDocument, QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.actions import AssistantActions
from app.assistant.assistant_page import AssistantPage
from app.assistant.assistant_state import AssistantState
from app.assistant.bubble import Bubble
from app.assistant.conversation_model import MOST_EXCHANGES
from app.assistant.live_assistant import LiveAssistant
from app.engine_link.engine_client import EngineClient
from app.look.theme import Theme
from app.preferences.settings import Settings
from engine.process.messages import Ready
from engine.turns import AnswerStats, Candidate, Heard, Interrupted, Sentence, Speech, Turn, TurnStats
from tests.app.assistant.conftest import PATIENCE, MakeAssistant, Mouth
from tests.app.scenes import settle

ASKED, ANSWERED = "Where does the river go?", "It goes down to the sea. It takes its time."
STATS = TurnStats(
    endpoint_seconds=0.26,
    first_sentence_seconds=0.3,
    first_sound_seconds=0.34,
    premade=True,
    answer=AnswerStats(drafted=40, accepted=31, verify_seconds=0.05),
)


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp)
    yield made
    made.deleteLater()


@pytest.fixture
def assistant(make_assistant: MakeAssistant) -> LiveAssistant:
    return make_assistant()


@pytest.fixture
def page(assistant: LiveAssistant, settings: Settings, theme: Theme, qtbot: QtBot) -> Iterator[AssistantPage]:
    made = AssistantPage(assistant, settings, theme, AssistantActions(theme))
    made.resize(900, 700)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.hide()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def engine(assistant: LiveAssistant) -> EngineClient:
    """The client, whose signals a test emits as an engine would."""
    return assistant._client


def tell_whole_turn(engine: EngineClient, turn: int = 1) -> None:
    engine.turn_event_came.emit(Heard(turn, 0, ASKED, final=True))
    engine.turn_event_came.emit(Sentence(turn, 0, 0, "It goes down to the sea."))
    engine.turn_event_came.emit(Turn(turn, 0, ASKED, ANSWERED, stats=STATS))


def tell_turns(engine: EngineClient, count: int) -> None:
    """Emit turns one after another, and lay out each of them."""
    for turn in range(1, count + 1):
        tell_whole_turn(engine, turn)
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


class TestConversation:
    def test_the_draft_is_shown_as_one_and_then_the_answer(
        self, page: AssistantPage, engine: EngineClient, settings: Settings, qtbot: QtBot
    ) -> None:
        engine.turn_event_came.emit(Heard(1, 0, "Where does the"))
        (view,) = page.view.views
        assert (view.question.text, view.answer.isVisible()) == ("Where does the", False)
        engine.turn_event_came.emit(Candidate(1, 0, "Where does the", "It goes down to the sea."))
        qtbot.waitUntil(lambda: view.badge.text() == "Draft answer")
        assert (view.answer.text, view.answer.property("role")) == ("It goes down to the sea.", "bubble-draft")
        engine.turn_event_came.emit(Candidate(1, 0, "Where does the", "It goes down to the sea. It", ready=True))
        qtbot.waitUntil(lambda: view.badge.text() == "Ready to speak")
        engine.turn_event_came.emit(Heard(1, 0, ASKED, final=True))
        qtbot.waitUntil(lambda: view.badge.text() == "Checking the draft…")
        engine.turn_event_came.emit(Turn(1, 0, ASKED, ANSWERED, stats=STATS))
        qtbot.waitUntil(lambda: view.answer.text == ANSWERED)
        assert (view.answer.property("role"), view.badge.isVisible()) == ("bubble-answer", False)
        assert view.note.text() == "", "how quick it was is for those who want to know"
        settings.alter(lambda p: replace(p, appearance=replace(p.appearance, details=True)))
        assert view.note.text() == (
            "first sound after 0.34 s  ·  pause noticed after 0.26 s  ·  prepared in advance  ·  "
            "31 of 40 drafted tokens kept"
        )
        assert "Checking the draft took 0.05 s." in view.note.toolTip()

    def test_an_interrupted_answer_shows_how_far_it_was_heard(
        self, page: AssistantPage, engine: EngineClient, qtbot: QtBot
    ) -> None:
        tell_whole_turn(engine)
        (view,) = page.view.views
        engine.turn_event_came.emit(Interrupted(1, 0, 3.0, "It goes down"))
        qtbot.waitUntil(lambda: view.note.text() == "Interrupted: listening…")
        engine.turn_event_came.emit(Turn(1, 0, ASKED, "It goes down", "interrupted", STATS))
        qtbot.waitUntil(lambda: view.answer.text == "It goes down —")
        engine.turn_event_came.emit(Turn(1, 0, ASKED, "It goes down to it.", "interrupted", STATS, "It goes down"))
        qtbot.waitUntil(lambda: view.answer.text == "It goes down to it.")
        assert view.note.text().startswith("Interrupted")

    def test_what_is_said_is_shown_as_it_is(self, page: AssistantPage, engine: EngineClient) -> None:
        text = "Is 3 < 4 & <b>5</b>?"
        engine.turn_event_came.emit(Heard(1, 0, text, final=True))
        (view,) = page.view.views
        assert view.question.text == text
        assert view.question._label.accessibleName() == f"You: {text}"

    def test_an_answer_and_the_conversation_can_be_copied(
        self, page: AssistantPage, engine: EngineClient, qtbot: QtBot
    ) -> None:
        tell_whole_turn(engine)
        (view,) = page.view.views
        qtbot.waitUntil(view.copy.isVisible)
        view.copy.click()
        assert QGuiApplication.clipboard().text() == ANSWERED
        page._do.copy_all.trigger()
        assert QGuiApplication.clipboard().text() == f"You: {ASKED}\nEarshot: {ANSWERED}"

    def test_an_answer_with_sound_can_be_played_again(
        self, page: AssistantPage, engine: EngineClient, settings: Settings, qtbot: QtBot
    ) -> None:
        engine.turn_event_came.emit(Heard(1, 0, ASKED, final=True))
        engine.turn_event_came.emit(Speech(1, 0, 0, b"\0" * 4000, 1000))
        engine.turn_event_came.emit(Turn(1, 0, ASKED, ANSWERED, stats=STATS))
        (view,) = page.view.views
        qtbot.waitUntil(view.copy.isVisible)
        assert not view.replay.isVisible(), "answers are written only"
        settings.alter(lambda p: replace(p, behaviour=replace(p.behaviour, speaks=True)))
        engine.turn_event_came.emit(Turn(1, 0, ASKED, ANSWERED, "limit", STATS))
        qtbot.waitUntil(view.replay.isVisible)
        assert page._do.replay_last.isEnabled()

    def test_the_reader_may_scroll_away_from_the_newest_words_and_back(
        self, page: AssistantPage, engine: EngineClient, qtbot: QtBot
    ) -> None:
        for turn in range(1, 12):
            tell_whole_turn(engine, turn)
        bar = page.view.verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
        assert not page.newest.isVisible()
        bar.setValue(0)
        assert page.newest.isVisible()
        engine.turn_event_came.emit(Candidate(11, 0, ASKED, ANSWERED))
        assert bar.value() == 0
        page.newest.click()
        assert bar.value() == bar.maximum()
        assert not page.newest.isVisible()

    def test_earlier_exchanges_have_no_widgets_until_they_are_scrolled_to(
        self, page: AssistantPage, assistant: LiveAssistant, engine: EngineClient, qtbot: QtBot
    ) -> None:
        view, bar = page.view, page.view.verticalScrollBar()
        tell_turns(engine, 30)
        count = len(page.findChildren(QWidget))
        assistant.begin_anew()
        tell_turns(engine, 60)
        assert len(page.findChildren(QWidget)) == count, "thirty more answers need no more widgets"
        assert [each.exchange.number for each in view.views] == list(range(41, 61))
        qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 2 * view.height())

        bar.setValue(0)
        assert view.views[0].exchange.number == 31
        shown = view.views[10]
        assert shown.exchange.number == 41
        was_at = shown.mapTo(view.viewport(), shown.rect().topLeft()).y()
        assert was_at == 26, "what was at the top is there still"
        qtbot.wait(100)
        assert shown.mapTo(view.viewport(), shown.rect().topLeft()).y() == was_at
        for _ in range(4):
            bar.setValue(0)
        assert [each.exchange.number for each in view.views] == list(range(1, 61))
        assert view.views[0].answer.text == ANSWERED
        assert (bar.value(), view.following) == (0, False)

        engine.turn_event_came.emit(Heard(2, 1, "And then?", final=True))
        qtbot.waitUntil(lambda: view.views[1].question.text == "And then?")
        tell_whole_turn(engine, 61)
        assert [each.exchange.number for each in view.views] == list(range(42, 62))
        engine.turn_event_came.emit(Heard(2, 2, "And?", final=True))
        QCoreApplication.processEvents()
        bar.setValue(0)
        assert view.views[0].exchange.number == 32

    def test_the_page_is_filled_however_high_it_is(
        self, page: AssistantPage, engine: EngineClient, qtbot: QtBot
    ) -> None:
        tell_turns(engine, 60)
        assert len(page.view.views) == 20
        page.resize(900, 6000)
        qtbot.waitUntil(lambda: len(page.view.views) > 30)

    def test_more_than_are_kept_go_while_few_of_them_are_shown(self, page: AssistantPage, engine: EngineClient) -> None:
        tell_turns(engine, MOST_EXCHANGES + 10)
        view, bar = page.view, page.view.verticalScrollBar()
        for _ in range(10):
            bar.setValue(0)
        assert [each.exchange.number for each in view.views] == list(range(11, MOST_EXCHANGES + 11))

    def test_a_new_conversation_is_empty(self, page: AssistantPage, engine: EngineClient, qtbot: QtBot) -> None:
        assert not page._do.begin_anew.isEnabled()
        tell_whole_turn(engine)
        assert page.view.isVisible()
        page._do.begin_anew.trigger()
        assert page.empty.isVisible()
        assert page.view.views == ()
        assert not page._do.begin_anew.isEnabled()


class TestAsking:
    def test_enter_asks_what_was_written(
        self, page: AssistantPage, assistant: LiveAssistant, settings: Settings, qtbot: QtBot
    ) -> None:
        assert not page.bar.send.isEnabled()
        QTest.keyClicks(page.bar.field, ASKED)
        assert page.bar.send.isEnabled()
        QTest.keyClick(page.bar.field, Qt.Key.Key_Return)
        assert page.bar.field.text() == ""
        assert [each.asked for each in assistant.conversation.exchanges] == [ASKED]
        assert page.bar.stop.isVisible()
        assert page.bar.state.text() == "Loading the models…"
        qtbot.waitUntil(lambda: page.bar.state.text() == "Ready", timeout=PATIENCE)
        assert not page.bar.stop.isVisible()
        assert page.model.text() == "", "for those who want details"
        settings.alter(lambda p: replace(p, appearance=replace(p.appearance, details=True)))
        assert page.model.text() == "scripted answers on the CPU"

    def test_what_is_typed_on_the_page_is_written_in_the_field(self, page: AssistantPage) -> None:
        page.setFocus()
        for key in (Qt.Key.Key_Space, Qt.Key.Key_Escape, Qt.Key.Key_F5):
            QTest.keyClick(page, key)
        QTest.keyClick(page, "q", Qt.KeyboardModifier.AltModifier)
        assert (page.bar.field.text(), page.bar.field.hasFocus()) == ("", False)
        QTest.keyClicks(page, "Hi")
        assert (page.bar.field.text(), page.bar.field.hasFocus()) == ("Hi", True)

    def test_what_is_too_long_to_be_asked_is_told(self, page: AssistantPage) -> None:
        QGuiApplication.clipboard().setText("why " * 500)
        page.bar.field.paste()
        assert page.message.text == ""
        page.bar.field.paste()
        assert page.message.text == "A question can be 2,000 characters long; the rest was left out."

    def test_examples_ask_themselves(self, page: AssistantPage, assistant: LiveAssistant) -> None:
        example = page.empty.examples[0]
        example.click()
        assert [each.asked for each in assistant.conversation.exchanges] == [example.text()]

    def test_the_button_opens_and_closes_the_microphone(
        self, page: AssistantPage, assistant: LiveAssistant, mouth: Mouth, qtbot: QtBot
    ) -> None:
        assert page.bar.talk.text() == "Start listening"
        QTest.mouseClick(page.bar.talk, Qt.MouseButton.LeftButton)
        assert assistant.is_listening
        assert page.bar.talk.text() == "Stop listening"
        qtbot.waitUntil(lambda: mouth.opened == 1, timeout=PATIENCE)
        page._do.listen.trigger()
        qtbot.waitUntil(lambda: page.bar.talk.text() == "Start listening", timeout=PATIENCE)

    def test_the_microphone_need_not_stay_open(self, page: AssistantPage, settings: Settings) -> None:
        page.bar.open_microphone.click()
        assert settings.preferences.assistant.turns.push_to_talk
        assert page.bar.talk.text() == "Hold to talk"

    def test_the_button_is_held_or_tapped(
        self, page: AssistantPage, assistant: LiveAssistant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page.bar.open_microphone.click()
        QTest.mouseClick(page.bar.talk, Qt.MouseButton.LeftButton)
        assert assistant.is_talking, "a tap stays"
        QTest.mouseClick(page.bar.talk, Qt.MouseButton.LeftButton)
        assert not assistant.is_talking
        monkeypatch.setattr("app.assistant.talk_button.TAP_MILLISECONDS", 0)
        QTest.mousePress(page.bar.talk, Qt.MouseButton.LeftButton)
        assert assistant.is_talking
        QTest.mouseRelease(page.bar.talk, Qt.MouseButton.LeftButton)
        assert not assistant.is_talking

    def test_the_space_key_talks_where_nothing_is_written(
        self, page: AssistantPage, assistant: LiveAssistant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("app.assistant.talk_button.TAP_MILLISECONDS", 0)
        page.bar.open_microphone.click()
        tell_whole_turn(assistant._client)
        page.view.setFocus()
        QTest.keyPress(page.view, Qt.Key.Key_Space)
        assert assistant.is_talking
        assert page.bar.talk.text() == "Listening to you…"
        QTest.keyRelease(page.view, Qt.Key.Key_Space)
        assert not assistant.is_talking
        QTest.keyClick(page.bar.field, Qt.Key.Key_Space)
        assert (assistant.is_talking, page.bar.field.text()) == (False, " ")

    def test_answers_may_be_written_only(self, page: AssistantPage, settings: Settings) -> None:
        page._do.aloud.trigger()
        assert settings.preferences.behaviour.speaks
        assert page._header_buttons[0].isChecked()
        page._do.aloud.trigger()
        assert not settings.preferences.behaviour.speaks
        assert not page._header_buttons[0].isChecked()

    def test_every_control_is_named_and_reached_by_tab(self, page: AssistantPage, engine: EngineClient) -> None:
        tell_whole_turn(engine)
        QTest.keyClicks(page.bar.field, ASKED)
        page.bar.field.setFocus()
        reached: list[QWidget] = []
        while (focused := page.focusWidget()) is not None and focused not in reached:
            reached.append(focused)
            page.focusNextChild()
        controls = [each for kind in (QAbstractButton, QLineEdit) for each in page.findChildren(kind)]
        shown = [each for each in controls if each.isVisible() and each.isEnabled() and each is not page.newest]
        assert [each for each in shown if each not in reached] == []
        assert all(each.accessibleName() or each.text() for each in shown)
        assert reached[:2] == [page.bar.field, page.bar.send]


class TestTrouble:
    def test_a_model_that_is_missing_leads_to_the_models(
        self, page: AssistantPage, assistant: LiveAssistant, engine: EngineClient, qtbot: QtBot
    ) -> None:
        assistant.ask(ASKED)
        engine.failed.emit("There is no such model.")
        assert page.message.text == "There is no such model."
        assert assistant.state is AssistantState.NO_MODEL
        assert page.message.way_out is not None
        with qtbot.waitSignal(page.models_wanted):
            page.message.way_out.click()

    def test_an_engine_that_was_given_up_can_be_restarted(self, page: AssistantPage, assistant: LiveAssistant) -> None:
        assistant.engine_crashed.emit()
        assert page.message.way_out is not None
        assert page.message.way_out.action is page._do.restart_engine

    @pytest.mark.parametrize("height", [250, 360, 700])
    def test_nothing_of_a_low_page_covers_another_part_of_it(self, page: AssistantPage, height: int) -> None:
        page.empty.offer_model("German", "")
        page.resize(430, height)
        settle()
        assert page.height() == height, "nothing in it is higher"
        rows = (page.stage, page.bar.field, page.bar.talk, page.bar.open_microphone)
        places = [QRect(row.mapTo(page, QPoint(0, 0)), row.size()) for row in rows]
        assert all(upper.bottom() < lower.top() for upper, lower in pairwise(places))
        assert page.rect().contains(places[-1])
        example = page.empty.examples[0]
        seen = page.stage.rect().contains(QRect(example.mapTo(page.stage, QPoint(0, 0)), example.size()))
        assert seen == (height > 250)

    @pytest.mark.parametrize("width", [520, 720, 1400])
    def test_it_fits_its_window(self, page: AssistantPage, engine: EngineClient, width: int, qtbot: QtBot) -> None:
        page.resize(width, 560)
        engine.language_model_loaded.emit(Ready("A model with quite a long name", "cpu", 0.0, kind="language"))
        for turn in range(1, 4):
            tell_whole_turn(engine, turn)
        qtbot.waitUntil(lambda: page.view.verticalScrollBar().maximum() > 0)
        assert page.width() == width, "nothing in it is wider"
        room = page.view.viewport().width()
        assert all(view.geometry().right() < room for view in page.view.views)
        assert all(view.answer.width() <= room for view in page.view.views)


def test_code_in_an_answer_keeps_its_indentation(qtbot: QtBot) -> None:
    bubble = Bubble("bubble-answer")
    qtbot.addWidget(bubble)

    def text_of(code: str) -> str:
        bubble.show_spans([(code, "black")], "{}")
        document = QTextDocument()
        document.setHtml(bubble._label.text())
        return document.toPlainText()

    code = "for each in values:\n    if each:\n        total += 1"
    assert text_of(code) == code
    assert text_of("if each:\n\ttotal += 1") == "if each:\n    total += 1"


def test_a_word_longer_than_a_bubble_goes_on_in_another_line(theme: Theme, qtbot: QtBot) -> None:
    bubble = Bubble("bubble-user")
    qtbot.addWidget(bubble)
    bubble.limit(300)
    bubble.show_spans([("See https://example.org/" + "a" * 300, "black")], "You: {}")
    label = bubble.findChild(QLabel)
    assert label is not None
    as_labels_wrap = QTextDocument()
    as_labels_wrap.setDefaultFont(label.font())
    as_labels_wrap.setDefaultTextOption(QTextOption())  # at spaces alone
    as_labels_wrap.setDocumentMargin(0)
    as_labels_wrap.setHtml(label.text())
    as_labels_wrap.setTextWidth(label.width())
    assert as_labels_wrap.size().width() <= label.width()
    assert as_labels_wrap.size().height() <= label.height()
    assert bubble.text.endswith("a" * 300), "nothing is added to what is copied"
