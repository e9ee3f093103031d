"""The engine process: what it answers to which command, and when it ends."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import AudioError, ModelError
from engine.events import Caption, Incident, RoundStats, Summary
from engine.messages import (
    AudioChunk,
    Command,
    Event,
    Failed,
    Finish,
    Load,
    Progress,
    Ready,
    Shutdown,
    Start,
    Started,
    Stop,
)
from engine.options import CaptionOptions
from engine.process import EngineServer, RecognizerMaker, serve
from engine.threads import usable_cores
from tests.app.scripted_hearing import say, scripted
from tests.hear.planted import numbered, plant
from tests.hear.staged import StagedRecognizer
from tests.models.random_whisper import write_random_model

OPTIONS = CaptionOptions(language="en")
PATIENCE_SECONDS = 30


class Loader:
    """Loads scripted models and counts how often."""

    def __init__(self, recognizer: object) -> None:
        self.loads: list[str] = []
        self._recognizer = recognizer

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        if model == "missing":
            raise ModelError("There is no model called missing.")
        self.loads.append(model)
        return Ready(model, "cpu", 0.1), lambda options: self._recognizer  # type: ignore[return-value]


def chunks(samples: np.ndarray, seconds: float = 0.1) -> list[AudioChunk]:
    size = round(seconds * SAMPLE_RATE_HZ)
    return [AudioChunk(samples[at : at + size].tobytes()) for at in range(0, len(samples), size)]


def answers(loader: Loader, *commands: Command) -> list[Event]:
    """Everything that is sent while these commands are carried out, each before the next comes."""
    events: list[Event] = []
    server = EngineServer(events.append, loader)
    for command in commands:
        server.carry_out(command)
        server.hear()
    return events


def test_a_session_answers_in_order_and_ends_with_its_summary() -> None:
    speech = say()
    events = answers(Loader(scripted(speech)), Start(7, "m", OPTIONS), *chunks(speech.samples), Finish())
    assert isinstance(events[0], Ready)
    assert events[1] == Started(7)
    assert isinstance(events[-1], Summary)
    assert events[-1].text == speech.text
    captions = [event for event in events if isinstance(event, Caption)]
    assert captions[-1].final
    assert captions[-1].text == speech.text


def test_every_round_is_reported_once_and_in_order() -> None:
    speech = say()
    events = answers(Loader(scripted(speech)), Start(1, "m", OPTIONS), *chunks(speech.samples), Finish())
    rounds = [event.round for event in events if isinstance(event, RoundStats)]
    assert rounds == list(range(rounds[0], rounds[0] + len(rounds)))
    assert len(rounds) == events[-1].rounds  # type: ignore[union-attr]


def test_progress_tells_how_far_and_whether_there_is_speech() -> None:
    speech = say()
    silence = np.zeros(SAMPLE_RATE_HZ * 2, np.float32)
    samples = np.concatenate([speech.samples, silence])
    events = answers(Loader(scripted(speech)), Start(1, "m", OPTIONS), *chunks(samples), Finish())
    progress = [event for event in events if isinstance(event, Progress)]
    assert any(event.speaking for event in progress)
    assert not progress[-1].speaking
    assert progress[-1].audio_seconds == pytest.approx(len(samples) / SAMPLE_RATE_HZ)
    assert len(progress) < len(samples) / SAMPLE_RATE_HZ / 0.15


def test_a_loaded_model_is_used_by_the_next_sessions() -> None:
    loader = Loader(scripted(say()))
    starts = (Start(1, "m", OPTIONS), Finish(), Start(2, "m", OPTIONS), Start(3, "n", OPTIONS))
    events = answers(loader, Load("m"), *starts)
    assert loader.loads == ["m", "n"]
    assert [event.session for event in events if isinstance(event, Started)] == [1, 2, 3]


def test_a_model_that_cannot_be_loaded_is_a_sentence_and_the_process_goes_on() -> None:
    speech = say()
    events = answers(
        Loader(scripted(speech)),
        Start(1, "missing", OPTIONS),
        *chunks(speech.samples),
        Finish(),
        Start(2, "m", OPTIONS),
        *chunks(speech.samples),
        Finish(),
    )
    assert events[0] == Failed("There is no model called missing.", session=1)
    assert isinstance(events[1], Ready)
    assert isinstance(events[-1], Summary)


def test_a_round_that_fails_ends_its_session_with_a_sentence() -> None:
    speech = say()
    recognizer = scripted(speech)

    def fail() -> None:
        raise AudioError("The audio holds values that are not numbers.")

    recognizer.on_hear = fail
    events = answers(Loader(recognizer), Start(1, "m", OPTIONS), *chunks(speech.samples), Finish())
    assert [event for event in events if isinstance(event, Failed)] == [
        Failed("The audio holds values that are not numbers.", session=1)
    ]
    assert not any(isinstance(event, Summary) for event in events)


def test_a_stopped_session_says_nothing_more() -> None:
    speech = say()
    commands = (Start(1, "m", OPTIONS), Stop(), *chunks(speech.samples), Finish())
    events = answers(Loader(scripted(speech)), *commands)
    assert [type(event) for event in events] == [Ready, Started]


def planted_session(recognizer: StagedRecognizer, *, commands_in_turn: bool) -> list[Event]:
    """What the engine sends while rounds overlap, its commands carried out one by one or as they come."""
    options = CaptionOptions(language="en", voice_gate=False, pipeline=True, step_seconds=0.2)
    commands = [Start(1, "m", options), *chunks(plant(recognizer.words, 2.0)), Finish()]
    if commands_in_turn:
        return answers(Loader(recognizer), *commands)
    events: list[Event] = []
    waiting: queue.SimpleQueue[Command] = queue.SimpleQueue()
    for command in (*commands, Shutdown()):
        waiting.put(command)
    EngineServer(events.append, Loader(recognizer)).run(waiting)  # type: ignore[arg-type]
    return events


@pytest.mark.parametrize("commands_in_turn", [True, False])
@pytest.mark.skipif(usable_cores() < 2, reason="rounds overlap on two cores")
def test_rounds_that_overlap_are_reported_as_others_are_and_a_dead_worker_is_an_incident(
    commands_in_turn: bool,
) -> None:
    words = numbered([(0.1 + i * 0.4, 0.4 + i * 0.4) for i in range(4)])
    events = planted_session(StagedRecognizer(words, deadly="front"), commands_in_turn=commands_in_turn)
    assert isinstance(events[-1], Summary)
    assert events[-1].text == "w1 w2 w3 w4"
    (incident,) = [event for event in events if isinstance(event, Incident)]
    assert "no words are lost" in incident.message
    rounds = [event.round for event in events if isinstance(event, RoundStats)]
    assert rounds == list(range(1, len(rounds) + 1))


@pytest.mark.skipif(usable_cores() < 2, reason="rounds overlap on two cores")
def test_a_round_that_ends_in_the_background_wakes_the_engine() -> None:
    words = numbered([(0.1, 0.4)])
    shown: queue.SimpleQueue[Event] = queue.SimpleQueue()
    commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
    server = EngineServer(shown.put, Loader(StagedRecognizer(words)))
    thread = threading.Thread(target=server.run, args=(commands,), daemon=True)
    thread.start()
    commands.put(Start(1, "m", CaptionOptions(voice_gate=False, pipeline=True, step_seconds=0.5)))
    commands.put(AudioChunk(plant(words, 0.6).tobytes()))
    while not isinstance(event := shown.get(timeout=PATIENCE_SECONDS), Caption):
        pass  # nothing more is sent to the engine: the round itself must wake it
    assert [word.text for word in event.pending] == [" w1"]
    commands.put(Shutdown())
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()


def test_audio_that_piled_up_is_taken_in_whole_before_the_next_round() -> None:
    speech = say()
    recognizer = scripted(speech)
    heard = 0

    def count() -> None:
        nonlocal heard
        heard += 1

    recognizer.on_hear = count
    commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
    for command in (Start(1, "m", OPTIONS), *chunks(speech.samples), Finish(), Shutdown()):
        commands.put(command)
    EngineServer(lambda event: None, Loader(recognizer)).run(commands)
    assert 1 <= heard <= 3


@pytest.fixture
def child() -> Iterator[tuple[SpawnProcess, Connection]]:
    """A real engine process and this end of its pipe."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    there.close()
    yield process, here
    here.close()
    process.kill()
    process.join()


