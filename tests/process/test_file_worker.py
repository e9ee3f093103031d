"""A recording in the engine process: what comes of it, in which order, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from engine.audio import Samples
from engine.audio.feed import feed
from engine.audio.source import stream_audio
from engine.captions.for_files import for_files
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.errors import ModelError
from engine.events import Caption, Incident
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import (
    Command,
    Event,
    Failed,
    Progress,
    Ready,
    Started,
    Stop,
    Transcribed,
    TranscribeFile,
    TranslationChoice,
)
from engine.process.process import EngineServer, RecognizerMaker, TranslationMaker
from engine.speakers.search import SpeakerSearch
from engine.speakers.turns import SpeakerTurn
from engine.speakers.words import TurnWords
from engine.translate.live import LiveTranslation
from tests.app.scripted_hearing import write_wav
from tests.hear.planted import PlantedRecognizer, numbered, plant
from tests.scripted_translator import ScriptedTranslator

SECONDS = 24.0
WORDS = numbered([(0.5 * i, 0.5 * i + 0.3) for i in range(1, 46)])
OPTIONS = CaptionOptions(language="en", voice_gate=False)
GERMAN = TranslationChoice(TranslationOptions("de"), "l")


class Models:
    """Load planted models, and note their names."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.recognizers: list[PlantedRecognizer] = []

    def hearing(self, name: str) -> tuple[Ready, RecognizerMaker]:
        self._note(name)
        return Ready(name, "cpu", 0.0), self._recognizer

    def translating(self, name: str) -> tuple[Ready, TranslationMaker]:
        self._note(name)
        ready = Ready(name, "cpu", 0.0, kind="language")
        return ready, lambda options: LiveTranslation(ScriptedTranslator(options))

    def _note(self, name: str) -> None:
        if name == "missing":
            raise ModelError("There is no model called missing.")
        self.loaded.append(name)

    def _recognizer(self, options: CaptionOptions) -> PlantedRecognizer:
        self.recognizers.append(PlantedRecognizer(WORDS))
        return self.recognizers[-1]


@pytest.fixture
def models() -> Models:
    return Models()


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return write_wav(tmp_path / "talk.wav", plant(WORDS, SECONDS), subtype="FLOAT")


def answers(
    models: Models, command: Command, then: Callable[[EngineServer], None] = lambda server: None
) -> list[Event]:
    """Return all that is sent until the server has nothing left to do; `then` is done before it works."""
    events: list[Event] = []
    server = EngineServer(events.append, models.hearing, models.translating)
    server.carry_out(command)
    server.hear()
    then(server)
    while server.busy:
        server.work()
    return events


def test_a_recording_is_answered_by_progress_and_its_transcript(models: Models, talk: Path) -> None:
    ready, started, *progress, transcribed = answers(models, TranscribeFile(7, talk, "m", OPTIONS))
    assert isinstance(ready, Ready)
    assert started == Started(7)
    assert all(isinstance(each, Progress) and each.total_seconds == SECONDS for each in progress)
    heard = [each.audio_seconds for each in progress if isinstance(each, Progress)]
    assert heard[0] == 0.0 and heard == sorted(heard) and len(heard) <= SECONDS + 1
    assert isinstance(transcribed, Transcribed)
    assert [word.text for each in transcribed.captions for word in each.committed] == [word.text for word in WORDS]
    assert all(each.final for each in transcribed.captions)
    assert (transcribed.translations, transcribed.audio_seconds, transcribed.damage) == ((), SECONDS, "")


def test_it_is_heard_as_a_careful_session_hears_it(models: Models, talk: Path) -> None:
    *_, transcribed = answers(models, TranscribeFile(1, talk, "m", OPTIONS))
    plain = PlantedRecognizer(WORDS)
    session = CaptionSession(plain, for_files(OPTIONS), SimulatedClock(lambda: 0.0))
    shown = feed(stream_audio(talk), session, pace="fast")
    expected = [each.committed for each in shown if isinstance(each, Caption) and each.final]
    assert isinstance(transcribed, Transcribed)
    assert [each.committed for each in transcribed.captions] == expected
    assert len(models.recognizers[0].calls) <= len(plain.calls) == 4


