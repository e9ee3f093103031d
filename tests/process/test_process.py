"""The engine process: what it answers to which command, and when it ends."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import AudioError, ModelError, OptionError
from engine.events import Caption, Incident, RoundStats, SpokenTranslation, Summary, Translation, Word
from engine.machine import backend
from engine.machine.threads import usable_cores
from engine.notes.template import load_template
from engine.options import CaptionOptions, TranslationOptions, VoiceOptions
from engine.process.caption_worker import CaptionWorker
from engine.process.loading import load_assistant, load_recognizer
from engine.process.messages import (
    AudioChunk,
    Beat,
    Command,
    Event,
    Failed,
    Finish,
    Load,
    MakeNotes,
    NotesMade,
    Progress,
    Ready,
    Shutdown,
    Start,
    Started,
    Stop,
    Translate,
    TranslateAlso,
    TranslateTranscript,
    TranslationChoice,
)
from engine.process.process import EngineServer, RecognizerMaker, TranslationMaker, serve
from engine.translate.live import LiveTranslation
from tests.app.scripted_hearing import say, scripted
from tests.hear.planted import numbered, plant
from tests.hear.staged import StagedRecognizer
from tests.language_models import write_language_model
from tests.notes.said import said as lines_said
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model
from tests.scripted_model import ScriptedCache, ScriptedModel
from tests.scripted_translator import ScriptedTranslator, translating

OPTIONS = CaptionOptions(language="en")
GERMAN = TranslationChoice(TranslationOptions("de"), "l")
PATIENCE_SECONDS = 120


class Loader:
    """Loads scripted models and counts how often."""

    def __init__(self, recognizer: object) -> None:
        self.loads: list[str] = []
        self._recognizer = recognizer

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        if model == "missing":
            raise ModelError("There is no model called missing.")
        if model == "halted":
            raise ModuleNotFoundError("No module named 'onnxruntime'")
        self.loads.append(model)
        return Ready(model, "cpu", 0.1), lambda options: self._recognizer  # type: ignore[return-value]


def chunks(samples: np.ndarray, seconds: float = 0.1) -> list[AudioChunk]:
    size = round(seconds * SAMPLE_RATE_HZ)
    return [AudioChunk(samples[at : at + size].tobytes()) for at in range(0, len(samples), size)]


def answers(loader: Loader, *commands: Command, language: LanguageLoader | None = None) -> list[Event]:
    """Return everything that is sent while these commands are carried out, each before the next comes."""
    events: list[Event] = []
    server = EngineServer(events.append, loader, language or LanguageLoader())
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


def test_memory_goes_back_to_the_system_after_a_session_and_models_are_wired_when_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Mac review M8."""
    done: list[str] = []
    monkeypatch.setattr(backend, "release_unused", lambda: done.append("released"))
    monkeypatch.setattr(backend, "wire_models", lambda: done.append("wired"))
    answers(Loader(scripted(say())), Start(1, "m", OPTIONS), Finish(), Start(2, "m", OPTIONS), Stop())
    assert done == ["released", "released"]
    load_recognizer(str(write_random_model(tmp_path / "hears")))
    load_assistant(str(write_language_model(tmp_path / "answers")))
    assert [each for each in done[2:] if each == "wired"] == ["wired", "wired"] and done[-1] == "wired"


def test_a_package_that_cannot_be_imported_is_a_sentence() -> None:
    events = answers(Loader(scripted(say())), Start(1, "halted", OPTIONS))
    damage = "This installation of Earshot is damaged: No module named 'onnxruntime'. Install it again."
    assert events == [Failed(damage, session=1)]


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
    """Return what the engine sends while rounds overlap, its commands carried out one by one or as they come."""
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


class LanguageLoader:
    """Loads scripted translators and counts how often; refuses Klingon."""

    def __init__(self) -> None:
        self.loads: list[str] = []
        self.translators: list[ScriptedTranslator] = []

    def __call__(self, model: str) -> tuple[Ready, TranslationMaker]:
        if model == "missing":
            raise ModelError("There is no model called missing.")
        self.loads.append(model)
        return Ready(model, "cpu", 0.1, kind="language"), self._make

    def _make(self, options: TranslationOptions) -> LiveTranslation:
        if options.target == "tlh":
            raise OptionError("target must be the code of a language, not 'tlh'.")
        self.translators.append(ScriptedTranslator(options))
        return translating(self.translators[-1])


