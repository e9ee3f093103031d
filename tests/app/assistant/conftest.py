"""Fixtures and sounds for tests of the assistant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.assistant.live_assistant import LiveAssistant
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError
from engine.events import Word
from engine.process.process import serve
from engine.turns import Turn
from tests.app.assistant.scripted_assistant import QUESTION, ScriptedAnswers, ScriptedEars
from tests.app.scripted_hearing import say

PATIENCE = 120_000  # milliseconds
CHUNK = SAMPLE_RATE_HZ // 20
BEFORE_SECONDS = 0.3


@dataclass
class Mouth:
    """A microphone that tests speak into; it hears as fast as it is spoken to.

    Attributes:
        fails: why it cannot be heard, if it cannot.
        opened: how often it was opened.
    """

    name: str = "mouth"
    passes_by: bool = True
    fails: str = ""
    opened: int = 0
    _said: SimpleQueue[Samples] = field(default_factory=SimpleQueue)

    def say(self, *parts: Samples | float) -> None:
        """Speak, with silence of so many seconds between."""
        for part in parts:
            sound = np.zeros(round(part * SAMPLE_RATE_HZ), np.float32) if isinstance(part, float) else part
            for at in range(0, len(sound), CHUNK):
                self._said.put(sound[at : at + CHUNK])

    def chunks(self, stop: threading.Event, report: object) -> Iterator[Samples]:
        self.opened += 1
        if self.fails:
            raise AudioError(self.fails)
        yield np.full(1, 1e-4, np.float32)  # it delivers
        while not stop.is_set():
            try:
                yield self._said.get(timeout=0.01)
            except Empty:
                continue


def spoken(text: str, start: float = BEFORE_SECONDS) -> tuple[Samples, tuple[Word, ...]]:
    """Return the sound of a text, and its words with their times if it begins at `start`."""
    speech = say(text)
    pairs = zip(text.split(), speech.words, strict=True)
    return speech.samples, tuple(Word(f" {word}", start + at, start + end, 0.9) for word, (at, end) in pairs)


@pytest.fixture
def settings(qapp: QApplication, tmp_path: Path) -> Iterator[Settings]:
    """Preferences by which answers are written, not spoken."""
    made = Settings(PreferencesFile(tmp_path / "settings"))
    made.alter(lambda p: replace(p, behaviour=replace(p.behaviour, speaks=False)))
    yield made
    # Not left to Python, which may tidy up on any thread: Qt's timers do not survive that.
    made.settle()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def mouth() -> Mouth:
    return Mouth()


@pytest.fixture
def question() -> Samples:
    return spoken(QUESTION)[0]


MakeAssistant = Callable[..., LiveAssistant]


@pytest.fixture
def make_assistant(
    qtbot: QtBot, settings: Settings, mouth: Mouth, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MakeAssistant]:
    """Build an assistant whose engine hears QUESTION after 0.3 s: make_assistant(answers, words)."""
    monkeypatch.setattr("app.assistant.microphone.DEAD_SILENCE_SECONDS", 600.0)  # the mouth opens when a test is ready
    made: list[LiveAssistant] = []

    def make(
        answers: ScriptedAnswers = ScriptedAnswers(),  # noqa: B008 - it is frozen
        words: tuple[Word, ...] = spoken(QUESTION)[1],
    ) -> LiveAssistant:
        client = EngineClient(serve=partial(serve, load=ScriptedEars(words), load_assistant=answers))
        assistant = LiveAssistant(client, settings, source=lambda preferences: mouth)
        settings.rested.connect(assistant.follow)
        client.setParent(assistant)
        made.append(assistant)
        return assistant

    yield make
    for assistant in made:
        assistant.shut_down()
        assistant.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def assistant(make_assistant: MakeAssistant) -> LiveAssistant:
    return make_assistant()


def turns_of(assistant: LiveAssistant) -> list[Turn]:
    """Return a list to which every turn of an assistant is added when it ends."""
    turns: list[Turn] = []
    assistant.turn_ended.connect(turns.append)
    return turns
