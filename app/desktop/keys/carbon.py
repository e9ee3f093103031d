"""System-wide keys on macOS, by Carbon's hot keys, which need no permission. (Not tested: no Mac was available.)"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, Structure, byref, c_int32, c_size_t, c_uint32, c_void_p
from functools import cache
from typing import Any

from PySide6.QtCore import QKeyCombination, QObject, Qt

from app.desktop.keys.grabs import ALONE, Grabs, KeyRefused, Refusal, check
from app.desktop.keys.keyboard_layout import KeyboardLayout

_CARBON = "/System/Library/Frameworks/Carbon.framework/Carbon"
_PRESSED, _RELEASED = 5, 6
_TAKEN = -9878  # eventHotKeyExistsErr

_LETTERS = "asdfhgzxcv bqweryt123465=97-80]ou[ip lj'k;\\,/nm.  `"
"""Letters by Apple's key code on an American keyboard; a space stands for Return and for codes without a letter."""

_NUMBERS = {ord(letter.upper()): number for number, letter in enumerate(_LETTERS) if letter != " "}
_NUMBERS |= {
    Qt.Key.Key_Return: 36,
    Qt.Key.Key_Tab: 48,
    Qt.Key.Key_Space: 49,
    Qt.Key.Key_Backspace: 51,
    Qt.Key.Key_Escape: 53,
    Qt.Key.Key_Home: 115,
    Qt.Key.Key_PageUp: 116,
    Qt.Key.Key_Delete: 117,
    Qt.Key.Key_End: 119,
    Qt.Key.Key_PageDown: 121,
    Qt.Key.Key_Left: 123,
    Qt.Key.Key_Right: 124,
    Qt.Key.Key_Down: 125,
    Qt.Key.Key_Up: 126,
}
_FUNCTION_KEYS = (122, 120, 99, 118, 96, 97, 98, 100, 101, 109, 103, 111, 105, 107, 113, 106, 64, 79, 80, 90)
_NUMBERS |= {Qt.Key.Key_F1 + place: number for place, number in enumerate(_FUNCTION_KEYS)}
_MODIFIERS = {  # Qt calls the command key Control, and the control key Meta
    Qt.KeyboardModifier.ControlModifier: 0x100,
    Qt.KeyboardModifier.ShiftModifier: 0x200,
    Qt.KeyboardModifier.AltModifier: 0x800,
    Qt.KeyboardModifier.MetaModifier: 0x1000,
}
_Handler = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)


class _KeyId(Structure):
    _fields_ = (("signature", c_uint32), ("id", c_uint32))


class _EventType(Structure):
    _fields_ = (("kind_of", c_uint32), ("kind", c_uint32))


