"""Export of transcripts: to files, or to the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.history.archive import Archive
from app.history.export.export_dialog import ExportDialog, file_name
from app.history.export.exporting import ExportChoice, files_of, plain_text, write_transcript
from app.history.records import Transcript
from app.history.speakers import speaker_names

Named = tuple[str, Transcript]


class TranscriptExports(QObject):
    """Asks how transcripts are to be exported, and writes them without blocking the window.

    Attributes:
        clock_times: returns whether times of day are proposed.

    Signals:
        done: what was done, in one sentence.
    """

    done = Signal(str)

    def __init__(self, archive: Archive, parent: QWidget) -> None:
        """Export from a page; dialogs belong to the window of `parent`."""
        super().__init__(parent)
        self._archive = archive
        self._parent = parent
        self.clock_times: Callable[[], bool] = lambda: False

    def ask(self, transcripts: Sequence[Named]) -> ExportDialog:
        """Ask how transcripts, each with its title, are to be exported."""
        shown = [each for _, each in transcripts]
        dialog = ExportDialog(shown, transcripts[0][0], self._parent.window(), clock=self.clock_times())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda path, choice: self.write(path, transcripts[0][1], choice))
        dialog.folder_chosen.connect(lambda folder, choice: self.write_all(folder, transcripts, choice))
        dialog.open()
        return dialog

    def write(self, path: Path, transcript: Transcript, choice: ExportChoice) -> None:
        """Write a transcript, and report where it is."""

        def tell(files: tuple[Path, ...]) -> None:
            self._note(transcript, files)
            self.done.emit(self._exported(files))

        self._archive.do(lambda: write_transcript(path, transcript, choice), tell)

    def write_all(self, folder: Path, transcripts: Sequence[Named], choice: ExportChoice) -> None:
        """Write each transcript into a folder under its name, beside existing files, and report how many."""

        def tell(written: Sequence[tuple[Transcript, tuple[Path, ...]]]) -> None:
            for transcript, files in written:
                self._note(transcript, files)
            self.done.emit(self.tr("Exported {} sessions to {}.").format(len(written), folder))

        self._archive.do(lambda: _write_each(folder, transcripts, choice), tell)

    def _note(self, transcript: Transcript, files: Sequence[Path]) -> None:
        if transcript.session is not None and files:
            session, file = transcript.session.id, files[0]
            self._archive.write(lambda store: store.note_export(session, file))

    def copy(self, transcript: Transcript, selected: str) -> None:
        """Copy the selected text, or else the whole transcript."""
        choice = ExportChoice(times=False, speakers=speaker_names())
        QGuiApplication.clipboard().setText(selected or plain_text(transcript, choice))
        if not selected:
            self.done.emit(self.tr("Everything was copied."))

    def _exported(self, files: tuple[Path, ...]) -> str:
        if len(files) == 1:
            return self.tr("Exported to {}.").format(files[0])
        names = ", ".join(file.name for file in files)
        return self.tr("Exported to {}, in {}.").format(names, files[0].parent)


def _write_each(
    folder: Path, transcripts: Sequence[Named], choice: ExportChoice
) -> list[tuple[Transcript, tuple[Path, ...]]]:
    written = []
    for title, transcript in transcripts:
        name, number = file_name(title), 1
        path = folder / f"{name}{choice.ending}"
        while any(file.exists() for file, _ in files_of(path, transcript, choice)):
            number += 1
            path = folder / f"{name} {number}{choice.ending}"
        written.append((transcript, write_transcript(path, transcript, choice)))
    return written
