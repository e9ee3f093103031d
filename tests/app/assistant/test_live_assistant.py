"""A conversation with a real engine process, whose models are scripts."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.assistant.assistant_state import AssistantState
from app.assistant.exchange import Phase
from app.assistant.live_assistant import LiveAssistant
from app.captions.figures import Sample
from app.preferences.settings import Settings
from engine.audio import Samples
from tests.app.assistant.conftest import BEFORE_SECONDS, PATIENCE, MakeAssistant, Mouth, turns_of
from tests.app.assistant.scripted_assistant import ANSWER, DEADLY, LONG, QUESTION, STORY, ScriptedAnswers


def reach(assistant: LiveAssistant, state: AssistantState, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: assistant.state is state, timeout=PATIENCE)


def push_to_talk(settings: Settings, pushes: bool = True) -> None:
    def change(p):  # type: ignore[no-untyped-def]
        return replace(p, assistant=replace(p.assistant, turns=replace(p.assistant.turns, push_to_talk=pushes)))

    settings.alter(change)


def kill_engine(assistant: LiveAssistant) -> None:
    process = assistant._client.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)


class TestTyped:
    def test_a_typed_question_is_shown_at_once_and_answered(self, assistant: LiveAssistant, qtbot: QtBot) -> None:
        turns = turns_of(assistant)
        assistant.ask(f"  {QUESTION} ")
        (exchange,) = assistant.conversation.exchanges
        assert (exchange.asked, exchange.phase, assistant.state) == (QUESTION, Phase.WAITING, AssistantState.LOADING)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        (exchange,) = assistant.conversation.exchanges
        assert (exchange.number, exchange.answer, exchange.phase) == (1, ANSWER, Phase.DONE)
        reach(assistant, AssistantState.READY, qtbot)

    def test_text_without_a_word_asks_nothing(self, assistant: LiveAssistant) -> None:
        assistant.ask(" … ")
        assert (assistant.conversation.exchanges, assistant.state) == ([], AssistantState.READY)

    def test_questions_that_wait_for_the_engine_are_all_answered(self, assistant: LiveAssistant, qtbot: QtBot) -> None:
        turns = turns_of(assistant)
        for text in (STORY, QUESTION, "And then?"):
            assistant.ask(text)
        qtbot.waitUntil(lambda: len(turns) == 3, timeout=PATIENCE)
        assert [(turn.turn, turn.prompt, turn.ended) for turn in turns] == [
            (1, STORY, "end"),
            (2, QUESTION, "end"),
            (3, "And then?", "end"),
        ]
        assert [each.answer for each in assistant.conversation.exchanges] == [LONG.strip(), ANSWER, ANSWER]

    def test_a_model_that_cannot_be_loaded_is_a_sentence_and_may_be_replaced(
        self, make_assistant: MakeAssistant, settings: Settings, qtbot: QtBot
    ) -> None:
        assistant = make_assistant(ScriptedAnswers("There is no such model."))
        with qtbot.waitSignal(assistant.failed, timeout=PATIENCE) as failure:
            assistant.ask(QUESTION)
        assert failure.args == ["There is no such model."]
        assert assistant.state is AssistantState.NO_MODEL
        assert [each.phase for each in assistant.conversation.exchanges] == [Phase.UNANSWERED]
        with qtbot.waitSignal(assistant.failed, timeout=PATIENCE):
            assistant.ask(QUESTION)  # it tries again

    def test_a_conversation_begins_and_ends_once(self, assistant: LiveAssistant, qtbot: QtBot) -> None:
        happened: list[str] = []
        assistant.conversation_began.connect(lambda: happened.append("began"))
        assistant.turn_ended.connect(lambda turn: happened.append(f"turn {turn.turn}"))
        assistant.conversation_ended.connect(lambda: happened.append("ended"))
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: happened == ["began", "turn 1"], timeout=PATIENCE)
        assistant.begin_anew()
        assistant.begin_anew()
        assert happened == ["began", "turn 1", "ended"]
        assert assistant.conversation.exchanges == []
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: happened[3:] == ["began", "turn 1"], timeout=PATIENCE)


class TestSpoken:
    def test_a_spoken_question_is_heard_word_by_word_and_answered(
        self, assistant: LiveAssistant, mouth: Mouth, question: Samples, qtbot: QtBot
    ) -> None:
        turns, figures = turns_of(assistant), list[Sample]()
        assistant.figure_measured.connect(figures.append)
        assistant.open_microphone()
        assert assistant.is_listening
        reach(assistant, AssistantState.LISTENING, qtbot)
        half = len(question) // 2
        mouth.say(BEFORE_SECONDS, question[:half])
        reach(assistant, AssistantState.HEARING, qtbot)
        heard = assistant.conversation.exchanges[0].asked
        assert heard
        assert QUESTION.startswith(heard.rstrip("?"))
        mouth.say(question[half:], 1.5)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert (turns[0].prompt, turns[0].reply) == (QUESTION, ANSWER)
        assert {sample.figure for sample in figures} >= {"endpoint_seconds", "premade"}
        assistant.close_microphone()
        reach(assistant, AssistantState.READY, qtbot)
        assert not assistant.is_listening

    def test_the_answer_is_drafted_while_the_question_is_asked(
        self, assistant: LiveAssistant, mouth: Mouth, question: Samples, qtbot: QtBot
    ) -> None:
        drafts: list[tuple[str, str]] = []

        def note(place: int) -> None:
            exchange = assistant.conversation.exchanges[place]
            if exchange.draft and exchange.phase is Phase.ASKING:
                drafts.append((exchange.asked, exchange.draft))

        assistant.conversation.changed.connect(note)
        assistant.open_microphone()
        reach(assistant, AssistantState.LISTENING, qtbot)
        mouth.say(BEFORE_SECONDS, question[: round(len(question) * 0.8)])
        qtbot.waitUntil(lambda: bool(drafts), timeout=PATIENCE)
        asked, draft = drafts[-1]
        assert asked != QUESTION, "the question was not whole"
        assert ANSWER.startswith(draft)
        mouth.say(question[round(len(question) * 0.8) :], 1.5)
        qtbot.waitUntil(lambda: assistant.conversation.exchanges[0].phase is Phase.DONE, timeout=PATIENCE)
        exchange = assistant.conversation.exchanges[0]
        assert exchange.ahead > 0
        assert ANSWER[: exchange.ahead] == exchange.draft[: exchange.ahead]

    def test_closing_the_microphone_ends_the_question(
        self, assistant: LiveAssistant, mouth: Mouth, question: Samples, qtbot: QtBot
    ) -> None:
        turns = turns_of(assistant)
        assistant.open_microphone()
        reach(assistant, AssistantState.LISTENING, qtbot)
        mouth.say(BEFORE_SECONDS, question)
        reach(assistant, AssistantState.HEARING, qtbot)
        assistant.close_microphone()
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert turns[0].reply == ANSWER

    def test_a_held_key_makes_one_question_of_what_is_said(
        self, assistant: LiveAssistant, settings: Settings, mouth: Mouth, question: Samples, qtbot: QtBot
    ) -> None:
        push_to_talk(settings)
        turns = turns_of(assistant)
        assistant.press()
        assert (assistant.is_talking, assistant.is_listening) == (True, True)
        mouth.say(BEFORE_SECONDS, question)
        qtbot.waitUntil(
            lambda: bool(assistant.conversation.exchanges) and assistant.conversation.exchanges[0].asked == QUESTION,
            timeout=PATIENCE,
        )
        assert turns == [], "silence ends nothing"
        assistant.release()
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert (turns[0].prompt, turns[0].reply) == (QUESTION, ANSWER)
        reach(assistant, AssistantState.HOLD, qtbot)

    def test_a_microphone_that_delivers_nothing_is_not_called_listening(
        self, assistant: LiveAssistant, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
    ) -> None:
        assistant.open_microphone()
        reach(assistant, AssistantState.LISTENING, qtbot)
        monkeypatch.setattr("app.assistant.microphone.DEAD_SILENCE_SECONDS", 0.0)
        reach(assistant, AssistantState.NO_SOUND, qtbot)

    def test_a_microphone_that_fails_is_a_sentence_and_typing_goes_on(
        self, assistant: LiveAssistant, mouth: Mouth, qtbot: QtBot
    ) -> None:
        mouth.fails = "No microphone was found."
        turns = turns_of(assistant)
        with qtbot.waitSignal(assistant.failed, timeout=PATIENCE) as failure:
            assistant.open_microphone()
        assert failure.args == ["No microphone was found."]
        assert not assistant.is_listening
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)

    def test_a_loudspeaker_that_is_missing_is_told_once_and_answers_are_written(
        self, assistant: LiveAssistant, settings: Settings, qtbot: QtBot
    ) -> None:
        settings.alter(
            lambda p: replace(
                p, behaviour=replace(p.behaviour, speaks=True), sound=replace(p.sound, output="nowhere at all")
            )
        )
        turns, notices = turns_of(assistant), list[str]()
        assistant.noticed.connect(notices.append)
        assistant.ask(STORY)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: len(turns) == 2, timeout=PATIENCE)
        assert [(turn.reply, turn.ended) for turn in turns] == [(LONG.strip(), "end"), (ANSWER, "end")]
        assert len(notices) == 1
        assert assistant.state is AssistantState.READY

    def test_a_question_may_be_typed_while_the_microphone_is_open(self, assistant: LiveAssistant, qtbot: QtBot) -> None:
        turns = turns_of(assistant)
        assistant.open_microphone()
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert turns[0].reply == ANSWER
        reach(assistant, AssistantState.LISTENING, qtbot)

    def test_opening_the_microphone_loses_no_typed_question(self, assistant: LiveAssistant, qtbot: QtBot) -> None:
        turns = turns_of(assistant)
        assistant.ask(QUESTION)
        assistant.open_microphone()
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert [(each.asked, each.answer) for each in assistant.conversation.exchanges] == [(QUESTION, ANSWER)]


class TestCrashes:
    def test_a_killed_engine_is_replaced_and_the_conversation_goes_on(
        self, assistant: LiveAssistant, qtbot: QtBot
    ) -> None:
        turns = turns_of(assistant)
        assistant.ask(STORY)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        kill_engine(assistant)
        qtbot.waitUntil(lambda: not assistant._client.is_running, timeout=PATIENCE)
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: len(turns) == 2, timeout=PATIENCE)
        assert [(turn.turn, turn.prompt) for turn in turns] == [(1, STORY), (2, QUESTION)]

    def test_a_question_that_was_not_answered_is_asked_again(self, assistant: LiveAssistant, qtbot: QtBot) -> None:
        turns = turns_of(assistant)
        assistant.ask(QUESTION)
        with qtbot.waitSignal(assistant.noticed, timeout=PATIENCE):
            kill_engine(assistant)
        assert assistant.state is AssistantState.RESTARTING
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert [(each.asked, each.answer) for each in assistant.conversation.exchanges] == [(QUESTION, ANSWER)]

    def test_what_was_being_said_is_heard_by_the_next_engine(
        self, assistant: LiveAssistant, mouth: Mouth, question: Samples, qtbot: QtBot
    ) -> None:
        turns = turns_of(assistant)
        assistant.open_microphone()
        reach(assistant, AssistantState.LISTENING, qtbot)
        half = len(question) // 2
        mouth.say(BEFORE_SECONDS, question[:half])
        reach(assistant, AssistantState.HEARING, qtbot)
        with qtbot.waitSignal(assistant.noticed, timeout=PATIENCE):
            kill_engine(assistant)
        mouth.say(question[half:], 1.5)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        assert [(each.asked, each.answer) for each in assistant.conversation.exchanges] == [(QUESTION, ANSWER)]

    def test_an_engine_that_always_stops_is_given_up_until_it_is_restarted(
        self, assistant: LiveAssistant, qtbot: QtBot
    ) -> None:
        turns = turns_of(assistant)
        with qtbot.waitSignal(assistant.engine_crashed, timeout=3 * PATIENCE):
            assistant.ask(DEADLY)
        assert assistant.state is AssistantState.ENGINE_STOPPED
        assistant.stop()
        assistant.restart_engine()
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: bool(turns), timeout=PATIENCE)
        assert turns[-1].prompt == QUESTION


class TestChanges:
    def test_other_answers_are_asked_for_without_losing_the_conversation(
        self, assistant: LiveAssistant, settings: Settings, qtbot: QtBot
    ) -> None:
        turns = turns_of(assistant)
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        process = assistant._client.process_id

        def change(p):  # type: ignore[no-untyped-def]
            return replace(p, assistant=replace(p.assistant, answer=replace(p.assistant.answer, reply_tokens=12)))

        settings.alter(change)
        assistant.ask(STORY)
        qtbot.waitUntil(lambda: len(turns) == 2, timeout=PATIENCE)
        assert (turns[1].turn, turns[1].ended) == (2, "limit")
        assert len(turns[1].reply) <= 12
        assert assistant._client.process_id == process

    def test_another_model_goes_on_with_the_conversation(
        self, assistant: LiveAssistant, settings: Settings, qtbot: QtBot
    ) -> None:
        turns = turns_of(assistant)
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: len(turns) == 1, timeout=PATIENCE)
        settings.alter(lambda p: replace(p, models=replace(p.models, assistant="another")))
        assistant.ask(STORY)
        qtbot.waitUntil(lambda: len(turns) == 2, timeout=PATIENCE)
        assert [turn.turn for turn in turns] == [1, 2]
        assert len(assistant.conversation.exchanges) == 2

    @pytest.mark.parametrize("pushes", [True, False])
    def test_changing_how_to_talk_closes_the_microphone(
        self, assistant: LiveAssistant, settings: Settings, pushes: bool, qtbot: QtBot
    ) -> None:
        push_to_talk(settings, not pushes)
        assistant.open_microphone()
        qtbot.waitUntil(lambda: assistant._listening._microphone.delivers, timeout=PATIENCE)
        with qtbot.waitSignal(assistant.microphone_changed, timeout=PATIENCE):
            push_to_talk(settings, pushes)
        assert not assistant.is_listening
