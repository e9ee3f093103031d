"""Joining sentences to one stream of speech: even loudness, no clicks, fixed pauses between them."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable

import numpy as np

from engine.audio import Samples
from engine.speak.voice import Utterance

PAUSE_SECONDS = 0.2
"""Pause between two sentences, in seconds; the voice's own pauses are cut."""

LEVEL = 0.1
"""Target loudness of speech: a root mean square of -20 dBFS, pauses not counted."""

SILENT = 0.002
"""Largest sample of a silence: -54 dBFS."""

MOST_GAIN = 10.0
LIMIT = 0.8
"""Largest sample that is not compressed; larger ones approach 1, so that nothing is clipped."""

_BEFORE_SECONDS, _AFTER_SECONDS, _FADE_SECONDS = 0.01, 0.03, 0.005
_FIRST_SECONDS, _MEMORY_SECONDS = 0.2, 10.0


def trimmed(parts: Iterable[Samples], rate_hz: int) -> Generator[Samples, None, None]:
    """Cut the silence before and after a sentence, so that it starts at once and ends softly.

    A short part of the silence is left at both ends and faded. Silences within a sentence stay, and so do empty parts.
    """
    before, after, fade = (round(seconds * rate_hz) for seconds in (_BEFORE_SECONDS, _AFTER_SECONDS, _FADE_SECONDS))
    held = np.zeros(0, np.float32)  # possibly the end of the sentence
    begun = False
    for part in parts:
        if not len(part):
            yield part
            continue
        held = np.concatenate([held, part])
        loud = np.flatnonzero(np.abs(held) > SILENT)
        if not len(loud):
            held = held if begun else held[-before:]
            continue
        if not begun:
            begun, start = True, max(0, int(loud[0]) - before)
            held, loud = _faded_in(held[start:], fade), loud - start
        ready = min(int(loud[-1]) + 1, len(held) - fade)
        if ready > 0:
            yield held[:ready]
            held = held[ready:]
    if begun and len(held):
        loud = np.flatnonzero(np.abs(held) > SILENT)
        yield _faded_in(held[: (int(loud[-1]) + 1 if len(loud) else 0) + after][::-1], fade)[::-1]


def _faded_in(samples: Samples, count: int) -> Samples:
    """Fade the first `count` samples in."""
    faded = samples.copy()
    count = min(count, len(samples))
    faded[:count] *= np.linspace(0, 1, count, endpoint=False, dtype=np.float32)
    return faded


class Leveller:
    """Scales speech to LEVEL by its loudness so far. The gain changes smoothly, so that it makes no click."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._power = LEVEL**2
        self._seconds = _FIRST_SECONDS  # speech that the power was measured on; assumed at first
        self._gain: float | None = None

    def __call__(self, chunk: Samples) -> Samples:
        """Scale the next samples (n,); the result is within [-1, 1]."""
        voiced = chunk[np.abs(chunk) > SILENT]
        if len(voiced):
            seconds = len(voiced) / self._rate_hz
            self._seconds = min(self._seconds + seconds, _MEMORY_SECONDS)
            share = min(1.0, seconds / self._seconds)
            self._power += share * (float(np.mean(np.square(voiced), dtype=np.float64)) - self._power)
        gain = min(max(LEVEL / math.sqrt(max(self._power, 1e-12)), 1 / MOST_GAIN), MOST_GAIN)
        glide = np.linspace(self._gain or gain, gain, len(chunk), dtype=np.float32)
        self._gain = gain
        return _limited(chunk * glide)


def _limited(samples: Samples) -> Samples:
    size = np.abs(samples)
    room = np.float32(1 - LIMIT)
    over = LIMIT + room * np.tanh((size - LIMIT) / room)
    limited: Samples = np.where(size > LIMIT, np.copysign(over, samples), samples).astype(np.float32)
    return limited


class SpeechJoiner:
    """Joins the sentences of replies. It remembers the loudness of the voice from reply to reply."""

    def __init__(self, rate_hz: int) -> None:
        """Join utterances at `rate_hz` whose ends were trimmed, as those of SpeechAhead are."""
        self._level = Leveller(rate_hz)
        self._pause = round(PAUSE_SECONDS * rate_hz)
        self._first = True

    def restart(self) -> None:
        """Start a reply: no pause comes before its first sentence."""
        self._first = True

    def join(self, utterance: Utterance) -> Generator[Samples, None, None]:
        """Yield the next sentence's chunks (n,), after its pause. A sentence without words yields none."""
        pause = not self._first
        for chunk in utterance:
            if not len(chunk):
                yield chunk
                continue
            if pause:
                yield np.zeros(self._pause, np.float32)
            pause = self._first = False
            yield self._level(chunk)
