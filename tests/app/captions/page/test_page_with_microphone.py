"""The window listening to a real sound system's microphone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.session import State
from engine.audio import SAMPLE_RATE_HZ
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import MakeApplication
from tests.app.pulse import MICROPHONE, REFUSED, Pulse
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import write_wav

pytestmark = pytest.mark.realtime

PATIENCE = 120_000  # milliseconds


@pytest.fixture
def listening(make_application: MakeApplication, pulse: Pulse, speech: Speech, qtbot: QtBot) -> Application:
    """The app with its engine ready and the microphones found."""
    application = make_application(scripted_client(speech))
    application.session.prepare()
    with qtbot.waitSignal(application.client.model_loaded, timeout=PATIENCE):
        application.devices.start()
    qtbot.waitUntil(lambda: application.window.captions.picker.findText(MICROPHONE) >= 0, timeout=PATIENCE)
    return application


def choose(application: Application, microphone: str) -> None:
    picker = application.window.captions.picker
    picker.setCurrentIndex(picker.findText(microphone))


def reach(application: Application, state: State, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: application.session.status.state is state, timeout=PATIENCE)


def test_speech_is_noticed_and_its_level_shown(
    listening: Application, pulse: Pulse, speech: Speech, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(listening, MICROPHONE)
    listening.window.captions.stage.empty.start.click()
    reach(listening, State.LISTENING, qtbot)
    levels: list[float] = []
    meter = listening.window.captions.transport.level
    listening.session.level_measured.connect(lambda dbfs: levels.append(meter.newest))
    twice = np.concatenate([speech.samples, np.zeros(SAMPLE_RATE_HZ // 2, np.float32), speech.samples])
    speaking = pulse.speak(write_wav(tmp_path / "said.wav", twice))
    reach(listening, State.HEARING, qtbot)
    reach(listening, State.LISTENING, qtbot)
    speaking.wait()
    assert max(levels) > 0.5
    assert min(levels) < 0.1
    listening.window.captions.transport.stop.click()
    qtbot.waitUntil(lambda: not listening.session.is_busy, timeout=PATIENCE)
    assert not listening.window.message.isVisible()


def test_a_microphone_that_delivers_only_zeros_is_not_called_listening(listening: Application, qtbot: QtBot) -> None:
    choose(listening, MICROPHONE)
    listening.window.captions.stage.empty.start.click()
    reach(listening, State.NO_SOUND, qtbot)
    assert listening.window.captions.transport.state.text() == "Your microphone is silent"


def test_an_unplugged_microphone_is_a_sentence_and_the_recording_goes_on_when_it_is_back(
    listening: Application, pulse: Pulse, speech: Speech, tmp_path: Path, qtbot: QtBot
) -> None:
    window, session = listening.window, listening.session
    window.captions.stage.empty.start.click()
    reach(listening, State.LISTENING, qtbot)
    pulse.process.kill()
    pulse.process.wait()
    reach(listening, State.NO_SOURCE, qtbot)
    qtbot.waitUntil(lambda: "was disconnected" in window.message.text, timeout=PATIENCE)
    assert session.is_recording
    pulse.restart()
    reach(listening, State.LISTENING, qtbot)
    assert "is back." in window.message.text
    speaking = pulse.speak(write_wav(tmp_path / "said.wav", speech.samples))
    reach(listening, State.HEARING, qtbot)
    speaking.wait()
    window.captions.transport.stop.click()
    qtbot.waitUntil(lambda: not session.is_busy, timeout=PATIENCE)
    assert window.captions.picker.isEnabled()


def test_a_microphone_that_refuses_is_a_sentence(listening: Application, qtbot: QtBot) -> None:
    choose(listening, REFUSED)
    listening.window.captions.stage.empty.start.click()
    qtbot.waitUntil(lambda: listening.window.message.isVisible(), timeout=PATIENCE)
    assert "cannot be opened" in listening.window.message.text
    assert not listening.session.is_busy
    assert listening.window.captions.stage.is_empty


def test_opening_the_list_finds_new_microphones(listening: Application, qtbot: QtBot) -> None:
    listening.window.captions.show_microphones(())
    assert listening.window.captions.picker.source is None
    listening.window.captions.picker.opened.emit()
    qtbot.waitUntil(lambda: listening.window.captions.picker.findText(MICROPHONE) >= 0, timeout=PATIENCE)
