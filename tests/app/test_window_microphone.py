"""The window listening to a real sound system's microphone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.live_session import State
from engine.audio import SAMPLE_RATE_HZ
from engine.recipes.espeak import Speech
from tests.app.conftest import MakeApplication
from tests.app.pulse import MICROPHONE, REFUSED, Pulse, private_pulse
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import write_wav

pytestmark = pytest.mark.realtime

PATIENCE = 30_000  # milliseconds


@pytest.fixture
def pulse(tmp_path: Path) -> Iterator[Pulse]:
    folder = tmp_path / "pulse"
    folder.mkdir()
    with private_pulse(folder) as running:
        yield running


@pytest.fixture
def listening(make_application: MakeApplication, pulse: Pulse, speech: Speech, qtbot: QtBot) -> Application:
    """The app with its engine ready and the microphones found."""
    application = make_application(scripted_client(speech))
    application.session.prepare()
    with qtbot.waitSignal(application.client.model_loaded, timeout=PATIENCE):
        application.devices.start()
    qtbot.waitUntil(lambda: application.window.picker.findText(MICROPHONE) >= 0, timeout=PATIENCE)
    return application


def choose(application: Application, microphone: str) -> None:
    picker = application.window.picker
    picker.setCurrentIndex(picker.findText(microphone))


def reach(application: Application, state: State, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: application.session.status.state is state, timeout=PATIENCE)


def test_speech_is_noticed_and_its_level_shown(
    listening: Application, pulse: Pulse, speech: Speech, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(listening, MICROPHONE)
    listening.window.stage.empty.start.click()
    reach(listening, State.LISTENING, qtbot)
    levels: list[float] = []
    listening.session.level_measured.connect(lambda dbfs: levels.append(listening.window.transport.level.newest))
    twice = np.concatenate([speech.samples, np.zeros(SAMPLE_RATE_HZ // 2, np.float32), speech.samples])
    speaking = pulse.speak(write_wav(tmp_path / "said.wav", twice))
    reach(listening, State.HEARING, qtbot)
    reach(listening, State.LISTENING, qtbot)
    speaking.wait()
    assert max(levels) > 0.5
    assert min(levels) < 0.1
    listening.window.transport.stop.click()
    qtbot.waitUntil(lambda: not listening.session.is_busy, timeout=PATIENCE)
    assert not listening.window.message.isVisible()


def test_a_microphone_that_delivers_only_zeros_is_not_called_listening(listening: Application, qtbot: QtBot) -> None:
    choose(listening, MICROPHONE)
    listening.window.stage.empty.start.click()
    reach(listening, State.NO_SOUND, qtbot)
    assert listening.window.transport.state.text() == "No sound is coming in"


def test_an_unplugged_microphone_is_a_sentence_and_ends_the_recording(
    listening: Application, pulse: Pulse, qtbot: QtBot
) -> None:
    listening.window.stage.empty.start.click()
    reach(listening, State.LISTENING, qtbot)
    pulse.process.kill()
    qtbot.waitUntil(lambda: listening.window.message.isVisible(), timeout=PATIENCE)
    assert "stopped delivering sound" in listening.window.message.text
    qtbot.waitUntil(lambda: not listening.session.is_busy, timeout=PATIENCE)
    assert listening.window.picker.isEnabled()


def test_a_microphone_that_refuses_is_a_sentence(listening: Application, qtbot: QtBot) -> None:
    choose(listening, REFUSED)
    listening.window.stage.empty.start.click()
    qtbot.waitUntil(lambda: listening.window.message.isVisible(), timeout=PATIENCE)
    assert "cannot be opened" in listening.window.message.text
    assert not listening.session.is_busy
    assert listening.window.stage.is_empty


def test_opening_the_list_finds_new_microphones(listening: Application, qtbot: QtBot) -> None:
    listening.window.show_microphones(())
    assert listening.window.picker.source is None
    listening.window.picker.opened.emit()
    qtbot.waitUntil(lambda: listening.window.picker.findText(MICROPHONE) >= 0, timeout=PATIENCE)
