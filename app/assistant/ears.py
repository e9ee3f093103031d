"""The microphone's sound on its way to the engine. Speech over a reply interrupts the reply. No Qt.

`pass_on` runs on the thread that reads the microphone, so that the assistant falls silent as soon as the user speaks
over it, however busy the window or the engine may be.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Literal, Protocol

from app.assistant.reply_player import ReplyPlayer
from app.sound.replies import BargeInWatch
from engine.audio import SAMPLE_RATE_HZ, Samples

if TYPE_CHECKING:
    from engine.audio.barge_in import BargeIn

MOST_KEPT_SECONDS = 30.0
"""Longest sound of a question that is kept for an engine that has to hear it again."""

BEFORE_SECONDS = 2.0
"""Length of the sound that is kept from before the first known word of a question."""

Key = Literal["press", "release"]


class Listener(Protocol):
    """An engine that hears: an EngineClient."""

    def send_audio(self, samples: Samples) -> None: ...
    def press(self) -> None: ...
    def release(self) -> None: ...
    def played(self, seconds: float) -> None: ...
    def interrupt(self, spoken_seconds: float | None = None, samples: Samples | None = None) -> None: ...


class Ears:
    """Passes sound on to the engine, and keeps the sound of the present question.

    While an earlier answer is played again, the engine receives silence: its echo cannot be told from a question.

    Attributes:
        asked: a question is being asked.
    """

    def __init__(self, listener: Listener, player: ReplyPlayer, barge_in: BargeIn | None) -> None:
        """Pass sound on to a listener; interrupt the reply when the user speaks over it, if there is a `barge_in`."""
        self._listener = listener
        self._player = player
        self._watch = BargeInWatch(player, barge_in)
        self._lock = threading.Lock()
        self.asked = False
        self._kept: deque[Samples | Key] = deque()
        self._kept_samples = 0

    def pass_on(self, chunk: Samples) -> None:
        """Pass on samples (n,), float32 at 16 kHz."""
        player = self._player
        replaying = player.replaying
        if replaying:
            chunk = chunk * 0
        with self._lock:
            self._keep(chunk)
            if player.playing and not replaying:
                self._listener.played(player.played_seconds)
            self._listener.send_audio(chunk)
            if (over := self._watch.hear(chunk)) is not None and not replaying:
                self._listener.interrupt(player.hush(), over.samples)

    def press(self) -> None:
        """Note that the key of push-to-talk went down."""
        with self._lock:
            self._clear()
            self._kept.append("press")
            self._listener.press()

    def release(self) -> None:
        """Note that the key of push-to-talk came up."""
        with self._lock:
            self._kept.append("release")
            self._listener.release()

    def forget(self) -> None:
        """Forget all kept sound."""
        with self._lock:
            self._clear()

    def hear_again(self) -> None:
        """Send the kept sound to another engine."""
        with self._lock:
            for each in self._kept:
                if not isinstance(each, str):
                    self._listener.send_audio(each)
                elif each == "press":
                    self._listener.press()
                else:
                    self._listener.release()

    def _clear(self) -> None:
        self._kept.clear()
        self._kept_samples = 0

    def _keep(self, chunk: Samples) -> None:
        self._kept.append(chunk)
        self._kept_samples += len(chunk)
        most = MOST_KEPT_SECONDS if self.asked else BEFORE_SECONDS
        while self._kept_samples > most * SAMPLE_RATE_HZ:
            oldest = self._kept.popleft()
            if isinstance(oldest, str):  # it holds for what follows
                behind = self._kept.popleft()
                if isinstance(behind, str):
                    continue
                self._kept.appendleft(oldest)
                oldest = behind
            self._kept_samples -= len(oldest)
