"""A recording that is paused and goes on: one transcript, one session in the history, one sound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.session import State
from app.history.kept.audio_files import audio_folder, audio_from
from app.history.store import HistoryStore
from app.preferences.paths import with_value
from engine.audio import SAMPLE_RATE_HZ
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import SHORT
from tests.app.scripted_hearing import say, write_wav

PATIENCE = 120_000  # milliseconds
SILENCE_SECONDS = 4.0


@pytest.fixture
def speech() -> Speech:
    """A sentence, silence, and the sentence again."""
    one = say(SHORT)
    silence = np.zeros(round(SILENCE_SECONDS * SAMPLE_RATE_HZ), np.float32)
    before = (len(one.samples) + len(silence)) / SAMPLE_RATE_HZ
    again = tuple((start + before, end + before) for start, end in one.words)
    samples = np.concatenate([one.samples, silence, one.samples, silence])
    return replace(one, text=f"{SHORT} {SHORT}", words=(*one.words, *again), samples=samples)


@pytest.fixture
def paused(live: Application, speech: Speech, tmp_path: Path, qtbot: QtBot) -> Application:
    """The app, with the recording paused after the first sentence."""
    live.settings.alter(lambda now: with_value(now, "history.audio", True))
    qtbot.waitSignal(live.client.model_loaded, timeout=PATIENCE).wait()
    live.window.open_file(write_wav(tmp_path / "talk.wav", speech.samples))
    reach(live, State.HEARING, qtbot)
    reach(live, State.LISTENING, qtbot)
    with qtbot.waitSignal(live.session.paused, timeout=PATIENCE):
        live.captions_page.transport.pause.click()
    return live


def reach(application: Application, state: State, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: application.session.status.state is state, timeout=PATIENCE)


def test_a_paused_recording_says_so_and_can_go_on_or_end(paused: Application) -> None:
    transport, actions = paused.captions_page.transport, paused.actions
    assert transport.state.text() == "Paused"
    assert transport.pause.text() == "&Go on" and transport.pause.isVisible() and transport.stop.isVisible()
    assert actions.start.isEnabled() and actions.stop.isEnabled()
    assert not paused.captions_page.picker.isEnabled() and not actions.new.isEnabled()
    assert paused.desktop.tray.tool_tip == "Earshot"
    assert paused.session.captions.text() == SHORT, "the last words have come"


@pytest.mark.parametrize("way", ["button", "start", "hotkey"])
def test_what_is_said_before_and_after_a_pause_is_one_session_with_one_sound(
    paused: Application, speech: Speech, way: str, qtbot: QtBot
) -> None:
    ways = {
        "button": paused.captions_page.transport.pause.click,
        "start": paused.actions.start.trigger,
        "hotkey": lambda: paused.desktop.hotkeys.captions_pressed.emit(),
    }
    times: list[str] = [paused.captions_page.transport.time.text()]
    ways[way]()
    assert paused.session.is_recording
    reach(paused, State.FINISHED, qtbot)
    assert paused.session.captions.text().split("\n") == [SHORT, SHORT]
    assert paused.captions_page.transport.time.text() > times[0] > "0:00", "the clock goes on where it was"
    paused.window.leave()
    store = HistoryStore(paused.archive.path)
    (session,) = store.sessions()
    kept, shown = store.captions(session.id), store.shown(session.id)
    store.close()
    assert [each.text for each in kept] == [SHORT, SHORT]
    assert kept[1].start == pytest.approx(speech.words[len(SHORT.split())][0], abs=0.5)
    assert all(at is not None and abs(at - kept[1].end) < 60 for at in shown[kept[1].id])
    ((at, then),) = session.resumed
    assert kept[0].end <= at <= kept[1].start
    assert then >= session.began + at
    sound = np.concatenate(list(audio_from(audio_folder(paused.archive.path) / session.audio, 0.0)))
    assert len(sound) == pytest.approx(len(speech.samples), abs=SAMPLE_RATE_HZ / 5)


def test_a_paused_recording_can_end_without_going_on(paused: Application, qtbot: QtBot) -> None:
    with qtbot.waitSignal(paused.session.finished):
        paused.captions_page.transport.stop.click()
    assert paused.session.status.state is State.FINISHED
    assert not paused.session.is_busy and not paused.captions_page.transport.pause.isVisible()
    assert paused.captions_page.picker.isEnabled()


def test_stopping_while_the_words_before_a_pause_still_come_ends_the_recording(
    live: Application, speech: Speech, tmp_path: Path, qtbot: QtBot
) -> None:
    qtbot.waitSignal(live.client.model_loaded, timeout=PATIENCE).wait()
    live.window.open_file(write_wav(tmp_path / "talk.wav", speech.samples))
    reach(live, State.HEARING, qtbot)
    with qtbot.waitSignal(live.session.finished, timeout=PATIENCE):
        live.session.pause()
        live.session.stop()
    assert not live.session.is_paused


def test_an_app_that_is_left_while_paused_keeps_the_session(paused: Application, qtbot: QtBot) -> None:
    with qtbot.waitSignal(paused.window.left, timeout=PATIENCE):
        paused.window.leave()
    store = HistoryStore(paused.archive.path)
    (session,) = store.sessions()
    store.close()
    assert session.ended is not None and not session.crashed


def test_the_overlay_s_menu_pauses_and_stops(application: Application) -> None:
    offered = application.desktop.overlay.controls.menu.actions()
    assert offered[:2] == [application.actions.pause, application.actions.stop]
