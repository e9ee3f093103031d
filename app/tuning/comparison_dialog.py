"""A comparison of the published settings and the present ones on a recording."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QListView,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from app.engine_link.command_run import CommandRun
from app.look.decimals import decimal
from app.look.problems import in_words
from app.preferences.reading import written
from app.preferences.settings import Settings
from app.tuning.replay import USUAL_SECONDS, Comparison, Replayed, read_comparison
from app.widgets.labels import announce, plain, quiet_label
from app.widgets.layouts import Spacing, in_column, in_row
from app.widgets.open_audio import ask_for_audio
from app.widgets.screen_room import ScreenDialog, Scrolled
from engine.errors import EngineError

NOTHING = "–"


class ReplayCard(QFrame):
    """A card with the results of one setting."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName(title)
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        heading.setWordWrap(True)
        self.delay = QLabel(NOTHING)
        self.delay.setProperty("role", "figure")
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(self.tr("What was heard"))
        self.text.setAccessibleName(self.tr("What was heard: {}").format(title))
        self._rows: dict[str, QLabel] = {}
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setColumnStretch(0, 1)
        for key, name in (
            ("late", self.tr("95% of words within")),
            ("factor", self.tr("Real-time factor")),
            ("flicker", self.tr("Words that changed later")),
            ("words", self.tr("Words heard")),
        ):
            self._add_row(key, name)
        in_column(
            heading,
            Spacing(4),
            self.delay,
            quiet_label(self.tr("median delay of a word"), role="small"),
            Spacing(8),
            self._grid,
            Spacing(8),
            (self.text, 1),
            on=self,
            margins=(16, 14, 16, 16),
            spacing=6,
        )

    def show_replayed(self, one: Replayed | None) -> None:
        """Show results; None is unknown yet."""
        self.delay.setText(self._seconds(one.delay_seconds if one else None))
        self._rows["late"].setText(self._seconds(one.late_seconds if one else None))
        self._rows["factor"].setText(decimal(one.real_time_factor, 2) if one else NOTHING)
        flicker = one.flicker if one else None
        self._rows["flicker"].setText(NOTHING if flicker is None else self.tr("{:.0f}%").format(100 * flicker))
        self._rows["words"].setText(str(one.words) if one else NOTHING)
        self.text.setPlainText(one.text if one else "")

    def _add_row(self, key: str, name: str) -> None:
        value = self._rows[key] = QLabel(NOTHING)
        value.setAccessibleName(name)
        value.setAlignment(Qt.AlignmentFlag.AlignRight)
        row = self._grid.rowCount()
        self._grid.addWidget(quiet_label(name), row, 0)
        self._grid.addWidget(value, row, 1)

    def _seconds(self, seconds: float | None) -> str:
        return NOTHING if seconds is None else self.tr("{} s").format(decimal(seconds, 2))


