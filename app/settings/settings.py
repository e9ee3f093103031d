"""The preferences as the app holds them: one place to read them from, one way to change them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.settings.preferences import Preferences
from app.settings.preferences_file import PreferencesFile
from engine.errors import EngineError

SAVE_MILLISECONDS = 300


class Settings(QObject):
    """Holds the newest preferences, tells who wants to know, and keeps them in a file.

    Attributes:
        preferences: the newest; replaced, never altered.

    Signals:
        changed: the preferences before and after.
        failed: what could not be read or saved, in one sentence.
    """

    changed = Signal(Preferences, Preferences)
    failed = Signal(str)

    def __init__(self, file: PreferencesFile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.file = file
        self.preferences = Preferences()
        self._rest = QTimer(self, singleShot=True, interval=SAVE_MILLISECONDS)
        self._rest.timeout.connect(self.save)

    def load(self) -> None:
        """Take up what was saved; where that cannot be read, say so and go on with the usual ones."""
        try:
            loaded = self.file.load()
        except EngineError as error:
            self.failed.emit(str(error))
        else:
            self._take(loaded)

    def change(self, preferences: Preferences) -> None:
        """Make these the preferences; they are saved in a moment."""
        if self._take(preferences):
            self._rest.start()

    def alter(self, change: Callable[[Preferences], Preferences]) -> None:
        """Change the newest preferences."""
        self.change(change(self.preferences))

    def save(self) -> None:
        """Write what has changed now."""
        self._rest.stop()
        try:
            self.file.save(self.preferences)
        except EngineError as error:
            self.failed.emit(str(error))

    def settle(self) -> None:
        """Write what is still to be written, for the app's end."""
        if self._rest.isActive():
            self.save()

    def _take(self, preferences: Preferences) -> bool:
        before, self.preferences = self.preferences, preferences
        if before == preferences:
            return False
        self.changed.emit(before, preferences)
        return True
