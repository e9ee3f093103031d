"""The demo, on the command line and in the window: it is heard while it is captioned, can be muted, and ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app import application as shell
from app.application import Application
from app.captions.state import State
from app.history.records import Session
from app.preferences.preferences import HistoryOptions
from app.sound import audio_sources, playback
from app.sound.audio_devices import InputDevice
from app.sound.audio_sources import Microphone
from app.sound.output_devices import LoudspeakerUnavailable
from app.terminal import caption_run
from app.terminal.cli import main
from engine.audio import SAMPLE_RATE_HZ
from engine.audio.source import read_audio
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import SHORT, MakeApplication
from tests.app.fake_player import FakePlayer
from tests.app.made_captions import caption
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import scripted, write_wav

PATIENCE = 30_000  # milliseconds


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> FakePlayer:
    made = FakePlayer()
    monkeypatch.setattr(playback, "Player", lambda *device: made)
    return made


@pytest.fixture
def short_demo(speech: Speech, speech_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A demo of one short sentence, which a scripted recognizer hears."""
    monkeypatch.setattr(audio_sources, "demo_clip", lambda: speech_file)
    monkeypatch.setattr(shell, "demo_clip", lambda: speech_file)
    monkeypatch.setattr(caption_run, "load_recognizer", lambda model: lambda options: scripted(speech))
    return speech_file


