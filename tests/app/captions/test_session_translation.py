"""A live session that translates: what the engine is asked for, when it crashes and when choices change."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.session import LiveSession, State
from app.sound.audio_sources import AudioFile
from engine.audio import SAMPLE_RATE_HZ
from engine.events import Caption
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import Command, Finish, Load, Start, Translate, TranslateAlso, TranslationChoice
from tests.app.made_captions import caption, translation
from tests.app.scripted_engine import planted_client
from tests.app.scripted_hearing import write_wav
from tests.app.silent_client import SilentClient
from tests.hear.planted import numbered, plant

PATIENCE = 120_000  # milliseconds
GERMAN = TranslationChoice(TranslationOptions("de"), "l")
FRENCH = TranslationChoice(TranslationOptions("fr"), "l")


@pytest.fixture
def client(qapp: QApplication) -> SilentClient:
    return SilentClient()


@pytest.fixture
def session(client: SilentClient, tmp_path: Path) -> Iterator[LiveSession]:
    """A session that captions a file and translates; nothing has been sent yet but its start."""
    session = LiveSession(client, "m", CaptionOptions(), translation=GERMAN)
    session.start(AudioFile(write_wav(tmp_path / "long.wav", np.zeros(60 * SAMPLE_RATE_HZ)), "long"))
    (start,) = client.take()
    assert isinstance(start, Start)
    assert start.translation == GERMAN
    yield session
    session.shut_down()


def said(session: LiveSession, client: SilentClient) -> None:
    """Emit one caption with its final translation, one with an unfinished translation, and one that is still open."""
    client.caption_changed.emit(caption(1, "One.", final=True))
    client.translation_changed.emit(translation(1, "Eins.", final=True))
    client.caption_changed.emit(caption(2, "Two.", start=2.0, final=True))
    client.translation_changed.emit(translation(2, "Zw", hidden="ei"))
    client.caption_changed.emit(caption(3, "Three", pending="four", start=4.0))


def also(command: Command) -> list[tuple[int, str]]:
    assert isinstance(command, TranslateAlso)
    assert all(each.final for each in command.captions)
    return [(each.id, each.text) for each in command.captions]


def test_models_are_loaded_ahead_and_a_choice_loads_its_own(client: SilentClient) -> None:
    session = LiveSession(client, "m", CaptionOptions(), translation=GERMAN)
    session.prepare()
    session.translate(FRENCH)
    session.translate(FRENCH)
    session.translate(None)
    assert client.take() == [Load("m", GERMAN), Load("m", FRENCH), Load("m", None)]


def test_a_new_engine_translates_what_the_old_one_left_untranslated(session: LiveSession, client: SilentClient) -> None:
    said(session, client)
    client.crashed.emit()
    start, rest = client.take()
    assert isinstance(start, Start)
    assert start.translation == GERMAN
    (side,) = start.sides
    assert side.begun is not None
    assert (side.begun.id, side.begun.text, side.begun.pending) == (3, "Three", ())
    assert [word.text for word in side.known] == [" One.", " Two.", " Three"]
    assert start.first_id == 4
    assert also(rest) == [(2, "Two.")]
    assert isinstance(rest, TranslateAlso)
    for each in rest.captions:
        made = translation(each.id, each.text.upper(), revision=each.revision, final=True)
        client.translation_changed.emit(made)
    assert [(each.id, each.text) for each in session.captions.final_translations()] == [(1, "Eins."), (2, "TWO.")]
    client.caption_changed.emit(caption(3, "Three more.", revision=2, final=True))
    client.translation_changed.emit(translation(3, "DREI MEHR.", revision=2, final=True))
    assert [each.text for each in session.captions.final_captions()] == ["One.", "Two.", "Three more."]
    assert [each.text for each in session.captions.final_translations()] == ["Eins.", "TWO.", "DREI MEHR."]
    client.crashed.emit()
    (start,) = client.take()
    assert isinstance(start, Start), "nothing is left"
    assert start.sides[0].begun is None


def test_without_translation_a_new_engine_is_asked_for_none(session: LiveSession, client: SilentClient) -> None:
    session.translate(None)
    said(session, client)
    client.take()
    client.crashed.emit()
    (start,) = client.take()
    assert isinstance(start, Start)
    assert start.translation is None


def test_a_change_translates_what_waits_the_new_way_and_leaves_what_is_done(
    session: LiveSession, client: SilentClient
) -> None:
    said(session, client)
    session.translate(FRENCH)
    change, rest = client.take()
    assert change == Translate(FRENCH)
    assert also(rest) == [(2, "Two.")], "the open caption comes by itself"
    client.translation_changed.emit(translation(2, "Zwei.", final=True))  # was under way
    client.translation_changed.emit(translation(2, "Deux.", final=True, language="fr"))
    assert [each.text for each in session.captions.final_translations()][:2] == ["Eins.", "Deux."]


def test_ending_at_once_tells_that_translations_are_missing(
    session: LiveSession, client: SilentClient, qtbot: QtBot
) -> None:
    said(session, client)
    client.crashed.emit()
    with qtbot.waitSignal(session.noticed) as noticed:
        session.stop()
    assert noticed.args is not None
    assert "have no translation" in noticed.args[0]
    assert session.status.state is State.FINISHED


def test_ending_at_once_with_all_translated_tells_nothing(
    session: LiveSession, client: SilentClient, qtbot: QtBot
) -> None:
    client.caption_changed.emit(caption(1, "One.", final=True))
    client.translation_changed.emit(translation(1, "Eins.", final=True))
    client.crashed.emit()
    with qtbot.assertNotEmitted(session.noticed):
        session.stop()


def test_a_second_recording_expects_translations_of_its_own_captions_alone(
    session: LiveSession, client: SilentClient, tmp_path: Path
) -> None:
    client.caption_changed.emit(caption(1, "One.", final=True))
    client.session_finished.emit(None)
    session.start(AudioFile(tmp_path / "long.wav", "long"))
    assert cast("Start", client.take()[0]).first_id == 2
    client.caption_changed.emit(caption(2, "Two.", final=True))
    client.crashed.emit()
    _, rest = client.take()
    assert also(rest) == [(2, "Two.")]


def test_a_killed_engine_loses_no_translation(qapp: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    words = numbered([(0.3 * i + 0.05, 0.3 * i + 0.3) for i in range(1, 14)])
    words = [replace(word, text=word.text + "." * (number % 3 == 0)) for number, word in enumerate(words, 1)]
    client = planted_client(words)
    session = LiveSession(client, "m", CaptionOptions(voice_gate=False), translation=GERMAN)
    session.prepare()
    session.start(AudioFile(write_wav(tmp_path / "words.wav", plant(words, 4.5), subtype="FLOAT"), "words"))
    qtbot.waitUntil(lambda: "w5" in session.captions.text(), timeout=PATIENCE)
    assert client.process_id is not None
    with qtbot.waitSignal(client.crashed, timeout=PATIENCE):
        os.kill(client.process_id, signal.SIGKILL)
    qtbot.waitUntil(lambda: session.status.state is State.FINISHED, timeout=PATIENCE)
    captions: tuple[Caption, ...] = session.captions.captions
    assert " ".join(each.text for each in captions) == "".join(word.text for word in words).strip()
    translated = {each.id: each for each in session.captions.translations}
    assert [translated[each.id].text for each in captions] == [each.text.upper() for each in captions]
    assert all(each.final for each in translated.values())
    session.shut_down()


def test_finishing_is_asked_for_after_what_is_left_when_the_audio_is_over(
    session: LiveSession, client: SilentClient, qtbot: QtBot
) -> None:
    client.session_started.emit()
    said(session, client)
    session.stop()
    qtbot.waitUntil(lambda: session.status.state is State.FINISHING, timeout=PATIENCE)
    assert client.take() == [Finish()]
    client.crashed.emit()
    assert [type(command) for command in client.take()] == [Start, TranslateAlso, Finish]


@pytest.mark.parametrize("engine_stopped", [True, False])
def test_finishing_is_asked_for_once_however_long_the_thread_of_the_audio_lives(
    client: SilentClient, tmp_path: Path, qtbot: QtBot, engine_stopped: bool
) -> None:
    told, go = threading.Event(), threading.Event()

    def linger() -> None:
        told.set()
        go.wait(PATIENCE / 1000)

    session = LiveSession(client, "m", CaptionOptions())
    session.start(AudioFile(write_wav(tmp_path / "short.wav", np.zeros(SAMPLE_RATE_HZ)), "short"))
    assert session._feed is not None
    session._feed._feeds[0].ended.connect(linger, Qt.ConnectionType.DirectConnection)
    client.session_started.emit()
    while engine_stopped and session.status.state is not State.ENGINE_STOPPED:
        client.crashed.emit()
    assert told.wait(PATIENCE / 1000)
    if engine_stopped:  # what the thread has told is heard while there is no engine
        qtbot.waitUntil(lambda: session._feed is not None and session._feed.is_over, timeout=PATIENCE)
    client.take()
    session.restart_engine()
    if not engine_stopped:  # it is told, and not heard yet
        assert [type(command) for command in client.take()] == [Start]
        qtbot.waitUntil(lambda: bool(client.sent), timeout=PATIENCE)
        assert client.take() == [Finish()]
    assert [type(command) for command in client.take()] == ([Start, Finish] if engine_stopped else [])
    go.set()
    session.shut_down()