def next_event(connection: Connection) -> Event:
    assert connection.poll(PATIENCE_SECONDS), "the engine does not answer"
    event: Event = connection.recv()
    return event


def test_a_real_engine_hears_with_a_real_model_and_leaves_when_told(
    child: tuple[SpawnProcess, Connection], tmp_path: Path
) -> None:
    process, connection = child
    folder = write_random_model(tmp_path / "tiny")
    connection.send(Start(1, str(folder), OPTIONS))
    assert isinstance(next_event(connection), Ready)
    assert next_event(connection) == Started(1)
    for chunk in chunks(say().samples):
        connection.send(chunk)
    connection.send(Finish())
    while not isinstance(event := next_event(connection), Summary):
        assert not isinstance(event, Failed)
    assert event.rounds > 0
    connection.send(Shutdown())
    process.join(PATIENCE_SECONDS)
    assert process.exitcode == 0


def test_the_engine_ends_when_the_app_is_gone(child: tuple[SpawnProcess, Connection]) -> None:
    process, connection = child
    connection.send(Load("/nowhere/at/all"))
    assert isinstance(next_event(connection), Failed)
    connection.close()
    process.join(PATIENCE_SECONDS)
    assert process.exitcode == 0


def test_an_interrupt_from_the_keyboard_leaves_the_engine_to_the_app(child: tuple[SpawnProcess, Connection]) -> None:
    process, connection = child
    connection.send(Load("/nowhere/at/all"))
    assert isinstance(next_event(connection), Failed)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    connection.send(Load("/nowhere/either"))
    assert isinstance(next_event(connection), Failed)
    assert process.is_alive()
