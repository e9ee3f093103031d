"""System-wide keys on Wayland, by the desktop's portal for global shortcuts: the desktop decides on them.

See https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.GlobalShortcuts.html.
"""

from __future__ import annotations

import itertools
from typing import Any

from jeepney import HeaderFields, Message, MessageType
from PySide6.QtCore import QKeyCombination, QObject, QSocketNotifier, Qt
from PySide6.QtGui import QKeySequence

from app.dbus import GRANTED, PORTAL, PORTAL_PATH, REQUEST, Bus, answered, field
from app.desktop.keys.grabs import Grabs, KeyRefused, Refusal, check

_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_SESSION = "org.freedesktop.portal.Session"
_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "CTRL"),
    (Qt.KeyboardModifier.AltModifier, "ALT"),
    (Qt.KeyboardModifier.ShiftModifier, "SHIFT"),
    (Qt.KeyboardModifier.MetaModifier, "LOGO"),
)


class PortalGrabs(Grabs):
    """Asks the desktop for keys; it may ask the user, assign others, or refuse.

    Raises OSError if there is no session bus.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = Bus()
        self._numbers = itertools.count(1)
        self._titles: dict[str, str] = {}
        self._keys: dict[str, QKeyCombination] = {}
        self._session = ""
        self._calls: set[int] = set()
        self._created = self._bound = ""
        for interface in (REQUEST, _SHORTCUTS):
            self._bus.hear(f"type='signal',sender='{PORTAL}',interface='{interface}'")
        self._notifier = QSocketNotifier(self._bus.descriptor, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def grab(self, keys: dict[str, QKeyCombination], titles: dict[str, str]) -> dict[str, Refusal]:
        """Ask for these keys; the desktop's answer comes later, by `refused` and `settled`."""
        self._leave()
        refused: dict[str, Refusal] = {}
        self._keys, self._titles = {}, titles
        for name, combination in keys.items():
            try:
                check(combination)
            except KeyRefused as error:
                refused[name] = error.refusal
            else:
                self._keys[name] = combination
        if self._keys:
            token, self._created = self._request()
            options = {"handle_token": ("s", token), "session_handle_token": ("s", token)}
            self._calls = {self._bus.call(PORTAL, PORTAL_PATH, _SHORTCUTS, "CreateSession", "a{sv}", options)}
        self._read()
        return refused

    def close(self) -> None:
        self._notifier.setEnabled(False)
        self._leave()
        self._bus.close()

    def _leave(self) -> None:
        """Release all keys."""
        if self._session:
            self._bus.call(PORTAL, self._session, _SESSION, "Close", "")
        self._session = self._created = self._bound = ""
        self._calls = set()

    def _request(self) -> tuple[str, str]:
        """Create a name for a request, and the path from which its answer will come."""
        token = f"earshot{next(self._numbers)}"
        return token, self._bus.answer_path(token)

    def _read(self) -> None:
        for message in self._bus.read():
            kind = message.header.message_type
            if kind is MessageType.signal and field(message, HeaderFields.member) == "Response":
                self._receive_response(message)
            elif kind is MessageType.signal and field(message, HeaderFields.interface) == _SHORTCUTS:
                self._receive_signal(message)
            elif kind is MessageType.error and answered(message) in self._calls:
                self._refuse_all(Refusal.UNREACHABLE)
        if self._bus.gone:  # its socket would stay ready to read
            self._notifier.setEnabled(False)
            self._refuse_all(Refusal.UNREACHABLE)

    def _receive_response(self, message: Message) -> None:
        path = field(message, HeaderFields.path)
        if path not in (self._created, self._bound) or len(message.body) != 2:
            return
        code, results = message.body
        if code != GRANTED:
            self._refuse_all(Refusal.DENIED)
        elif path == self._created:
            self._session = _content(results, "session_handle", "")
            self._bind()
        else:
            self._receive_bound(dict(_content(results, "shortcuts", ())))

    def _bind(self) -> None:
        token, self._bound = self._request()
        wanted = [
            (
                name,
                {"description": ("s", self._titles.get(name, name)), "preferred_trigger": ("s", trigger(combination))},
            )
            for name, combination in self._keys.items()
        ]
        values = (self._session, wanted, "", {"handle_token": ("s", token)})
        self._calls.add(self._bus.call(PORTAL, PORTAL_PATH, _SHORTCUTS, "BindShortcuts", "oa(sa{sv})sa{sv}", *values))

    def _receive_bound(self, bound: dict[str, dict[str, Any]]) -> None:
        for name in self._keys:
            if name in bound:
                self.settled.emit(name, _content(bound[name], "trigger_description", ""))
            else:
                self.refused.emit(name, Refusal.DENIED)

    def _receive_signal(self, message: Message) -> None:
        if len(message.body) < 2 or message.body[0] != self._session:
            return
        name, member = message.body[1], field(message, HeaderFields.member)
        if name in self._keys and member in ("Activated", "Deactivated"):
            (self.pressed if member == "Activated" else self.released).emit(name)

    def _refuse_all(self, refusal: Refusal) -> None:
        for name in self._keys:
            self.refused.emit(name, refusal)


def _content(variants: dict[str, tuple[str, Any]], name: str, otherwise: Any) -> Any:
    """Return the value of a variant, which arrives as a pair of its signature and value."""
    return variants.get(name, ("", otherwise))[1]


def trigger(combination: QKeyCombination) -> str:
    """Format keys by the shortcuts specification: "CTRL+ALT+e"."""
    held = combination.keyboardModifiers()
    key = QKeySequence(combination.key()).toString(QKeySequence.SequenceFormat.PortableText)
    return "+".join(
        (*(name for modifier, name in _MODIFIERS if held & modifier), key.lower() if len(key) == 1 else key)
    )
