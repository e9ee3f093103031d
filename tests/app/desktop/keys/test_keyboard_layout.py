"""Letters have their places by the layout that is chosen, read through calls like the system's own."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int32, c_uint8, c_uint16, c_uint32, c_ulong, c_void_p
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.desktop.hotkey import parsed
from app.desktop.keys.carbon import apple_number, refuse_option_alone
from app.desktop.keys.grabs import KeyRefused, Refusal
from app.desktop.keys.keyboard_layout import KeyboardLayout

SOURCE, DATA, LAYOUT, PROPERTY, CENTER, CHANGED = 11, 22, 33, 44, 55, 66
QWERTZ = {0: "a", 6: "y", 16: "z", 18: "1", 27: "ß", 41: "ö", 10: "^", 49: " ", 36: "\r"}
AZERTY = {12: "a", 0: "q", 18: "&"}


class FakeCarbon:
    """A keyboard layout behind the calls of Carbon and Core Foundation, which arrive as C makes them.

    Attributes:
        written: what each key writes.
        released: what was given back.
        told: who is told of another layout, by who asked.
    """

    def __init__(self, written: dict[int, str]) -> None:
        self.released: list[int] = []
        self.told: dict[int, Any] = {}
        word = c_void_p
        translated = (word, c_uint16, c_uint16, c_uint32, c_uint32, c_uint32)
        answered = (POINTER(c_uint32), c_ulong, POINTER(c_ulong), POINTER(c_uint16))
        self.written = written
        self.carbon: Any = SimpleNamespace(
            layout_property=PROPERTY,
            layout_changed=CHANGED,
            TISCopyCurrentASCIICapableKeyboardLayoutInputSource=ctypes.CFUNCTYPE(word)(lambda: SOURCE),
            TISGetInputSourceProperty=ctypes.CFUNCTYPE(word, word, word)(self._property),
            LMGetKbdType=ctypes.CFUNCTYPE(c_uint8)(lambda: 40),
            UCKeyTranslate=ctypes.CFUNCTYPE(c_int32, *translated, *answered)(self._translate),
        )
        self.core_foundation: Any = SimpleNamespace(
            CFDataGetBytePtr=ctypes.CFUNCTYPE(word, word)(lambda data: LAYOUT if data == DATA else 0),
            CFRelease=ctypes.CFUNCTYPE(None, word)(self.released.append),
            CFNotificationCenterGetDistributedCenter=ctypes.CFUNCTYPE(word)(lambda: CENTER),
            CFNotificationCenterAddObserver=self._observe,
            CFNotificationCenterRemoveEveryObserver=lambda center, observer: self.told.pop(observer),
        )

    def _observe(self, center: int, observer: int, callback: Any, name: int, thing: None, when: int) -> None:
        assert (center, name, thing, when) == (CENTER, CHANGED, None, 4)
        self.told[observer] = callback

    def choose(self, written: dict[int, str]) -> None:
        """Choose another layout, and notify its observers."""
        self.written = written
        for observer, callback in list(self.told.items()):
            callback(CENTER, observer, CHANGED, None, None)

    def _property(self, source: int, wanted: int) -> int:
        return DATA if (source, wanted) == (SOURCE, PROPERTY) else 0

    def _translate(self, layout: int, place: int, action: int, held: int, kind: int, options: int, *answer: Any) -> int:
        assert (layout, action, held, kind, options) == (LAYOUT, 3, 0, 40, 1)
        _dead, room, count, text = answer
        letters = self.written.get(place, "")
        assert len(letters) <= room
        count[0] = len(letters)
        for at, letter in enumerate(letters):
            text[at] = ord(letter)
        return 0


def places(written: dict[int, str]) -> dict[str, int]:
    fake = FakeCarbon(written)
    read = KeyboardLayout(fake.carbon, fake.core_foundation).places()
    assert fake.released == [SOURCE]
    return read


def test_the_letter_counts_and_not_its_place() -> None:
    german = places(QWERTZ)
    assert apple_number(Qt.Key.Key_Z, german) == 16
    assert apple_number(Qt.Key.Key_Y, german) == 6
    assert apple_number(Qt.Key.Key_Odiaeresis, german) == 41
    assert apple_number(Qt.Key.Key_Z, {}) == 6, "an American keyboard's where no layout can be read"
    assert apple_number(Qt.Key.Key_A, places(AZERTY)) == 12


def test_spaces_and_returns_are_no_letters_and_keep_their_places() -> None:
    german = places(QWERTZ)
    assert " " not in german and "\r" not in german
    assert apple_number(Qt.Key.Key_Space, german) == 49
    assert apple_number(Qt.Key.Key_F9, german) == 101


def test_a_figure_that_needs_shift_has_its_place_and_a_letter_that_is_not_there_has_none() -> None:
    french = places(AZERTY)
    assert apple_number(Qt.Key.Key_1, french) == 18
    with pytest.raises(KeyRefused) as refused:
        apple_number(Qt.Key.Key_W, french)
    assert refused.value.refusal is Refusal.UNKNOWN


def test_a_layout_that_cannot_be_read_is_given_back_all_the_same() -> None:
    fake = FakeCarbon(QWERTZ)
    fake.carbon.layout_property = 0
    assert KeyboardLayout(fake.carbon, fake.core_foundation).places() == {}
    assert fake.released == [SOURCE]


@pytest.mark.parametrize("keys", ["Alt+E", "Alt+Shift+E", "Alt+1"])
def test_option_alone_is_for_writing(keys: str) -> None:
    combination = parsed(keys)
    assert combination is not None
    with pytest.raises(KeyRefused) as refused:
        refuse_option_alone(combination)
    assert refused.value.refusal is Refusal.OPTION_ALONE


@pytest.mark.parametrize("keys", ["Alt+F9", "Meta+Alt+Z", "Ctrl+Alt+E", "Meta+E"])
def test_option_beside_control_or_command_is_free_to_take(keys: str) -> None:
    combination = parsed(keys)
    assert combination is not None
    refuse_option_alone(combination)
