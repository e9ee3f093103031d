"""A row of the list of transcriptions: name, progress, and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QWidget

from app.look.problems import in_words
from app.look.text_layout import breakable, printable
from app.transcription.job import Job, Stage
from app.widgets.labels import quiet_label
from app.widgets.layouts import in_column, in_row

_STEPS = 1000


class JobRow(QFrame):
    """Shows a Job.

    Signals:
        cancel_wanted: cancel the job of this number.
        save_wanted: save the transcript of the job of this number to a file.
        session_wanted: show the session of this id in the history.
    """

    cancel_wanted = Signal(int)
    save_wanted = Signal(int)
    session_wanted = Signal(int)

    def __init__(self, job: Job, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job = job
        self.setProperty("role", "card")
        self.name = QLabel(breakable(printable(job.title)))
        self.name.setProperty("role", "heading")
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.name.setToolTip(str(job.path))
        self.name.setWordWrap(True)
        self.state = quiet_label()
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of {}").format(job.title))
        self.cancel = self._button(self.tr("Cancel"), self.tr("Cancel {}"))
        self.read = self._button(self.tr("Read"), self.tr("Read {}"))
        self.save = self._button(self.tr("Save as…"), self.tr("Save the transcript of {}"))
        self.folder = self._button(self.tr("Show in folder"), self.tr("Show {} in its folder"))
        self.cancel.clicked.connect(lambda: self.cancel_wanted.emit(self.job.number))
        self.read.clicked.connect(lambda: self.session_wanted.emit(self.job.session))
        self.save.clicked.connect(lambda: self.save_wanted.emit(self.job.number))
        self.folder.clicked.connect(self._show_folder)
        self._lay_out()
        self.show_job(job)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """Buttons from left to right."""
        return self.read, self.save, self.folder, self.cancel

    def show_job(self, job: Job) -> None:
        """Show the job's present state."""
        self.job = job
        self.state.setText(breakable(self._words(job)))
        self.state.setProperty("role", "problem" if job.stage is Stage.FAILED else "quiet")
        self.state.style().polish(self.state)
        self.bar.setVisible(job.stage in (Stage.LOADING, Stage.SPEAKERS, Stage.HEARING))
        self.bar.setValue(round(_STEPS * job.share))
        self.cancel.setVisible(not job.is_over)
        self.cancel.setEnabled(job.stage is not Stage.WRITING)
        self.read.setVisible(job.is_over and job.session > 0)
        self.save.setVisible(job.unsaved is not None)
        self.folder.setVisible(job.is_over and bool(job.written))

    def _words(self, job: Job) -> str:
        if job.stage is Stage.FAILED:
            kept = self.tr("The transcript is in the history.") if job.session else ""
            problem = in_words(job.problem).replace(str(job.path), job.path.name)  # the tooltip has its folder
            return " ".join(each for each in (problem, kept) if each)
        if job.stage is Stage.SPEAKERS:
            return self.tr("Telling the speakers apart: {:.0f}% done").format(100 * job.share)
        if job.stage is Stage.HEARING:
            done = self.tr("{:.0f}% done").format(100 * job.share)
            left = job.seconds_left
            return done if left is None else f"{done} · {self._time_left(left)}"
        if job.stage is Stage.DONE:
            names = ", ".join(file.name for file in job.written)
            if names:
                return self.tr("Done. Written to {}.").format(names)
            if job.kept_though_off and job.session:
                return self.tr("Done. Kept in the history, which was on when you asked for this.")
            return self.tr("Done.") if job.session else self.tr("Done. No speech was heard.")
        return {
            Stage.WAITING: self.tr("Waiting"),
            Stage.LOADING: self.tr("Loading the model…"),
            Stage.WRITING: self.tr("Saving…"),
            Stage.CANCELLED: self.tr("Cancelled"),
        }[job.stage]

    def _time_left(self, seconds: float) -> str:
        if seconds < 60:
            return self.tr("less than a minute left")
        minutes = round(seconds / 60)
        if minutes < 120:
            return self.tr("about {} min left").format(minutes)
        return self.tr("about {} h left").format(round(minutes / 60))

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.job.written[0].parent)))

    def _button(self, text: str, spoken: str) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.setAccessibleName(spoken.format(self.job.title))
        return button

    def _lay_out(self) -> None:
        words = in_column(self.name, self.state, spacing=4)
        row = in_row((words, 1), spacing=10)
        for button in self.buttons:
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        in_column(row, self.bar, on=self, margins=(16, 12, 12, 12), spacing=8)