def test_on_the_command_line_it_is_heard(
    short_demo: Path, player: FakePlayer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo"]) == 0
    assert capsys.readouterr().out == SHORT + "\n"
    assert sum(map(len, player.pieces)) == len(read_audio(short_demo))
    assert player.closed


@pytest.mark.parametrize("flag", ["--silent", "--fast"])
@pytest.mark.usefixtures("short_demo")
def test_it_can_be_silent(flag: str, player: FakePlayer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", flag]) == 0
    assert capsys.readouterr().out == SHORT + "\n"
    assert player.pieces == []


@pytest.mark.usefixtures("short_demo")
def test_without_a_loudspeaker_a_line_says_so_and_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(playback, "Player", lambda: FakePlayer(LoudspeakerUnavailable("No loudspeaker was found.")))
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert out == SHORT + "\n"
    assert err.startswith("earshot: No loudspeaker was found.\n")


def test_silence_in_the_window_is_chosen_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--window", "--silent"]) == 2
    assert "a button to mute the demo" in capsys.readouterr().err


@pytest.fixture
def app(short_demo: Path, make_application: MakeApplication, speech: Speech, qtbot: QtBot) -> Application:
    made = make_application(scripted_client(speech))
    with qtbot.waitSignal(made.client.model_loaded, timeout=PATIENCE):
        made.session.prepare()
    return made


def play(app: Application, qtbot: QtBot) -> None:
    app.actions.demo.trigger()
    qtbot.waitUntil(lambda: app.session.status.state in (State.LISTENING, State.HEARING), timeout=PATIENCE)


def finish(app: Application, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: app.session.status.state in (State.FINISHED, State.IDLE), timeout=PATIENCE)
    assert not app.session.is_busy


def test_in_the_window_it_is_heard_to_its_end(
    short_demo: Path, app: Application, player: FakePlayer, qtbot: QtBot
) -> None:
    app.actions.demo.trigger()
    finish(app, qtbot)
    assert app.session.captions.text() == SHORT
    assert sum(map(len, player.pieces)) == len(read_audio(short_demo)) and player.closed


def test_in_the_window_it_can_be_muted_beside_stop(
    short_demo: Path, app: Application, player: FakePlayer, speech: Speech, qtbot: QtBot
) -> None:
    write_wav(short_demo, np.concatenate([speech.samples, np.zeros(120 * SAMPLE_RATE_HZ, np.float32)]))
    button = app.captions_page.transport.mute
    assert not button.isVisible()
    play(app, qtbot)
    qtbot.waitUntil(lambda: len(player.pieces) > 0, timeout=PATIENCE)
    assert button.isVisible() and not button.isChecked()
    button.click()
    assert button.isChecked()
    qtbot.waitUntil(lambda: player.stops == 1, timeout=PATIENCE)
    played = len(player.pieces)
    app.actions.mute.trigger()
    qtbot.waitUntil(lambda: len(player.pieces) > played, timeout=PATIENCE)
    app.actions.mute.trigger()
    qtbot.waitUntil(lambda: player.stops == 2, timeout=PATIENCE)
    played = len(player.pieces)
    app.actions.stop.trigger()
    finish(app, qtbot)
    assert player.closed and not button.isVisible()
    play(app, qtbot)
    app.actions.stop.trigger()
    finish(app, qtbot)
    assert len(player.pieces) == played  # it stays muted until it is let be heard again


def test_in_the_window_a_missing_loudspeaker_is_a_message_and_captions_go_on(
    app: Application, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(playback, "Player", lambda device: FakePlayer(LoudspeakerUnavailable("No loudspeaker here.")))
    told: list[str] = []
    app.captions_page.problem_found.connect(lambda text, way_out: told.append(text))
    app.actions.demo.trigger()
    finish(app, qtbot)
    assert app.session.captions.text() == SHORT
    assert told == ["No loudspeaker here."]
    assert not app.window.message.isVisible(), "it held for the demo alone"


def test_a_file_is_played_too_with_its_length_beside_the_time(
    app: Application, player: FakePlayer, speech_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    own = tmp_path / "own.wav"
    write_wav(own, np.concatenate([read_audio(speech_file), np.zeros(120 * SAMPLE_RATE_HZ, np.float32)]))
    app.window.open_file(own)
    transport = app.captions_page.transport
    qtbot.waitUntil(lambda: len(player.pieces) > 0 and transport.mute.isVisible(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: transport.time.text().endswith(" / 2:00"), timeout=PATIENCE)
    app.actions.stop.trigger()
    finish(app, qtbot)
    assert transport.time.text().count("/") == 0


@pytest.mark.usefixtures("player")
def test_it_ends_its_session_and_the_microphone_is_next(
    app: Application, speech_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    page = app.captions_page
    page.show_microphones((InputDevice(0, "default", True),))
    app.actions.demo.trigger()
    finish(app, qtbot)
    assert app.session.captions.text() == SHORT, "it can be read"
    assert sessions(app, qtbot) == [], "and is not kept"
    assert page.picker.source == Microphone(None, "Default microphone")
    own = tmp_path / "own.wav"
    own.write_bytes(speech_file.read_bytes())
    app.window.open_file(own)
    assert app.session.captions.rowCount() == 0, "another session begins"
    finish(app, qtbot)
    assert app.session.captions.text() == SHORT
    assert page.picker.source == Microphone(None, "Default microphone")
    assert [(each.title, each.source) for each in sessions(app, qtbot)] == [("own.wav", "own.wav")]


def sessions(app: Application, qtbot: QtBot) -> list[Session]:
    answers: list[tuple[Session, ...]] = []
    app.archive.ask(lambda store: store.sessions(), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=PATIENCE)
    return list(answers[0])


@pytest.mark.usefixtures("player", "short_demo")
def test_what_a_microphone_heard_stays_where_the_history_does_not_keep_it(
    make_application: MakeApplication, speech: Speech, qtbot: QtBot
) -> None:
    app = make_application(scripted_client(speech, start_seconds=1.0))
    with qtbot.waitSignal(app.client.model_loaded, timeout=PATIENCE):
        app.session.prepare()
    app.session.captions.show(caption(1, "Good morning.", final=True))  # until 0.8 s: the demo begins behind it
    app.settings.alter(lambda now: replace(now, history=HistoryOptions(keeps=False)))
    app.actions.demo.trigger()
    finish(app, qtbot)
    assert app.session.captions.text() == f"Good morning.\n{SHORT}"
