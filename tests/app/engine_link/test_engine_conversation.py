"""Conversations as the window holds them: a real engine process with a scripted assistant behind the client."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

from app.engine_link.engine_client import EngineClient
from engine.audio import SAMPLE_RATE_HZ
from engine.options import AssistantOptions, CaptionOptions, TurnOptions
from engine.turns import Candidate, Endpoint, Heard, Interrupted, Sentence, Turn
from engine.turns import Speech as Sound
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import SHORT
from tests.app.scripted_engine import conversing_client

PATIENCE = 120_000  # milliseconds
REPLY = "Yes, I can hear you well. What would you like to know? I know many things about the moon."
OPTIONS, CAPTIONS = AssistantOptions(), CaptionOptions(language="en")


class Said:
    """Collects what a client's signals bring, in order."""

    def __init__(self, client: EngineClient) -> None:
        self.events: list[object] = []
        self.problems: list[str] = []
        client.turn_event_came.connect(self.events.append)
        client.failed.connect(self.problems.append)
        client.incident_came.connect(self.problems.append)

    def turns(self) -> list[str]:
        """Return how the turns ended."""
        return [event.ended for event in self.events if isinstance(event, Turn)]

    def kinds(self) -> set[type]:
        return {type(event) for event in self.events}


@pytest.fixture
def client(speech: Speech) -> Iterator[EngineClient]:
    client = conversing_client(speech, {SHORT: REPLY})
    client.start()
    yield client
    client.shut_down()


def awaiting(client: EngineClient, qtbot: QtBot, kind: type) -> SignalBlocker:
    """Wait for the next event of a kind; it is the only argument."""
    blocker: SignalBlocker = qtbot.waitSignal(
        client.turn_event_came, timeout=PATIENCE, check_params_cb=lambda event: isinstance(event, kind)
    )
    return blocker


def turn_of(client: EngineClient, qtbot: QtBot) -> Turn:
    """Wait for the next turn that ends, and return it."""
    with awaiting(client, qtbot, Turn) as ended:
        pass
    assert ended.args is not None
    turn: Turn = ended.args[0]
    return turn


def test_what_is_said_into_the_client_comes_back_as_an_answer_with_its_sound(
    client: EngineClient, speech: Speech, qtbot: QtBot
) -> None:
    said = Said(client)
    client.start_conversation("m", "a", OPTIONS, CAPTIONS, voiced=True)
    samples = np.concatenate([speech.samples, np.zeros(2 * SAMPLE_RATE_HZ, np.float32)])
    for at in range(0, len(samples), 1600):
        client.send_audio(samples[at : at + 1600])
    turn = turn_of(client, qtbot)
    assert (turn.prompt, turn.reply) == (SHORT, REPLY)
    assert {Heard, Endpoint, Sentence, Sound} <= said.kinds() <= {Heard, Candidate, Endpoint, Sentence, Sound, Turn}
    with qtbot.waitSignal(client.conversation_finished, timeout=PATIENCE):
        client.finish_session()
    assert said.problems == []


def test_a_typed_question_a_stopped_reply_and_another_voice(client: EngineClient, qtbot: QtBot) -> None:
    said = Said(client)
    client.start_conversation(None, "a", OPTIONS, CAPTIONS, voiced=True)
    with awaiting(client, qtbot, Sound):
        client.ask(SHORT)
    client.played(0.05)
    with awaiting(client, qtbot, Interrupted) as interrupted:
        client.stop_reply(0.1)
    assert interrupted.args is not None
    event: Interrupted = interrupted.args[0]
    assert REPLY.startswith(event.spoken)
    assert event.spoken != REPLY
    client.change_answers(OPTIONS, voiced=False)
    qtbot.waitUntil(
        lambda: any(isinstance(e, Turn) and e.ended == "interrupted" for e in said.events), timeout=PATIENCE
    )
    said.events.clear()
    client.ask(SHORT)
    turn = turn_of(client, qtbot)
    assert (turn.turn, turn.reply) == (2, REPLY)
    assert Sound not in said.kinds()


def test_a_reply_that_is_spoken_over_falls_silent_and_another_question_follows(
    client: EngineClient, speech: Speech, qtbot: QtBot
) -> None:
    client.start_conversation("m", "a", OPTIONS, CAPTIONS, voiced=True)
    samples = np.concatenate([speech.samples, np.zeros(2 * SAMPLE_RATE_HZ, np.float32)])
    with awaiting(client, qtbot, Sound):
        client.send_audio(samples)
    with awaiting(client, qtbot, Interrupted):
        client.interrupt(0.1, speech.samples[-8000:])


def test_the_key_of_push_to_talk_makes_a_turn(client: EngineClient, speech: Speech, qtbot: QtBot) -> None:
    options = AssistantOptions(turns=TurnOptions(push_to_talk=True))
    client.start_conversation("m", "a", options, CAPTIONS, voiced=False)
    client.press()
    client.send_audio(speech.samples)
    client.send_audio(np.zeros(4800, np.float32))
    client.release()
    client.send_audio(np.zeros(1600, np.float32))
    assert turn_of(client, qtbot).prompt == SHORT


def test_a_killed_process_is_told_and_another_one_goes_on_behind_what_was_said(
    client: EngineClient, qtbot: QtBot
) -> None:
    client.start_conversation(None, "a", OPTIONS, CAPTIONS, voiced=False)
    client.ask(SHORT)
    before = turn_of(client, qtbot)
    assert client.process_id is not None
    with qtbot.waitSignal(client.crashed, timeout=PATIENCE):
        os.kill(client.process_id, signal.SIGKILL)
    client.start()
    client.start_conversation(None, "a", OPTIONS, CAPTIONS, voiced=False, earlier=(before,), first_turn=before.turn + 1)
    client.ask(SHORT)
    assert turn_of(client, qtbot).turn == before.turn + 1


def test_a_model_that_is_not_there_is_a_sentence(client: EngineClient, qtbot: QtBot) -> None:
    with qtbot.waitSignal(client.failed, timeout=PATIENCE) as failed:
        client.start_conversation(None, "missing", OPTIONS, CAPTIONS, voiced=False)
    assert failed.args == ["There is no model called missing."]


def test_nothing_of_a_conversation_that_was_dropped_arrives(client: EngineClient, qtbot: QtBot) -> None:
    said = Said(client)
    client.start_conversation(None, "a", OPTIONS, CAPTIONS, voiced=True)
    client.ask(SHORT)
    client.drop_session()
    client.start_conversation(None, "a", OPTIONS, CAPTIONS, voiced=False)
    client.finish_session()
    with qtbot.waitSignal(client.conversation_finished, timeout=PATIENCE):
        pass
    assert said.events == []