def test_every_caption_is_translated_where_that_is_asked_for(models: Models, talk: Path) -> None:
    *_, transcribed = answers(models, TranscribeFile(1, talk, "m", OPTIONS, GERMAN))
    assert isinstance(transcribed, Transcribed)
    assert {each.id: each.source for each in transcribed.translations} == {
        each.id: each.text for each in transcribed.captions
    }
    assert all(each.final and each.language == "de" for each in transcribed.translations)
    assert models.loaded == ["m", "l"]


def test_a_recording_that_cannot_be_heard_is_a_sentence_before_any_model_is_loaded(
    models: Models, tmp_path: Path
) -> None:
    (tmp_path / "text.wav").write_text("This is no audio.")
    events = answers(models, TranscribeFile(3, tmp_path / "gone.wav", "m", OPTIONS))
    assert events == [Failed(f"There is no file {tmp_path / 'gone.wav'}.", 3)]
    (failed,) = answers(models, TranscribeFile(4, tmp_path / "text.wav", "m", OPTIONS))
    assert isinstance(failed, Failed) and "text.wav" in failed.message
    assert models.loaded == []


@pytest.mark.parametrize(
    ("model", "translation"), [("missing", None), ("m", TranslationChoice(GERMAN.options, "missing"))]
)
def test_a_model_that_is_missing_is_a_sentence(
    models: Models, talk: Path, model: str, translation: TranslationChoice | None
) -> None:
    events = answers(models, TranscribeFile(1, talk, model, OPTIONS, translation))
    assert events[-1] == Failed("There is no model called missing.", 1)


def test_of_a_damaged_recording_all_is_heard_that_can_be_and_the_damage_is_told(models: Models, talk: Path) -> None:
    samples = plant(WORDS, SECONDS)
    samples[100:110] = np.nan
    write_wav(talk, samples, subtype="FLOAT")
    talk.write_bytes(talk.read_bytes()[: -16_000 * 4 * 2])
    *events, transcribed = answers(models, TranscribeFile(1, talk, "m", OPTIONS))
    assert isinstance(transcribed, Transcribed)
    assert transcribed.audio_seconds == pytest.approx(SECONDS - 2, abs=0.01)
    assert transcribed.captions[0].committed[0].text == WORDS[0].text
    assert "cut short" in transcribed.damage
    assert transcribed.damage.endswith("What can be heard of it was captioned.")
    (remark,) = (each for each in events if isinstance(each, Incident))
    assert "samples that are not numbers" in remark.message


def test_one_that_is_given_up_brings_nothing_more(models: Models, talk: Path) -> None:
    def give_up(server: EngineServer) -> None:
        for _ in range(5):
            server.work()
        server.carry_out(Stop())

    events = answers(models, TranscribeFile(1, talk, "m", OPTIONS), give_up)
    assert not any(isinstance(each, Transcribed | Failed) for each in events)


def test_models_stay_loaded_for_the_next_recording(models: Models, talk: Path) -> None:
    events: list[Event] = []
    server = EngineServer(events.append, models.hearing, models.translating)
    for number in (1, 2):
        server.carry_out(TranscribeFile(number, talk, "m", OPTIONS, GERMAN))
        while server.busy:
            server.work()
    assert sum(isinstance(each, Transcribed) for each in events) == 2
    assert models.loaded == ["m", "l"]


def test_speakers_are_found_before_the_words_and_each_caption_has_one(
    models: Models, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [SpeakerTurn(0.0, 8.2, 0), SpeakerTurn(8.2, SECONDS, 1)]

    def found(chunks: Iterable[Samples], search: SpeakerSearch, report: Callable[[float], None]) -> TurnWords:
        report(sum(len(chunk) for chunk in chunks) / 16_000)
        return TurnWords(turns, lambda speaker: search.name.format(speaker + 1))

    monkeypatch.setattr("engine.process.file_worker.find_speakers", found)
    start = TranscribeFile(1, talk, "m", OPTIONS, GERMAN, SpeakerSearch(name="Person {}"))
    *progress, transcribed = answers(models, start)
    assert isinstance(transcribed, Transcribed)
    assert [word.text for each in transcribed.captions for word in each.committed] == [word.text for word in WORDS]
    assert {each.speaker for each in transcribed.captions} == {"Person 1", "Person 2"}
    assert all((each.end <= 8.3) == (each.speaker == "Person 1") for each in transcribed.captions)
    assert {each.id: each.source for each in transcribed.translations} == {
        each.id: each.text for each in transcribed.captions
    }
    searched = [each.for_speakers for each in progress if isinstance(each, Progress)]
    assert searched[:2] == [False, True] and not any(searched[2:])
