"""The dialog of transcriptions: files, format, and progress."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QLabel, QPushButton, QWidget

from app.history.export.export_dialog import file_name
from app.look.language_names import language_name
from app.models.uses import title_of
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.transcription.job import Job, Stage, free_place
from app.transcription.job_row import JobRow
from app.transcription.queue import TranscriptionQueue
from app.widgets.labels import announce, quiet_label
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.open_audio import ask_for_several, dropped_paths, recordings_in, start_folder
from app.widgets.rows import combo
from app.widgets.screen_room import ScreenDialog, Scrolled
from engine.models.catalogue import catalogue


class TranscriptionDialog(ScreenDialog):
    """Shows a TranscriptionQueue, and adds files to it. The queue goes on when it is closed.

    Signals:
        session_wanted: show the session of this id in the history.
        settings_wanted: show the settings of captions.
    """

    session_wanted = Signal(int)
    settings_wanted = Signal()

    def __init__(self, queue: TranscriptionQueue, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._settings = settings
        self.rows: dict[int, JobRow] = {}
        self.format = combo()
        self.format.setAccessibleName(self.tr("Also write"))
        self.speakers = QCheckBox(self.tr("Tell &speakers apart"))
        self.add_files = _button(self.tr("&Add files…"))
        self.add_folder = _button(self.tr("Add a &folder…"))
        self.forget = _button(self.tr("&Remove finished"))
        self.close_button = _button(self.tr("Close"))
        self._state = quiet_label()
        self.choices = quiet_label()
        self.change = _button(self.tr("Change…"))
        self.change.setAccessibleName(self.tr("Change how recordings are transcribed"))
        self.change.clicked.connect(self.settings_wanted)
        self._nothing = quiet_label(self.tr("Add audio or video files, or drop files and folders here."))
        self._offer(self.format, settings.preferences)
        self._show_choices(settings.preferences)
        self._lay_out()
        self.add_files.clicked.connect(self._ask_for_files)
        self.add_folder.clicked.connect(self._ask_for_folder)
        self.forget.clicked.connect(queue.forget_finished)
        self.close_button.clicked.connect(self.reject)
        settings.changed.connect(self._follow)
        queue.listed.connect(self._update_list)
        queue.changed.connect(self._update_job)
        self._update_list()

    def add(self, places: Sequence[Path]) -> None:
        """Transcribe files, and the recordings in folders."""
        paths = recordings_in(list(places))
        if paths:
            self._queue.add(paths, self.format.currentData(), speakers=self.speakers.isChecked())
        else:
            self._state.setText(self.tr("There are no audio or video files in this folder."))

    def resume(self) -> int:
        """Go on with what was not finished when the app ended; return the number of recordings."""
        return self._queue.resume()

    def add_again(self, sound: Path, name: str) -> None:
        """Transcribe the audio of a session again, only for the history."""
        self._queue.add([sound], "", name, speakers=self.speakers.isChecked())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.add(dropped_paths(event.mimeData()))

    def _ask_for_files(self) -> None:
        if paths := ask_for_several(self, self.tr("Transcribe files")):
            self.add(paths)

    def _ask_for_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, self.tr("Folder with recordings"), start_folder()):
            self.add([Path(name)])

    @Slot(int)
    def _ask_for_place(self, number: int) -> None:
        job = self._queue.job(number)
        if job is not None:
            ending = job.ending or ".txt"
            proposal = Path(start_folder()) / (file_name(job.name or job.path.stem) + ending)
            name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the transcript"), str(proposal), f"*{ending}")
            if name.lower().endswith(ending):
                self._queue.save(number, Path(name))
            elif name:  # the person was not asked whether that may be replaced
                self._queue.save(number, free_place(Path(name + ending), ending))

    def _offer(self, box: QComboBox, now: Preferences) -> None:
        """Offer the formats; if the history is off, a file has to be written."""
        chosen = box.currentData()
        box.clear()
        if now.history.keeps:
            box.addItem(self.tr("Nothing else: only keep it in the history"), "")
        box.addItem(self.tr("SubRip subtitles (.srt) beside the file"), ".srt")
        box.addItem(self.tr("WebVTT subtitles (.vtt) beside the file"), ".vtt")
        box.addItem(self.tr("Text (.txt) beside the file"), ".txt")
        box.addItem(self.tr("Markdown (.md) beside the file"), ".md")
        box.addItem(self.tr("Word document (.docx) beside the file"), ".docx")
        box.setCurrentIndex(max(0, box.findData(chosen)))

    def _show_choices(self, now: Preferences) -> None:
        """Show what the recordings are transcribed with, as live captions are: model, language, translation."""
        known = catalogue().get(now.models.hearing)
        code = now.captions.language or ("en" if known is not None and known.languages == "English" else None)
        language = language_name(code) if code is not None else self.tr("language detected")
        parts = [title_of(now.models.hearing), language]
        if (choice := now.translation_choice) is not None:
            parts.append(self.tr("translated into: {}").format(language_name(choice.options.target)))
        self.choices.setText(self.tr("As for live captions: {}").format(" · ".join(parts)))

    def _follow(self, before: Preferences, after: Preferences) -> None:
        self._show_choices(after)
        if before.history.keeps != after.history.keeps:
            self._offer(self.format, after)

    @Slot()
    def _update_list(self) -> None:
        jobs = {job.number: job for job in self._queue.jobs}
        for number in [number for number in self.rows if number not in jobs]:
            row = self.rows.pop(number)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for number, job in jobs.items():
            if number not in self.rows:
                row = self.rows[number] = JobRow(job)
                row.cancel_wanted.connect(self._queue.cancel)
                row.save_wanted.connect(self._ask_for_place)
                row.session_wanted.connect(self.session_wanted)
                self._column.insertWidget(self._column.count() - 1, row)
        self._nothing.setVisible(not jobs)
        self._order_keys()
        self._say()

    def _order_keys(self) -> None:
        """Order the tab keys from top to bottom: rows are created late, and would come last."""
        rows = (button for row in self.rows.values() for button in row.buttons)
        above = (self.add_files, self.add_folder, self.format, self.speakers, self.change)
        every = (*above, *rows, self.forget, self.close_button)
        for before, after in pairwise(every):
            self.setTabOrder(before, after)

    @Slot(object)
    def _update_job(self, job: object) -> None:
        assert isinstance(job, Job)
        if job.number in self.rows:
            self.rows[job.number].show_job(job)
        self._say()
        if job.stage in (Stage.DONE, Stage.FAILED):
            announce(self, f"{job.title}: {self.rows[job.number].state.text()}")

    def _say(self) -> None:
        jobs = self._queue.jobs
        done, failed = (sum(job.stage is stage for job in jobs) for stage in (Stage.DONE, Stage.FAILED))
        wanted = sum(job.stage is not Stage.CANCELLED for job in jobs)
        self.forget.setEnabled(any(job.is_over for job in jobs))
        told = self.tr("{} of {} done") if not failed else self.tr("{} of {} done, {} failed")
        self._state.setText(told.format(done, wanted, failed) if wanted else "")

    def _lay_out(self) -> None:
        self.setWindowTitle(self.tr("Transcribe files"))
        self.setAcceptDrops(True)
        self.resize(640, 520)
        label = QLabel(self.tr("Also &write"))
        label.setBuddy(self.format)
        what = in_row(label, (self.format, 1), spacing=10)
        above = in_row(self.add_files, self.add_folder, Stretch(1), spacing=10)
        rows = QWidget()
        self._column = in_column(on=rows, margins=0, spacing=10)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.addWidget(self._nothing, 1)
        self._column.addStretch(1)
        below = in_row((self._state, 1), self.forget, self.close_button, spacing=10)
        in_column(
            quiet_label(
                self.tr(
                    "Recordings are transcribed one after the other, as fast as this computer can. "
                    "You can close this window; it goes on."
                )
            ),
            above,
            what,
            self.speakers,
            in_row((self.choices, 1), self.change, spacing=10),
            (Scrolled(rows), 1),
            below,
            on=self,
            margins=(22, 20, 22, 16),
            spacing=12,
        )


def _button(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    return button
