"""The preferences as the app holds them: one place to read them from, one way to change them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile, export_preferences, import_preferences, keep_what_is_here
from engine.errors import EngineError

REST_MILLISECONDS = 300
AGAIN_MILLISECONDS = 5_000
"""What could not be saved is tried again after so long."""

"""Changes in quick succession, as of a slider that is drawn, are obeyed and saved together after so long a rest."""


class Settings(QObject):
    """Holds the newest preferences, tells who wants to know, and keeps them in a file.

    Attributes:
        preferences: the newest; replaced, never altered.

    Signals:
        changed: the preferences before and after, for what shows them.
        rested: what they were when this was told last, and what they are, for what is costly to change.
        failed: what could not be read, in one sentence.
        unsaved: why the preferences are not saved, in one sentence; empty once they are.
        replaced: all of them at once, by an import or a reset; `undo` takes it back.
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
        """Take up what was saved; where that cannot be read, say so and go on with the usual ones."""
        try:
            loaded = self.file.load()
        except EngineError as error:
            self.failed.emit(str(error))
        else:
            self._take(loaded)
            self.tell()
            for sentence in self.file.ignored:
                self.failed.emit(sentence)

    def change(self, preferences: Preferences, *, at_once: bool = True) -> None:
        """Make these the preferences; they are saved in a moment.

        `at_once` tells `rested` now; else it waits for the last of several changes, as while a slider is drawn.
        """
        if self._take(preferences):
            self._rest.start()
            if at_once:
                self.tell()

    def alter(self, change: Callable[[Preferences], Preferences], *, at_once: bool = True) -> None:
        """Change the newest preferences, as `change` does."""
        self.change(change(self.preferences), at_once=at_once)

    def tell(self) -> None:
        """Tell `rested` now of what has changed since it was told last."""
        before, self._told = self._told, self.preferences
        if before != self._told:
            self.rested.emit(before, self._told)

    def export_to(self, path: Path) -> None:
        """Write a copy of the preferences to a file of the person's choice. EngineError where that fails."""
        export_preferences(self.preferences, path)

    def import_from(self, path: Path) -> tuple[str, ...]:
        """Take over exported preferences; give a sentence for each value that could not be used.

        Raises:
            EngineError: there are none in the file; nothing has changed.
        """
        reading = import_preferences(path, self.preferences)
        self._replace(reading.preferences)
        return reading.ignored

    def reset(self) -> None:
        """Take the usual values."""
        self._replace(keep_what_is_here(Preferences(), self.preferences))

    @property
    def can_undo(self) -> bool:
        """Tell whether an import or a reset can be taken back."""
        return self._before is not None

    def undo(self) -> None:
        """Go back to before the last import or reset."""
        if self._before is not None:
            before, self._before = self._before, None
            self.change(before)

    def _replace(self, preferences: Preferences) -> None:
        self._before = self.preferences
        self.change(preferences)
        self.replaced.emit()

    def save(self) -> None:
        """Write what has changed now."""
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
        """Write what is still to be written, for the app's end."""
        if self._rest.isActive() or self._again.isActive():
            self.save()
        self._again.stop()

    def _take(self, preferences: Preferences) -> bool:
        before, self.preferences = self.preferences, preferences
        if before == preferences:
            return False
        self.changed.emit(before, preferences)
        return True
