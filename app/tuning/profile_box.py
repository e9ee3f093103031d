"""Finding the fastest thread setting: a button, the progress, and the results as bars to choose from."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QProgressBar, QPushButton, QWidget

from app.engine_link.command_run import CommandRun
from app.look.problems import in_words
from app.preferences.changes import usual_threads, with_threads
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.measured_ways import MeasuredSettings, ThreadSetting, read_measured_settings
from app.tuning.way_bars import WayBars
from app.widgets.labels import announce, plain, quiet_label
from app.widgets.layouts import Stretch, in_column, in_row
from engine.errors import EngineError


class ProfileBox(QWidget):
    """Runs the profiler on the chosen recognition model.

    Attributes:
        run: the profiler's process.

    Signals:
        profiled: a new best setting is stored for this machine and model.
    """

    profiled = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.run = CommandRun(self)
        self._settings = settings
        self._measured: MeasuredSettings | None = None
        self._recording = False
        self.start = _button(self.tr("Measure this computer"))
        self.cancel = _button(self.tr("Cancel"))
        self.quick = QCheckBox(self.tr("Quicker, but rougher"))
        self.quick.setAccessibleName(plain(self.quick.text()))
        self.quick.setToolTip(self.tr("A shorter recording, heard once with each setting"))
        self.bars = WayBars()
        self.use = _button(self.tr("Use this"))
        self._progress = QProgressBar()
        self._progress.setAccessibleName(self.tr("Progress of the measurement"))
        self._state = quiet_label()
        self._explanation = quiet_label(
            self.tr(
                "Captions a few seconds of the demo with every setting that makes sense here, and remembers the best."
                " It takes a minute or two; the computer should do nothing else meanwhile."
            ),
            role="small",
        )
        self._lay_out()
        self._connect(settings)
        self._arrange()

    def set_recording(self, recording: bool) -> None:
        """Set whether captions are being made, which would distort the measurement."""
        self._recording = recording
        self._arrange()

    def _lay_out(self) -> None:
        buttons = in_row(spacing=12)
        for button in (self.start, self.cancel):
            buttons.addWidget(button)
        buttons.addStretch(1)
        chosen = in_row(self.use, Stretch(1))
        in_column(
            buttons,
            self.quick,
            self._explanation,
            self._progress,
            self._state,
            self.bars,
            chosen,
            on=self,
            margins=0,
            spacing=8,
        )

    def _connect(self, settings: Settings) -> None:
        self.start.clicked.connect(self._begin)
        self.cancel.clicked.connect(self._give_up)
        self.use.clicked.connect(self._use)
        self.bars.picked.connect(self._arrange)
        settings.changed.connect(self._arrange)
        self.run.progressed.connect(self._note_progress)
        self.run.ended.connect(self._read_result)
        self.run.failed.connect(self._end)

    def _begin(self) -> None:
        quick = ["--quick"] if self.quick.isChecked() else []
        model = self._settings.preferences.models.hearing
        self.run.start(["profile", "--json", "--progress", "--model", model, *quick])
        self._progress.setRange(0, 0)
        self._state.setText(self.tr("Loading the model…"))
        self._arrange()
        self.cancel.setFocus()

    def _give_up(self) -> None:
        self.run.cancel()
        self._end(self.tr("Cancelled. Nothing was changed."))
        self.start.setFocus()

    def _note_progress(self, done: int, count: int, name: str) -> None:
        self._progress.setRange(0, count)
        self._progress.setValue(done)
        self._state.setText(self.tr("{} of {} measured").format(done, count))

    def _read_result(self, printed: str) -> None:
        try:
            self._measured = read_measured_settings(printed)
        except EngineError as error:
            self._end(str(error))
            return
        self.bars.show_ways(self._measured)
        self._end(self.tr("Delay of words with each setting. Automatic uses the best from now on."))
        self.profiled.emit()

    def _end(self, words: str) -> None:
        self._state.setText(in_words(words))
        self._arrange()
        announce(self, self._state.text())

    def _use(self) -> None:
        way, measured = self.bars.way, self._measured
        if way is not None and measured is not None:
            self._settings.alter(lambda preferences: _using(preferences, way, way == measured.best))

    def _arrange(self, *_: object) -> None:
        running, way, measured = self.run.is_running, self.bars.way, self._measured
        self.start.setVisible(not running)
        self.quick.setVisible(not running)
        self.cancel.setVisible(running)
        self._progress.setVisible(running)
        self.start.setEnabled(not self._recording)
        self.start.setToolTip(self.tr("End the captions first: they would be measured too.") if self._recording else "")
        self._state.setVisible(bool(self._state.text()))
        self.bars.setVisible(measured is not None and not running)
        self.use.setVisible(self.bars.isVisibleTo(self))
        if way is not None and measured is not None:
            preferences = self._settings.preferences
            used = _using(preferences, way, way == measured.best) == preferences
            self.use.setEnabled(not used)
            self.use.setText(self.tr("In use") if used else self.tr("Use this"))
            self.use.setAccessibleName(plain(self.use.text()))


def _using(preferences: Preferences, way: ThreadSetting, best: bool) -> Preferences:
    """Return preferences with a thread setting; the best one is the automatic one."""
    if best:
        return usual_threads(preferences)
    return with_threads(preferences, way.cpu_threads, way.gpu_threads, pipeline=way.pipeline)


def _button(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(plain(text))
    return button
