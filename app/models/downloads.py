"""Downloads of models, each on a thread of its own, with pause and resume."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from app.preferences.settings import Settings
from engine.errors import EngineError
from engine.loading.library import discard_download, repository_of
from engine.models.download import Download, DownloadProgress, DownloadStopped

Phase = Literal["running", "pausing", "failed"]
END_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class DownloadState:
    """The present state of a download. A paused one has no state; see LibraryModel.unfinished_bytes.

    Attributes:
        progress: the newest progress.
        error: why it failed.
    """

    phase: Phase
    progress: DownloadProgress
    error: EngineError | None = None


@dataclass(slots=True)
class _Running:
    number: int
    repo: str
    download: Download
    thread: threading.Thread
    discards: bool = False


class Downloads(QObject):
    """Runs downloads, at most one per model.

    Signals:
        changed: the state of the download of this name has changed, or it has none any more.
        finished: the model of this name has been downloaded.
    """

    changed = Signal(str)
    finished = Signal(str)
    _progressed = Signal(int, object)
    _ended = Signal(int, object)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._numbers = count(1)
        self._running: dict[str, _Running] = {}
        self._states: dict[str, DownloadState] = {}
        self._progressed.connect(self._note_progress)
        self._ended.connect(self._note_end)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of models that are being downloaded, or whose download failed and was not retried."""
        return tuple(self._states)

    def state(self, name: str) -> DownloadState | None:
        """Return the state of a download; None if there is none."""
        return self._states.get(name)

    def start(self, name: str) -> None:
        """Start or resume the download of a model of the library, or of a repository."""
        if name in self._running:
            return
        mirror = self._settings.preferences.behaviour.mirror
        number = next(self._numbers)
        try:
            repo = repository_of(name)
            download = Download(repo, mirror, lambda seen: self._progressed.emit(number, seen))
        except EngineError as error:
            self._put(name, DownloadState("failed", DownloadProgress("asking"), error))
            return
        thread = threading.Thread(target=self._run, args=(number, download), name=f"download {name}", daemon=True)
        self._running[name] = _Running(number, repo, download, thread)
        self._put(name, DownloadState("running", DownloadProgress("asking")))
        thread.start()

    def pause(self, name: str) -> None:
        """Pause a download; downloaded data stays, also for the next run of the app."""
        running = self._running.get(name)
        if running is not None:
            running.download.stop()
            self._put(name, replace(self._states[name], phase="pausing"))

    def cancel(self, name: str) -> None:
        """Cancel a download and delete its data."""
        running = self._running.get(name)
        if running is not None:
            running.discards = True
            self.pause(name)
        else:
            self._states.pop(name, None)
            self._discard(name, repository_of(name))

    def dismiss(self, name: str) -> None:
        """Forget a failed download."""
        if name not in self._running and self._states.pop(name, None) is not None:
            self.changed.emit(name)

    def shut_down(self) -> None:
        """Stop all downloads; downloaded data stays."""
        for running in self._running.values():
            running.download.stop()
        for running in self._running.values():
            running.thread.join(END_SECONDS)

    def _run(self, number: int, download: Download) -> None:
        try:
            download.run()
        except (DownloadStopped, EngineError) as outcome:
            self._ended.emit(number, outcome)
        else:
            self._ended.emit(number, None)

    @Slot(int, object)
    def _note_progress(self, number: int, progress: object) -> None:
        assert isinstance(progress, DownloadProgress)
        name = self._name_of(number)
        if name is not None and self._states[name].phase == "running":
            self._put(name, DownloadState("running", progress))

    @Slot(int, object)
    def _note_end(self, number: int, outcome: object) -> None:
        name = self._name_of(number)
        if name is None:
            return
        running = self._running.pop(name)
        progress = self._states.pop(name).progress
        if running.discards:
            self._discard(name, running.repo)
        elif isinstance(outcome, EngineError):
            self._put(name, DownloadState("failed", progress, outcome))
        else:
            self.changed.emit(name)
        if outcome is None:
            self.finished.emit(name)

    def _discard(self, name: str, repo: str) -> None:
        try:
            discard_download(repo)
        except EngineError as error:
            self._put(name, DownloadState("failed", DownloadProgress("asking"), error))
        else:
            self.changed.emit(name)

    def _put(self, name: str, state: DownloadState) -> None:
        self._states[name] = state
        self.changed.emit(name)

    def _name_of(self, number: int) -> str | None:
        return next((name for name, running in self._running.items() if running.number == number), None)