def translated_answers(*commands: Command, loader: LanguageLoader | None = None) -> list[Event]:
    """Return everything that the engine sends, with all commands waiting from the beginning."""
    events: list[Event] = []
    waiting: queue.SimpleQueue[Command] = queue.SimpleQueue()
    for command in (*commands, Shutdown()):
        waiting.put(command)
    EngineServer(events.append, Loader(scripted(say())), loader or LanguageLoader()).run(waiting)  # type: ignore[arg-type]
    return events


def test_a_session_is_translated_and_its_summary_says_so() -> None:
    speech = say()
    events = translated_answers(Start(3, "m", OPTIONS, GERMAN), *chunks(speech.samples), Finish())
    assert [event.kind for event in events if isinstance(event, Ready)] == ["hearing", "language"]
    assert [event.text for event in events if isinstance(event, Translation) and event.final] == [speech.text.upper()]
    assert isinstance(events[-1], Summary)
    assert events[-1].translation is not None


def test_a_session_speaks_its_translation_in_the_language_before_its_summary() -> None:
    speech = say()
    spoken = replace(GERMAN, voice=VoiceOptions())
    events = answers(Loader(scripted(speech)), Start(1, "m", OPTIONS, spoken), *chunks(speech.samples), Finish())
    phrases = [event.text for event in events if isinstance(event, SpokenTranslation) and event.text]
    assert " ".join(phrases) == speech.text.upper()
    assert isinstance(events[-1], Summary)


def test_a_voice_that_nobody_here_has_leaves_the_translation_written_and_that_is_told() -> None:
    speech = say()
    klingon = TranslationChoice(TranslationOptions("tlh"), "l", voice=VoiceOptions())
    events = answers(Loader(scripted(speech)), Start(1, "m", OPTIONS, klingon), *chunks(speech.samples), Finish())
    assert not any(isinstance(event, SpokenTranslation) for event in events)
    assert any(isinstance(event, Incident) and "not spoken" in event.message for event in events)


def test_both_models_stay_loaded_and_can_be_loaded_ahead() -> None:
    loader = LanguageLoader()
    french = TranslationChoice(TranslationOptions("fr"), "l")
    starts = (Start(1, "m", OPTIONS, GERMAN), Finish(), Start(2, "m", OPTIONS), Start(3, "m", OPTIONS, french))
    events = translated_answers(Load("m", GERMAN), *starts, Finish(), loader=loader)
    assert loader.loads == ["l"]
    assert [event.model for event in events if isinstance(event, Ready)] == ["m", "l"]
    assert [each.options.target for each in loader.translators] == ["de", "fr"]


@pytest.mark.parametrize(
    "choice", [TranslationChoice(TranslationOptions("de"), "missing"), TranslationChoice(TranslationOptions("tlh"))]
)
def test_what_keeps_captions_from_being_translated_is_told_and_captions_come(choice: TranslationChoice) -> None:
    speech = say()
    events = translated_answers(Start(1, "m", OPTIONS, choice), *chunks(speech.samples), Finish())
    (incident,) = [event for event in events if isinstance(event, Incident)]
    assert incident.message.startswith("Captions are not translated: ")
    assert events.index(incident) > events.index(Started(1)), "what comes before belongs to no session"
    assert isinstance(events[-1], Summary)
    assert (events[-1].text, events[-1].translation) == (speech.text, None)
    assert not any(isinstance(event, Failed) for event in events)


def test_captions_of_an_earlier_session_are_translated_under_their_own_ids() -> None:
    old = Caption(-1, 4, 0.0, 1.0, (Word(" left", 0, 1), Word(" over", 0, 1)), (), True, 1.0, 1.0)
    events = translated_answers(Start(1, "m", OPTIONS, GERMAN), TranslateAlso((old,)), Finish())
    (translation,) = [event for event in events if isinstance(event, Translation)]
    assert (translation.id, translation.revision, translation.text) == (-1, 4, "LEFT OVER")


def test_translation_can_be_changed_and_ended_while_a_session_runs() -> None:
    speech = say()
    french = TranslationChoice(TranslationOptions("fr"), "l")
    parts = chunks(speech.samples)
    commands = (Start(1, "m", OPTIONS), Translate(french), *parts[:20], Translate(None), *parts[20:], Finish())
    events = answers(Loader(scripted(speech)), *commands, language=LanguageLoader())
    assert not [event for event in events if isinstance(event, Translation) and event.final]
    assert isinstance(events[-1], Summary)
    assert events[-1].text == speech.text
    assert not translated_answers(Translate(french))