class ComparisonDialog(ScreenDialog):
    """Runs `earshot compare` on the demo or on the user's own recording.

    Attributes:
        run: its process.
    """

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.run = CommandRun(self)
        self._settings = settings
        self._recording = False
        self.setWindowTitle(self.tr("Compare"))
        self.resize(720, 560)
        self.clip = QComboBox()
        self.clip.setView(QListView())  # unlike the built-in view, it uses the style sheet
        self.clip.setAccessibleName(self.tr("Recording"))
        self.clip.setMinimumContentsLength(16)
        self.clip.addItem(self.tr("Demo"), None)
        self.other = _button(self.tr("&Open a recording…"))
        self.start = _button(self.tr("&Compare"))
        self.start.setProperty("role", "main")
        self.cancel = _button(self.tr("C&ancel"))
        self._progress = QProgressBar()
        self._progress.setAccessibleName(self.tr("Progress of the comparison"))
        self._state = quiet_label()
        self.published = ReplayCard(self.tr("Whisper-Streaming, as published"))
        self.set_now = ReplayCard(self.tr("Earshot, as set now"))
        self._lay_out()
        self.other.clicked.connect(self._ask_for_clip)
        self.start.clicked.connect(self.begin)
        self.cancel.clicked.connect(self._give_up)
        self.run.progressed.connect(self._note_progress)
        self.run.ended.connect(self._read_result)
        self.run.failed.connect(self._end)
        self._end("")

    def choose(self, path: Path) -> None:
        """Select a recording."""
        place = self.clip.findText(path.name)
        if place < 1:
            self.clip.addItem(path.name)
            place = self.clip.count() - 1
        self.clip.setItemData(place, str(path))
        self.clip.setCurrentIndex(place)

    def set_recording(self, recording: bool) -> None:
        """Set whether captions are being made, which would distort the measurement."""
        self._recording = recording
        self.start.setEnabled(not recording)
        self.start.setToolTip(self.tr("End the captions first: they would slow both ways down.") if recording else "")

    def begin(self) -> None:
        """Start the comparison."""
        clip = self.clip.currentData()
        model = self._settings.preferences.models.hearing
        arguments = ["compare", "--json", "--progress", "--model", model, "--settings", "-"]
        self.run.start([*arguments, *(["--", clip] if clip else [])], written(self._settings.preferences))
        for card in (self.published, self.set_now):
            card.show_replayed(None)
        self._progress.setRange(0, 0)
        self._state.setText(self.tr("Loading the model…"))
        self._arrange()
        self.cancel.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.run.cancel()
        self._arrange()
        super().closeEvent(event)

    def reject(self) -> None:
        self.run.cancel()
        self._arrange()
        super().reject()

    def _lay_out(self) -> None:
        label = QLabel(self.tr("&Recording"))
        label.setBuddy(self.clip)
        row = in_row(spacing=10)
        for widget in (label, self.clip, self.other, self.start, self.cancel):
            row.addWidget(widget)
        row.addStretch(1)
        both = QWidget()
        in_row((self.published, 1), (self.set_now, 1), on=both, margins=0, spacing=14)
        in_column(
            row,
            quiet_label(
                self.tr(
                    "The first {:.0f} seconds are heard twice, with the same model and on this computer: as the method "
                    "was published, and with your settings. Only the method differs."
                ).format(USUAL_SECONDS)
            ),
            self._progress,
            self._state,
            (Scrolled(both), 1),
            on=self,
            margins=(20, 18, 20, 20),
            spacing=10,
        )

    def _ask_for_clip(self) -> None:
        path = ask_for_audio(self, self.tr("Open a recording"))
        if path is not None:
            self.choose(path)

    def _note_progress(self, done: int, count: int, name: str) -> None:
        self._progress.setRange(0, count)
        self._progress.setValue(done)
        first = 2 * done <= count
        self._state.setText(self.tr("Hearing it as published…") if first else self.tr("Hearing it as set now…"))

    def _read_result(self, printed: str) -> None:
        try:
            self._show(read_comparison(json.loads(printed)))
        except (ValueError, EngineError):
            self._end(self.tr("The comparison gave no result that can be read. Try again."))

    def _show(self, comparison: Comparison) -> None:
        self.published.show_replayed(comparison.published)
        self.set_now.show_replayed(comparison.set_now)
        self._end(self.tr("{:.0f} seconds of sound, heard twice.").format(comparison.audio_seconds))

    def _give_up(self) -> None:
        self.run.cancel()
        self._end(self.tr("Cancelled."))
        self.start.setFocus()

    def _end(self, words: str) -> None:
        self._state.setText(in_words(words))
        self._arrange()
        if words:
            announce(self, self._state.text())

    def _arrange(self) -> None:
        running = self.run.is_running
        self._progress.setVisible(running)
        self.cancel.setVisible(running)
        self.start.setVisible(not running)
        self.clip.setEnabled(not running)
        self.other.setEnabled(not running)
        self._state.setVisible(bool(self._state.text()))


def _button(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(plain(text).rstrip("…"))
    button.setAutoDefault(False)
    return button
