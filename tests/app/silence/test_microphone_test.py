"""Trying a microphone that is really there: level, three seconds, and hearing them again."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look.theme import Theme
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.silence import microphone_test
from app.silence.microphone_test import MicrophoneTest, Step
from app.sound.device_search import DeviceSearch
from engine.audio import SAMPLE_RATE_HZ, Samples
from tests.app.pulse import REFUSED, Pulse
from tests.app.tones import loudest_hertz, record_seconds, write_tone

pytestmark = pytest.mark.realtime

PATIENCE = 120_000  # milliseconds
RECORD_SECONDS = 0.5


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(PreferencesFile(tmp_path))


def prefer(settings: Settings, name: str | None) -> None:
    settings.alter(lambda all_: replace(all_, sound=replace(all_.sound, input=name)))


@pytest.fixture
def trial(
    pulse: Pulse, settings: Settings, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MicrophoneTest]:
    monkeypatch.setattr(microphone_test, "RECORD_SECONDS", RECORD_SECONDS)
    pulse.plug_in("yeti", "Yeti")
    prefer(settings, "yeti")
    search = DeviceSearch()
    made = MicrophoneTest(settings, search, Theme(qapp))
    qtbot.addWidget(made)
    with qtbot.waitSignal(search.outputs_found, timeout=PATIENCE):
        made.show()
    yield made
    made.hide()
    search.wait(120.0)


@pytest.fixture
def play(pulse: Pulse, tmp_path: Path) -> Iterator[Callable[[str, int], None]]:
    """Play a tone into a sink until the test is over: play(sink, hertz)."""
    playing: list[subprocess.Popen[bytes]] = []
    yield lambda sink, hertz: playing.append(pulse.speak(write_tone(tmp_path / f"{sink}.wav", hertz), into=sink))
    for each in playing:
        each.kill()
        each.wait()


def test_what_is_said_is_shown_recorded_and_played_back(
    trial: MicrophoneTest, play: Callable[[str, int], None], qtbot: QtBot
) -> None:
    play("yeti_cable", 440)
    qtbot.waitUntil(lambda: trial.level.newest > 0.5, timeout=PATIENCE)
    heard: list[Samples] = []
    listener = threading.Thread(target=lambda: heard.append(record_seconds("speakers.monitor", 0.3)))
    listener.start()
    with qtbot.waitSignal(trial.tried, timeout=PATIENCE):
        trial.record.click()
        assert trial.step is Step.RECORDING
    listener.join(120)
    assert loudest_hertz(heard[0]) == pytest.approx(440, abs=10)
    assert trial.step is Step.LISTENING
    assert trial.state.text() == "That sounds good."


def test_nothing_but_zeros_is_told(trial: MicrophoneTest, qtbot: QtBot) -> None:
    with qtbot.waitSignal(trial.tried, timeout=PATIENCE):
        trial.record.click()
    assert "No sound came in" in trial.state.text()


@pytest.mark.parametrize(("loudness", "verdict"), [(0.0005, "very quiet"), (0.2, "sounds good"), (3.0, "distorted")])
def test_too_quiet_and_too_loud_are_told_from_good(loudness: float, verdict: str, trial: MicrophoneTest) -> None:
    times = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    samples = np.clip(loudness * np.sin(2 * np.pi * 440 * times), -1, 1).astype(np.float32)
    assert verdict in trial._judge(samples)


def test_another_input_is_listened_to_as_soon_as_it_is_chosen(
    trial: MicrophoneTest, play: Callable[[str, int], None], settings: Settings, qtbot: QtBot
) -> None:
    play("speech", 880)
    qtbot.waitUntil(lambda: trial.level._active, timeout=PATIENCE)
    assert trial.level.newest == 0.0
    prefer(settings, None)
    qtbot.waitUntil(lambda: trial.level.newest > 0.5, timeout=PATIENCE)


def test_a_recording_can_be_left_and_made_again(trial: MicrophoneTest, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(trial.tried):
        trial.record.click()
        trial.record.click()
        assert trial.step is Step.LISTENING
    with qtbot.waitSignal(trial.tried, timeout=PATIENCE):
        trial.record.click()


def test_a_microphone_that_refuses_is_a_sentence_and_another_can_be_chosen(
    trial: MicrophoneTest, settings: Settings, qtbot: QtBot
) -> None:
    prefer(settings, REFUSED)
    qtbot.waitUntil(lambda: "cannot be opened" in trial.state.text(), timeout=PATIENCE)
    assert trial.step is Step.LISTENING
    prefer(settings, "yeti")
    with qtbot.waitSignal(trial.tried, timeout=PATIENCE):
        trial.record.click()


def test_a_microphone_that_is_unplugged_meanwhile_is_a_sentence(
    trial: MicrophoneTest, pulse: Pulse, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: trial.level._active, timeout=PATIENCE)
    pulse.ask("unload-module", "module-remap-source")
    qtbot.waitUntil(lambda: "disconnected" in trial.state.text(), timeout=PATIENCE)


def test_out_of_sight_it_listens_to_nothing(trial: MicrophoneTest, pulse: Pulse, qtbot: QtBot) -> None:
    def recorders() -> int:
        return len(pulse.ask("list", "short", "source-outputs").splitlines())

    qtbot.waitUntil(lambda: trial.level._active, timeout=PATIENCE)
    before = recorders()
    trial.hide()
    assert recorders() == before - 1


def test_devices_are_left_out_where_they_are_chosen_beside_it(
    settings: Settings, qapp: QApplication, qtbot: QtBot
) -> None:
    trial = MicrophoneTest(settings, DeviceSearch(), Theme(qapp), chooses=False)
    qtbot.addWidget(trial)
    assert not trial.input.isVisibleTo(trial)
    assert trial.record.isVisibleTo(trial)