def test_a_language_model_that_cannot_be_loaded_ahead_keeps_nobody_from_hearing() -> None:
    speech = say()
    missing = TranslationChoice(TranslationOptions("de"), "missing")
    events = translated_answers(Load("m", missing), Start(1, "m", OPTIONS), *chunks(speech.samples), Finish())
    (incident,) = [event for event in events if isinstance(event, Incident)]
    assert incident.message == "Captions are not translated: There is no model called missing."
    assert not any(isinstance(event, Failed) for event in events)
    assert isinstance(events[-1], Summary)
    assert events[-1].text == speech.text


def test_captions_are_translated_only_while_no_command_waits() -> None:
    """A translation is under way when audio comes: it is heard before the translation takes its next step."""
    speech = say()
    recognizer = scripted(speech)
    order: list[str] = []
    recognizer.on_hear = lambda: order.append("hear")
    waiting: queue.SimpleQueue[Command] = queue.SimpleQueue()
    parts = iter(chunks(speech.samples, 0.5))

    def step() -> None:
        order.append("step")
        if (part := next(parts, None)) is not None:
            waiting.put(part)
        elif order.count("step") == 40:
            waiting.put(Shutdown())

    loader = LanguageLoader()
    events: list[Event] = []

    def send(event: Event) -> None:
        events.append(event)
        if isinstance(event, Started):
            loader.translators[0].on_step = step
            old = Caption(-1, 0, 0.0, 1.0, tuple(Word(" word", 0, 1) for _ in range(60)), (), True, 1.0, 1.0)
            waiting.put(TranslateAlso((old,)))

    waiting.put(Start(1, "m", OPTIONS, GERMAN))
    EngineServer(send, Loader(recognizer), loader).run(waiting)  # type: ignore[arg-type]
    assert "hear" in order
    assert order.count("step") == 40
    assert not any(isinstance(event, Translation) for event in events), "given up when told to leave"
    heard_after = [order[at - 1] for at, what in enumerate(order) if what == "hear"]
    assert set(heard_after) == {"step"}, "one step at the most between a chunk's coming and its being heard"


def test_notes_are_written_only_while_no_command_waits() -> None:
    """A model writes notes when audio comes: it is heard before the model takes its next step."""
    speech = say()
    recognizer = scripted(speech)
    order: list[str] = []
    recognizer.on_hear = lambda: order.append("hear")
    waiting: queue.SimpleQueue[Command] = queue.SimpleQueue()
    parts = iter(chunks(speech.samples, 0.5))

    class Writer(ScriptedModel):
        def logits(self, tokens: Sequence[int], cache: ScriptedCache, rows: int) -> np.ndarray:
            order.append("step")
            if (part := next(parts, None)) is not None:
                waiting.put(part)
            return super().logits(tokens, cache, rows)

    def load(model: str) -> tuple[Ready, Writer]:
        return Ready(model, "cpu", 0.1, kind="language"), Writer(lambda text: "- We met on Monday in the old library.")

    def send(event: Event) -> None:
        if isinstance(event, NotesMade):
            waiting.put(Shutdown())

    waiting.put(Start(1, "m", OPTIONS))
    waiting.put(MakeNotes("live", tuple(lines_said("Ben: We met on Monday.")), load_template(), "model"))
    EngineServer(send, Loader(recognizer), load_assistant=load).run(waiting)  # type: ignore[arg-type]
    assert "hear" in order
    heard_after = [order[at - 1] for at, what in enumerate(order) if what == "hear"]
    assert set(heard_after) == {"step"}, "one step at the most between a chunk's coming and its being heard"


