"""A recording as the history's recorder sees it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.recorder import HistoryRecorder
from app.history.records import Transcript
from app.history.store import HistoryStore
from app.preferences.preferences import HistoryOptions
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel


class Scene:
    """A transcript, a recorder that follows it, and what the history has then.

    Attributes:
        now: seconds of the recording.
    """

    def __init__(self, archive: Archive, settings: Settings, qtbot: QtBot, parent: QObject) -> None:
        self.now = 0.0
        self.model = CaptionModel(parent)
        self.settings = settings
        self.recorder = HistoryRecorder(archive, settings, parent)
        self.recorder.follow(self.model, lambda: self.now)
        self._archive = archive
        self._qtbot = qtbot

    @property
    def kept(self) -> tuple[Transcript, ...]:
        """All sessions, the oldest first."""
        answers: list[tuple[Transcript, ...]] = []

        def read(store: HistoryStore) -> tuple[Transcript, ...]:
            return tuple(store.transcript(each.id) for each in reversed(store.sessions()))

        self._archive.ask(read, answers.append)
        self._qtbot.waitUntil(lambda: bool(answers))
        return answers[0]

    def keep(self, history: HistoryOptions) -> None:
        self.settings.alter(lambda all: replace(all, history=history))
