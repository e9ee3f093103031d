"""The rules of turns by themselves, on a reply and a question that only note what happens to them.

`test_assistant` has the same rules with everything else around them, in exact time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from engine.assistant.turn_taking import NEAR_SECONDS, REOPEN_SECONDS, TurnTaking
from engine.events import Incident, Word
from engine.options import TurnOptions
from engine.turns import Heard

OPTIONS = TurnOptions()
WORDS = (Word(" more", 5.0, 5.3),)


@dataclass
class NotedReply:
    revision: int = 0
    released: bool = False
    paused: bool = False
    complete: bool = False
    silent: bool = False
    busy: bool = False
    end_of_turn: float | None = None
    done: list[str] = field(default_factory=list)
    played: list[float | None] = field(default_factory=list)

    def release(self, speech_end: float) -> None:
        self.released = True

    def pause(self) -> str:
        self.paused = True
        return "paused"

    def resume(self) -> list[str]:
        self.paused = False
        return ["resumed"]

    def cut(self) -> str:
        return "cut"

    def withdraw(self) -> None:
        self.done.append("withdrawn")

    def close(self) -> None:
        self.done.append("closed")

    def interruptible(self, spoken_seconds: float | None = None) -> bool:
        self.played.append(spoken_seconds)
        return True


class NotedResponder:
    def __init__(self) -> None:
        self.options = type("Options", (), {"speculate": True})
        self.offered: list[tuple[int, int, str]] = []
        self.asked: list[tuple[int, int, str, bool]] = []
        self.next_reply = NotedReply()
        self.taken_up = 0

    def offer(self, turn: int, revision: int, text: str) -> Iterable[Any]:
        self.offered.append((turn, revision, text))
        return ()

    def reply(self, turn: int, revision: int, text: str, *, spoken: bool) -> NotedReply:
        self.asked.append((turn, revision, text, spoken))
        self.next_reply.revision = revision
        return self.next_reply

    def stop_guessing(self) -> None: ...

    def apply_requested(self) -> None:
        self.taken_up += 1


@dataclass
class NotedQuestion:
    text: str = ""
    speaking: bool = False
    has_unheard_speech: bool = True
    silence_seconds: float = 0.0
    heard_seconds: float = 6.0
    voiced_seconds: float = 5.0
    has_begun: bool = False
    added: list[str] = field(default_factory=list)

    def began(self) -> bool:
        return self.has_begun

    def incidents(self) -> tuple[Incident, ...]:
        return ()

    def keep(self, words: Iterable[Word]) -> None: ...

    def next_turn(self) -> None: ...

    def add_audio(self, samples: str) -> None:
        self.added.append(samples)


class NotedIntake:
    """Holds something back, which it gives out with a change."""

    def __init__(self) -> None:
        self.options: list[TurnOptions] = []

    def begin_reply(self) -> None: ...

    def change(self, options: TurnOptions) -> list[str]:
        self.options.append(options)
        return ["held back"]


class StoppedClock:
    seconds = 6.0

    def now(self) -> float:
        return self.seconds


@dataclass
class Scene:
    """A conversation of which the test says what is heard and how the reply stands."""

    options: TurnOptions = OPTIONS
    responder: NotedResponder = field(default_factory=NotedResponder)
    question: NotedQuestion = field(default_factory=NotedQuestion)
    intake: NotedIntake = field(default_factory=NotedIntake)
    clock: StoppedClock = field(default_factory=StoppedClock)

    def __post_init__(self) -> None:
        parts: tuple[Any, ...] = (self.responder, self.intake, self.question, self.clock)
        self.turns = TurnTaking(self.options, *parts)

    def hear(self, text: str, words: tuple[Word, ...] = WORDS) -> None:
        self.question.text = text
        self.turns.add_words(cast(Any, self.question), words)

    def decide(self, **state: Any) -> None:
        for name, value in state.items():
            setattr(self.question, name, value)
        self.turns.decide(cast(Any, self.question))

    def answered(self) -> NotedReply:
        """Ask a question, and return the reply that it is being given."""
        self.hear("How far is it?")
        self.decide(silence_seconds=OPTIONS.silence_seconds)
        assert self.responder.next_reply.released
        return self.responder.next_reply


def test_what_is_heard_is_told_and_offered_with_its_turn_and_revision() -> None:
    scene = Scene()
    scene.hear("How far")
    assert list(scene.turns.events) == [Heard(1, 0, "How far")]
    assert scene.responder.offered == [(1, 0, "How far")]


def test_a_question_that_goes_on_is_offered_again_as_it_stands() -> None:
    scene = Scene()
    scene.hear("How far")
    scene.decide(silence_seconds=0.1)
    scene.decide(has_begun=True, speaking=True)
    assert scene.responder.next_reply.done == ["closed"]
    assert scene.responder.offered == [(1, 0, "How far")] * 2


def test_whether_a_turn_was_spoken_or_typed_is_told_to_who_answers() -> None:
    scene = Scene()
    scene.answered()
    scene.responder.next_reply = NotedReply()
    scene.turns.ask("And by train?")
    scene.responder.next_reply = NotedReply(complete=True)
    scene.turns.next_turn()
    scene.answered()
    assert [asked[3] for asked in scene.responder.asked] == [True, False, True]
    assert [asked[0] for asked in scene.responder.asked] == [1, 2, 3]


@pytest.mark.parametrize(("lacking", "ends"), [(NEAR_SECONDS, True), (NEAR_SECONDS + 0.001, False)])
def test_half_a_window_less_than_the_silence_that_is_needed_ends_a_turn(lacking: float, ends: bool) -> None:
    scene = Scene()
    scene.hear("How far is it?")
    scene.decide(silence_seconds=OPTIONS.silence_seconds - lacking)
    assert scene.responder.next_reply.released is ends


def test_a_turn_of_which_nothing_was_said_keeps_its_number() -> None:
    scene = Scene()
    scene.turns.next_turn()
    assert (scene.turns.turn, scene.turns.heard) == (1, "")


def test_a_question_that_is_not_answered_is_a_turn_of_its_own() -> None:
    scene = Scene()
    scene.hear("How far")
    scene.turns.next_turn()
    assert (scene.turns.turn, scene.turns.heard) == (2, "")


def test_the_first_turn_has_the_number_that_a_conversation_goes_on_with() -> None:
    scene = Scene()
    scene.turns.begin_at(8)
    scene.hear("How far")
    assert scene.responder.offered == [(8, 0, "How far")]


def test_other_rules_hold_at_once_where_nothing_was_said_and_what_was_held_back_is_heard() -> None:
    scene, held = Scene(), TurnOptions(push_to_talk=True)
    scene.turns.want(held)
    assert (scene.turns.options, scene.intake.options) == (held, [held])
    assert scene.question.added == ["held back"]
    assert scene.responder.taken_up == 1
    scene.turns.want(held)
    assert scene.intake.options == [held]


def test_a_turn_that_is_being_spoken_keeps_its_rules_to_its_end() -> None:
    scene, slower = Scene(), TurnOptions(silence_seconds=0.7)
    scene.hear("How far is it?")
    scene.turns.want(slower)
    assert scene.turns.options == OPTIONS and not scene.intake.options
    assert not scene.responder.taken_up
    scene.decide(silence_seconds=OPTIONS.silence_seconds)
    assert scene.turns.options == slower and not scene.responder.taken_up
    scene.turns.next_turn()
    assert scene.responder.taken_up == 1


def test_words_that_may_still_change_begin_the_next_turn_once_the_reply_is_complete() -> None:
    scene = Scene()
    reply = scene.answered()
    scene.hear("And", words=())
    assert scene.turns.turn == 1
    reply.complete = True
    scene.hear("And back?", words=())
    assert (scene.turns.turn, scene.turns.heard) == (2, "And back?")


def test_a_reply_that_fell_silent_goes_on_after_as_much_silence_as_ends_a_turn() -> None:
    scene = Scene()
    reply = scene.answered()
    scene.turns.interrupt(None, now_seconds=20.0)
    assert reply.paused
    scene.decide(silence_seconds=5.0, heard_seconds=20.0 + OPTIONS.silence_seconds - 0.01)
    assert reply.paused
    scene.decide(heard_seconds=20.0 + OPTIONS.silence_seconds)
    assert not reply.paused


def test_the_first_reply_may_fall_silent_without_having_been_interrupted_before() -> None:
    scene = Scene()
    reply = scene.answered()
    reply.paused = True  # stopped by a key
    scene.decide(silence_seconds=OPTIONS.silence_seconds, heard_seconds=30.0)
    assert not reply.paused


@pytest.mark.parametrize(("later", "reopened"), [(0.0, True), (0.001, False)])
def test_speech_soon_after_the_end_goes_on_with_the_turn(later: float, reopened: bool) -> None:
    scene = Scene()
    reply = scene.answered()
    began = scene.clock.seconds + REOPEN_SECONDS + later
    scene.decide(has_begun=True, speaking=True, heard_seconds=began)
    assert (reply.done == ["withdrawn"]) is reopened
    assert (scene.turns.revision == 1) is reopened


@pytest.mark.parametrize(("options", "paused"), [(OPTIONS, True), (TurnOptions(push_to_talk=True), False)])
def test_speech_beside_a_paused_reply_or_a_key_that_is_held_reopens_nothing(options: TurnOptions, paused: bool) -> None:
    scene = Scene(options)
    scene.hear("How far is it?")
    scene.question.commit = lambda: ()  # type: ignore[attr-defined]
    scene.turns.end(cast(Any, scene.question))
    reply = scene.responder.next_reply
    reply.paused = paused
    scene.decide(has_begun=True, speaking=True, heard_seconds=scene.clock.seconds)
    assert reply.released and not reply.done


def test_a_reply_that_was_given_up_is_not_reopened_and_told_of_by_what_was_played() -> None:
    scene = Scene()
    reply = scene.answered()
    scene.turns.stop(spoken_seconds=1.5)
    assert reply.played == [1.5]
    reply.paused = False
    scene.decide(has_begun=True, speaking=True, heard_seconds=scene.clock.seconds)
    assert not reply.done


def test_what_went_wrong_is_told_once_and_what_comes_after_it_is_told_too() -> None:
    scene = Scene()
    incident = Incident("The voice could not be heard.")
    scene.turns.tell([incident])
    scene.turns.tell([incident, Heard(1, 0, "How far")])
    assert list(scene.turns.events) == [incident, Heard(1, 0, "How far")]