def test_sound_is_heard_while_a_model_for_notes_or_another_translation_is_loaded() -> None:
    """Each loads until sound that came meanwhile was heard, and never if that has to wait."""
    speech = say()
    recognizer = scripted(speech)
    heard = threading.Event()
    recognizer.on_hear = heard.set
    waiting: queue.SimpleQueue[Command] = queue.SimpleQueue()
    parts = chunks(speech.samples, 0.5)
    halves = [parts[: len(parts) // 2], parts[len(parts) // 2 :]]

    def wait_for_hearing() -> None:
        heard.clear()
        for part in halves.pop(0):
            waiting.put(part)
        assert heard.wait(PATIENCE_SECONDS), "hearing waits for the loading"

    def load(model: str) -> tuple[Ready, ScriptedModel]:
        wait_for_hearing()
        return Ready(model, "cpu", 0.1, kind="language"), ScriptedModel(lambda text: "- We met.")

    def load_language(model: str) -> tuple[Ready, TranslationMaker]:
        wait_for_hearing()
        waiting.put(Finish())
        return LanguageLoader()(model)

    events: list[Event] = []

    def send(event: Event) -> None:
        events.append(event)
        if isinstance(event, NotesMade):
            waiting.put(Translate(GERMAN))
        elif isinstance(event, Summary):
            waiting.put(Shutdown())

    waiting.put(Start(1, "m", OPTIONS))
    waiting.put(MakeNotes("live", tuple(lines_said("Ben: We met on Monday.")), load_template(), "model"))
    EngineServer(send, Loader(recognizer), load_language, load).run(waiting)  # type: ignore[arg-type]
    assert [event.text for event in events if isinstance(event, Translation) and event.final] == [speech.text.upper()]


def test_captions_that_became_final_while_their_translation_was_loaded_are_translated() -> None:
    speech = say()
    may_load = threading.Event()

    def load(model: str) -> tuple[Ready, TranslationMaker]:
        assert may_load.wait(PATIENCE_SECONDS)
        return LanguageLoader()(model)

    events: list[Event] = []

    def send(event: Event) -> None:
        events.append(event)
        if isinstance(event, Caption) and event.final:
            may_load.set()

    server = EngineServer(send, Loader(scripted(speech)), load)
    silence = np.zeros(3 * SAMPLE_RATE_HZ, np.float32)
    old = Caption(-1, 0, 0.0, 1.0, (Word(" before", 0, 1),), (), True, 1.0, 1.0)
    samples = np.concatenate([speech.samples, silence])
    for command in (Start(1, "m", OPTIONS), Translate(GERMAN), TranslateAlso((old,)), *chunks(samples), Finish()):
        server.carry_out(command)
        server.hear()
    assert may_load.is_set()
    translated = {event.id: event.text for event in events if isinstance(event, Translation) and event.final}
    assert translated == {-1: "BEFORE", 1: speech.text.upper()}


def test_an_engine_that_waits_for_a_model_at_the_end_of_a_session_is_not_taken_to_hang() -> None:
    may_load = threading.Event()

    def load(model: str) -> TranslationMaker:
        assert may_load.wait(PATIENCE_SECONDS), "nobody is told that it gets on"
        return LanguageLoader()(model)[1]

    events: list[Event] = []
    make = Loader(scripted(say()))("m")[1]
    worker = CaptionWorker(Start(1, "m", OPTIONS), make, events.append, lambda: None, load, may_load.set)
    worker.carry_out(Translate(GERMAN))
    worker.carry_out(Finish())
    assert isinstance(events[-1], Summary)


def test_a_transcript_whose_translation_fails_is_told_though_there_are_no_notes_to_write() -> None:
    loader = LanguageLoader()
    events: list[Event] = []
    server = EngineServer(events.append, Loader(scripted(say())), loader)
    old = Caption(-1, 0, 0.0, 1.0, (Word(" before", 0, 1),), (), True, 1.0, 1.0)
    server.carry_out(TranslateTranscript(1, (old,), GERMAN))

    def fail() -> None:
        raise ValueError("no room")

    loader.translators[0].on_step = fail
    while server.busy:
        server.work()
    assert events[-1] == Failed("ValueError: no room.", session=1)


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
    """Return the next event that is not just a sign of life."""
    while True:
        assert connection.poll(PATIENCE_SECONDS), "the engine does not answer"
        event: Event = connection.recv()
        if not isinstance(event, Beat):
            return event


@pytest.mark.parametrize("write", [write_random_model, write_random_speech_llama])
def test_a_real_engine_hears_with_a_real_model_and_leaves_when_told(
    write: Callable[[Path], Path], child: tuple[SpawnProcess, Connection], tmp_path: Path
) -> None:
    process, connection = child
    folder = write(tmp_path / "tiny")
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


def test_a_real_engine_translates_with_a_real_model(child: tuple[SpawnProcess, Connection], tmp_path: Path) -> None:
    process, connection = child
    hearing = write_random_model(tmp_path / "hearing")
    language = write_language_model(tmp_path / "language")
    old = Caption(-1, 0, 0.0, 1.0, (Word(" Good", 0, 1), Word(" morning.", 0, 1)), (), True, 1.0, 1.0)
    connection.send(Start(1, str(hearing), OPTIONS, TranslationChoice(TranslationOptions("de"), str(language))))
    connection.send(TranslateAlso((old,)))
    connection.send(Finish())
    events = [next_event(connection)]
    while not isinstance(events[-1], Summary):
        events.append(next_event(connection))
    assert [event.kind for event in events if isinstance(event, Ready)] == ["hearing", "language"]
    (translation,) = [event for event in events if isinstance(event, Translation)]
    assert (translation.id, translation.source, translation.final) == (-1, "Good morning.", True)
    assert translation.stats.forwards > 0
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
