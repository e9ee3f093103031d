"""The engine process as the window holds it: nothing waits for it, nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.engine_link.engine_client import EngineClient
from engine.audio import SAMPLE_RATE_HZ
from engine.events import Caption, Summary, Translation, Word
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import Ready, TranslationChoice
from lab.recipes.speech.espeak import Speech
from tests.app.scripted_engine import scripted_client

PATIENCE = 120_000  # milliseconds
OPTIONS = CaptionOptions(language="en")


@pytest.fixture
def client(speech: Speech, qtbot: QtBot) -> Iterator[EngineClient]:
    """A client whose engine is ready."""
    client = scripted_client(speech)
    client.start()
    with qtbot.waitSignal(client.model_loaded, timeout=PATIENCE):
        client.load("m")
    yield client
    client.shut_down()


def is_there(process_id: int) -> bool:
    """Return whether a process exists, even as a zombie."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_session_ends_with_its_summary(client: EngineClient, speech: Speech, qtbot: QtBot) -> None:
    captions: list[Caption] = []
    client.caption_changed.connect(captions.append)
    with qtbot.waitSignal(client.session_finished, timeout=PATIENCE) as finished:
        client.start_session("m", OPTIONS)
        client.send_audio(speech.samples)
        client.finish_session()
    assert finished.args is not None
    (summary,) = finished.args
    assert isinstance(summary, Summary)
    assert summary.text == speech.text == captions[-1].text


def test_translations_arrive_as_a_signal_of_their_own(client: EngineClient, speech: Speech, qtbot: QtBot) -> None:
    translations: list[Translation] = []
    loaded: list[Ready] = []
    client.translation_changed.connect(translations.append)
    client.language_model_loaded.connect(loaded.append)
    client.model_loaded.connect(lambda ready: pytest.fail("the hearing model was loaded before"))
    old = Caption(7, 0, 0.0, 1.0, (Word(" before", 0, 1),), (), True, 1.0, 1.0)
    with qtbot.waitSignal(client.session_finished, timeout=PATIENCE) as finished:
        client.start_session("m", OPTIONS, TranslationChoice(TranslationOptions("fr"), "l"), first_id=8)
        client.translate_also([old])
        client.send_audio(speech.samples)
        client.finish_session()
    assert [ready.model for ready in loaded] == ["l"]
    assert [each.text for each in translations if each.final] == ["BEFORE", speech.text.upper()]
    assert {each.id for each in translations} == {7, 8}
    assert {each.language for each in translations} == {"fr"}
    assert finished.args is not None
    assert finished.args[0].translation.updates == len(translations)


def test_nothing_of_a_session_that_was_replaced_or_dropped_arrives(
    client: EngineClient, speech: Speech, qtbot: QtBot
) -> None:
    captions: list[Caption] = []
    client.caption_changed.connect(captions.append)
    client.start_session("m", OPTIONS)
    client.send_audio(speech.samples)
    client.finish_session()
    client.start_session("m", OPTIONS)
    client.send_audio(speech.samples)
    client.drop_session()
    with qtbot.waitSignal(client.session_finished, timeout=PATIENCE) as finished:
        client.start_session("m", OPTIONS)
        client.finish_session()
    assert captions == []
    assert finished.args is not None
    assert finished.args[0].audio_seconds == 0


def test_shutting_down_leaves_no_process(client: EngineClient) -> None:
    process_id = client.process_id
    assert process_id is not None
    assert is_there(process_id)
    client.shut_down()
    assert not is_there(process_id)
    assert not client.is_running


def test_a_killed_process_is_buried_and_told_once(client: EngineClient, qtbot: QtBot) -> None:
    process_id = client.process_id
    assert process_id is not None
    with qtbot.waitSignal(client.crashed, timeout=PATIENCE):
        os.kill(process_id, signal.SIGKILL)
    assert not is_there(process_id)
    assert not client.is_running
    with qtbot.waitSignal(client.model_loaded, timeout=PATIENCE):
        client.start()
        client.load("m")
    assert client.process_id != process_id


def test_an_orderly_end_is_no_crash(client: EngineClient, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(client.crashed, wait=100):
        client.shut_down()


def test_a_process_that_does_not_move_holds_up_neither_audio_nor_the_end(client: EngineClient) -> None:
    process_id = client.process_id
    assert process_id is not None
    os.kill(process_id, signal.SIGSTOP)
    minute = np.zeros(SAMPLE_RATE_HZ, np.float32)
    for _ in range(60):
        client.send_audio(minute)  # more than the pipe holds: a call that waits would never return
    client.shut_down()
    assert not is_there(process_id)


def test_the_pipe_is_not_closed_under_a_command_that_is_being_written(
    client: EngineClient, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    process_id = client.process_id
    assert process_id is not None
    closing = threading.Event()
    closed: list[bool] = []

    def close(pipe: Connection) -> None:
        closing.set()

    def write_slowly(pipe: Connection, command: object) -> None:
        os.kill(process_id, signal.SIGKILL)
        closed.append(closing.wait(timeout=0.2))  # time enough for the other thread to close it

    monkeypatch.setattr(Connection, "close", close)
    monkeypatch.setattr(Connection, "send", write_slowly)
    with qtbot.waitSignal(client.crashed, timeout=PATIENCE):
        client.finish_session()
    assert closed == [False]


def test_commands_without_a_process_are_dropped(speech: Speech) -> None:
    client = scripted_client(speech)
    client.send_audio(speech.samples)
    client.finish_session()
    client.shut_down()
    assert client.process_id is None
