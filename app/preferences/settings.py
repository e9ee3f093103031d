"""The app's current preferences: one place to read them, one way to change them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile, export_preferences, import_preferences, keep_what_is_here
from engine.errors import EngineError

REST_MILLISECONDS = 300
"""Pause after which quick changes, as of a dragged slider, are applied and saved together."""

AGAIN_MILLISECONDS = 5_000
"""Pause before saving is tried again after a failure."""


class Settings(QObject):
    """Holds the newest preferences, notifies their users, and stores them in a file.

    Attributes:
        preferences: the newest; replaced, never modified.

    Signals:
        changed: the preferences before and after each change, for displays.
        rested: the preferences at the last such signal and now, for changes that are costly to apply.
        failed: what could not be read, in one sentence.
        unsaved: why the preferences are not saved, in one sentence; empty once they are.
        replaced: all values were replaced by an import or a reset; `undo` reverts it.
    """

    changed = Signal(Preferences, Preferences)
    rested = Signal(Preferences, Preferences)
    failed = Signal(str)
    unsaved = Signal(str)
    replaced = Signal()

    def __init__(self, file: PreferencesFile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.file = file
        self.preferences = Preferences()
        self._told = self.preferences
        self._before: Preferences | None = None
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self.save)
        self._rest.timeout.connect(self.tell)
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MILLISECONDS)
        self._again.timeout.connect(self.save)
        self._why_unsaved = ""

    def load(self) -> None:
        """Load the stored preferences; if that fails, report it and keep the defaults."""
        try:
            loaded = self.file.load()
        except EngineError as error:
            self.failed.emit(str(error))
        else:
            self._replaced_by(loaded)
            self.tell()
            for sentence in self.file.ignored:
                self.failed.emit(sentence)

    def change(self, preferences: Preferences, *, at_once: bool = True) -> None:
        """Replace the preferences; they are saved after a short pause.

        `at_once` emits `rested` immediately. Otherwise it waits for the last of several changes, as while a slider is
        dragged.
        """
        if self._replaced_by(preferences):
            self._rest.start()
            if at_once:
                self.tell()

    def alter(self, change: Callable[[Preferences], Preferences], *, at_once: bool = True) -> None:
        """Change the newest preferences by a function, as `change` does."""
        self.change(change(self.preferences), at_once=at_once)

    def tell(self) -> None:
        """Emit `rested` now, if anything changed since it was last emitted."""
        before, self._told = self._told, self.preferences
        if before != self._told:
            self.rested.emit(before, self._told)

    def export_to(self, path: Path) -> None:
        """Write a copy of the preferences to a file that the user chose. Raises EngineError on failure."""
        export_preferences(self.preferences, path)

    def import_from(self, path: Path) -> tuple[str, ...]:
        """Import preferences; return a sentence for each value that could not be used.

        Raises:
            EngineError: there are none in the file; nothing has changed.
        """
        reading = import_preferences(path, self.preferences)
        self._replace(reading.preferences)
        return reading.ignored

    def reset(self) -> None:
        """Reset the preferences to the defaults."""
        self._replace(keep_what_is_here(Preferences(), self.preferences))

    @property
    def can_undo(self) -> bool:
        """Return whether an import or a reset can be undone."""
        return self._before is not None

    def undo(self) -> None:
        """Undo the last import or reset."""
        if self._before is not None:
            before, self._before = self._before, None
            self.change(before)

    def _replace(self, preferences: Preferences) -> None:
        self._before = self.preferences
        self.change(preferences)
        self.replaced.emit()

    def save(self) -> None:
        """Save pending changes now."""
        self._rest.stop()
        why = ""
        try:
            self.file.save(self.preferences)
        except EngineError as error:
            why = str(error)
            self._again.start()
        if why != self._why_unsaved:
            self._why_unsaved = why
            self.unsaved.emit(why)

    def settle(self) -> None:
        """Save pending changes before the app ends."""
        if self._rest.isActive() or self._again.isActive():
            self.save()
        self._again.stop()

    def _replaced_by(self, preferences: Preferences) -> bool:
        before, self.preferences = self.preferences, preferences
        if before == preferences:
            return False
        self.changed.emit(before, preferences)
        return True
