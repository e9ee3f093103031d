"""Conversations in the engine process: what it answers to which command."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import AudioError
from engine.events import Incident, Summary
from engine.options import AnswerOptions, AssistantOptions, CaptionOptions, TurnOptions, VoiceOptions
from engine.process.assistant_worker import AssistantWorker
from engine.process.messages import (
    Ask,
    AudioChunk,
    ChangeAnswers,
    Command,
    Converse,
    Ended,
    Event,
    Failed,
    Finish,
    Interrupt,
    Played,
    Press,
    Progress,
    Ready,
    Release,
    Shutdown,
    Start,
    Started,
    Stop,
    StopReply,
)
from engine.process.process import EngineServer
from engine.speak.choice import usable_voice
from engine.speak.voice import Voice
from engine.turns import Candidate, Endpoint, Heard, Interrupted, Sentence, Speech, Turn
from tests.app.scripted_hearing import ScriptedRecognizer, say, scripted
from tests.app.scripted_models import ScriptedAssistant
from tests.process.test_process import Loader, chunks

T = TypeVar("T")
QUESTION = "Can you hear me?"
MOON = "How far is the moon?"
REPLIES = {
    QUESTION: "Yes, I can hear you well. What would you like to know?",
    MOON: "It is a long way off. Nobody walks there. You would need a rocket for it.",
}
OPTIONS = AssistantOptions()
CAPTIONS = CaptionOptions(language="en")
SILENCE = np.zeros(2 * SAMPLE_RATE_HZ, np.float32)
TYPED = Converse(1, None, "a", OPTIONS, CAPTIONS, voiced=False)
SPOKEN = Converse(1, "m", "a", OPTIONS, CAPTIONS)


class Engine:
    """A server with what it sent, and the models that it loaded."""

    def __init__(self, recognizer: ScriptedRecognizer | None = None) -> None:
        self.events: list[Event] = []
        self.loader = Loader(recognizer)
        self.assistant = ScriptedAssistant(tuple(REPLIES.items()))
        self.server = EngineServer(self.events.append, self.loader, load_assistant=self.assistant)

    def do(self, *commands: Command, work: bool = True) -> Engine:
        """Carry out commands, each before the next comes, and then do all there is to do."""
        for command in commands:
            self.server.carry_out(command)
            self.server.hear()
        while work and self.server.busy:
            self.server.work()
        return self

    def until(self, kind: type) -> Engine:
        """Work until there is one of a kind."""
        while not self.of(kind):
            assert self.server.busy
            self.server.work()
        return self

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]


def said(samples: np.ndarray = SILENCE) -> Sequence[AudioChunk]:
    return chunks(np.concatenate([say(QUESTION).samples, samples]))


def test_a_typed_question_is_answered_in_writing() -> None:
    engine = Engine().do(TYPED, Ask(MOON))
    assert engine.events[:2] == [Ready("scripted", "cpu", 0.0, kind="language"), Started(1)]
    assert engine.of(Heard) == [Heard(1, 0, MOON, final=True)]
    assert " ".join(each.text for each in engine.of(Sentence)) == REPLIES[MOON]
    assert engine.of(Turn) == [Turn(1, 0, MOON, REPLIES[MOON])]
    assert not engine.of(Speech)
    assert not engine.loader.loads, "nothing is heard"


def test_danger_is_answered_with_the_numbers_of_the_region_that_the_app_names() -> None:
    engine = Engine().do(replace(TYPED, region="FR"), Ask("Je veux mourir"))
    (turn,) = engine.of(Turn)
    assert "Au 3114, quelqu'un vous écoute à toute heure." in turn.reply


def test_a_spoken_question_is_heard_guessed_at_and_answered_aloud() -> None:
    engine = Engine(scripted(say(QUESTION))).do(SPOKEN, *said())
    assert [type(event) for event in engine.events[:3]] == [Ready, Ready, Started]
    assert engine.of(Heard)[-1] == Heard(1, 0, QUESTION, final=True)
    assert engine.of(Endpoint)[0].speech_end == pytest.approx(len(say(QUESTION).samples) / SAMPLE_RATE_HZ, abs=0.3)
    assert [turn.reply for turn in engine.of(Turn)] == [REPLIES[QUESTION]]
    spoken = sum(len(speech.samples) // 4 / speech.rate_hz for speech in engine.of(Speech))
    assert spoken > 1.0


def test_it_is_told_how_far_hearing_is_and_whether_there_is_speech() -> None:
    engine = Engine(scripted(say(QUESTION))).do(SPOKEN, *said())
    progress = engine.of(Progress)
    assert {each.speaking for each in progress} == {True, False}
    seconds = [each.audio_seconds for each in progress]
    assert seconds == sorted(seconds)
    assert len(seconds) > 5


def test_candidates_come_while_the_question_is_still_being_asked() -> None:
    engine = Engine(scripted(say(QUESTION)))
    engine.do(SPOKEN)
    for chunk in said():
        engine.do(chunk)
    assert engine.events.index(engine.of(Candidate)[0]) < engine.events.index(engine.of(Endpoint)[0])


@pytest.mark.parametrize("start", [replace(TYPED, model="missing"), replace(SPOKEN, hearing="missing")])
def test_a_model_that_is_not_there_ends_the_conversation_with_a_sentence(start: Converse) -> None:
    engine = Engine().do(start, Ask(MOON))
    assert engine.of(Failed) == [Failed("There is no model called missing.", session=1)]
    assert not engine.of(Started)
    assert not engine.of(Turn)


def test_a_voice_that_is_not_there_is_told_and_answers_are_written() -> None:
    klingon = AssistantOptions(voice=VoiceOptions("espeak", "tlh-xx"))
    engine = Engine().do(replace(TYPED, options=klingon, voiced=True), Ask(MOON))
    (incident,) = engine.of(Incident)
    assert incident.message.startswith("Answers are not spoken: ")
    assert "tlh-xx" in incident.message
    assert engine.events.index(incident) > engine.events.index(Started(1)), "what comes before belongs to no session"
    assert engine.of(Turn)[0].reply == REPLIES[MOON]


def test_a_voice_that_is_not_downloaded_is_told_and_the_built_in_one_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", "/nowhere")
    kokoro = AssistantOptions(voice=VoiceOptions("kokoro"))
    engine = Engine().do(replace(TYPED, options=kokoro, voiced=True), Ask(MOON))
    (incident,) = engine.of(Incident)
    assert incident.message.startswith("The model kokoro is not on this machine.")
    assert incident.message.endswith("eSpeak NG speaks instead.")
    assert engine.of(Speech) and engine.of(Turn)[0].reply == REPLIES[MOON]


def test_hearing_that_fails_ends_the_conversation_with_a_sentence() -> None:
    recognizer = scripted(say(QUESTION))

    def fail() -> None:
        raise AudioError("The audio holds values that are not numbers.")

    recognizer.on_hear = fail
    engine = Engine(recognizer).do(SPOKEN, *said())
    assert engine.of(Failed) == [Failed("The audio holds values that are not numbers.", session=1)]
    assert not engine.server.busy


def test_a_conversation_goes_on_behind_earlier_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    earlier = (Turn(6, 0, "Who are you?", "Earshot."), Turn(7, 1, "Hm.", "", ended="nothing"))
    engine = Engine()
    engine.do(replace(TYPED, earlier=earlier, first_turn=8))
    model = engine.server._loaded_assistant
    assert model is not None
    chat = model[1].chat

    def note(messages: Sequence[object]) -> list[int]:
        seen.append([str(getattr(message, "text", "")) for message in messages])
        return chat(messages)  # type: ignore[arg-type]

    monkeypatch.setattr(model[1], "chat", note)
    engine.do(Ask(MOON))
    assert engine.of(Turn)[0].turn == 8
    assert seen[-1][-3:] == ["Who are you?", "Earshot.", MOON]


def silently(options: AssistantOptions) -> Command:
    return ChangeAnswers(options, voiced=False)


def test_hearing_goes_on_while_another_voice_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    may_load, woken = threading.Event(), threading.Event()

    def slow(options: VoiceOptions) -> tuple[Voice, str]:
        assert may_load.wait(60)
        return usable_voice(options)

    engine = Engine(scripted(say(QUESTION)))
    engine.server._wake = woken.set
    talk = engine.do(replace(SPOKEN, voiced=False)).server._worker
    assert isinstance(talk, AssistantWorker)
    monkeypatch.setattr(talk, "_make_voice", slow)
    engine.do(ChangeAnswers(OPTIONS, voiced=True), *said())
    assert [turn.prompt for turn in engine.of(Turn)] == [QUESTION] and not engine.of(Speech)
    may_load.set()
    assert woken.wait(60)
    engine.server.hear()
    assert talk._loading is None
    assert engine.do(Ask(MOON)).of(Speech)


def test_another_voice_and_another_verifier_hold_from_the_next_turn_on() -> None:
    engine = Engine().do(replace(TYPED, voiced=True), Ask(MOON), work=False).until(Sentence)
    engine.do(silently(AssistantOptions(AnswerOptions(verifier="top-k"))))
    assert {speech.turn for speech in engine.of(Speech)} == {1}, "the present turn is spoken to its end"
    engine.do(Played(60.0), Ask(QUESTION))
    assert [turn.reply for turn in engine.of(Turn)] == [REPLIES[MOON], REPLIES[QUESTION]]
    assert {speech.turn for speech in engine.of(Speech)} == {1}
    engine.do(ChangeAnswers(OPTIONS, voiced=True), Ask(MOON))
    assert {speech.turn for speech in engine.of(Speech)} == {1, 3}


def test_what_was_said_before_a_change_is_remembered() -> None:
    engine = Engine().do(TYPED, Ask(MOON), ChangeAnswers(AssistantOptions(AnswerOptions(verifier="biased"))))
    talk = engine.server._worker
    assert talk is not None
    engine.do(Ask(QUESTION))
    assert [each.user for each in talk._session.history] == [MOON, QUESTION]
    assert talk._session._responder.options.verifier == "biased"


def test_a_turn_that_is_being_spoken_keeps_its_rules() -> None:
    """Push-to-talk comes in the middle of a question: that still ends by silence, and the next one does not."""
    to_talk = AssistantOptions(turns=TurnOptions(push_to_talk=True))
    parts = said()
    middle = len(chunks(say(QUESTION).samples)) - 2
    engine = Engine(scripted(say(QUESTION))).do(SPOKEN, *parts[:middle])
    assert engine.of(Heard)
    engine.do(ChangeAnswers(to_talk), *parts[middle:])
    assert [turn.reply for turn in engine.of(Turn)] == [REPLIES[QUESTION]]


def test_with_push_to_talk_what_is_said_while_the_key_is_held_is_a_turn() -> None:
    to_talk = AssistantOptions(turns=TurnOptions(push_to_talk=True))
    engine = Engine(scripted(say(QUESTION))).do(replace(SPOKEN, options=to_talk))
    engine.do(Press(), *chunks(say(QUESTION).samples), *chunks(SILENCE[:4800]), Release(), *chunks(SILENCE))
    assert [turn.prompt for turn in engine.of(Turn)] == [QUESTION]


def test_without_the_key_nothing_is_heard() -> None:
    to_talk = AssistantOptions(turns=TurnOptions(push_to_talk=True))
    engine = Engine(scripted(say(QUESTION))).do(replace(SPOKEN, options=to_talk), *said())
    assert not engine.of(Heard)


def test_a_reply_that_is_spoken_over_falls_silent_and_goes_on_if_nothing_was_said() -> None:
    engine = Engine(scripted(say(QUESTION))).do(SPOKEN, *said())
    told = len(engine.of(Speech))
    engine.do(Played(0.3), Interrupt(0.3, np.zeros(160, np.float32).tobytes()))
    assert len(engine.of(Interrupted)) == 1
    engine.do(*chunks(SILENCE))
    assert len(engine.of(Speech)) > told, "the sound goes on behind what had been played"


def test_a_reply_that_is_stopped_ends_with_what_was_said() -> None:
    engine = Engine().do(replace(TYPED, voiced=True), Ask(MOON), StopReply(0.4))
    turn = engine.of(Turn)[-1]
    assert turn.ended == "interrupted"
    assert turn.said is not None
    assert REPLIES[MOON].startswith(turn.said)
    assert len(turn.said) < len(REPLIES[MOON])
    assert REPLIES[MOON].startswith(turn.reply)
    assert turn.reply.startswith(turn.said)
    engine.do(Ask(QUESTION))
    assert engine.of(Turn)[-1].reply == REPLIES[QUESTION]


def test_finishing_answers_what_was_asked_and_tells_the_end() -> None:
    engine = Engine(scripted(say(QUESTION))).do(SPOKEN, *chunks(say(QUESTION).samples), Finish())
    assert [turn.reply for turn in engine.of(Turn)] == [REPLIES[QUESTION]]
    assert engine.events[-1] == Ended(1)
    engine.do(Ask(MOON))
    assert engine.events[-1] == Ended(1), "nobody converses any more"


def test_a_reply_can_be_stopped_while_the_conversation_is_being_finished() -> None:
    engine = Engine().do(replace(TYPED, voiced=True), Ask(MOON), Finish(), work=False).until(Sentence)
    engine.do(StopReply(0.0))
    assert engine.of(Turn)[-1].ended == "interrupted"
    assert engine.events[-1] == Ended(1)


def test_a_dropped_conversation_says_nothing_more_and_captions_may_follow() -> None:
    speech = say(QUESTION)
    engine = Engine(scripted(speech)).do(SPOKEN, Ask(MOON), work=False)
    engine.do(Stop())
    before = len(engine.events)
    engine.do(Ask(MOON), Played(1.0), Interrupt(), StopReply(), Press(), Release(), ChangeAnswers(OPTIONS), *said())
    assert len(engine.events) == before
    engine.do(Start(2, "m", CAPTIONS), *chunks(speech.samples), Finish())
    assert engine.of(Summary)[0].text == QUESTION
    assert engine.loader.loads == ["m"], "both sessions use the model that is there"


def test_commands_are_taken_between_the_steps_of_an_answer() -> None:
    """The answer is under way when it is stopped: it goes no further."""
    events: list[Event] = []
    commands: queue.SimpleQueue[Command] = queue.SimpleQueue()

    def send(event: Event) -> None:
        events.append(event)
        if isinstance(event, Sentence):
            commands.put(StopReply(0.0))
        if isinstance(event, Turn):
            commands.put(Shutdown())

    load: Callable[..., object] = ScriptedAssistant(tuple(REPLIES.items()))
    for command in (replace(TYPED, voiced=True), Ask(MOON)):
        commands.put(command)
    EngineServer(send, Loader(None), load_assistant=load).run(commands)  # type: ignore[arg-type]
    assert len([event for event in events if isinstance(event, Sentence)]) == 1
    assert [event.ended for event in events if isinstance(event, Turn)] == ["interrupted"]
