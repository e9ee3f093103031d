"""The events of a conversation on their way to the ears: what is heard, and what falls silent when."""

from __future__ import annotations

import io

import numpy as np
import pytest

from app.terminal.conversation import Conversation
from app.terminal.conversation_printer import LineConversation, Manner
from engine.clock import SimulatedClock
from engine.errors import EngineError
from engine.turns import Heard, Interrupted, Sentence, Speech, Turn, TurnEvent

SOUND = np.zeros(10, np.float32).tobytes()


class Notebook:
    """Ears that write down what they are told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def begin(self) -> None:
        self.notes.append("begin")

    def add(self, speech: Speech, seconds: float) -> None:
        self.notes.append(f"add {speech.turn}.{speech.revision}")

    def cut(self, seconds: float) -> None:
        self.notes.append(f"cut {seconds:g}")


def speech(turn: int, revision: int) -> Speech:
    return Speech(turn, revision, 0, SOUND, 1000)


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def conversation(notebook: Notebook) -> Conversation:
    clock = SimulatedClock()
    clock.wait_until(7.0)
    return Conversation(clock, LineConversation(io.StringIO(), io.StringIO(), Manner()), None, [notebook])


def test_every_reply_begins_once(conversation: Conversation, notebook: Notebook) -> None:
    for event in (Heard(1, 0, "One"), speech(1, 0), speech(1, 0), Heard(2, 0, "Two"), speech(2, 0)):
        conversation.handle(event)
    assert notebook.notes == ["begin", "add 1.0", "add 1.0", "begin", "add 2.0"]


def test_an_interruption_cuts_where_it_came(conversation: Conversation, notebook: Notebook) -> None:
    for event in (Heard(1, 0, "One"), speech(1, 0), Interrupted(1, 0, 5.5, "O")):
        conversation.handle(event)
    assert notebook.notes == ["begin", "add 1.0", "cut 5.5"]


def test_a_reply_that_goes_on_after_a_false_alarm_is_the_same_reply(
    conversation: Conversation, notebook: Notebook
) -> None:
    for event in (Heard(1, 0, "One"), speech(1, 0), Interrupted(1, 0, 5.5, "O"), speech(1, 1)):
        conversation.handle(event)
    assert notebook.notes == ["begin", "add 1.0", "cut 5.5", "add 1.1"]


def test_a_turn_that_goes_on_silences_the_reply_to_its_beginning(
    conversation: Conversation, notebook: Notebook
) -> None:
    events: list[TurnEvent] = [
        Heard(1, 0, "One"),
        speech(1, 0),
        Heard(1, 1, "One"),
        Heard(1, 1, "One two"),
        speech(1, 1),
    ]
    for event in events:
        conversation.handle(event)
    assert notebook.notes == ["begin", "add 1.0", "cut 7", "begin", "add 1.1"]


def test_words_of_the_next_turn_cut_nothing(conversation: Conversation, notebook: Notebook) -> None:
    for event in (Heard(1, 0, "One"), speech(1, 0), Heard(2, 0, "And"), Heard(2, 0, "And now")):
        conversation.handle(event)
    assert notebook.notes == ["begin", "add 1.0"]


def test_what_was_said_is_summed_up_before_a_failure_is_told() -> None:
    out, notes = io.StringIO(), io.StringIO()
    conversation = Conversation(SimulatedClock(), LineConversation(out, notes, Manner()))

    def events(interruption: object) -> object:
        yield Sentence(1, 0, 0, "A.")
        yield Turn(1, 0, "Q?", "A.")
        raise EngineError("Gone.")

    with pytest.raises(EngineError, match="Gone"):
        conversation.run(events)  # type: ignore[arg-type]
    assert out.getvalue() == "You: Q?\nEarshot: A.\n"
    assert notes.getvalue() == "1 answer to 1 question.\n"
