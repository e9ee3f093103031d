"""Downloads of models: each on a thread of its own, held and gone on with as a person wants."""

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
    """One download as it is now; a paused one is none any more, but begun: see LibraryModel.unfinished_bytes.

    Attributes:
        progress: the newest.
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
    """Runs the downloads that were asked for, at most one of each model.

    Signals:
        changed: the state of the download of this name is another; also once there is none any more.
        finished: the model of this name is here.
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
        self._progressed.connect(self._take_progress)
        self._ended.connect(self._take_end)

    @property
    def names(self) -> tuple[str, ...]:
        """List the models that are being downloaded, or failed and were not tried again."""
        return tuple(self._states)

    def state(self, name: str) -> DownloadState | None:
        """Return the state of a download; None where there is none."""
        return self._states.get(name)

    def start(self, name: str) -> None:
        """Fetch a model of the library, or a repository, or go on with it."""
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
        """Hold a download; what has come stays, also for the next run of the app."""
        running = self._running.get(name)
        if running is not None:
            running.download.stop()
            self._put(name, replace(self._states[name], phase="pausing"))

    def cancel(self, name: str) -> None:
        """Give a download up, and what has come with it."""
        running = self._running.get(name)
        if running is not None:
            running.discards = True
            self.pause(name)
        else:
            self._states.pop(name, None)
            self._discard(name, repository_of(name))

    def dismiss(self, name: str) -> None:
        """Forget that a download failed."""
        if name not in self._running and self._states.pop(name, None) is not None:
            self.changed.emit(name)

    def shut_down(self) -> None:
        """Leave nothing running; what has come stays."""
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
    def _take_progress(self, number: int, progress: object) -> None:
        assert isinstance(progress, DownloadProgress)
        name = self._name_of(number)
        if name is not None and self._states[name].phase == "running":
            self._put(name, DownloadState("running", progress))

    @Slot(int, object)
    def _take_end(self, number: int, outcome: object) -> None:
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
