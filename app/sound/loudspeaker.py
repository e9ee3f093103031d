"""Playback of the assistant's replies on a loudspeaker, reply by reply."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator

import numpy as np

from app.sound.playback import Player
from engine.audio import Samples
from engine.errors import AudioError
from engine.events import Incident
from engine.turns import Speech

WAIT_SECONDS = 0.02


class Loudspeaker:
    """Plays replies, and knows how much of the present one has been played.

    One thread plays; the one that listens meanwhile may silence it. Without a player, or if its device is lost, replies
    count as played at once: nobody has to wait for them, and nothing can be mistaken for their echo.

    Attributes:
        replies: number of replies that have begun.
    """

    def __init__(self, player: Player | None) -> None:
        self.replies = 0
        self._player = player
        self._lock = threading.Lock()
        self._silent_at: float | None = None  # how much had been played when it was silenced, if it is
        self._before = 0.0  # seconds of earlier replies that were played

    @property
    def playing(self) -> bool:
        return self._player is not None and self._player.playing

    @property
    def hushed(self) -> bool:
        """Return whether it plays nothing until `resume`."""
        return self._silent_at is not None

    @property
    def played_seconds(self) -> float:
        """Seconds of the present reply that have been played; infinite once everything received has been played."""
        if self._silent_at is not None:
            return self._silent_at
        if self._player is None or not self._player.playing:
            return math.inf
        return max(0.0, self._player.played_seconds - self._before)

    @property
    def sent_seconds(self) -> float:
        """Seconds of the present reply that were passed to the device, including those it has not played yet."""
        return max(0.0, self._player.played_seconds - self._before) if self._player is not None else 0.0

    @property
    def latency_seconds(self) -> float:
        """Output latency that the device reports; 0 while none is open."""
        return self._player.latency_seconds if self._player is not None else 0.0

    def begin(self) -> None:
        """Start another reply: the sound that comes next belongs to it."""
        self.replies += 1
        self._before = self._player.played_seconds if self._player is not None else 0.0

    def add(self, speech: Speech, seconds: float) -> None:
        """Queue sound. Raises AudioError once if there is no device, or if it was disconnected."""
        with self._lock:
            if self._player is not None and self._silent_at is None:
                self._player.play(np.frombuffer(speech.samples, np.float32), speech.rate_hz)

    def cut(self, seconds: float) -> None:
        """Silence the present sound; what comes afterwards is played."""
        self.hush()
        self.resume()

    def hush(self) -> float:
        """Silence the player until `resume`; return how much of the present reply has been played."""
        with self._lock:
            if self._silent_at is None:
                self._silent_at = self.played_seconds
            if self._player is not None:
                self._player.stop()
            return self._silent_at

    def resume(self) -> None:
        """Play sound again."""
        with self._lock:
            self._silent_at = None

    def pop_played(self) -> Samples:
        """Remove and return the sound played since the last call, at 16 kHz (n,)."""
        with self._lock:
            return self._player.played() if self._player is not None else np.zeros(0, np.float32)

    def drain(self, enough: Callable[[], bool]) -> Iterator[Incident]:
        """Wait until everything has been played, or until `enough`, which drops the rest.

        Yields the reason if it could not be played.
        """
        if self._player is None:
            return
        nothing = threading.Event()
        while self._player.playing and not enough():
            nothing.wait(WAIT_SECONDS)
        if enough():
            self._player.stop()
        try:
            self._player.drain()
        except AudioError as error:
            yield Incident(str(error))

    def close(self) -> None:
        """Close the device."""
        with self._lock:
            if self._player is not None:
                self._player.close()
