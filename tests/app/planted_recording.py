"""A recording of planted words with a real engine process behind it, and what was ever shown of it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.captions.session import LiveSession, State
from app.engine_link.engine_client import EngineClient
from app.engine_link.engine_pulse import Patience
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Word, text_of
from engine.options import CaptionOptions
from tests.app.scripted_engine import planted_client
from tests.hear.planted import numbered, plant

PATIENCE = 120_000  # milliseconds
WORDS = numbered([(0.3 * i + 0.05, 0.3 * i + 0.3) for i in range(1, 14)])
SECONDS = 4.5
TIMES_AS_FAST = 3.0
IMPATIENT = Patience(look_seconds=0.1, silent_looks=20, first_looks=600, stuck_seconds=30.0)
OPTIONS = CaptionOptions(voice_gate=False, step_seconds=0.25)


@dataclass(frozen=True)
class FastFile:
    """Planted words that come several times as fast as they would be spoken."""

    samples: Samples
    name: str = "words"
    passes_by: bool = False

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        for at in range(0, len(self.samples), 800):
            if stop.wait(800 / SAMPLE_RATE_HZ / TIMES_AS_FAST):
                return
            yield self.samples[at : at + 800]


class Recording:
    """A session that captions planted words from a file, with the words as they were committed.

    Attributes:
        committed: every word that was ever shown as certain, in order.
        notices, failures: what people were told.
    """

    def __init__(self, client: EngineClient, qtbot: QtBot) -> None:
        """Begin to record as soon as the engine is ready; it may run already, with the model "m"."""
        self.client = client
        self.session = LiveSession(client, "m", OPTIONS)
        self.committed: list[str] = []
        self.notices: list[str] = []
        self.failures: list[str] = []
        self._counts: dict[int, int] = {}
        self._qtbot = qtbot
        self.session.noticed.connect(self.notices.append)
        self.session.failed.connect(self.failures.append)
        for changed in (self.session.captions.rowsInserted, self.session.captions.dataChanged):
            changed.connect(self._note)
        if not client.is_running:
            with qtbot.waitSignal(client.model_loaded, timeout=PATIENCE):
                self.session.prepare()
        self.session.start(FastFile(plant(WORDS, SECONDS)))

    def _note(self) -> None:
        for caption in self.session.captions.captions:
            known = self._counts.get(caption.id, 0)
            assert len(caption.committed) >= known, "a committed word never goes"
            self.committed += [word.text for word in caption.committed[known:]]
            self._counts[caption.id] = len(caption.committed)

    def when_said(self, word: str) -> None:
        self._qtbot.waitUntil(lambda: f" {word}" in self.committed, timeout=PATIENCE)

    def strike(self, number: signal.Signals) -> int:
        """Send the engine a signal; return its process id."""
        process_id = self.client.process_id
        assert process_id is not None
        os.kill(process_id, number)
        return process_id

    def end(self) -> None:
        self._qtbot.waitUntil(lambda: self.session.status.state is State.FINISHED, timeout=PATIENCE)

    @property
    def words(self) -> list[Word]:
        return [word for caption in self.session.captions.captions for word in caption.committed]

    def close(self) -> None:
        """Leave the engine to others."""
        self.session.stop()
        self.session.stop()  # at once
        self.session.deleteLater()
        QCoreApplication.sendPostedEvents(self.session, QEvent.Type.DeferredDelete.value)

    def check(self) -> None:
        """Check that all words are there once, in order, at their times, as without any disturbance."""
        assert text_of(self.words) == text_of(WORDS)
        assert self.session.captions.rowCount() == 1, "a sentence is not cut in two"
        assert self.committed == [word.text for word in WORDS]
        assert [word.start for word in self.words] == pytest.approx([word.start for word in WORDS], abs=0.01)
        assert self.failures == []


def engine() -> Iterator[EngineClient]:
    """Run an engine that many recordings may use, one after the other; its process ends with them."""
    client = planted_client(WORDS, IMPATIENT)
    yield client
    client.shut_down()
