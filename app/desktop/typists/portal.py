"""Typing on Wayland, by the desktop's portal for remote control: the user is asked, and may refuse.

See https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html.
"""

from __future__ import annotations

import itertools
from typing import Any

from jeepney import HeaderFields, Message, MessageType
from PySide6.QtCore import QObject, QSocketNotifier

from app.dbus import GRANTED, PORTAL, PORTAL_PATH, REQUEST, Bus, answered, field
from app.desktop.typists.typist import TypingRefusal, Typist, keysym_of

_CONTROL = "org.freedesktop.portal.RemoteDesktop"
_SESSION = "org.freedesktop.portal.Session"
_KEYBOARD = 1
_PRESSED, _RELEASED = 1, 0


class PortalTypist(Typist):
    """Asks the desktop for its keyboard, once per dictation.

    Raises OSError if there is no session bus.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = Bus()
        self._numbers = itertools.count(1)
        self._session = self._waiting = ""
        self._steps: list[str] = []  # remaining requests
        self._calls: set[int] = set()
        self._text = ""
        for interface in (REQUEST, _SESSION):
            self._bus.hear(f"type='signal',sender='{PORTAL}',interface='{interface}'")
        self._notifier = QSocketNotifier(self._bus.descriptor, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    @property
    def _is_ready(self) -> bool:
        return bool(self._session) and not self._steps and not self._waiting

    def open(self) -> None:
        self._steps = ["SelectDevices", "Start"]
        token = self._request()
        options = {"handle_token": ("s", token), "session_handle_token": ("s", token)}
        self._call("CreateSession", "a{sv}", options)

    def type(self, text: str) -> None:
        self._text += text
        self._write()

    def close(self) -> None:
        self._notifier.setEnabled(False)
        if self._session:
            self._bus.call(PORTAL, self._session, _SESSION, "Close", "")
        self._session = ""
        self._bus.close()

    def _write(self) -> None:
        if not self._is_ready:
            return
        text, self._text = self._text, ""
        for character in text:
            for state in (_PRESSED, _RELEASED):
                values: tuple[Any, ...] = (self._session, {}, keysym_of(character), state)
                self._call("NotifyKeyboardKeysym", "oa{sv}iu", *values)

    def _call(self, method: str, signature: str, *values: Any) -> None:
        self._calls.add(self._bus.call(PORTAL, PORTAL_PATH, _CONTROL, method, signature, *values))

    def _request(self) -> str:
        """Create a name for a request, and wait for its answer."""
        token = f"earshot_types{next(self._numbers)}"
        self._waiting = self._bus.answer_path(token)
        return token

    def _read(self) -> None:
        for message in self._bus.read():
            kind = message.header.message_type
            if kind is MessageType.signal and field(message, HeaderFields.member) == "Response":
                self._receive_response(message)
            elif kind is MessageType.signal and field(message, HeaderFields.member) == "Closed":
                if self._session and field(message, HeaderFields.path) == self._session:
                    self._refuse(TypingRefusal.DENIED)
            elif kind is MessageType.error and answered(message) in self._calls:
                self._refuse(TypingRefusal.UNREACHABLE)
        if self._bus.gone:  # its socket would stay ready to read
            self._notifier.setEnabled(False)
            self._refuse(TypingRefusal.UNREACHABLE)

    def _receive_response(self, message: Message) -> None:
        if field(message, HeaderFields.path) != self._waiting or len(message.body) != 2:
            return
        self._waiting = ""
        code, results = message.body
        if code != GRANTED:
            self._refuse(TypingRefusal.DENIED)
            return
        self._session = self._session or str(results.get("session_handle", ("", ""))[1])
        if not self._steps:
            self._write()
            return
        step, token = self._steps.pop(0), self._request()
        if step == "SelectDevices":
            self._call(step, "oa{sv}", self._session, {"handle_token": ("s", token), "types": ("u", _KEYBOARD)})
        else:
            self._call(step, "osa{sv}", self._session, "", {"handle_token": ("s", token)})

    def _refuse(self, refusal: TypingRefusal) -> None:
        self._session = self._waiting = self._text = ""
        self._calls.clear()
        self.refused.emit(refusal)
