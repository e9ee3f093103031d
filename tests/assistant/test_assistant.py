"""Turns, replies and interruptions in exact time: planted words, written-down answers, the built-in voice."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from engine.assistant.assistant import AssistantSession
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.endpoint import needed_silence
from engine.audio.feed import feed
from engine.clock import RealClock, SimulatedClock
from engine.errors import VoiceError
from engine.events import Incident, Word, text_of
from engine.options import AnswerOptions, AssistantOptions, CaptionOptions, TurnOptions
from engine.speak.espeak import EspeakVoice
from engine.speak.voice import Voice
from engine.turns import Candidate, Endpoint, Heard, Interrupted, Sentence, Speech, Turn, TurnEvent, TurnStats
from tests.hear.planted import FakeTimer, PlantedRecognizer, is_voiced, plant
from tests.scripted_model import ScriptedModel

T = TypeVar("T")
NAME, MOON, COOK = "What is your own name?", "How far is the moon?", "How do I cook rice?"
REPLIES = {
    NAME: "I am called Earshot. I live on this computer.",
    MOON: "It is a long way off. Nobody walks there. You would need a rocket for it.",
    COOK: "Wash it and boil it slowly. Then let it stand.",
}
WORD_SECONDS, GAP_SECONDS = 0.25, 0.05
STEP = 512 / SAMPLE_RATE_HZ
AHEAD = AnswerOptions()


@pytest.fixture(autouse=True)
def long_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every character of a scripted model is a token."""
    monkeypatch.setattr("engine.answer.predictor.SPECULATION_TOKENS", 200)


def answer(user: str) -> str:
    """Answer a question or its beginning."""
    for question, reply in REPLIES.items():
        if question.rstrip("?").startswith(user.rstrip("?")):
            return reply
    return "I did not get that."


def complete(user: str) -> float:
    """Return the probability that words are a whole question."""
    return 0.8 if f"{user}?" in REPLIES else 0.1


def spoken(*lines: tuple[float, str]) -> list[Word]:
    """Return words as somebody says them, each line from a moment on."""
    words = []
    for start, line in lines:
        for index, text in enumerate(line.split()):
            begin = start + index * (WORD_SECONDS + GAP_SECONDS)
            words.append(Word(" " + text, begin, begin + WORD_SECONDS))
    return words


def length_of(line: str) -> float:
    return len(line.split()) * (WORD_SECONDS + GAP_SECONDS) - GAP_SECONDS


class Conversation:
    """A session over planted words, with what came of it."""

    def __init__(
        self,
        *lines: tuple[float, str],
        seconds: float = 10.0,
        reply: Callable[[str], str] = answer,
        voice: Voice | None = None,
        words: list[Word] | None = None,
        answers: AnswerOptions = AHEAD,
        cost_seconds: float = 0.001,
        step_seconds: float = 0.2,
        player: bool = False,
        app: bool = False,
        real_time: bool = False,
        **turns: object,
    ) -> None:
        words = spoken(*lines) if words is None else words
        self.timer = FakeTimer()
        self.model = ScriptedModel(reply, complete, timer=self.timer, cost_seconds=cost_seconds)
        self.samples = plant(words, seconds)
        options = AssistantOptions(answers, turns=TurnOptions(**turns))  # type: ignore[arg-type]
        self.recognizer = PlantedRecognizer(words, timer=self.timer, cost_seconds=0.02, unsteady_seconds=0.01)
        self.session = AssistantSession(
            self.recognizer,
            self.model,  # type: ignore[arg-type]
            voice,
            options,
            CaptionOptions(language="en", policy="local-agreement", step_seconds=step_seconds),
            RealClock(self.timer) if real_time else SimulatedClock(self.timer),
            detector=is_voiced,
            player=player,
            app=app,
        )
        self.events: list[TurnEvent] = []
        self.times: list[float] = []

    def run(self, chunk: int = 1600) -> "Conversation":
        chunks = [self.samples[first : first + chunk] for first in range(0, len(self.samples), chunk)]
        return self.take(feed(chunks, self.session, pace="fast"))

    def hear(self, start: float, end: float) -> "Conversation":
        """Hear the samples between two moments."""
        first, last = round(start * SAMPLE_RATE_HZ), round(end * SAMPLE_RATE_HZ)
        self.session.add_audio(self.samples[first:last])
        return self.take(self.session.update())

    def hear_late(self, start: float, end: float, late_seconds: float) -> "Conversation":
        """Hear the samples between two moments in parts as a microphone gives them, each so late, in real time."""
        for first in np.arange(start, end, 0.1):
            self.timer.seconds = max(self.timer.seconds, first + 0.1 + late_seconds)
            self.hear(first, first + 0.1)
            while self.session.busy:
                self.take(event for event in [self.session.work()] if event is not None)
        return self

    def take(self, events: Iterable[TurnEvent]) -> "Conversation":
        for event in events:
            self.events.append(event)
            self.times.append(self.session.clock.now())
        return self

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def turns(self) -> list[tuple[int, int, str, str, str]]:
        return [(turn.turn, turn.revision, turn.prompt, turn.reply, turn.ended) for turn in self.of(Turn)]


