"""An hour of captions: what a session remembers beside the transcript does not grow."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.figures import CAPTION_ERASURE, REAL_TIME_FACTOR, TRANSLATION_ERASURE, WORD_LATENCY, Sample
from app.captions.session import LiveSession
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import RoundStats
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import Progress, TranslationChoice
from tests.app.made_captions import caption, translation
from tests.app.silent_client import SilentClient

HOUR_SECONDS = 3600
CAPTION_SECONDS = 6
CAPTIONS = HOUR_SECONDS // CAPTION_SECONDS
GROWTH_BYTES = 4_000
"""Greatest growth from half-hour to half-hour; a number for every caption would be more than twice as much."""

APP = Path(__file__).parents[3] / "app"
REMEMBERS = ("captions/session", "captions/recording", "captions/figures", "captions/steadiness",
             "engine_link/engine_client", "engine_link/engine_pulse",
             "engine_link/unbroken_captions", "engine_link/uncovered_audio")  # fmt: skip


@dataclass(frozen=True)
class Quick:
    """An hour of silence that comes a second at a time, as soon as the last one was heard."""

    wanted: threading.Semaphore
    came: threading.Semaphore
    name: str = "quick"
    passes_by: bool = True

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        second = np.zeros(SAMPLE_RATE_HZ, np.float32)
        while self.wanted.acquire() and not stop.is_set():
            yield second
            self.came.release()


def remembered() -> int:
    """Return the bytes that the session's own code holds after a garbage collection."""
    gc.collect()
    own = {str(APP / f"{name}.py") for name in REMEMBERS}
    files = tracemalloc.take_snapshot().statistics("filename")  # a filter would compare every block with every name
    return sum(each.size for each in files if each.traceback[0].filename in own)


def say_something(client: SilentClient, number: int) -> None:
    """Emit one caption as it grows, with its translation and the cost of its rounds."""
    end = number * CAPTION_SECONDS
    for step in range(2):
        seconds = float(end + step)
        client.caption_changed.emit(caption(number, "one two", pending="tree", start=end, revision=2 * step))
        client.caption_changed.emit(caption(number, "one two", pending="three", start=end, revision=2 * step + 1))
        client.translation_changed.emit(translation(number, "eins zw", revision=step))
        client.round_measured.emit(RoundStats(number, 4.0, 0.1, 0.1, 0.1, 3, 9, 1, 6, audio_seconds=seconds))
        client.progressed.emit(Progress(seconds, speaking=True))
    client.caption_changed.emit(caption(number, "one two three", start=end, revision=99, final=True))
    client.translation_changed.emit(translation(number, "eins zwei drei", revision=99, final=True))


def test_an_hour_of_captions_does_not_grow_memory_beyond_its_text(qapp: QApplication, qtbot: QtBot) -> None:
    client = SilentClient()
    german = TranslationChoice(TranslationOptions("de"), "l")
    session = LiveSession(client, "m", CaptionOptions(), translation=german)
    samples: dict[str, int] = {}

    def count(sample: Sample) -> None:
        samples[sample.figure] = samples.get(sample.figure, 0) + 1

    session.figure_measured.connect(count)
    quick = Quick(threading.Semaphore(0), threading.Semaphore(0))
    session.start(quick)
    client.session_started.emit()
    held: list[int] = []
    gc.freeze()  # the tests before left much that the collector would go through every time
    tracemalloc.start()
    try:
        for number in range(CAPTIONS):
            for _ in range(CAPTION_SECONDS):
                quick.wanted.release()
                assert quick.came.acquire(timeout=120)
            qapp.processEvents()
            say_something(client, number)
            if number % 25 == 24:
                held.append(remembered())
    finally:
        tracemalloc.stop()
        quick.wanted.release()
        session.shut_down()
    assert session.captions.rowCount() == CAPTIONS
    assert {WORD_LATENCY, REAL_TIME_FACTOR, CAPTION_ERASURE, TRANSLATION_ERASURE} <= set(samples)
    half = len(held) // 2
    assert min(held) > 0
    assert max(held[half:]) - max(held[:half]) < GROWTH_BYTES
