"""What the assistant says on its way to a loudspeaker, reply by reply."""

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

    One thread plays; the one that listens meanwhile may hush it. Without a player, or where its device is lost,
    replies count as played at once: nobody has to wait for them, or can be taken for an echo of them.

    Attributes:
        replies: how many have begun.
    """

    def __init__(self, player: Player | None) -> None:
        self.replies = 0
        self._player = player
        self._lock = threading.Lock()
        self._silent_at: float | None = None  # how much had been played when it was hushed, if it is
        self._before = 0.0  # seconds of earlier replies that were played

    @property
    def playing(self) -> bool:
        return self._player is not None and self._player.playing

    @property
    def hushed(self) -> bool:
        """Tell whether it is to play nothing until `resume`."""
        return self._silent_at is not None

    @property
    def played_seconds(self) -> float:
        """Return how much has been played of the present reply; infinite where all of it has that came so far."""
        if self._silent_at is not None:
            return self._silent_at
        if self._player is None or not self._player.playing:
            return math.inf
        return max(0.0, self._player.played_seconds - self._before)

    @property
    def taken_seconds(self) -> float:
        """Return how much of the present reply the device has been given, what it has not played yet included."""
        return max(0.0, self._player.played_seconds - self._before) if self._player is not None else 0.0

    @property
    def latency_seconds(self) -> float:
        """Return how late the device plays what it is given, as it says itself; 0 while none is open."""
        return self._player.latency_seconds if self._player is not None else 0.0

    def begin(self) -> None:
        """Begin another reply: what comes next belongs to it."""
        self.replies += 1
        self._before = self._player.played_seconds if self._player is not None else 0.0

    def add(self, speech: Speech, seconds: float) -> None:
        """Play sound behind what waits. Raises AudioError once, where there is no device or it went away."""
        with self._lock:
            if self._player is not None and self._silent_at is None:
                self._player.play(np.frombuffer(speech.samples, np.float32), speech.rate_hz)

    def cut(self, seconds: float) -> None:
        """Fall silent now; what comes afterwards is played."""
        self.hush()
        self.resume()

    def hush(self) -> float:
        """Fall silent, and play nothing until `resume`; give how much has been played of the present reply."""
        with self._lock:
            if self._silent_at is None:
                self._silent_at = self.played_seconds
            if self._player is not None:
                self._player.stop()
            return self._silent_at

    def resume(self) -> None:
        """Play what comes."""
        with self._lock:
            self._silent_at = None

    def take_played(self) -> Samples:
        """Take what was played since this was last asked, at 16 kHz (n,)."""
        with self._lock:
            return self._player.played() if self._player is not None else np.zeros(0, np.float32)

    def drain(self, enough: Callable[[], bool]) -> Iterator[Incident]:
        """Return when everything has been played, or there is `enough`: then what is left is dropped.

        Yields why it could not be.
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
        """Let the device go."""
        with self._lock:
            if self._player is not None:
                self._player.close()
