"""Keys from anywhere as the preferences name them, and a sentence where they cannot be had."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop.hotkey import Hotkeys, parsed
from app.desktop.keys.x11 import X11Grabs
from app.preferences.paths import with_value
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from tests.app.displays import HAS_X

needs_x = pytest.mark.skipif(not HAS_X, reason="needs Xvfb and xdotool")


@pytest.fixture
def settings(tmp_path: Path, qtbot: QtBot) -> Iterator[Settings]:
    made = Settings(PreferencesFile(tmp_path))
    yield made
    made.settle()


@pytest.fixture
def hotkeys(settings: Settings, display: str) -> Iterator[Hotkeys]:
    made = Hotkeys(settings, X11Grabs())
    made.start()
    yield made
    made.stop()


def choose(settings: Settings, path: str, keys: str) -> None:
    settings.alter(lambda now: with_value(now, f"behaviour.{path}", keys))


@needs_x
def test_the_keys_of_the_preferences_start_captions_and_talk(
    hotkeys: Hotkeys, settings: Settings, qtbot: QtBot
) -> None:
    choose(settings, "hotkey", "Ctrl+Alt+E")
    choose(settings, "talk_key", "F9")
    with qtbot.waitSignal(hotkeys.captions_pressed):
        subprocess.run(["xdotool", "key", "ctrl+alt+e"], check=True)
    with qtbot.waitSignals([hotkeys.talk_pressed, hotkeys.talk_released], order="strict"):
        subprocess.run(["xdotool", "key", "F9"], check=True)
    choose(settings, "hotkey", "")
    with qtbot.assertNotEmitted(hotkeys.captions_pressed), qtbot.waitSignal(hotkeys.talk_released):
        subprocess.run(["xdotool", "key", "ctrl+alt+e", "F9"], check=True)


@needs_x
def test_a_clash_is_a_sentence_and_better_keys_take_it_back(hotkeys: Hotkeys, settings: Settings, qtbot: QtBot) -> None:
    combination = parsed("Ctrl+Alt+E")
    assert combination is not None
    with closing(X11Grabs()) as other:
        assert other.grab({"its": combination}, {}) == {}
        said: dict[str, str] = {}
        hotkeys.refused.connect(said.__setitem__)
        choose(settings, "hotkey", "Ctrl+Alt+E")
        assert said["behaviour.hotkey"] == "Another program already uses Ctrl+Alt+E. Choose other keys."
        choose(settings, "hotkey", "E")
        assert said["behaviour.hotkey"] == "E is needed for typing. Add Ctrl, Alt or Meta."
        choose(settings, "hotkey", "Ctrl+Alt+K")
        assert said == {"behaviour.hotkey": "", "behaviour.talk_key": "", "behaviour.dictation_key": ""}


def test_a_desktop_without_such_keys_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    hotkeys = Hotkeys(settings)
    assert hotkeys.obstacle == "This desktop does not offer global shortcuts to programs."
    hotkeys.start()
    choose(settings, "hotkey", "Ctrl+Alt+E")
    hotkeys.stop()