def sound(events: Iterable[TurnEvent], turn: int = 1) -> Samples:
    return np.concatenate(
        [
            np.frombuffer(event.samples, np.float32)
            for event in events
            if isinstance(event, Speech) and event.turn == turn
        ]
    )


def without_seconds(talk: Conversation) -> list[TurnStats]:
    """Return the costs of turns, without computation that was measured on the machine's own clock."""
    return [
        replace(turn.stats, answer=replace(turn.stats.answer, verify_seconds=0.0, decode_seconds=0.0))
        for turn in talk.of(Turn)
    ]


class Tone:
    """A voice that says everything in the same way every time, which espeak-ng does not."""

    name = "tone"
    rate_hz = 16_000
    language = None
    words_per_minute = 150
    store_name = None

    def speak(self, sentence: str) -> Iterator[Samples]:
        for _ in sentence:
            yield np.sin(np.arange(1_000, dtype=np.float32) / 5) / 10


@pytest.fixture(scope="module")
def voice() -> Voice:
    return EspeakVoice()


# --- turns ---


def test_a_question_in_one_go_is_heard_answered_and_spoken(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), voice=voice).run()
    assert talk.turns == [(1, 0, NAME, REPLIES[NAME], "end")]
    assert [event.text for event in talk.of(Heard)][-1] == NAME
    assert [event.final for event in talk.of(Heard)][-2:] == [False, True]
    assert [event.text for event in talk.of(Sentence)] == ["I am called Earshot.", "I live on this computer."]
    assert {event.sentence for event in talk.of(Speech)} == {0, 1}
    assert 2.0 < len(sound(talk.events)) / voice.rate_hz < 6.0
    assert len(talk.of(Endpoint)) == 1


def test_nothing_is_said_before_the_turn_has_ended(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), voice=voice).run()
    kinds = [type(event) for event in talk.events]
    ended = kinds.index(Endpoint)
    assert Candidate in kinds[:ended]
    assert not {Sentence, Speech, Turn} & set(kinds[:ended])


def test_the_turn_ends_the_sooner_the_likelier_the_question_is_complete(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), voice=voice).run()
    (end,) = talk.of(Endpoint)
    assert end.speech_end == pytest.approx(0.5 + length_of(NAME), abs=2 * STEP)
    needed = needed_silence(TurnOptions(), end.probability)
    assert needed < TurnOptions().silence_seconds
    assert needed - STEP / 2 <= end.seconds - end.speech_end < needed + 2 * STEP
    assert end.probability == pytest.approx(0.8, abs=1e-3)


def test_the_sound_comes_with_the_end_of_the_turn_when_it_was_made_ahead(voice: Voice) -> None:
    published = AnswerOptions(last_word=False)
    (turn,) = Conversation((0.5, NAME), voice=voice, answers=published).run().of(Turn)
    stats = turn.stats
    assert stats.premade
    assert stats.forwards_to_first_sentence == 1
    assert stats.first_sound_seconds == pytest.approx(stats.endpoint_seconds, abs=0.005)
    assert stats.first_sentence_seconds is not None
    assert stats.first_sentence_seconds < stats.endpoint_seconds
    assert stats.speculative_forwards > 0


def test_what_was_answered_as_heard_is_said_without_another_forward(voice: Voice) -> None:
    (turn,) = Conversation((0.5, NAME), voice=voice).run().of(Turn)
    assert turn.stats.premade
    assert turn.stats.forwards_to_first_sentence == 0


