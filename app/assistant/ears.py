"""The microphone's sound on its way to the engine, which the user's speech over a reply interrupts. No Qt.

`take` runs on the thread that reads the microphone, so that the assistant falls silent as soon as it is spoken over,
whatever the window or the engine are doing meanwhile.
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
"""Of a question that is being asked, for an engine that has to hear it again."""

BEFORE_SECONDS = 2.0
"""Of what was heard before the first word of a question was known."""

Key = Literal["press", "release"]


class Listener(Protocol):
    """An engine that hears: an EngineClient."""

    def send_audio(self, samples: Samples) -> None: ...
    def press(self) -> None: ...
    def release(self) -> None: ...
    def played(self, seconds: float) -> None: ...
    def interrupt(self, spoken_seconds: float | None = None, samples: Samples | None = None) -> None: ...


class Ears:
    """Passes on what is heard, and keeps what belongs to the question that is being asked.

    While an earlier answer is played again the microphone counts as silent: nobody knows its echo from a question.

    Attributes:
        asked: a question is being asked.
    """

    def __init__(self, listener: Listener, player: ReplyPlayer, barge_in: BargeIn | None) -> None:
        """Interrupt the reply when it is spoken over, if there is a `barge_in`."""
        self._listener = listener
        self._player = player
        self._watch = BargeInWatch(player, barge_in)
        self._lock = threading.Lock()
        self.asked = False
        self._kept: deque[Samples | Key] = deque()
        self._kept_samples = 0

    def take(self, chunk: Samples) -> None:
        """Hear samples (n,), float32 at 16 kHz."""
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
        """The key is held from here on."""
        with self._lock:
            self._clear()
            self._kept.append("press")
            self._listener.press()

    def release(self) -> None:
        """The key was let go."""
        with self._lock:
            self._kept.append("release")
            self._listener.release()

    def forget(self) -> None:
        """Forget what was heard until now: it will not be needed again."""
        with self._lock:
            self._clear()

    def hear_again(self) -> None:
        """Give another engine what is kept."""
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
