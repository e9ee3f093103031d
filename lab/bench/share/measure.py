"""Measurement of the page: captions as a meeting has them, on a clock, and readers in a process of their own."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import psutil
from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from app.share.page_server import PageServer
from app.transcript.caption_model import CaptionModel
from engine.events import Caption, Translation, Word
from lab.bench.errors import BenchError

HERE = "127.0.0.1"
UPDATE_SECONDS = 0.4
WORDS_PER_UPDATE = 1
WORDS_PER_CAPTION = 12
FAST_MILLISECONDS = 4
"""Interval of updates where an hour is shown at a stretch."""

UPDATES_PER_HOUR = round(3600 / UPDATE_SECONDS)


@dataclass(frozen=True, slots=True)
class ShareFigures:
    """Figures of the page.

    Attributes:
        readers: connections that read along.
        updates: changes of a caption and its translation that each reader received.
        delay_seconds: from a change of the transcript to a reader's having it, the middle of all.
        late_delay_seconds: the time within which 95 of a hundred were read.
        core_share: processor time for all readers, as a share of one core, beyond that for no reader.
        hour_growth_mb: memory by which the process grew in the last five sixths of an hour, the transcript's included.
        hour_growth_unread_mb: the same without a page.
    """

    readers: int
    updates: int
    delay_seconds: float
    late_delay_seconds: float
    core_share: float
    hour_growth_mb: float
    hour_growth_unread_mb: float


def measure(readers: int, seconds: float, *, hour: float = 1.0) -> ShareFigures:
    """Measure with so many readers for so many seconds, then for an hour, or a part of one, shown quickly."""
    qt = QCoreApplication.instance() or QCoreApplication([])
    updates = max(round(seconds / UPDATE_SECONDS), 2)
    alone = _shown(updates, 0, UPDATE_SECONDS * 1000)
    read = _shown(updates, readers, UPDATE_SECONDS * 1000)
    delays = sorted(moment - read.sent[number] for number, moments in read.arrived.items() for moment in moments)
    if len(delays) != readers * len(read.sent):
        raise BenchError(f"{len(delays)} of {readers * len(read.sent)} changes were read.")
    quickly = round(hour * UPDATES_PER_HOUR)
    growth = [_shown(quickly, each, FAST_MILLISECONDS, times=False).growth_mb for each in (0, readers)]
    del qt
    return ShareFigures(
        readers=readers,
        updates=len(read.sent),
        delay_seconds=statistics.median(delays),
        late_delay_seconds=delays[int(0.95 * (len(delays) - 1))],
        core_share=(read.processor_seconds - alone.processor_seconds) / (updates * UPDATE_SECONDS),
        hour_growth_mb=growth[1],
        hour_growth_unread_mb=growth[0],
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """The outcome of showing captions: moments by the numbers of changes, processor time and growth of memory."""

    sent: dict[int, float]
    arrived: dict[int, list[float]]
    processor_seconds: float
    growth_mb: float


def _shown(updates: int, readers: int, interval_milliseconds: float, *, times: bool = True) -> _Shown:
    """Show captions to readers; without `times` nothing is kept here that would grow with the number of updates."""
    model = CaptionModel()
    page = PageServer(model)
    if readers and (why := page.open(HERE)):
        raise BenchError(f"The page cannot be opened: {why}.")
    process = _start(page, readers) if readers else None
    own = psutil.Process()
    sent: dict[int, float] = {}
    memory: list[int] = []
    meeting, loop, shown = islice(_meeting(), updates), QEventLoop(), 0
    begun = time.process_time()
    timer = QTimer(interval=round(interval_milliseconds))

    def show_next() -> None:
        nonlocal shown
        for each in next(meeting):
            model.show(each) if isinstance(each, Caption) else model.translate(each)
        shown += 1
        if page._feed is not None and times:
            sent[page._feed.number] = time.monotonic()  # of a caption with its translation, which are sent as one
        if shown in (updates, updates - updates * 5 // 6):
            memory.append(own.memory_info().rss)
        if shown == updates:
            timer.stop()
            QTimer.singleShot(200, loop.quit)

    timer.timeout.connect(show_next)
    timer.start()
    loop.exec()
    spent = time.process_time() - begun
    arrived: dict[int, list[float]] = {}
    if process is not None:
        page.close()
        while process.poll() is None and page._visitors:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
        arrived = {int(number): moments for number, moments in json.loads(process.communicate()[0]).items()}
    return _Shown(sent, arrived, spent, (memory[-1] - memory[0]) / 1e6)


def _start(page: PageServer, readers: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lab.bench.share.readers", page.url, str(readers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while page.readers < readers:
        if process.poll() is not None:
            raise BenchError("The readers could not reach the page.")
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
    return process


def _meeting() -> Iterator[list[Caption | Translation]]:
    """Yield what changes at each update: a caption grows by words, its translation follows."""
    number = 0
    while True:
        number += 1
        start = number * WORDS_PER_CAPTION / WORDS_PER_UPDATE * UPDATE_SECONDS
        words = [Word(f" word{number}x{at}", start + at / 3, start + (at + 1) / 3) for at in range(WORDS_PER_CAPTION)]
        for revision in range(WORDS_PER_CAPTION // WORDS_PER_UPDATE):
            after = (revision + 1) * WORDS_PER_UPDATE
            final = after == WORDS_PER_CAPTION
            solid = tuple(words[:after] if final else words[: after - 1])
            pending = () if final else tuple(words[after - 1 : after])
            end = words[after - 1].end
            text = " ".join(f"Wort{number}x{at}" for at in range(after))
            yield [
                Caption(number, revision, start, end, solid, pending, final, end, end),
                Translation(number, revision, text, "", "", "de", final),
            ]