def test_without_answering_ahead_the_first_sentence_costs_its_forwards_after_the_turn(voice: Voice) -> None:
    plain = AnswerOptions(speculate=False)
    alike = {"sure_silence_seconds": 0.5, "doubtful_silence_seconds": 0.5}
    talk = Conversation((0.5, NAME), voice=voice, answers=plain, cost_seconds=0.01, **alike).run()
    (turn,) = talk.of(Turn)
    assert turn.stats.endpoint_seconds == pytest.approx(0.5, abs=2 * STEP)  # nobody asks whether it is complete
    assert turn.stats.forwards_to_first_sentence == len("I am called Earshot.")
    waited = turn.stats.first_sound_seconds - turn.stats.endpoint_seconds  # type: ignore[operator]
    assert waited == pytest.approx(0.01 * turn.stats.forwards_to_first_sentence, abs=0.005)
    assert turn.stats.speculative_forwards == turn.stats.wasted_tokens == 0
    assert not turn.stats.premade
    assert not talk.of(Candidate)


def test_without_answering_ahead_one_forward_in_the_pause_tells_whether_the_turn_is_complete(voice: Voice) -> None:
    plain = AnswerOptions(speculate=False)
    talk = Conversation((0.5, NAME), voice=voice, answers=plain, cost_seconds=0.01).run()
    (turn,) = talk.of(Turn)
    ahead = Conversation((0.5, NAME), voice=voice, cost_seconds=0.01).run().of(Turn)[0]
    assert turn.stats.endpoint_seconds == pytest.approx(ahead.stats.endpoint_seconds, abs=STEP)
    waited = turn.stats.first_sound_seconds - turn.stats.endpoint_seconds  # type: ignore[operator]
    after_it = turn.stats.forwards_to_first_sentence - 1
    assert waited == pytest.approx(0.01 * after_it, abs=0.005)
    assert turn.stats.speculative_forwards == 0
    assert not turn.stats.premade


def test_replies_are_the_same_with_and_without_answering_ahead() -> None:
    lines = ((0.5, NAME), (4.0, MOON), (8.0, COOK))
    ahead = Conversation(*lines, seconds=12.0).run()
    plain = Conversation(*lines, seconds=12.0, answers=AnswerOptions(speculate=False)).run()
    assert ahead.turns == plain.turns == [(n, 0, q, REPLIES[q], "end") for n, q in enumerate((NAME, MOON, COOK), 1)]


@pytest.mark.parametrize("chunk", [512, 700, 16_000, 1_000_000])
def test_the_size_of_chunks_makes_no_difference(chunk: int) -> None:
    lines = ((0.5, MOON), (3.2, "Wait, tell me."), (6.0, COOK))
    usual, other = (Conversation(*lines, voice=Tone()).run(size) for size in (1600, chunk))
    assert other.events == usual.events
    assert without_seconds(other) == without_seconds(usual)


def test_a_pause_shorter_than_the_end_of_a_turn_is_part_of_it(voice: Voice) -> None:
    begin = "How far is"
    lines = (0.5, begin), (0.5 + length_of(begin) + 0.4, "the moon?")
    talk = Conversation(*lines, voice=voice).run()
    assert talk.turns == [(1, 0, MOON, REPLIES[MOON], "end")]
    assert len(talk.of(Endpoint)) == 1


def test_an_unfinished_question_is_given_more_time_than_a_finished_one() -> None:
    begin = "How far is"
    lines = (0.5, begin), (0.5 + length_of(begin) + 0.6, "the moon?")
    talk = Conversation(*lines)
    talk.model.complete = lambda text: 0.9 if f"{text}?" in REPLIES else 0.01
    assert [turn[2] for turn in talk.run().turns] == [MOON]


def test_a_turn_that_was_ended_too_early_goes_on_with_the_next_revision(voice: Voice) -> None:
    begin = "How far is"
    lines = (0.5, begin), (0.5 + length_of(begin) + 0.75, "the moon?")
    talk = Conversation(*lines, voice=voice, reply=lambda user: "" if user == begin else answer(user)).run()
    first, second = talk.of(Endpoint)
    assert (first.turn, first.revision, second.turn, second.revision) == (1, 0, 1, 1)
    assert talk.turns[-1] == (1, 1, MOON, REPLIES[MOON], "end")
    assert [turn.reply for turn in talk.session.history] == [REPLIES[MOON]]


