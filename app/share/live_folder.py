"""Live files of the window's captions in a folder that the user has chosen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QModelIndex, QObject, Signal

from app.history.export.live_files import LiveFile, live_file
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel
from engine.errors import EngineError

NEWEST_NAME = "earshot-live.txt"
"""Name of the file with the newest lines: always the same, for OBS."""


class LiveFolder(QObject):
    """Writes what is said in a recording to live files, if the preferences name a folder.

    Signals:
        failed: why a file is not written any more, in a sentence.
    """

    failed = Signal(str)

    def __init__(
        self, model: CaptionModel, settings: Settings, is_translating: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._settings = settings
        self._is_translating = is_translating
        self._first_id = 0
        self._files: list[LiveFile] = []
        model.rowsInserted.connect(self._note_inserted)
        model.dataChanged.connect(self._note_changed)
        model.modelReset.connect(self.end)

    def begin(self) -> None:
        """Begin the files of a recording, whose captions are still to come."""
        self.end()
        self._first_id = self._model.next_id
        if not self._settings.preferences.sharing.live_folder:
            return
        folder = Path(self._settings.preferences.sharing.live_folder)
        subtitles = f"earshot-{datetime.now():%Y-%m-%d-%H%M%S}.srt"
        for name in (NEWEST_NAME, subtitles):
            try:
                self._files.append(live_file(folder / name, translated=self._is_translating()))
            except EngineError as error:
                self.failed.emit(str(error))

    def end(self) -> None:
        """Complete the files, because the recording is over."""
        self._write(lambda file: file.close())
        self._files.clear()

    def _note_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        for row in range(first, last + 1):
            self._show(row)

    def _note_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        for row in range(first.row(), last.row() + 1):
            self._show(row)

    def _show(self, row: int) -> None:
        caption, translation = self._model.caption_at(row), self._model.translation_at(row)
        if not self._files or caption.id < self._first_id:
            return
        self._write(lambda file: file.show(caption))
        if translation is not None:
            self._write(lambda file: file.show(translation))
        if not self._is_translating():
            self._write(lambda file: file.release())

    def _write(self, write: Callable[[LiveFile], None]) -> None:
        for file in tuple(self._files):
            try:
                write(file)
            except EngineError as error:
                self._files.remove(file)
                self.failed.emit(str(error))
