"""An hour of captions in the window, as fast as it goes: `python -m` with MINUTES prints figures as JSON.

The engine alone is left out: its captions and translations are written down, with as many revisions as it would make.
Window, overlay and history are as they always are.
"""

from __future__ import annotations

import gc
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.preferences.preferences import Preferences
from app.start import spare_the_collector
from engine.events import Caption, RoundStats, Translation, Word
from engine.process.messages import Progress
from lab.bench.translation.texts import read_set
from lab.commands.window.figures import HourFigures
from lab.commands.window.transcript_load import settled_megabytes, transcript_megabytes
from lab.screenshots.staged_engine import StagedClient, StagedSource

WORD_SECONDS = 0.38
PAUSE_SECONDS = 0.8
ROUND_SECONDS = 0.5
PENDING_WORDS = 3
"""Number of words behind the last committed one that are shown while they may change."""


class Hour:
    """Shows captions and measures what that takes."""

    def __init__(self, application: Application, client: StagedClient) -> None:
        self._application = application
        self._client = client
        self._source = StagedSource("Microphone")
        self._ids = itertools.count(1)
        self._texts = itertools.cycle(read_set("bundled", "de"))
        self._second = 0.0
        self._recorded = 0.0
        self._work: list[float] = []
        self._collected: list[float] = []
        self._collecting = 0.0
        gc.callbacks.append(self._note_collection)

    def run(self, minutes: int) -> HourFigures:
        """Show this many minutes of captions and return the figures; memory counts from the end of the first sixth."""
        session = self._application.session
        session.start(self._source)
        self._client.session_started.emit()
        self._say_until(60 * minutes / 6)
        first_work = statistics.fmean(self._work)
        before, captions_before = self._rest(), session.captions.rowCount()
        self._say_until(60 * minutes * 5 / 6)
        said = len(self._work)
        self._say_until(60 * minutes)
        growth = self._rest() - before
        transcript = transcript_megabytes(
            session.captions, self._application.captions_page.stage.captions.size(), captions_before
        )
        return HourFigures(
            minutes,
            round(growth, 1),
            round(transcript, 1),
            round(growth - transcript, 1),
            round(statistics.fmean(self._work[said:]), 5),
            round(first_work, 5),
            round(max(self._work), 4),
            round(max(self._collected, default=0.0), 4),
        )

    def close(self) -> None:
        """Measure no more."""
        gc.callbacks.remove(self._note_collection)

    def _say_until(self, second: float) -> None:
        while self._second < second:
            for event in self._next_caption():
                begun = time.thread_time()
                self._show(event)
                QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
                self._work.append(time.thread_time() - begun)

    def _next_caption(self) -> Iterator[Caption | Translation | RoundStats]:
        number = next(self._ids)
        text = next(self._texts)
        english, german = text.source, text.references[0]
        words = tuple(
            Word(f" {text}", self._second + i * WORD_SECONDS, self._second + (i + 1) * WORD_SECONDS, 0.9)
            for i, text in enumerate(english.split())
        )
        end, revision = words[-1].end, 0
        heard = self._second
        while heard < end + ROUND_SECONDS:
            heard += ROUND_SECONDS
            self._record_until(heard)
            spoken = [word for word in words if word.end <= heard]
            committed = tuple(spoken[: max(0, len(spoken) - PENDING_WORDS)])
            pending = tuple(spoken[len(committed) :])
            if spoken:
                revision += 1
                yield Caption(number, revision, words[0].start, spoken[-1].end, committed, pending, False, heard, heard)
                shown = german.split()[: len(committed)]
                yield Translation(number, revision, " ".join(shown), " und", english, "de", False, heard)
            yield RoundStats(revision, 4.0, 0.1, 0.1, 0.02, 6, 9, 1, 6, audio_seconds=heard)
        yield Caption(number, revision + 1, words[0].start, end, words, (), True, heard, heard)
        yield Translation(number, revision + 1, german, "", english, "de", True, heard)
        self._second = max(end + PAUSE_SECONDS, heard)

    def _record_until(self, second: float) -> None:
        self._source.give(second - self._recorded)
        self._recorded = second
        self._client.progressed.emit(Progress(second, speaking=True))

    def _show(self, event: Caption | Translation | RoundStats) -> None:
        match event:
            case Caption():
                self._client.caption_changed.emit(event)
            case Translation():
                self._client.translation_changed.emit(event)
            case RoundStats():
                self._client.round_measured.emit(event)

    def _rest(self) -> float:
        """Wait until everything is on the disk; then return the megabytes in use."""
        written: list[bool] = []
        self._application.archive.ask(lambda store: True, written.append)
        while not written:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
        return settled_megabytes()

    def _note_collection(self, phase: str, info: dict[str, int]) -> None:
        now = time.thread_time()
        if phase == "start":
            self._collecting = now
        else:
            self._collected.append(now - self._collecting)


def _watched(now: Preferences) -> Preferences:
    return replace(
        now,
        behaviour=replace(now.behaviour, welcomed=True),
        overlay=replace(now.overlay, shown=True),
        translates=True,
        translation=replace(now.translation, target="de"),
    )


def main(minutes: int) -> int:
    """Show this many minutes of captions, then print the figures."""
    qt = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        client = StagedClient()
        application = Application(qt, Path(folder), client, StagedClient(), given=_watched)
        application.window.show()
        application.desktop.overlay.follow()
        spare_the_collector()
        hour = Hour(application, client)
        figures = hour.run(minutes)
        hour.close()
        application.shut_down()
        application.window.hide()
        for part in (application.window, application.theme, application):
            part.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    print(json.dumps(asdict(figures)))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