def test_speech_over_the_first_words_of_a_reply_goes_on_with_the_turn(voice: Voice) -> None:
    begin = "How far is"
    talk = Conversation((0.5, begin), (0.5 + length_of(begin) + 0.8, "the moon?"), voice=voice, player=True)
    started = 0.5 + length_of(begin) + 0.8
    talk.hear(0, started + 0.4)
    assert talk.of(Speech)
    talk.session.interrupt(0.02)
    talk.hear(started + 0.4, 10).take(talk.session.finish())
    (interrupted,) = talk.of(Interrupted)
    assert interrupted.spoken == ""
    after = talk.events[talk.events.index(interrupted) + 1 :]
    assert {(event.turn, event.revision) for event in after if not isinstance(event, Incident)} == {(1, 1)}
    assert talk.turns[-1] == (1, 1, MOON, REPLIES[MOON], "end")


def test_two_turns_are_answered_one_after_the_other_and_remembered(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), (6.0, MOON), voice=voice, seconds=9.0).run()
    assert [turn[:3] for turn in talk.turns] == [(1, 0, NAME), (2, 0, MOON)]
    assert [(turn.user, turn.reply) for turn in talk.session.history] == [
        (NAME, REPLIES[NAME]),
        (MOON, REPLIES[MOON]),
    ]


def test_events_come_in_the_order_of_turns_and_revisions(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), (1.9, "is it?"), (6.0, MOON), voice=voice, seconds=9.0).run()
    stamps = [(event.turn, event.revision) for event in talk.events if not isinstance(event, Incident)]
    assert stamps == sorted(stamps)
    assert talk.times == sorted(talk.times)


def test_one_word_is_a_turn_but_its_end_is_not_taken_from_the_model() -> None:
    talk = Conversation((0.5, "Rice."), seconds=3.0)
    talk.model.complete = lambda text: 0.99
    (turn,) = talk.run().of(Turn)
    assert turn.prompt == "Rice."
    assert turn.stats.endpoint_seconds == pytest.approx(0.5, abs=2 * STEP)


def test_silence_is_no_turn_and_costs_no_forward() -> None:
    talk = Conversation(seconds=20.0).run()
    assert talk.events == []
    assert talk.model.forwards == 0


def test_speech_without_a_word_is_no_turn() -> None:
    talk = Conversation((0.5, "… …"), seconds=5.0).run()
    assert not talk.of(Turn)
    assert not talk.of(Endpoint)


def test_a_five_minute_question_is_answered_by_its_whole_text() -> None:
    words = [Word(f" item{number:016}", 4.0 * number + 0.5, 4.0 * number + 4.45) for number in range(74)]
    words.append(Word(" end?", 296.5, 297.0))
    talk = Conversation(
        words=words, seconds=300.0, step_seconds=1.0, reply=lambda user: f"You said {len(user.split())} words."
    )
    talk.run(16_000)
    assert [turn[2:] for turn in talk.turns] == [(text_of(words), "You said 75 words.", "end")]


