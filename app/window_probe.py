"""The app as it is, watched: `python -m app.window_probe STARTED SECONDS MODEL` prints one line of figures as JSON.

STARTED is the reading of the system's monotonic clock when this process was asked for; SECONDS is how long the demo
goes on after its first caption.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.captioning import demo_clip
from app.live_session import State, Status
from app.window_bench import WindowFigures

TURN_MILLISECONDS = 5
STALL_SECONDS = 0.05
FIRST_CAPTION_MILLISECONDS = 60_000


class Probe(QObject):
    """Plays the demo in the window and notes what happens when.

    Attributes:
        failure: what prevented a measurement, or nothing.
    """

    def __init__(self, application: Application, started: float, seconds: float) -> None:
        super().__init__()
        self.failure = ""
        self._application = application
        self._started = started
        self._window_seconds: float | None = None
        self._model_seconds = 0.0
        self._first_caption_seconds: float | None = None
        self._waits: list[float] = []
        self._work: list[float] = []
        self._turned = 0.0
        self._worked = 0.0
        self._turns = QTimer(self, interval=TURN_MILLISECONDS)
        self._turns.timeout.connect(self._note_turn)
        self._end = QTimer(self, singleShot=True, interval=round(seconds * 1000))
        self._end.timeout.connect(self._close)
        self._give_up = QTimer(self, singleShot=True, interval=FIRST_CAPTION_MILLISECONDS)
        self._give_up.timeout.connect(self._close)
        application.window.stage.installEventFilter(self)
        application.session.model_loaded.connect(self._play)
        application.session.failed.connect(self._fail)
        application.session.status_changed.connect(self._note_status)
        application.session.captions.rowsInserted.connect(self._note_caption)

    @property
    def figures(self) -> WindowFigures | None:
        if self._window_seconds is None or self._first_caption_seconds is None:
            return None
        return WindowFigures(
            round(self._window_seconds, 3),
            round(self._model_seconds, 3),
            round(self._first_caption_seconds, 3),
            round(max(self._work), 3),
            round(max(self._waits), 3),
            sum(wait > STALL_SECONDS for wait in self._waits),
            len(self._waits),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._window_seconds is None:
            self._window_seconds = 0.0
            QTimer.singleShot(0, self._note_window)  # once it has been painted
        return False

    def _note_window(self) -> None:
        self._window_seconds = time.monotonic() - self._started

    def _play(self) -> None:
        self._model_seconds = time.monotonic() - self._started
        self._application.window.play_demo()
        self._turned, self._worked = time.monotonic(), time.thread_time()
        self._turns.start()
        self._give_up.start()

    def _note_turn(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        self._waits.append(now - self._turned)
        self._work.append(worked - self._worked)
        self._turned, self._worked = now, worked

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
        self._application.window.close()


def first_word_seconds() -> float:
    """When the demo's first word begins, as its maker noted."""
    record = json.loads(demo_clip().with_suffix(".json").read_text(encoding="utf-8"))
    return float(record["sentences"][0]["start"])


def main(started: float, seconds: float, model: str) -> int:
    """Run the app until so many seconds after the demo's first caption, then print the figures."""
    qt = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        application = Application(qt, model, Path(folder))
        probe = Probe(application, started, seconds)
        application.start()
        qt.exec()
    if probe.figures is None:
        sys.stderr.write(f"{probe.failure or 'No caption appeared.'}\n")
        return 1
    print(json.dumps(asdict(probe.figures)))
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
