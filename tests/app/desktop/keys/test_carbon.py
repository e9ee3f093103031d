"""Global keys on macOS, as far as they can be tested without a Mac."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.desktop.hotkey import parsed
from app.desktop.keys import carbon
from app.desktop.keys.carbon import CarbonGrabs, apple_modifiers, apple_number
from app.desktop.keys.grabs import KeyRefused
from app.desktop.keys.keyboard_layout import KeyboardLayout
from tests.app.desktop.keys.test_keyboard_layout import FakeCarbon
from tests.app.sound.fake_core_audio import Functions


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A", 0),
        ("V", 9),
        ("B", 11),
        ("T", 17),
        ("1", 18),
        ("5", 23),
        ("0", 29),
        ("P", 35),
        ("L", 37),
        ("M", 46),
        ("`", 50),
    ],
)
def test_keys_have_apple_s_numbers(text: str, number: int) -> None:
    assert apple_number(Qt.Key(ord(text)), {}) == number


def test_keys_without_letters_have_them_too() -> None:
    assert [apple_number(key, {}) for key in (Qt.Key.Key_F1, Qt.Key.Key_F9, Qt.Key.Key_Space)] == [122, 101, 49]
    with pytest.raises(KeyRefused):
        apple_number(Qt.Key.Key_Kanji, {})


def test_qt_s_control_is_the_command_key() -> None:
    keys = parsed("Ctrl+Alt+E")
    assert keys is not None
    assert apple_modifiers(keys) == 0x100 | 0x800


@pytest.mark.skipif(sys.platform == "darwin", reason="there is Carbon here")
def test_without_carbon_there_are_none(qapp: object) -> None:
    with pytest.raises(OSError):
        CarbonGrabs()


ABC_QWERTZ, DVORAK = {16: "z", 6: "y"}, {44: "z", 17: "y"}


class FakeHotKeys(Functions):
    """Carbon's hot keys.

    Attributes:
        taken: Apple's numbers of the keys, by what they are given back by.
    """

    def __init__(self) -> None:
        super().__init__()
        self.taken: dict[int, int] = {}

    def answer_RegisterEventHotKey(
        self, number: int, modifiers: int, key: object, target: int, options: int, reference: Any
    ) -> int:
        reference._obj.value = 100 + self.called.count("RegisterEventHotKey")
        self.taken[reference._obj.value] = number
        return 0

    def answer_UnregisterEventHotKey(self, reference: Any) -> int:
        del self.taken[reference.value]
        return 0


def test_m6_keys_follow_their_letters_to_another_layout_of_the_same_language(
    monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    """Mac review M6: from ABC to Dvorak Qt tells of nothing, since the language stays."""
    hot_keys, layout = FakeHotKeys(), FakeCarbon(ABC_QWERTZ)
    monkeypatch.setattr(carbon, "_library", lambda: hot_keys)
    monkeypatch.setattr(carbon, "KeyboardLayout", lambda: KeyboardLayout(layout.carbon, layout.core_foundation))
    grabs = CarbonGrabs()
    keys = parsed("Meta+Alt+Z")
    assert keys is not None
    assert grabs.grab({"captions": keys}, {}) == {}
    assert list(hot_keys.taken.values()) == [16]
    layout.choose(DVORAK)
    assert list(hot_keys.taken.values()) == [44]
    grabs.close()
    assert hot_keys.taken == {} and layout.told == {}
