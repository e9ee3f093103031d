"""Spoken translation in the window: on the chosen device, with its delay, and never where it would be captioned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.captions.interpreter import Interpreter
from app.captions.session import LiveSession
from app.preferences.preferences import Interpreting
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.sound.audio_sources import AudioFile, Source
from engine.audio import SAMPLE_RATE_HZ
from engine.events import SpokenTranslation
from engine.options import CaptionOptions
from tests.app.fake_player import FakePlayer
from tests.app.scripted_hearing import write_wav
from tests.app.silent_client import SilentClient

SOUND = np.ones(160, np.float32).tobytes()


class Scene:
    """An interpreter whose players a test can see."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(PreferencesFile(folder))
        self.settings.alter(lambda now: replace(now, translates=True, interpreting=Interpreting(True, "headphones")))
        self.client = SilentClient()
        self.session = LiveSession(self.client, "m", CaptionOptions())
        self.players: dict[str | None, FakePlayer] = {}
        self.behind: list[float | None] = []
        self.noticed: list[str] = []
        self.session.noticed.connect(self.noticed.append)
        self.interpreter = Interpreter(self.session, self.client, self.settings, self.player, self.session)
        self.interpreter.behind_changed.connect(self.behind.append)

    def player(self, output: str | None) -> FakePlayer:
        return self.players.setdefault(output, FakePlayer())

    def say(self, text: str = "Ja.") -> None:
        self.client.translation_spoken.emit(SpokenTranslation(1, text, SOUND, SAMPLE_RATE_HZ, 2.0, 5.0))


@pytest.fixture
def scene(qapp: QApplication, tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    scene.session.start(AudioFile(write_wav(tmp_path / "long.wav", np.zeros(SAMPLE_RATE_HZ)), "long"))
    yield scene
    scene.interpreter.shut_down()
    scene.session.shut_down()


def test_it_is_played_on_the_chosen_device_and_tells_how_far_it_is_behind(scene: Scene) -> None:
    scene.say()
    scene.say("")
    assert len(scene.players["headphones"].pieces) == 2
    assert scene.behind == [3.0]


def test_nothing_is_played_once_it_is_switched_off(scene: Scene) -> None:
    scene.say()
    scene.settings.alter(lambda now: replace(now, interpreting=Interpreting(False, "headphones")))
    assert scene.players["headphones"].closed
    scene.say()
    assert len(scene.players["headphones"].pieces) == 1
    assert scene.behind[-1] is None


def test_where_it_would_be_captioned_it_is_not_played_and_that_is_said_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def recorded(source: Source, output: str | None) -> bool:
        asked.append(output)
        return True

    monkeypatch.setattr("app.sound.own_voice.is_recorded", recorded)
    scene.say()
    scene.say()
    assert not scene.players
    assert len(scene.noticed) == 1
    assert asked == ["headphones"], "the window waits for the sound server at every sound"


def test_another_device_is_asked_about_anew(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.sound.own_voice.is_recorded", lambda source, output: output == "headphones")
    scene.say()
    scene.settings.alter(lambda now: replace(now, interpreting=Interpreting(True, "earphones")))
    scene.say()
    assert list(scene.players) == ["earphones"]


def test_a_recording_that_rests_is_not_behind(scene: Scene) -> None:
    scene.say()
    scene.session.paused.emit()
    assert scene.behind == [3.0, None]


def test_another_recording_drops_what_is_left_of_the_last(scene: Scene) -> None:
    scene.say()
    scene.session.began.emit()
    assert scene.players["headphones"].closed
