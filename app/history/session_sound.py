"""Playback of a kept session's sound, from any second on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from shiboken6 import isValid

from app.history.kept.audio_files import audio_from, length_seconds
from app.sound.tempo import at_speed
from engine.audio import SAMPLE_RATE_HZ
from engine.errors import AudioError

if TYPE_CHECKING:
    from app.sound.playback import Player

LOOK_MILLISECONDS = 100
AHEAD_SECONDS = 1.0
"""Longest sound that waits at the loudspeaker; more would only take memory."""

_WAIT_SECONDS = 0.05
_PATIENCE_SECONDS = 1.0


@dataclass(slots=True)
class _Run:
    """One playback without a pause, on a thread of its own.

    Attributes:
        speed: how fast, 1 is as it was said.
        seconds: the present position.
        problem: why there is no sound, in one sentence.
    """

    path: Path
    seconds: float
    speed: float = 1.0
    stop: threading.Event = field(default_factory=threading.Event)
    is_over: bool = False
    problem: str = ""

    def play(self, make_player: Callable[[], Player]) -> None:
        """Play until the end of the file, or until it is stopped."""
        player = make_player()
        try:
            self._feed(player)
        except AudioError as error:
            self.problem = str(error)
        finally:
            player.stop()
            player.close()
            self.is_over = True

    def _feed(self, player: Player) -> None:
        start, given = self.seconds, 0.0
        for samples in at_speed(audio_from(self.path, start), self.speed):
            player.play(samples, SAMPLE_RATE_HZ)
            given += len(samples) / SAMPLE_RATE_HZ
            while given - self._heard(player, start) > AHEAD_SECONDS and not self._rest(player):
                pass
            if self.stop.is_set():
                return
        while player.playing and not self._rest(player):
            self._heard(player, start)

    def _rest(self, player: Player) -> bool:
        """Wait a moment; return whether playback is stopped. Raises AudioError if the loudspeaker went away."""
        import numpy as np

        player.play(np.zeros(0, np.float32), SAMPLE_RATE_HZ)
        return self.stop.wait(_WAIT_SECONDS)

    def _heard(self, player: Player, start: float) -> float:
        heard = player.played_seconds
        self.seconds = start + max(0.0, heard - player.latency_seconds) * self.speed
        return heard


class SessionSound(QObject):
    """Plays one file at a time; it can be paused and resumed.

    Attributes:
        path: the file; None if there is none.
        seconds: the present position.
        speed: how fast it plays, 1 is as it was said.

    Signals:
        changed: playback has started or stopped.
        moved: the present position in seconds.
        measured: how long the file is, in seconds, soon after it was opened, if that can be read.
        failed: why there is no sound, in one sentence.
    """

    changed = Signal(bool)
    moved = Signal(float)
    measured = Signal(float)
    _length_read = Signal(object, float)
    failed = Signal(str)

    def __init__(self, make_player: Callable[[], Player], parent: QObject | None = None) -> None:
        """Create a player for every playback, on its thread."""
        super().__init__(parent)
        self._make_player = make_player
        self.path: Path | None = None
        self._run: _Run | None = None
        self._threads: dict[threading.Thread, threading.Event] = {}  # running threads, with the event that stops each
        self.destroyed.connect(partial(_stop, self._threads))  # nobody would stop them any more
        self.seconds = 0.0
        self.speed = 1.0
        self._length_read.connect(self._tell_length)
        self._look = QTimer(self, interval=LOOK_MILLISECONDS)
        self._look.timeout.connect(self._note)

    @property
    def is_playing(self) -> bool:
        return self._run is not None

    def open(self, path: Path | None) -> None:
        """Play this file from now on, from its beginning; None is no file. An earlier one stops."""
        if path != self.path:
            self.pause()
            self.path, self.seconds = path, 0.0
            if path is not None:
                threading.Thread(target=self._read_length, args=(path,), name="length of sound", daemon=True).start()

    def _read_length(self, path: Path) -> None:
        length = length_seconds(path)
        if length and isValid(self):
            self._length_read.emit(path, length)

    @Slot(object, float)
    def _tell_length(self, path: Path, length: float) -> None:
        if path == self.path:
            self.measured.emit(length)

    def seek(self, seconds: float) -> None:
        """Go to a second; playback goes on there, if there is any."""
        seconds = max(0.0, seconds)
        if self.is_playing:
            self.play(seconds)
        elif self.path is not None:
            self.seconds = seconds
            self.moved.emit(seconds)

    def set_speed(self, speed: float) -> None:
        """Play at a multiple of the speed, from now on."""
        self.speed = speed
        if self.is_playing:
            self.play()

    def play(self, seconds: float | None = None) -> None:
        """Play from a second on, or from where it was paused."""
        if self.path is None:
            return
        self._end()
        self.seconds = self.seconds if seconds is None else seconds
        run = self._run = _Run(self.path, self.seconds, self.speed)
        thread = threading.Thread(target=run.play, args=(self._make_player,), name="session sound", daemon=True)
        for over in [each for each in self._threads if not each.is_alive()]:
            del self._threads[over]
        self._threads[thread] = run.stop
        thread.start()
        self._look.start()
        self.changed.emit(True)
        self.moved.emit(self.seconds)

    def pause(self) -> None:
        """Stop playback, if there is any; the position stays."""
        if self._run is not None:
            self._end()
            self.changed.emit(False)

    def shut_down(self) -> None:
        """Stop playback before the app ends."""
        self._end()
        for thread in self._threads:
            thread.join(_PATIENCE_SECONDS)

    def _end(self) -> None:
        self._look.stop()
        if self._run is not None:
            self.seconds = self._run.seconds
            self._run.stop.set()
            self._run = None

    def _note(self) -> None:
        run = self._run
        if run is None:
            return
        self.seconds = run.seconds
        self.moved.emit(self.seconds)
        if run.is_over:
            self._end()
            if run.problem:
                self.failed.emit(run.problem)
            else:
                self.seconds = 0.0  # at its end it begins anew
            self.changed.emit(False)


def _stop(threads: dict[threading.Thread, threading.Event]) -> None:
    for stop in threads.values():
        stop.set()
