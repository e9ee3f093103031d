"""The window with a real engine process behind it: recording, ending, crashing, going on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.session import State
from app.history.store import HistoryStore
from app.transcript.reading_view import clock_time
from engine.audio import SAMPLE_RATE_HZ
from lab.commands.window.event_loop_watch import STALL_SECONDS, EventLoopWatch
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import MakeApplication
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say, write_wav
from tests.random_whisper import write_random_model

PATIENCE = 120_000  # milliseconds
TWO_SENTENCES = "They appear on the screen while we are speaking. Nothing leaves this computer."


def ready(application: Application, qtbot: QtBot) -> None:
    with qtbot.waitSignal(application.client.model_loaded, timeout=PATIENCE):
        pass


def finish(application: Application, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: application.session.status.state is State.FINISHED, timeout=PATIENCE)


def captioned(application: Application) -> str:
    return application.session.captions.text().replace("\n", " ")


def is_running(process_id: int | None) -> bool:
    assert process_id is not None
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_file_is_captioned_at_the_pace_of_speech(
    live: Application, speech: Speech, speech_file: Path, qtbot: QtBot
) -> None:
    ready(live, qtbot)
    states: list[State] = []
    live.session.status_changed.connect(lambda status: states.append(status.state))
    started = time.monotonic()
    live.window.open_file(speech_file)
    assert live.window.captions.transport.stop.isVisible()
    assert not live.window.captions.transport.start.isVisible()
    assert not live.window.captions.picker.isEnabled()
    finish(live, qtbot)
    assert time.monotonic() - started >= len(speech.samples) / SAMPLE_RATE_HZ
    assert captioned(live) == speech.text
    assert [state for state in (State.HEARING, State.FINISHING, State.FINISHED) if state not in states] == []
    assert live.window.captions.transport.start.isVisible()
    assert live.window.captions.picker.isEnabled()
    assert live.window.captions.transport.time.text() == clock_time(len(speech.samples) / SAMPLE_RATE_HZ)
    assert live.window.captions.stage.captions.toPlainText().replace("\n", " ") == speech.text


def test_the_status_line_names_the_model_and_measures_the_delay(
    live: Application, speech_file: Path, qtbot: QtBot
) -> None:
    assert live.window.captions.transport.state.text() == "Loading the model…"
    ready(live, qtbot)
    assert live.window.captions.transport.state.text() == "Ready"
    assert live.window.captions.transport.figures.text() == "", "for those who want details"
    live.actions.details.trigger()
    assert live.window.captions.transport.figures.text() == "scripted"
    live.window.open_file(speech_file)
    finish(live, qtbot)
    assert "s delay" in live.window.captions.transport.figures.text()


def test_a_second_file_is_a_transcript_of_its_own(live: Application, speech_file: Path, qtbot: QtBot) -> None:
    ready(live, qtbot)
    found = []
    for _ in range(2):
        live.window.open_file(speech_file)
        finish(live, qtbot)
        found.append(live.session.captions.captions)
    (first,), (second,) = found
    assert first.text == second.text
    assert first.start == second.start


def test_stopping_keeps_the_words_so_far(live: Application, tmp_path: Path, qtbot: QtBot, speech: Speech) -> None:
    ready(live, qtbot)
    silence = np.zeros(60 * SAMPLE_RATE_HZ, np.float32)
    live.window.open_file(write_wav(tmp_path / "long.wav", np.concatenate([speech.samples, silence])))
    qtbot.waitUntil(lambda: live.session.captions.rowCount() > 0, timeout=PATIENCE)
    qtbot.waitUntil(lambda: live.session.status.state is State.LISTENING, timeout=PATIENCE)
    seen = captioned(live)
    live.window.captions.transport.stop.click()
    finish(live, qtbot)
    assert captioned(live).startswith(seen) and speech.text.startswith(captioned(live)) and captioned(live)


def test_stopping_before_the_model_is_there_leaves_nothing_behind(
    live: Application, speech_file: Path, qtbot: QtBot
) -> None:
    live.window.open_file(speech_file)
    assert live.session.status.state is State.LOADING
    live.window.captions.transport.stop.click()
    assert not live.session.is_busy
    assert live.window.captions.stage.is_empty
    live.window.open_file(speech_file)
    finish(live, qtbot)
    assert live.session.captions.rowCount() == 1


def test_a_file_that_cannot_be_heard_is_a_sentence(live: Application, tmp_path: Path, qtbot: QtBot) -> None:
    ready(live, qtbot)
    bad = tmp_path / "notes.txt"
    bad.write_text("no audio")
    live.window.open_file(bad)
    qtbot.waitUntil(lambda: live.window.message.isVisible(), timeout=PATIENCE)
    assert "notes.txt cannot be opened: it is damaged, or not an audio or video file." in live.window.message.text
    assert not live.session.is_busy
    assert live.window.captions.stage.is_empty


def test_a_file_cut_short_is_captioned_and_told(live: Application, speech_file: Path, qtbot: QtBot) -> None:
    ready(live, qtbot)
    whole = speech_file.read_bytes()
    speech_file.write_bytes(whole[: len(whole) * 2 // 3])
    live.window.open_file(speech_file)
    finish(live, qtbot)
    assert captioned(live).startswith("Can you")
    live.session.noticed.emit("No loudspeaker was found. Connect one; everything goes on without sound.")
    bar = live.window.message

    def shows(words: str) -> bool:
        return bar.isVisible() and any(words in card.message.text for card in bar._cards)

    assert shows("cut short") and shows("loudspeaker"), "a lesser message does not hide it"
    speech_file.write_bytes(whole)
    live.window.open_file(speech_file)
    assert not shows("cut short"), "another recording begins"
    finish(live, qtbot)


def test_a_model_that_cannot_be_loaded_is_a_sentence(make_application: MakeApplication, qtbot: QtBot) -> None:
    application = make_application(model="/nowhere/at/all")
    application.session.prepare()
    qtbot.waitUntil(lambda: application.window.message.isVisible(), timeout=PATIENCE)
    assert "/nowhere/at/all" in application.window.message.text
    assert application.session.status.state is State.NO_MODEL
    way_out = application.window.message.way_out
    assert way_out is not None
    way_out.click()
    assert application.actions.models_page.isChecked(), "where there is another one"
    assert application.client.is_running


def test_a_real_model_runs_behind_the_window(
    make_application: MakeApplication, tmp_path: Path, speech_file: Path, qtbot: QtBot
) -> None:
    application = make_application(model=str(write_random_model(tmp_path / "tiny")))
    application.session.prepare()
    ready(application, qtbot)
    application.window.open_file(speech_file)
    with qtbot.waitSignal(application.session.finished, timeout=PATIENCE):
        pass
    assert application.window.message.text == "No speech was heard."  # random weights hear none


def test_closing_while_recording_waits_for_the_last_words_and_leaves_nothing_running(
    live: Application, speech: Speech, tmp_path: Path, qtbot: QtBot
) -> None:
    ready(live, qtbot)
    silence = np.zeros(60 * SAMPLE_RATE_HZ, np.float32)
    live.window.open_file(write_wav(tmp_path / "long.wav", np.concatenate([speech.samples, silence])))
    qtbot.waitUntil(lambda: live.session.captions.rowCount() > 0, timeout=PATIENCE)
    process_id = live.client.process_id
    with qtbot.waitSignal(live.window.left, timeout=PATIENCE):
        live.window.leave()
    assert not live.window.isVisible()
    assert not is_running(process_id)
    store = HistoryStore(live.archive.path)
    newest = store.newest()
    assert newest is not None
    kept = store.captions(newest.id)
    store.close()
    assert kept
    assert speech.text.startswith(" ".join(each.text for each in kept))


def test_a_second_request_closes_at_once(live: Application, speech_file: Path, qtbot: QtBot) -> None:
    live.window.open_file(speech_file)
    qtbot.waitUntil(lambda: live.session.status.state is State.HEARING, timeout=PATIENCE)
    live.window.leave()
    with qtbot.waitSignal(live.window.left, timeout=PATIENCE):
        live.window.leave()
    assert not live.client.is_running


@pytest.mark.realtime
def test_the_event_loop_does_not_stall_while_the_engine_computes(
    make_application: MakeApplication, tmp_path: Path, qtbot: QtBot
) -> None:
    speech = say(TWO_SENTENCES)
    application = make_application(scripted_client(speech))
    application.session.prepare()
    ready(application, qtbot)
    watch = EventLoopWatch()
    watch.start()
    application.window.open_file(write_wav(tmp_path / "two.wav", speech.samples))
    finish(application, qtbot)
    watch.stop()
    # Only the window's own work is measured: a busy machine may keep any process waiting.
    assert len(watch.work) > 20
    assert sorted(watch.work)[-1 - len(watch.work) // 100] < STALL_SECONDS
