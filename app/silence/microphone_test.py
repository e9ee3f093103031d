"""A microphone test: choose one, watch its level, record three seconds and play them."""

from __future__ import annotations

import threading
from enum import Enum, auto

import numpy as np
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from app.look.problems import in_words
from app.look.theme import Theme
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.silence.silence import QUIET_DBFS
from app.sound.audio_feed import AudioFeed
from app.sound.audio_sources import Microphone
from app.sound.device_search import DeviceSearch
from app.sound.loudness import loudness_dbfs
from app.sound.playback import Player
from app.widgets.device_chooser import InputChooser, OutputChooser
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.level_meter import LevelMeter
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

RECORD_SECONDS = 3.0
FULL_SCALE = 0.99
_CHUNK = SAMPLE_RATE_HZ // 20


class Step(Enum):
    """A step of the test."""

    LISTENING = auto()
    RECORDING = auto()
    PLAYING = auto()


class MicrophoneTest(QWidget):
    """Records the preferred input while the widget is visible; nothing is stored.

    Attributes:
        step: the present step.
        verdict: the result of the newest recording, in one sentence; empty before one.

    Signals:
        step_changed: a Step.
        tried: a recording was made and played.
    """

    step_changed = Signal(Step)
    tried = Signal()
    _recorded = Signal()
    _played = Signal(str)

    def __init__(
        self,
        settings: Settings,
        search: DeviceSearch,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        chooses: bool = True,
    ) -> None:
        """Build the test; without `chooses`, the device choosers are hidden because others are nearby."""
        super().__init__(parent)
        self.step = Step.LISTENING
        self.verdict = ""
        self._sounded = True  # in the newest recording
        self.input = InputChooser(settings, search, theme)
        self.output = OutputChooser(settings, search, theme)
        self.level = LevelMeter()
        self.record = QPushButton()
        self.state = QLabel()
        self._settings = settings
        self._search = search
        self._theme = theme
        self._feed: AudioFeed | None = None
        self._player: Player | None = None
        self._samples: list[Samples] = []
        self._left = 0  # samples still to be recorded
        self._playing: threading.Thread | None = None
        self._lay_out(chooses)
        self.record.clicked.connect(self.press)
        self._recorded.connect(self._play)
        self._played.connect(self._end)
        settings.changed.connect(self._follow)
        theme.changed.connect(self._refresh_icon)
        self._enter(Step.LISTENING)

    def _lay_out(self, chooses: bool) -> None:
        devices = QWidget(self)
        devices.setVisible(chooses)
        grid = QGridLayout(devices)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        rows = ((self.tr("&Microphone"), self.input), (self.tr("&Play back on"), self.output))
        for row, (text, chooser) in enumerate(rows):
            label = QLabel(text)
            label.setBuddy(chooser)
            grid.addWidget(label, row, 0)
            grid.addWidget(chooser, row, 1)
        grid.setColumnStretch(1, 1)
        line = in_row(self.record, self.level, Stretch(), spacing=16)
        self.state.setWordWrap(True)
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setProperty("role", "quiet")
        self.state.setMinimumHeight(2 * self.state.fontMetrics().lineSpacing())
        self.state.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        in_column(devices, line, self.state, on=self, margins=0, spacing=14)

    @Slot()
    def press(self) -> None:
        """Start recording and playback; during these, cancel."""
        if self.step is Step.LISTENING:
            self.verdict = ""
            self._samples = []
            self._left = round(RECORD_SECONDS * SAMPLE_RATE_HZ)
            self._enter(Step.RECORDING)
            if self._feed is None:
                self._listen()
        else:
            self._left = 0
            if self._player is not None:
                self._player.stop()
            self._end("")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._search.inputs is None:
            self._search.start()
        self._listen()

    def hideEvent(self, event: QHideEvent) -> None:
        """Close the microphone as soon as the widget is hidden."""
        self.shut_down()
        super().hideEvent(event)

    def shut_down(self) -> None:
        """Stop recording and playback."""
        self._left = 0
        self._silence()
        if self._player is not None:
            self._player.stop()
        if self._playing is not None:
            self._playing.join(1.0)
        self._enter(Step.LISTENING)

    def _listen(self) -> None:
        """Follow the preferred input's level."""
        self._silence()
        source = Microphone(self._settings.preferences.sound.input, self.input.currentText())
        feed = self._feed = AudioFeed(source, self._receive, self)
        feed.level_measured.connect(self._note_level)
        feed.interrupted.connect(self._say)
        feed.resumed.connect(self._say)
        feed.failed.connect(self._fail)
        feed.start()

    def _silence(self) -> None:
        if self._feed is not None:
            feed, self._feed = self._feed, None
            feed.wait(1.0)
            feed.deleteLater()
        self.level.rest()

    @Slot(float)
    def _note_level(self, dbfs: float) -> None:
        if self.sender() is self._feed:
            self.level.show_level(dbfs)

    def _receive(self, chunk: Samples) -> None:
        """Store a chunk, on the feed's thread."""
        if self._left > 0:
            self._samples.append(chunk)
            self._left -= len(chunk)
            if self._left <= 0:
                self._recorded.emit()

    @Slot()
    def _play(self) -> None:
        if self.step is not Step.RECORDING:
            return
        samples = np.concatenate(self._samples)
        self.verdict = self._judge(samples)
        self._enter(Step.PLAYING)
        player = self._player = Player(self._settings.preferences.sound.output)
        self._playing = threading.Thread(target=self._play_on, args=(player, samples), name="playing back", daemon=True)
        self._playing.start()

    def _play_on(self, player: Player, samples: Samples) -> None:
        try:
            player.play(samples, SAMPLE_RATE_HZ)
            player.drain()
        except AudioError as error:
            self._played.emit(str(error))
        else:
            self._played.emit("")
        finally:
            player.close()

    @Slot(str)
    def _end(self, problem: str) -> None:
        if self.step is Step.LISTENING:
            return  # cancelled meanwhile
        done = self.step is Step.PLAYING
        self._enter(Step.LISTENING)
        if problem:
            self._say(in_words(problem))
        if done:
            self.tried.emit()

    @Slot(str)
    def _fail(self, message: str) -> None:
        if self.sender() is not self._feed:
            return
        self._feed = None
        self._left = 0
        self.level.rest()
        self._enter(Step.LISTENING)
        self._say(in_words(message))

    @Slot(Preferences, Preferences)
    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.sound.input != after.sound.input and self.isVisible():
            self.shut_down()
            self.verdict = ""
            self._enter(Step.LISTENING)
            self._listen()

    def _judge(self, samples: Samples) -> str:
        loudest = max(loudness_dbfs(samples[at : at + _CHUNK]) for at in range(0, len(samples), _CHUNK))
        self._sounded = bool(samples.any())
        if not self._sounded:
            return self.tr("No sound came in: the microphone is muted, or Earshot is not allowed to use it.")
        if loudest < QUIET_DBFS:
            return self.tr("That was very quiet. Come closer, or turn the microphone up.")
        if np.mean(np.abs(samples) >= FULL_SCALE) > 0.001:
            return self.tr("That was too loud and sounds distorted. Turn the microphone down.")
        return self.tr("That sounds good.")

    def _words_while_playing(self) -> str:
        return f"{self.verdict} {self.tr('Playing it back…')}" if self._sounded else self.verdict

    def _enter(self, step: Step) -> None:
        changed, self.step = step is not self.step, step
        texts = {
            Step.LISTENING: (
                self.tr("&Record 3 seconds"),
                self.verdict or self.tr("Speak: the bars follow your voice. Then record, and hear yourself."),
            ),
            Step.RECORDING: (self.tr("&Cancel"), self.tr("Recording: say something.")),
            Step.PLAYING: (self.tr("&Stop"), self._words_while_playing()),
        }
        button, state = texts[step]
        self.record.setText(button)
        self.record.setAccessibleDescription(self.tr("Records three seconds and plays them back; nothing is kept."))
        self._say(state)
        self._refresh_icon()
        if changed:
            self.step_changed.emit(step)

    def _refresh_icon(self) -> None:
        self.record.setIcon(self._theme.icon("record" if self.step is Step.LISTENING else "stop"))

    @Slot(str)
    def _say(self, text: str) -> None:
        self.state.setText(text)
        self.state.setAccessibleName(text)
