"""Keys from anywhere on a real X server, pressed by another program."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from app.desktop.hotkey import parsed
from app.desktop.keys.grabs import KeyRefused, Refusal
from app.desktop.keys.x11 import X11Grabs, keysym, modifiers
from tests.app.displays import HAS_X

pytestmark = pytest.mark.skipif(not HAS_X, reason="needs Xvfb and xdotool")


@pytest.fixture
def grabs(display: str, qtbot: QtBot) -> Iterator[X11Grabs]:
    made = X11Grabs()
    yield made
    made.close()


def keys(text: str) -> QKeyCombination:
    combination = parsed(text)
    assert combination is not None
    return combination


def xdotool(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True)


def test_keys_pressed_elsewhere_are_told(grabs: X11Grabs, qtbot: QtBot) -> None:
    assert grabs.grab({"captions": keys("Ctrl+Alt+E"), "talk": keys("F9")}, {}) == {}
    with qtbot.waitSignal(grabs.released) as up, qtbot.waitSignal(grabs.pressed) as down:
        xdotool("key", "ctrl+alt+e")
    assert down.args == up.args == ["captions"]
    with qtbot.waitSignal(grabs.pressed) as down:
        xdotool("keydown", "F9")
    with qtbot.waitSignal(grabs.released) as up:
        xdotool("keyup", "F9")
    assert down.args == up.args == ["talk"]


def test_keys_work_with_num_lock_and_caps_lock_on(grabs: X11Grabs, qtbot: QtBot) -> None:
    grabs.grab({"captions": keys("Ctrl+Alt+E")}, {})
    xdotool("key", "Num_Lock")
    xdotool("key", "Caps_Lock")
    with qtbot.waitSignal(grabs.pressed):
        xdotool("key", "ctrl+alt+e")


def test_a_held_key_is_pressed_once(grabs: X11Grabs, qtbot: QtBot) -> None:
    grabs.grab({"talk": keys("F9")}, {})
    presses: list[str] = []
    grabs.pressed.connect(presses.append)
    with qtbot.waitSignal(grabs.released):
        xdotool("keydown", "F9", "sleep", "1.1", "keyup", "F9")  # X repeats a key after 0.66 s
    assert presses == ["talk"]


def test_a_key_is_released_when_its_modifiers_went_up_first(grabs: X11Grabs, qtbot: QtBot) -> None:
    grabs.grab({"talk": keys("Ctrl+Alt+E")}, {})
    with qtbot.waitSignal(grabs.released):
        xdotool("keydown", "ctrl", "keydown", "alt", "keydown", "e", "keyup", "ctrl", "keyup", "alt", "keyup", "e")


def test_keys_that_another_program_has_are_refused_and_left_to_it(grabs: X11Grabs, qtbot: QtBot) -> None:
    other = X11Grabs()
    assert other.grab({"its": keys("Ctrl+Alt+E")}, {}) == {}
    assert grabs.grab({"captions": keys("Ctrl+Alt+E"), "talk": keys("Ctrl+Alt+T")}, {}) == {"captions": Refusal.TAKEN}
    with qtbot.waitSignal(other.pressed):
        xdotool("key", "ctrl+alt+e")
    with qtbot.waitSignal(grabs.pressed) as down:
        xdotool("key", "ctrl+alt+t")
    assert down.args == ["talk"]
    other.close()
    assert grabs.grab({"captions": keys("Ctrl+Alt+E")}, {}) == {}


def test_the_same_keys_twice_are_refused(grabs: X11Grabs) -> None:
    assert grabs.grab({"captions": keys("F9"), "talk": keys("F9")}, {}) == {"talk": Refusal.TAKEN}


def test_keys_that_are_needed_for_writing_are_refused(grabs: X11Grabs) -> None:
    wanted = {"captions": keys("E"), "talk": keys("Shift+E")}
    assert grabs.grab(wanted, {}) == dict.fromkeys(wanted, Refusal.NEEDS_MODIFIER)


def test_keys_that_were_given_back_are_quiet(grabs: X11Grabs, qtbot: QtBot) -> None:
    grabs.grab({"captions": keys("Ctrl+Alt+E")}, {})
    grabs.grab({"talk": keys("F9")}, {})
    with qtbot.assertNotEmitted(grabs.pressed):
        xdotool("key", "ctrl+alt+e")
    with qtbot.waitSignal(grabs.pressed) as down:
        xdotool("key", "F9")
    assert down.args == ["talk"]


def test_a_key_that_is_down_when_it_is_given_back_is_released(grabs: X11Grabs, qtbot: QtBot) -> None:
    grabs.grab({"talk": keys("F9")}, {})
    with qtbot.waitSignal(grabs.pressed):
        xdotool("keydown", "F9")
    with qtbot.waitSignal(grabs.released):
        grabs.grab({}, {})
    xdotool("keyup", "F9")


def test_without_a_display_there_are_none(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    with pytest.raises(OSError, match="no X display"):
        X11Grabs()


def test_keys_have_the_numbers_that_x_gives_them() -> None:
    assert keysym(Qt.Key.Key_E) == ord("e")
    assert keysym(Qt.Key.Key_F12) == 0xFFC9
    assert keysym(Qt.Key.Key_Odiaeresis) == 0xF6
    assert modifiers(keys("Ctrl+Shift+Meta+Space")) == 1 | 4 | 64
    with pytest.raises(KeyRefused):
        keysym(Qt.Key.Key_Kanji)


def test_text_that_names_no_keys_is_none() -> None:
    assert parsed("") is None
    assert parsed("Ctrl+A, Ctrl+B") is None
    assert QKeySequence(keys("Ctrl+Alt+E")).toString() == "Ctrl+Alt+E"