class CarbonGrabs(Grabs):
    """Registers keys for the application. Raises OSError if there is no Carbon."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._carbon = _library()
        self._layout = KeyboardLayout()
        self._wanted: dict[str, QKeyCombination] = {}
        self._names: list[str] = []
        self._references: list[c_void_p] = []
        self._handler = _Handler(self._handle)  # kept alive: Carbon calls it as long as it is installed
        self._installed = c_void_p()
        kinds = (_EventType * 2)(_EventType(_code("keyb"), _PRESSED), _EventType(_code("keyb"), _RELEASED))
        target = self._carbon.GetApplicationEventTarget()
        self._carbon.InstallEventHandler(target, self._handler, 2, kinds, None, byref(self._installed))
        self._layout.watch(self._follow_layout)

    def grab(self, keys: dict[str, QKeyCombination], titles: dict[str, str]) -> dict[str, Refusal]:
        self._give_back()
        self._wanted = dict(keys)
        places = self._layout.places()
        refused: dict[str, Refusal] = {}
        for name, combination in keys.items():
            try:
                self._register(name, combination, places)
            except KeyRefused as error:
                refused[name] = error.refusal
        return refused

    def close(self) -> None:
        self._layout.close()
        self._give_back()
        if self._installed:
            self._carbon.RemoveEventHandler(self._installed)
            self._installed = c_void_p()

    def _follow_layout(self) -> None:
        """Register the keys again: on another keyboard layout letters may have other places."""
        for name, refusal in self.grab(self._wanted, {}).items():
            self.refused.emit(name, refusal)

    def _register(self, name: str, combination: QKeyCombination, places: Mapping[str, int]) -> None:
        check(combination)
        refuse_option_alone(combination)
        number, modifiers = apple_number(combination.key(), places), apple_modifiers(combination)
        self._names.append(name)
        reference = c_void_p()
        key_id = _KeyId(_code("Ears"), len(self._names) - 1)
        target = self._carbon.GetApplicationEventTarget()
        status = self._carbon.RegisterEventHotKey(number, modifiers, key_id, target, 0, byref(reference))
        if status:
            raise KeyRefused(Refusal.TAKEN if status == _TAKEN else Refusal.DENIED)
        self._references.append(reference)

    def _give_back(self) -> None:
        for reference in self._references:
            self._carbon.UnregisterEventHotKey(reference)
        self._references.clear()
        self._names.clear()

    def _handle(self, _call: object, event: int, _data: object) -> int:
        key_id = _KeyId()
        size = ctypes.sizeof(key_id)
        self._carbon.GetEventParameter(event, _code("----"), _code("hkid"), None, size, None, byref(key_id))
        if key_id.id < len(self._names):
            kind = self._carbon.GetEventKind(event)
            (self.pressed if kind == _PRESSED else self.released).emit(self._names[key_id.id])
        return 0


def refuse_option_alone(combination: QKeyCombination) -> None:
    """Raise KeyRefused for Option, or Option with Shift, and a key that writes.

    They write characters (⌥E an accent), and macOS 15.0 and 15.1 refuse to register such keys.
    """
    held = combination.keyboardModifiers()
    others = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
    if held & Qt.KeyboardModifier.AltModifier and not held & others and combination.key() not in ALONE:
        raise KeyRefused(Refusal.OPTION_ALONE)


def apple_number(key: Qt.Key, places: Mapping[str, int]) -> int:
    """Return Apple's code of a key: the one that writes its letter (`places`), else its code on an American
    keyboard.

    Raises:
        KeyRefused: the key has no known code.
    """
    letter = chr(key) if key < 0x11_0000 else ""
    if letter in places:
        return places[letter]
    if key not in _NUMBERS or (places and letter.isalpha()):
        raise KeyRefused(Refusal.UNKNOWN)
    return _NUMBERS[key]


def apple_modifiers(combination: QKeyCombination) -> int:
    """Return Carbon's mask of the modifiers of a key combination."""
    held = combination.keyboardModifiers()
    return sum(mask for modifier, mask in _MODIFIERS.items() if held & modifier)


def _code(text: str) -> int:
    """Return four letters as Carbon's number for them."""
    return int.from_bytes(text.encode(), "big")


@cache
def _library() -> Any:
    """Load Carbon. Raises OSError if it is missing."""
    carbon = ctypes.CDLL(_CARBON)
    carbon.GetApplicationEventTarget.restype = c_void_p
    carbon.GetEventKind.argtypes, carbon.GetEventKind.restype = (c_void_p,), c_uint32
    carbon.InstallEventHandler.argtypes = (c_void_p, _Handler, c_size_t, POINTER(_EventType), c_void_p, c_void_p)
    carbon.RemoveEventHandler.argtypes = (c_void_p,)
    carbon.RegisterEventHotKey.argtypes = (c_uint32, c_uint32, _KeyId, c_void_p, c_uint32, c_void_p)
    carbon.UnregisterEventHotKey.argtypes = (c_void_p,)
    carbon.GetEventParameter.argtypes = (c_void_p, c_uint32, c_uint32, c_void_p, c_size_t, c_void_p, c_void_p)
    return carbon
