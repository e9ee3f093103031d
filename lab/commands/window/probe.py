"""The app as it is, watched: `python -m` with STARTED SECONDS REST MODEL prints figures as a line of JSON.

STARTED is the reading of the system's monotonic clock when this process was asked for; REST is how long the app is
left alone; SECONDS is how long the demo goes on after its first caption. With a further word "both" the assistant's
engine runs too while the app is left alone.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.captions.session import State, Status
from app.preferences.preferences import Preferences
from app.sound.audio_sources import demo_script
from app.start import spare_the_collector
from lab.commands.window.event_loop_watch import STALL_SECONDS, EventLoopWatch
from lab.commands.window.figures import WindowFigures
from lab.commands.window.overlay_watch import OverlayWatch
from lab.commands.window.process_load import cpu_seconds

SETTLE_MILLISECONDS = 2000
GIVE_UP_MILLISECONDS = 60_000
QUESTION = "What can you do?"


class Probe(QObject):
    """Lets the window rest, plays the demo in it, and notes what happens when.

    Attributes:
        failure: what prevented a measurement, or nothing.
    """

    def __init__(self, application: Application, started: float, seconds: float, rest: float, both: bool) -> None:
        super().__init__()
        self.failure = ""
        self._application = application
        self._started = started
        self._rest_seconds = rest
        self._both = both
        self._window_seconds: float | None = None
        self._window_work_seconds = 0.0
        self._model_seconds = 0.0
        self._idle_cpu_share = 0.0
        self._first_caption_seconds: float | None = None
        self._before_rest = (0.0, 0.0)  # the clock, and what all processes had computed
        self._turns = EventLoopWatch(self)
        self._overlay = OverlayWatch(application.client, application.desktop.overlay.face, self)
        self._end = QTimer(self, singleShot=True, interval=round(seconds * 1000))
        self._end.timeout.connect(self._close)
        self._give_up = QTimer(self, singleShot=True, interval=GIVE_UP_MILLISECONDS)
        self._give_up.timeout.connect(self._close)
        application.captions_page.stage.installEventFilter(self)
        application.session.model_loaded.connect(self._note_model)
        application.session.failed.connect(self._fail)
        application.assistant.failed.connect(self._fail)
        application.session.status_changed.connect(self._note_status)
        application.session.captions.rowsInserted.connect(self._note_caption)

    @property
    def figures(self) -> WindowFigures | None:
        if self._window_seconds is None or self._first_caption_seconds is None or not self._overlay.seconds:
            return None
        return WindowFigures(
            round(self._window_seconds, 3),
            round(self._window_work_seconds, 3),
            round(self._model_seconds, 3),
            round(self._idle_cpu_share, 4),
            round(self._first_caption_seconds, 3),
            round(statistics.median(self._overlay.seconds), 3),
            round(max(self._overlay.seconds), 3),
            round(self._turns.longest_work_seconds, 3),
            round(self._turns.longest_wait_seconds, 3),
            sum(work > STALL_SECONDS for work in self._turns.work),
            sum(wait > STALL_SECONDS for wait in self._turns.waits),
            len(self._turns.waits),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._window_seconds is None:
            self._window_seconds = 0.0
            QTimer.singleShot(0, self._note_window)  # once it has been painted
        return False

    def _note_window(self) -> None:
        self._window_seconds = time.monotonic() - self._started
        self._window_work_seconds = time.process_time()

    def _note_model(self) -> None:
        if self._model_seconds:
            return
        self._model_seconds = time.monotonic() - self._started
        self._give_up.start()
        if self._both:
            self._application.assistant.turn_ended.connect(self._settle)
            self._application.assistant.ask(QUESTION)
        else:
            self._settle()

    def _settle(self) -> None:
        QTimer.singleShot(SETTLE_MILLISECONDS, self, self._begin_rest)

    def _begin_rest(self) -> None:
        self._before_rest = time.monotonic(), cpu_seconds(os.getpid())
        QTimer.singleShot(round(self._rest_seconds * 1000), self, self._end_rest)

    def _end_rest(self) -> None:
        began, computed = self._before_rest
        self._idle_cpu_share = (cpu_seconds(os.getpid()) - computed) / (time.monotonic() - began)
        self._application.settings.alter(lambda now: replace(now, overlay=replace(now.overlay, shown=True)))
        QTimer.singleShot(SETTLE_MILLISECONDS // 4, self, self._play)

    def _play(self) -> None:
        self._application.actions.mute.setChecked(True)
        self._application.captions_page.play_demo()
        self._turns.start()
        self._give_up.start()

    def _note_caption(self) -> None:
        if self._first_caption_seconds is None:
            self._first_caption_seconds = self._application.session.clock_seconds - first_word_seconds()
            self._give_up.stop()
            self._end.start()

    def _note_status(self, status: Status) -> None:
        if status.state is State.FINISHED:
            QTimer.singleShot(0, self._close)

    def _fail(self, reason: str) -> None:
        self.failure = reason
        self._close()

    def _close(self) -> None:
        self._turns.stop()  # waiting for the engine's end is no stall
        self._application.window.leave()


def first_word_seconds() -> float:
    """Return the start of the demo's first word, as its maker noted it."""
    return float(demo_script()["parts"][0]["start"])


def _watched(model: str, preferences: Preferences) -> Preferences:
    """Return preferences of a person who has used it before; the assistant answers in writing."""
    return replace(
        preferences,
        models=replace(preferences.models, hearing=model),
        behaviour=replace(preferences.behaviour, welcomed=True, speaks=False),
    )


def main(started: float, seconds: float, rest: float, model: str, *, both: bool) -> int:
    """Run the app until this many seconds after the demo's first caption, then print the figures."""
    qt = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        application = Application(qt, Path(folder), given=partial(_watched, model))
        probe = Probe(application, started, seconds, rest, both)
        application.start()
        spare_the_collector()
        qt.exec()
    if probe.figures is None:
        sys.stderr.write(f"{probe.failure or 'No caption appeared.'}\n")
        return 1
    print(json.dumps(asdict(probe.figures)))
    return 0


if __name__ == "__main__":
    begun, demo, left_alone = map(float, sys.argv[1:4])
    sys.exit(main(begun, demo, left_alone, sys.argv[4], both="both" in sys.argv[5:]))
