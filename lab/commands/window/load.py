"""A long history in the window: a meeting of many lines, many sessions, and what each step of using them computes.

What is counted is the window's own work between two turns of its event loop, which other programs cannot lengthen.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.history.export.exporting import ExportChoice
from app.history.kept.schema import FILE_NAME
from app.history.store import HistoryStore
from app.preferences.preferences import Preferences
from app.start import spare_the_collector
from engine.events import Caption, Word
from lab.bench.errors import BenchError
from lab.bench.translation.texts import read_set
from lab.commands.window.event_loop_watch import EventLoopWatch
from lab.screenshots.staged_engine import StagedClient

LINE_SECONDS = 1.44  # 20,000 of them are eight hours
SESSION_SECONDS = 4 * 3600.0
PATIENCE_SECONDS = 900.0
SCROLLS, HITS, REVISIONS = 40, 20, 50
COMMON, RARE = "the", "zanzibar"


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """The longest that the window computed between two turns, in seconds, by what was done.

    Attributes:
        lines, sessions: how many there were.
        list_seconds: the history's page opened, all sessions listed.
        open_seconds: the long transcript shown, to its last line.
        scroll_seconds: it was scrolled through from end to end.
        search_seconds: a word that is in many lines was looked for, then one that is in one.
        next_hit_seconds: from hit to hit.
        export_seconds: it was written as subtitles.
        caption_seconds: a live caption grew below as many lines.
        longest_seconds: of all.
    """

    lines: int
    sessions: int
    list_seconds: float
    open_seconds: float
    scroll_seconds: float
    search_seconds: float
    next_hit_seconds: float
    export_seconds: float
    caption_seconds: float
    longest_seconds: float


class Load:
    """Fills a history, then uses it as a person would."""

    def __init__(self, application: Application, folder: Path) -> None:
        self._application = application
        self._folder = folder
        self._page = application.history_page
        self._view = self._page.pane.view
        self._hits = 0
        self._view.hits_changed.connect(self._note_hits)
        self._steps: dict[str, float] = {}

    def run(self, long_session: int, lines: int, sessions: int) -> LoadFigures:
        """Do everything once and return the figures."""
        page, view = self._page, self._view
        application = self._application
        self._step("list", application.actions.history_page.trigger, lambda: self._lists(sessions))
        self._step("open", lambda: page.choose(long_session), lambda: self._shows(long_session))
        bar = view.verticalScrollBar()
        for place in range(SCROLLS):
            self._step("scroll", partial(bar.setValue, bar.maximum() * place // (SCROLLS - 1)))
        for word in (RARE, COMMON):
            self._look_for("", lambda: not self._hits and self._lists(sessions))
            self._look_for(word, lambda: self._hits > 0 and view.is_complete)
        for _ in range(HITS):
            self._step("next_hit", view.go_to_next_hit)
        self._look_for("", lambda: not self._hits and self._lists(sessions))
        self._export()
        self._grow(lines)
        seconds = {f"{name}_seconds": round(longest, 4) for name, longest in self._steps.items()}
        return LoadFigures(lines, sessions, **seconds, longest_seconds=max(seconds.values()))

    def _lists(self, sessions: int) -> bool:
        return len(self._page.sessions.model.sessions) > sessions

    def _shows(self, session: int) -> bool:
        shown = self._page.transcript
        return (
            shown is not None and shown.session is not None and shown.session.id == session and self._view.is_complete
        )

    def _look_for(self, text: str, done: Callable[[], bool]) -> None:
        self._step("search", lambda: self._page.look_for(text), done)

    def _note_hits(self, place: int, count: int) -> None:
        self._hits = count

    def _export(self) -> None:
        transcript, path = self._page.transcript, self._folder / "long.srt"
        assert transcript is not None
        self._step("export", lambda: self._page.exports.write(path, transcript, ExportChoice()), path.exists)

    def _grow(self, lines: int) -> None:
        """Show one more caption, which grows below as many as the long meeting has."""
        self._application.actions.captions_page.trigger()
        model = self._application.session.captions
        model.reset_to(self._page.transcript.captions if self._page.transcript is not None else ())
        self._until(lambda: model.rowCount() == lines)
        for revision in range(1, REVISIONS + 1):
            caption = _caption(lines, " word" * revision, revision, final=False)
            self._step("caption", partial(model.show, caption))

    def _step(self, name: str, act: Callable[[], object], done: Callable[[], bool] = lambda: True) -> None:
        """Do something, wait for its end, and note the longest turn."""
        watch = EventLoopWatch()
        watch.start()
        began = time.thread_time()
        act()
        acted = time.thread_time() - began
        self._until(done)
        watch.stop()
        self._steps[name] = max(self._steps.get(name, 0.0), acted, watch.longest_work_seconds)

    def _until(self, done: Callable[[], bool]) -> None:
        """Let events come until it is so, and for a few turns after."""
        due = time.monotonic() + PATIENCE_SECONDS
        for _ in itertools.count():
            for _ in range(5):
                QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
                time.sleep(0.002)
            if done():
                return
            if time.monotonic() > due:
                raise BenchError("The window did not come to the end of a step of the load.")


def fill(folder: Path, lines: int, sessions: int) -> int:
    """Write a history of one long meeting, which is the newest, and of many short sessions; return the meeting's id."""
    store = HistoryStore(folder / "history" / FILE_NAME)
    texts = itertools.cycle(text.source for text in read_set("bundled", "de"))
    began = time.time() - (sessions + 1) * SESSION_SECONDS
    for number in range(sessions):
        session = store.begin("captions", "", "Microphone", "starter", "en", began + number * SESSION_SECONDS)
        store.put_caption(session, _caption(1, next(texts)))
        store.end(session, began + number * SESSION_SECONDS + 60.0)
    long = store.begin("captions", "A long meeting", "Microphone", "starter", "en")
    for number in range(1, lines + 1):
        text = next(texts)
        store.put_caption(long, _caption(number, f"{text} {RARE.title()}." if number == lines // 2 else text))
    store.end(long)
    store.close()
    return long


def _caption(number: int, text: str, revision: int = 1, *, final: bool = True) -> Caption:
    start = number * LINE_SECONDS
    words = tuple(Word(f" {word}", start, start + 0.3) for word in text.split())
    return Caption(number, revision, start, start + LINE_SECONDS, words, (), final, start, start + 0.5)


def _settled(now: Preferences) -> Preferences:
    return replace(now, behaviour=replace(now.behaviour, welcomed=True))


def measure_load(lines: int, sessions: int) -> LoadFigures:
    """Open the window on such a history, in this process and without a picture, and use it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    qt = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(qt, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        long = fill(Path(folder), lines, sessions)
        application = Application(qt, Path(folder), StagedClient(), StagedClient(), given=_settled)
        application.start()
        spare_the_collector()
        figures = Load(application, Path(folder)).run(long, lines, sessions)
        application.shut_down()
        application.window.hide()
        for part in (application.window, application.theme, application):
            part.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return figures