def test_a_question_that_never_ends_is_kept_within_bounds_and_ends_with_the_audio(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.assistant.question.MOST_WORDS", 50)
    talk = Conversation((0.5, " ".join(f"on{number}" for number in range(120))), seconds=37.0).run()
    (turn,) = talk.of(Turn)
    assert turn.prompt == " ".join(f"on{number}" for number in range(70, 120))
    assert turn.reply == "I did not get that."


# --- replies that are out of the ordinary ---


@pytest.mark.parametrize("nothing", ["", "  ", "...", "?!", "**", "☺"])
def test_a_reply_that_says_nothing_ends_the_turn_calmly(voice: Voice, nothing: str) -> None:
    talk = Conversation((0.5, NAME), (4.0, MOON), voice=voice, reply=lambda user: nothing if "name" in user else "Far.")
    talk.run()
    assert [(turn.turn, turn.reply, turn.ended) for turn in talk.of(Turn)] == [(1, "", "nothing"), (2, "Far.", "end")]
    assert {event.turn for event in talk.of(Speech)} == {2}


def test_a_model_that_never_ends_its_answer_is_ended_at_the_most_tokens(voice: Voice) -> None:
    options = AnswerOptions(reply_tokens=100)
    endless = " ".join(f"And on it goes with {number}." for number in range(50))
    talk = Conversation((0.5, NAME), voice=voice, reply=lambda user: endless, answers=options).run()
    (turn,) = talk.of(Turn)
    assert turn.ended == "limit"
    assert turn.reply == endless[:100].strip()
    assert turn.stats.answer.output == 100


class FailingVoice:
    """A voice that breaks off in its second sentence."""

    name = "failing"
    rate_hz = 22_050
    language = None
    words_per_minute = 150
    store_name = None

    def speak(self, sentence: str) -> Iterator[Samples]:
        yield np.full(2205, 0.1, np.float32)
        if sentence.startswith("Nobody"):
            raise VoiceError("The voice has gone.")
        yield np.full(2205, 0.1, np.float32)


def test_a_voice_that_fails_in_the_middle_is_told_once_and_the_text_goes_on() -> None:
    talk = Conversation((0.5, MOON), (5.0, MOON), voice=FailingVoice()).run()  # type: ignore[arg-type]
    assert [turn[3:] for turn in talk.turns] == [(REPLIES[MOON], "end")] * 2
    (incident,) = talk.of(Incident)
    assert incident.message == "The voice failed; the reply goes on in writing. The voice has gone."
    assert [event.text for event in talk.of(Sentence) if event.turn == 1] == [
        "It is a long way off.",
        "Nobody walks there.",
        "You would need a rocket for it.",
    ]
    assert {(event.turn, event.sentence) for event in talk.of(Speech)} == {(1, 0), (1, 1), (2, 0), (2, 1)}


def test_a_model_that_fails_is_told_and_the_conversation_goes_on() -> None:
    talk = Conversation((0.5, NAME), answers=AnswerOptions(speculate=False))
    talk.model.fails_at = 10
    talk.run()
    assert [event.message for event in talk.of(Incident)] == [
        "The assistant's answer broke off. RuntimeError: the script ends here."
    ]
    assert talk.turns == [(1, 0, NAME, "", "nothing")]


def test_a_model_that_fails_while_it_answers_ahead_stops_nobody_from_speaking() -> None:
    talk = Conversation((0.5, NAME))
    talk.model.fails_at = 1
    talk.run()
    assert [event.message.split(".")[0] for event in talk.of(Incident)] == [
        "The assistant could not answer ahead",
        "The assistant's answer broke off",
    ]
    assert [turn.prompt for turn in talk.of(Turn)] == [NAME]


# --- typed turns ---


def test_a_typed_turn_is_answered_at_once(voice: Voice) -> None:
    talk = Conversation(voice=voice, cost_seconds=0.01)
    talk.take(talk.session.ask(f"  {MOON} "))
    assert [type(event) for event in talk.events[:3]] == [Heard, Sentence, Speech]
    assert talk.events[0] == Heard(1, 0, MOON, final=True)
    (turn,) = talk.of(Turn)
    assert (turn.reply, turn.ended) == (REPLIES[MOON], "end")
    assert turn.stats.endpoint_seconds == 0
    forwards = turn.stats.forwards_to_first_sentence
    assert turn.stats.first_sound_seconds == pytest.approx(0.01 * forwards, abs=1e-6)
    assert not talk.session.busy


def test_typed_turns_need_no_hearing_and_are_remembered() -> None:
    session = AssistantSession(None, ScriptedModel(answer), None, clock=RealClock())  # type: ignore[arg-type]
    replies = [event.reply for text in (NAME, MOON) for event in session.ask(text) if isinstance(event, Turn)]
    assert replies == [REPLIES[NAME], REPLIES[MOON]]
    assert [turn.user for turn in session.history] == [NAME, MOON]
    session.restart()
    assert session.history == ()


def test_text_without_a_word_is_no_turn() -> None:
    talk = Conversation()
    for text in ("", "  \n", "?!", "☺"):
        talk.take(talk.session.ask(text))
    assert talk.events == []
    assert talk.model.forwards == 0


def test_a_typed_turn_may_come_between_spoken_ones(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), (6.0, COOK), voice=voice)
    talk.hear(0, 5.5).take(talk.session.ask(MOON)).hear(5.5, 10).take(talk.session.finish())
    assert [(turn.turn, turn.prompt) for turn in talk.of(Turn) if turn.ended == "end"][:2] == [(1, NAME), (2, MOON)]
    assert [turn.user for turn in talk.session.history][:2] == [NAME, MOON]


