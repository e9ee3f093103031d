"""What can be told of macOS's keys without a Mac."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt

from app.desktop.hotkey import parsed
from app.desktop.keys.carbon import CarbonGrabs, apple_modifiers, apple_number
from app.desktop.keys.grabs import KeyRefused


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
