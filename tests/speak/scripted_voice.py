"""A voice of whose sound every sample is known: it says what a script says, and counts what was asked of it."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from engine.audio import Samples
from engine.errors import VoiceError

RATE_HZ = 22_050
CHUNK = round(0.05 * RATE_HZ)


def tone(chunks: int, level: float = 0.1) -> Samples:
    """Make a sine (chunks * CHUNK,) of a root mean square of `level`, that begins and ends at 0."""
    time = np.arange(chunks * CHUNK) / CHUNK
    return (level * np.sqrt(2) * np.sin(2 * np.pi * 11 * time)).astype(np.float32)


class ScriptedVoice:
    """Speaks `sound(sentence)` chunk by chunk; fails after `fails_after` chunks if that is not None.

    Attributes:
        failure: what it fails with.
        begun: sentences that were begun, in order.
        made: chunks that were made of each.
        closed: sentences that were given up or ended.
    """

    def __init__(
        self,
        sound: Callable[[str], Samples] = lambda _: tone(40),
        name: str = "scripted",
        fails_after: int | None = None,
    ) -> None:
        self.name = name
        self.rate_hz = RATE_HZ
        self.language: str | None = None
        self.words_per_minute = 175
        self.store_name: str | None = None
        self.fails_after = fails_after
        self.failure: Exception = VoiceError("The voice has lost its breath.")
        self.begun: list[str] = []
        self.made: dict[str, int] = {}
        self.closed: list[str] = []
        self._sound = sound

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        self.begun.append(sentence)
        self.made[sentence] = 0
        return self._chunks(sentence)

    def _chunks(self, sentence: str) -> Generator[Samples, None, None]:
        samples = self._sound(sentence)
        try:
            for start in range(0, len(samples), CHUNK):
                if self.made[sentence] == self.fails_after:
                    raise self.failure
                self.made[sentence] += 1
                yield samples[start : start + CHUNK]
        finally:
            self.closed.append(sentence)