# --- interruptions ---


def playing(talk: Conversation, until: float) -> float:
    """Return for how many seconds the first reply has been played at a moment of the conversation."""
    began = talk.times[next(index for index, event in enumerate(talk.events) if isinstance(event, Speech))]
    return until - began


def interrupted(voice: Voice, *, at: float, then: tuple[float, str] | None) -> Conversation:
    """Hold a conversation whose reply its player interrupts, with what is said from then on."""
    lines = [(0.5, MOON)] + ([then] if then else [])
    talk = Conversation(*lines, voice=voice, player=True, seconds=12.0).hear(0, at)
    talk.session.interrupt(playing(talk, at))
    return talk.hear(at, 12.0).take(talk.session.finish())


def test_an_interruption_silences_the_reply_and_the_next_turn_is_answered(voice: Voice) -> None:
    talk = interrupted(voice, at=4.5, then=(4.0, COOK))
    (stopped,) = talk.of(Interrupted)
    assert (stopped.turn, stopped.revision) == (1, 0)
    assert stopped.spoken
    assert REPLIES[MOON].startswith(stopped.spoken)
    assert stopped.spoken != REPLIES[MOON]
    after = talk.events[talk.events.index(stopped) + 1 :]
    assert not [event for event in after if isinstance(event, Speech | Sentence) and event.turn == 1]
    assert talk.turns[1:] == [(1, 0, MOON, REPLIES[MOON], "interrupted"), (2, 0, COOK, REPLIES[COOK], "end")]


def test_what_is_remembered_of_an_interrupted_reply_is_what_was_said(voice: Voice) -> None:
    talk = interrupted(voice, at=4.5, then=(4.0, COOK))
    (stopped,) = talk.of(Interrupted)
    assert [(turn.user, turn.reply) for turn in talk.session.history] == [
        (MOON, stopped.spoken),
        (COOK, REPLIES[COOK]),
    ]


def test_what_was_said_before_the_interruption_was_noticed_is_heard(voice: Voice) -> None:
    talk = interrupted(voice, at=4.5, then=(4.0, COOK))
    assert talk.of(Turn)[-1].prompt == COOK


def test_a_false_alarm_lets_the_reply_go_on_where_it_was(voice: Voice) -> None:
    talk = interrupted(voice, at=4.5, then=None)
    (stopped,) = talk.of(Interrupted)
    index = talk.events.index(stopped)
    rest = talk.events[index + 1 :]
    assert {(event.turn, event.revision) for event in rest if isinstance(event, Speech)} == {(1, 1)}
    assert talk.turns[-1] == (1, 1, MOON, REPLIES[MOON], "end")
    assert [turn.reply for turn in talk.session.history] == [REPLIES[MOON]]
    resumed, everything = sound(rest), sound(talk.events[:index])
    assert np.array_equal(resumed, everything[-len(resumed) :])
    missing = (len(everything) - len(resumed)) / voice.rate_hz
    assert playing(talk, 4.5) - 0.06 <= missing <= playing(talk, 4.5)
    assert talk.times[index + 1] - stopped.seconds == pytest.approx(0.5, abs=2 * STEP)


@pytest.mark.parametrize("late_seconds", [0.0, 0.5, 1.0, 2.0])
def test_what_follows_an_interruption_is_heard_however_late_the_machine_is(late_seconds: float) -> None:
    talk = Conversation((0.5, MOON), (6.1, COOK), voice=Tone(), player=True, real_time=True, seconds=9.0)
    talk.hear_late(0.0, 5.0, 0.0).hear_late(5.0, 6.5, late_seconds)
    talk.session.interrupt(3.0)
    talk.hear_late(6.5, 9.0, 0.0).take(talk.session.finish())
    assert [(turn.turn, turn.prompt, turn.ended) for turn in talk.of(Turn)] == [
        (1, MOON, "end"),
        (1, MOON, "interrupted"),
        (2, COOK, "end"),
    ]
    assert len(talk.of(Interrupted)) == 1


