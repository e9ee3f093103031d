"""Speakers told apart by voice in a session of the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.captions.session import LiveSession
from app.sound.audio_sources import AudioFile, TwoSides
from engine.audio import SAMPLE_RATE_HZ
from engine.events import KnownVoice, SpeakerLabel, Summary
from engine.options import CaptionOptions
from engine.process.messages import Start
from tests.app.made_captions import better, caption
from tests.app.scripted_hearing import write_wav
from tests.app.silent_client import SilentClient

VOICE = bytes(4 * 192)


@pytest.fixture
def client(qapp: QApplication) -> SilentClient:
    return SilentClient()


@pytest.fixture
def session(client: SilentClient) -> Iterator[LiveSession]:
    made = LiveSession(client, "m", CaptionOptions(speakers=True))
    yield made
    made.shut_down()


@pytest.fixture
def file(tmp_path: Path) -> AudioFile:
    return AudioFile(write_wav(tmp_path / "long.wav", np.zeros(60 * SAMPLE_RATE_HZ)), "long")


def started(client: SilentClient) -> Start:
    return [each for each in client.take() if isinstance(each, Start)][-1]


def shown(session: LiveSession) -> list[str]:
    return [each.speaker for each in session.captions.captions]


def test_a_line_has_a_dash_until_its_speaker_is_sure(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    session.start(file)
    (side,) = started(client).sides
    assert (side.voice_name, side.voices) == ("Speaker {}", ())
    client.caption_changed.emit(first := caption(1, "One.", final=True))
    client.caption_changed.emit(caption(2, "Two.", start=2.0, final=True))
    assert shown(session) == ["–", "–"]
    client.speaker_labelled.emit(SpeakerLabel(1, "Speaker 1", VOICE))
    client.speaker_labelled.emit(SpeakerLabel(2, ""))
    assert shown(session) == ["Speaker 1", "–"]
    client.caption_changed.emit(better(first, "Once."))
    assert shown(session) == ["Speaker 1", "–"]
    client.speaker_labelled.emit(SpeakerLabel(2, "Speaker 2", VOICE))  # at the end, when all is known
    assert shown(session) == ["Speaker 1", "Speaker 2"]


def test_a_dash_that_nothing_is_known_of_goes_with_the_recording(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    session.start(file)
    client.caption_changed.emit(caption(1, "One.", final=True))
    client.session_finished.emit(Summary("One.", 2.0, 1, 0.1, 0.05, None, "en"))
    assert shown(session) == [""]


def test_a_name_holds_for_lines_to_come_and_for_better_labels(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    session.start(file)
    for number in (1, 2, 3):
        client.caption_changed.emit(caption(number, "Yes.", start=2.0 * number, final=True))
        client.speaker_labelled.emit(SpeakerLabel(number, "Speaker 1", VOICE))
    session.captions.name_speakers(dict.fromkeys((1, 2, 3), "Anna"))
    session.call_speakers({"Speaker 1": "Anna"})
    client.caption_changed.emit(caption(4, "No.", start=9.0, final=True))
    client.speaker_labelled.emit(SpeakerLabel(4, "Speaker 1", VOICE))
    session.captions.name_speakers({1: "Chris"})  # this line only
    client.speaker_labelled.emit(SpeakerLabel(1, "Speaker 2", VOICE))
    client.speaker_labelled.emit(SpeakerLabel(3, "Speaker 2", VOICE))
    assert shown(session) == ["Chris", "Anna", "Speaker 2", "Anna"]


def test_speakers_are_found_within_the_sides_of_a_call(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    session.start(TwoSides(file, file, "both"))
    assert [side.name_of_voice(2) for side in started(client).sides] == ["You 2", "Call 2"]
    for number, side, label in ((1, "You", "You"), (2, "Call", "Call"), (3, "Call", "Call 2")):
        client.caption_changed.emit(replace(caption(number, "Yes.", start=2.0 * number, final=True), speaker=side))
        client.speaker_labelled.emit(SpeakerLabel(number, label, VOICE))
    assert shown(session) == ["You", "Call", "Call 2"]


def test_another_engine_knows_the_voices_by_their_names(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    session.start(TwoSides(file, file, "both"))
    client.caption_changed.emit(replace(caption(1, "Yes.", final=True), speaker="Call"))
    client.speaker_labelled.emit(SpeakerLabel(1, "Call 2", VOICE))
    client.take()
    session.restart_engine()
    you, call = started(client).sides
    assert you.voices == ()
    assert [(voice.name, voice.voice_print) for voice in call.voices] == [("Call 2", VOICE)]


def test_without_the_setting_nothing_changes(client: SilentClient, file: AudioFile) -> None:
    session = LiveSession(client, "m", CaptionOptions())
    session.start(file)
    client.caption_changed.emit(caption(1, "One.", final=True))
    assert shown(session) == [""]
    session.shut_down()


def test_a_speaker_who_is_named_is_told_with_the_voice(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    told: list[tuple[str, bytes]] = []
    session.voice_named.connect(lambda name, voice: told.append((name, bytes(voice))))
    session.start(file)
    client.caption_changed.emit(caption(1, "Yes.", final=True))
    client.speaker_labelled.emit(SpeakerLabel(1, "Speaker 1", VOICE))
    session.call_speakers({"Speaker 1": "Anna"})
    session.call_speakers({"Speaker 1": "Anna"})
    assert told == [("Anna", VOICE)]
    session.call_speakers({"Speaker 1": "Speaker 1"})  # undone
    assert len(told) == 1


def test_voices_that_are_known_have_their_names_from_the_start(
    session: LiveSession, client: SilentClient, file: AudioFile
) -> None:
    session.known_voices = lambda: (KnownVoice("Anna", VOICE),)
    session.start(file)
    assert started(client).sides[0].voices == (KnownVoice("Anna", VOICE),)
    client.caption_changed.emit(caption(1, "Yes.", final=True))
    client.speaker_labelled.emit(SpeakerLabel(1, "Anna", VOICE))
    assert shown(session) == ["Anna"]
