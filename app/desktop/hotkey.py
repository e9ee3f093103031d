"""System-wide keys for captions, dictation, and talking to the assistant."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QKeyCombination, QObject, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence

from app.desktop.keys.grabs import Grabs, Refusal
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings

CAPTIONS, TALK, DICTATE = "captions", "talk", "dictate"


class Hotkeys(QObject):
    """Registers the keys of the preferences, as far as this desktop allows, and follows changes to them.

    Attributes:
        obstacle: why keys are unavailable here, in a sentence; empty if they are available.

    Signals:
        captions_pressed: start or stop captions.
        dictation_pressed: start or stop dictation.
        talk_pressed, talk_released: the user starts and stops talking to the assistant.
        refused: a path of the preferences ("behaviour.hotkey") and why its keys are unavailable, in a sentence; empty
            once they are available.
    """

    captions_pressed = Signal()
    dictation_pressed = Signal()
    talk_pressed = Signal()
    talk_released = Signal()
    refused = Signal(str, str)

    def __init__(self, settings: Settings, grabs: Grabs | None = None, parent: QObject | None = None) -> None:
        """Prepare the keys; `grabs` registers them, by default in this desktop's own way."""
        super().__init__(parent)
        self._settings = settings
        self.obstacle = ""
        self._grabs = grabs or self._find_way()
        if self._grabs is not None:
            self._grabs.setParent(self)
            self._grabs.pressed.connect(self._press)
            self._grabs.released.connect(self._release)
            self._grabs.refused.connect(self._refuse)
        settings.changed.connect(self._follow)

    def start(self) -> None:
        """Register the chosen keys."""
        if self._grabs is None:
            return
        keys = {name: combination for name, text in self._chosen().items() if (combination := parsed(text)) is not None}
        titles = {
            CAPTIONS: self.tr("Start and stop captions"),
            TALK: self.tr("Talk to the assistant"),
            DICTATE: self.tr("Dictate into the program in front"),
        }
        refused = self._grabs.grab(keys, titles)
        for name in _PATHS:
            if name in refused:
                self._refuse(name, refused[name])
            else:
                self.refused.emit(_PATHS[name], "")

    def stop(self) -> None:
        """Release all keys."""
        if self._grabs is not None:
            self._grabs.close()
            self._grabs = None

    def _chosen(self) -> dict[str, str]:
        behaviour = self._settings.preferences.behaviour
        return {CAPTIONS: behaviour.hotkey, TALK: behaviour.talk_key, DICTATE: behaviour.dictation_key}

    def _follow(self, before: Preferences, after: Preferences) -> None:
        old, new = before.behaviour, after.behaviour
        if (old.hotkey, old.talk_key, old.dictation_key) != (new.hotkey, new.talk_key, new.dictation_key):
            self.start()

    def _press(self, name: str) -> None:
        pressed = {CAPTIONS: self.captions_pressed, TALK: self.talk_pressed, DICTATE: self.dictation_pressed}
        pressed[name].emit()

    def _release(self, name: str) -> None:
        if name == TALK:
            self.talk_released.emit()

    def _refuse(self, name: str, refusal: Refusal) -> None:
        keys = QKeySequence(self._chosen()[name]).toString(QKeySequence.SequenceFormat.NativeText)
        sentences = {
            Refusal.TAKEN: self.tr("Another program already uses {}. Choose other keys."),
            Refusal.NEEDS_MODIFIER: self.tr("{} is needed for typing. Add Ctrl, Alt or Meta."),
            Refusal.OPTION_ALONE: self.tr("{} types a character on a Mac. Add ⌃ or ⌘."),
            Refusal.UNKNOWN: self.tr("There is no {} on this keyboard. Choose other keys."),
            Refusal.DENIED: self.tr("The desktop did not allow {}. Try its own keyboard settings."),
            Refusal.UNREACHABLE: self.tr("The desktop did not respond when asked for {}. Choose the keys again."),
        }
        self.refused.emit(_PATHS[name], sentences[refusal].format(keys))

    def _find_way(self) -> Grabs | None:
        """Return this desktop's way of registering keys; if there is none, set `obstacle`."""
        platform = QGuiApplication.platformName()
        try:
            if sys.platform == "darwin":
                from app.desktop.keys.carbon import CarbonGrabs

                return CarbonGrabs()
            elif os.environ.get("WAYLAND_DISPLAY"):
                from app.desktop.keys.portal import PortalGrabs

                return PortalGrabs()
            elif platform == "xcb":
                from app.desktop.keys.x11 import X11Grabs

                return X11Grabs()
        except OSError:
            pass
        self.obstacle = self.tr("This desktop does not offer global shortcuts to programs.")
        return None


_PATHS = {CAPTIONS: "behaviour.hotkey", TALK: "behaviour.talk_key", DICTATE: "behaviour.dictation_key"}


def parsed(text: str) -> QKeyCombination | None:
    """Parse keys such as "Ctrl+Alt+E"; return None if the text is empty or invalid."""
    sequence = QKeySequence(text, QKeySequence.SequenceFormat.PortableText)
    if sequence.count() != 1:
        return None
    combination: QKeyCombination = sequence[0]  # type: ignore[index]  # PySide6's stubs leave it out
    return combination
