"""Starting with the session from within a sandbox, by the desktop's portal for background programs.

A Flatpak cannot write the desktop's autostart folder: the portal does it, and may ask the user first. See
https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Background.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from enum import Enum, auto

from jeepney import HeaderFields, MessageType
from PySide6.QtCore import QObject, QSocketNotifier, Signal

from app.dbus import GRANTED, PORTAL, PORTAL_PATH, REQUEST, Bus, answered, field

_BACKGROUND = "org.freedesktop.portal.Background"
_numbers = itertools.count(1)


class BackgroundAnswer(Enum):
    """The desktop's answer to a request."""

    STARTS = auto()
    """Earshot starts with the session from now on."""
    STARTS_NOT = auto()
    DENIED = auto()
    """The user, or the desktop for them, said no."""
    UNREACHABLE = auto()
    """There is no such portal."""


class BackgroundRequest(QObject):
    """A request that Earshot start with the session, or no longer. Raises OSError if there is no session bus.

    Signals:
        answered: a BackgroundAnswer, once.
    """

    answered = Signal(object)

    def __init__(self, command: Sequence[str], reason: str, on: bool, parent: QObject | None = None) -> None:
        """Ask for the start of a command, or for its end; the user may be shown the reason."""
        super().__init__(parent)
        self._bus = Bus()
        self._wants = on
        token = f"earshot_background{next(_numbers)}"
        self._path = self._bus.answer_path(token)
        self._bus.hear(f"type='signal',sender='{PORTAL}',interface='{REQUEST}'")
        self._notifier = QSocketNotifier(self._bus.descriptor, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        options = {
            "handle_token": ("s", token),
            "reason": ("s", reason),
            "autostart": ("b", on),
            "commandline": ("as", list(command)),
        }
        self._call = self._bus.call(PORTAL, PORTAL_PATH, _BACKGROUND, "RequestBackground", "sa{sv}", "", options)

    def close(self) -> None:
        """Wait for no answer."""
        self._notifier.setEnabled(False)
        self._bus.close()

    def _read(self) -> None:
        answer: BackgroundAnswer | None = None
        for message in self._bus.read():
            kind = message.header.message_type
            if kind is MessageType.signal and field(message, HeaderFields.path) == self._path:
                code, results = message.body
                starts = code == GRANTED and bool(results.get("autostart", ("b", False))[1])
                denied = code != GRANTED or (self._wants and not starts)
                answer = BackgroundAnswer.DENIED if denied else _said(starts)
            elif kind is MessageType.error and answered(message) == self._call:
                answer = BackgroundAnswer.UNREACHABLE
        if answer is None and self._bus.gone:
            answer = BackgroundAnswer.UNREACHABLE
        if answer is not None:
            self.close()
            self.answered.emit(answer)


def _said(starts: bool) -> BackgroundAnswer:
    return BackgroundAnswer.STARTS if starts else BackgroundAnswer.STARTS_NOT