@pytest.mark.parametrize("hearing_seconds", [0.5, 1.5, 2.5])
def test_a_reply_does_not_go_on_before_slow_hearing_is_through_with_what_was_said_over_it(
    hearing_seconds: float,
) -> None:
    talk = Conversation((0.5, MOON), (5.5, "Stop."), voice=Tone(), player=True, seconds=10.0)
    talk.hear(0, 5.9).recognizer.cost_seconds = hearing_seconds
    talk.session.interrupt(3.0)
    talk.hear(5.9, 10.0).take(talk.session.finish())
    assert [(turn.turn, turn.prompt, turn.ended) for turn in talk.of(Turn)] == [
        (1, MOON, "end"),
        (1, MOON, "interrupted"),
        (2, "Stop.", "end"),
    ]


def test_a_reply_that_was_played_to_the_end_cannot_be_interrupted(voice: Voice) -> None:
    talk = Conversation((0.5, NAME), (9.0, COOK), voice=voice, player=True, seconds=12.0).hear(0, 9.0)
    talk.session.interrupt(60.0)
    talk.hear(9.0, 12.0).take(talk.session.finish())
    assert not talk.of(Interrupted)
    assert [turn[2:] for turn in talk.turns] == [(NAME, REPLIES[NAME], "end"), (COOK, REPLIES[COOK], "end")]


def test_a_reply_that_is_stopped_does_not_go_on(voice: Voice) -> None:
    talk = Conversation((0.5, MOON), voice=voice, seconds=12.0).hear(0, 3.0)
    talk.session.stop()
    talk.hear(3.0, 12.0).take(talk.session.finish())
    stopped = next(index for index, event in enumerate(talk.events) if isinstance(event, Interrupted))
    assert [type(event) for event in talk.events[stopped + 1 :]] == [Turn]
    assert talk.turns[-1][4] == "interrupted"


def test_with_barge_in_off_nothing_is_heard_while_the_assistant_speaks(voice: Voice) -> None:
    lines = ((0.5, MOON), (3.5, "Stop it."), (9.0, COOK))
    talk = Conversation(*lines, voice=voice, seconds=12.0, barge_in=False).run()
    assert [turn[2:] for turn in talk.turns] == [(MOON, REPLIES[MOON], "end"), (COOK, REPLIES[COOK], "end")]
    assert not talk.of(Interrupted)


# --- push-to-talk ---


def held(talk: Conversation, *spans: tuple[float, float]) -> Conversation:
    now = 0.0
    for start, end in spans:
        talk.hear(now, start)
        talk.session.press()
        talk.hear(start, end)
        talk.session.release()
        now = end
    return talk.hear(now, 12.0).take(talk.session.finish())


def test_with_push_to_talk_a_turn_is_what_was_said_while_the_key_was_held(voice: Voice) -> None:
    begin = "How far is"
    lines = (0.5, "Never mind that."), (3.0, begin), (3.0 + length_of(begin) + 3.0, "the moon?"), (10.5, "Bye now.")
    end = 3.0 + length_of(begin) + 3.0 + length_of("the moon?")
    talk = held(Conversation(*lines, voice=voice, seconds=12.0, push_to_talk=True), (2.9, end + 0.1))
    assert talk.turns == [(1, 0, MOON, REPLIES[MOON], "end")]
    (ended,) = talk.of(Endpoint)
    assert ended.seconds == pytest.approx(end + 0.1, abs=0.1)


def test_a_key_that_is_held_over_silence_makes_no_turn() -> None:
    talk = held(Conversation((0.5, NAME), seconds=12.0, push_to_talk=True), (4.0, 5.0))
    assert talk.events == []


def test_the_key_silences_a_reply(voice: Voice) -> None:
    talk = Conversation((0.5, MOON), (4.0, COOK), voice=voice, seconds=12.0, push_to_talk=True)
    held(talk, (0.4, 2.3), (3.9, 5.7))
    (stopped,) = talk.of(Interrupted)
    assert stopped.seconds == pytest.approx(3.9, abs=0.1)
    assert [(turn.turn, turn.prompt, turn.ended) for turn in talk.of(Turn)][1:] == [
        (1, MOON, "interrupted"),
        (2, COOK, "end"),
    ]


def test_pressing_twice_is_pressing_once() -> None:
    talk = Conversation((0.5, NAME), seconds=12.0, push_to_talk=True)
    talk.session.press()
    talk.session.press()
    talk.hear(0, 3.0)
    talk.session.release()
    talk.session.release()
    talk.hear(3.0, 12.0).take(talk.session.finish())
    assert [turn.prompt for turn in talk.of(Turn)] == [NAME]
