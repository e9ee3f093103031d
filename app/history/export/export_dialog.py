"""The dialog for an export: contents, file format and part, with a preview."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTime, QTimer, Signal
from PySide6.QtGui import QFont, QFontDatabase, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QListView,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTimeEdit,
    QWidget,
)

from app.history.export.exporting import ENDINGS, TIMED, ExportChoice, Parts, cut, files_of, preview
from app.history.records import Transcript
from app.history.speakers import speaker_names
from app.widgets.layouts import in_column, in_row
from app.widgets.open_audio import documents_folder, is_recording
from app.widgets.screen_room import ScreenDialog, Scrolled

PREVIEW_MILLISECONDS = 120
_LAST_SECOND = 24 * 3600 - 1


class ExportDialog(ScreenDialog):
    """Asks for an ExportChoice and a file, or for several transcripts a folder.

    Attributes:
        choice: the present choice.

    Signals:
        chosen: the Path and the ExportChoice.
        folder_chosen: the Path of the folder and the ExportChoice.
    """

    chosen = Signal(object, object)
    folder_chosen = Signal(object, object)

    def __init__(
        self, transcripts: Sequence[Transcript], title: str, parent: QWidget | None = None, *, clock: bool = False
    ) -> None:
        """Ask about transcripts; `title` names the first of them, and `clock` proposes times of day."""
        super().__init__(parent)
        self._transcripts = tuple(transcripts)
        self._transcript = self._transcripts[0]
        self._title = title
        self.setWindowTitle(self.tr("Export"))
        self.parts = _combo(self.tr("What"))
        self.format = _combo(self.tr("Format"))
        self.part_only = QCheckBox(self.tr("Only a &part"))
        self.begin = _time(self.tr("From"))
        self.end = _time(self.tr("To"))
        self.times = QCheckBox(self.tr("With &times"))
        self.clock = QCheckBox(self.tr("T&imes of day"))
        self.delays = QCheckBox(self.tr("With the &delay of each word"))
        self.notes = QCheckBox(self.tr("With the &notes"))
        self.preview = QPlainTextEdit()
        self.hint = QLabel()
        self.buttons = QDialogButtonBox()
        self.export_button = QPushButton(self.tr("&Export…"))
        self.export_button.setProperty("role", "main")
        self.buttons.addButton(self.export_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self._rest = QTimer(self, singleShot=True, interval=PREVIEW_MILLISECONDS)
        self._rest.timeout.connect(self.show_preview)
        self._offer()
        self.clock.setChecked(clock)
        self._lay_out()
        self._connect()
        self._update_controls()
        self.show_preview()

    @property
    def choice(self) -> ExportChoice:
        only = self.part_only.isChecked()
        parts: Parts = self.parts.currentData()
        return ExportChoice(
            ending=self.format.currentData(),
            parts=parts,
            begin_seconds=_seconds(self.begin) if only else None,
            end_seconds=_seconds(self.end) + 1.0 if only else None,
            times=self.times.isChecked(),
            clock=self.clock.isChecked(),
            delays=self.delays.isChecked(),
            notes=self.notes.isChecked(),
            speakers=speaker_names(),
        )

    def show_preview(self) -> None:
        """Show the beginning of the file."""
        choice = self.choice
        part = cut(self._transcript, choice.begin_seconds, choice.end_seconds)
        is_empty = not (part.captions or part.turns)
        self.preview.setPlainText("" if is_empty else preview(self._transcript, choice))
        self.export_button.setEnabled(not is_empty)
        if len(self._transcripts) > 1:
            text = self.tr("Sessions: {}").format(len(self._transcripts))
        elif is_empty:
            text = self.tr("Nothing was said in this part.")
        elif part.turns:
            text = self.tr("Questions and answers: {}").format(len(part.turns))
        else:
            text = self.tr("Captions: {}").format(len(part.captions))
        self.hint.setText(text)

    def export_to(self, path: Path) -> bool:
        """Export to this file, unless the person keeps another one that is there; return whether it was exported."""
        choice, named = self.choice, path
        path = path if path.suffix.lower() == choice.ending else path.with_name(path.name + choice.ending)
        files = [file for file, _ in files_of(path, self._transcript, choice)]
        standing = [file.name for file in files if file != named and file.exists()]
        if standing and not self._may_replace(standing):
            return False
        self.chosen.emit(path, choice)
        self.accept()
        return True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.format.setFocus()

    def _may_replace(self, names: list[str]) -> bool:
        text = self.tr("{} will be replaced. Continue?").format(", ".join(names))
        return QMessageBox.question(self, self.tr("Export"), text) is QMessageBox.StandardButton.Yes

    def export_to_folder(self, folder: Path) -> None:
        """Export to files of this folder."""
        self.folder_chosen.emit(folder, self.choice)
        self.accept()

    def _ask_for_place(self) -> None:
        choice = self.choice
        folder = Path(documents_folder())
        if len(self._transcripts) > 1:
            name = QFileDialog.getExistingDirectory(self, self.tr("Export"), str(folder))
            if name:
                self.export_to_folder(Path(name))
            return
        proposal = folder / (file_name(self._title) + choice.ending)
        kind = f"{self.format.currentText()} (*{choice.ending})"
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Export"), str(proposal), kind)
        if name:
            self.export_to(Path(name))

    def _offer(self) -> None:
        names = {
            ".srt": self.tr("SubRip subtitles"),
            ".vtt": self.tr("WebVTT subtitles"),
            ".txt": self.tr("Text"),
            ".md": self.tr("Markdown"),
            ".docx": self.tr("Word document"),
            ".csv": self.tr("Table for spreadsheets (CSV)"),
            ".rttm": self.tr("Turns of the speakers (RTTM)"),
            ".json": self.tr("JSON, with the time of every word"),
        }
        talks = [bool(each.turns) and not each.captions for each in self._transcripts]
        talk = all(talks)
        for ending in ENDINGS:
            if not (any(talks) and ending in TIMED):
                self.format.addItem(names[ending], ending)
        parts: tuple[tuple[str, Parts], ...] = (
            (self.tr("What was said, and its translation"), "both"),
            (self.tr("What was said"), "spoken"),
            (self.tr("The translation"), "translation"),
            (self.tr("Both, in separate files"), "separate"),
        )
        if talk or not any(each.translated for each in self._transcripts):
            parts = (((self.tr("The conversation") if talk else self.tr("What was said")), "spoken"),)
        for text, part in parts:
            self.parts.addItem(text, part)
        last = round(min(self._last_second(), _LAST_SECOND))
        self.end.setTime(QTime(0, 0).addSecs(last))
        self.begin.setMaximumTime(QTime(0, 0).addSecs(last))
        self.end.setMaximumTime(QTime(0, 0).addSecs(last))
        self.times.setChecked(True)
        self.delays.setChecked(True)
        self.notes.setChecked(True)

    def _last_second(self) -> float:
        session = self._transcript.session
        return max(self._transcript.end_seconds, session.seconds if session is not None else 0.0)

    def _lay_out(self) -> None:
        to = QLabel(self.tr("t&o"))
        to.setBuddy(self.end)
        self._span = (self.part_only, self.begin, to, self.end)
        # The check box asks for less than its text takes on some screens: it has the room that is left.
        span = in_row((self.part_only, 1), self.begin, to, self.end, spacing=10)
        above = QWidget()
        form = QGridLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        form.setColumnStretch(1, 1)
        for row, (text, combo) in enumerate(((self.tr("&What"), self.parts), (self.tr("&Format"), self.format))):
            label = QLabel(text)
            label.setBuddy(combo)
            form.addWidget(label, row, 0)
            form.addWidget(combo, row, 1)
        form.addLayout(span, 2, 1)
        form.addWidget(self.times, 3, 1)
        form.addWidget(self.clock, 4, 1)
        form.addWidget(self.delays, 5, 1)
        form.addWidget(self.notes, 6, 1)
        self.preview.setReadOnly(True)
        self.preview.setTabChangesFocus(True)
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setAccessibleName(self.tr("Preview"))
        self.preview.setFont(_fixed_font())
        label = QLabel(self.tr("Pre&view"))
        label.setBuddy(self.preview)
        label.setProperty("role", "quiet")
        self.hint.setProperty("role", "quiet")
        below = in_row((self.hint, 1), self.buttons)
        in_column(form, label, (self.preview, 1), on=above, margins=0, spacing=12)
        in_column((Scrolled(above), 1), below, on=self, margins=(22, 20, 22, 16), spacing=12)
        self.export_button.setDefault(True)
        self.resize(560, 560)

    def _connect(self) -> None:
        self.parts.currentIndexChanged.connect(self._update_controls)
        self.format.currentIndexChanged.connect(self._update_controls)
        for box in (self.part_only, self.times, self.clock, self.delays, self.notes):
            box.toggled.connect(self._update_controls)
        self.begin.timeChanged.connect(self._limit_end)
        self.end.timeChanged.connect(self._update_controls)
        self.buttons.accepted.connect(self._ask_for_place)
        self.buttons.rejected.connect(self.reject)

    def _limit_end(self, begin: QTime) -> None:
        self.end.setMinimumTime(begin)
        self._update_controls()

    def _update_controls(self) -> None:
        """Adapt the controls to the present choice."""
        only = self.part_only.isChecked()
        for widget in self._span:
            widget.setVisible(len(self._transcripts) == 1)
        self.begin.setEnabled(only)
        self.end.setEnabled(only)
        ending = self.format.currentData()
        self.times.setVisible(ending in (".txt", ".md", ".docx"))
        self.clock.setVisible(ending not in TIMED and any(each.clock for each in self._transcripts))
        self.clock.setEnabled(self.times.isHidden() or self.times.isChecked())
        self.delays.setVisible(ending == ".json" and any(each.shown for each in self._transcripts))
        with_notes = ending in (".txt", ".md", ".docx", ".json")
        self.notes.setVisible(with_notes and any(each.notes is not None for each in self._transcripts))
        self._rest.start()


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setView(QListView())  # unlike the built-in one, it follows the style sheet
    combo.setAccessibleName(name)
    combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return combo


def _time(name: str) -> QTimeEdit:
    edit = QTimeEdit()
    edit.setDisplayFormat("H:mm:ss")
    edit.setAccessibleName(name)
    edit.setMinimumWidth(130)
    return edit


def _seconds(edit: QTimeEdit) -> float:
    return float(QTime(0, 0).secsTo(edit.time()))


def _fixed_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(QFont().pointSizeF() * 0.95)
    return font


def file_name(title: str) -> str:
    """Return a title as a valid file name; the title of a recording without its ending."""
    if is_recording(Path(title)):
        title = title.removesuffix(Path(title).suffix)
    kept = "".join(each if each.isalnum() or each in " -_.,()" else " " for each in title)
    return " ".join(kept.split())[:60].strip(" .") or "captions"
