"""What was said taken elsewhere: to files, or to the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.history.archive import Archive
from app.history.export.export_dialog import ExportDialog
from app.history.export.exporting import ExportChoice, plain_text, write_transcript
from app.history.records import Transcript
from app.history.transcript_view import speaker_names


class Exports(QObject):
    """Asks how transcripts are to be exported, and writes them without holding up the window.

    Signals:
        done: what was done, in one sentence.
    """

    done = Signal(str)

    def __init__(self, archive: Archive, parent: QWidget) -> None:
        """Its dialogs belong to the window of `parent`."""
        super().__init__(parent)
        self._archive = archive
        self._parent = parent

    def ask(self, transcript: Transcript, title: str) -> ExportDialog:
        """Ask how a transcript is to be exported."""
        dialog = ExportDialog(transcript, title, self._parent.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda path, choice: self.write(path, transcript, choice))
        dialog.open()
        return dialog

    def write(self, path: Path, transcript: Transcript, choice: ExportChoice) -> None:
        """Write a transcript, and say where it is."""
        self._archive.ask(
            lambda _: write_transcript(path, transcript, choice),
            lambda files: self.done.emit(self._exported(files)),
        )

    def copy(self, transcript: Transcript, selected: str) -> None:
        """Put what is selected on the clipboard, or else all that was said."""
        choice = ExportChoice(times=False, speakers=speaker_names())
        QGuiApplication.clipboard().setText(selected or plain_text(transcript, choice))
        if not selected:
            self.done.emit(self.tr("Everything was copied."))

    def _exported(self, files: tuple[Path, ...]) -> str:
        if len(files) == 1:
            return self.tr("Exported to {}.").format(files[0])
        names = ", ".join(file.name for file in files)
        return self.tr("Exported to {}, in {}.").format(names, files[0].parent)
