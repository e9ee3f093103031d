"""Speech for recipes and benchmarks: whole sentences by espeak-ng, with the times of their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import soxr
from numpy.typing import NDArray

from engine.speak.espeak_library import WORD, SpokenEvent, espeak_library

SAMPLE_RATE = 16_000


@dataclass(frozen=True, slots=True)
class SyntheticVoice:
    """A way of speaking: an espeak-ng voice, words a minute, pitch 0-99."""

    name: str = "en-us"
    rate: int = 175
    pitch: int = 50


@dataclass(frozen=True, slots=True)
class Speech:
    """Speech at 16 kHz with the times, in seconds, of its words."""

    samples: np.ndarray  # (n,) float32
    text: str
    voice: str
    words: tuple[tuple[float, float], ...]  # (start, end) of text.split()

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE


class Espeak:
    """The one espeak-ng engine of this process, saying a whole text at once."""

    def __init__(self) -> None:
        self._library = espeak_library()

    def speak(self, text: str, voice: SyntheticVoice) -> Speech:
        """Speak one text and say when each of its words starts and ends."""
        chunks: list[NDArray[np.int16]] = []
        listed: list[SpokenEvent] = []

        def receive(samples: NDArray[np.int16], events: list[SpokenEvent]) -> bool:
            chunks.append(samples)
            listed.extend(events)
            return True

        try:
            self._library.speak(text, receive, voice=voice.name, words_per_minute=voice.rate, pitch=voice.pitch)
        except LookupError as error:
            raise ValueError(*error.args) from error
        native = np.concatenate([np.zeros(0, np.int16), *chunks]).astype(np.float32) / 32768.0
        if not len(native):
            raise ValueError(f"espeak-ng says nothing for {text!r}")
        samples = soxr.resample(native, self._library.rate_hz, SAMPLE_RATE, quality="HQ")
        words = _word_times(text, [(event.position, event.seconds) for event in listed if event.kind == WORD], samples)
        return Speech(samples.astype(np.float32), text, voice.name, words)


@cache
def espeak() -> Espeak:
    """Return the engine, which is started when first asked for."""
    return Espeak()


def _word_times(text: str, starts: list[tuple[int, float]], samples: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Return the start and end of every whitespace-separated word of the text."""
    spans = _word_spans(text)
    seconds = len(samples) / SAMPLE_RATE
    known: list[float | None] = []
    for begin, end in spans:
        inside = [time for position, time in starts if begin <= position < end]
        known.append(min(inside) if inside else None)
    filled = _fill_gaps(known, seconds)
    ends = [*filled[1:], seconds]
    loud = _loud_frames(samples)
    return tuple((start, _last_loud(loud, start, end)) for start, end in zip(filled, ends, strict=True))


def _word_spans(text: str) -> list[tuple[int, int]]:
    spans, position = [], 0
    for word in text.split():
        begin = text.index(word, position)
        position = begin + len(word)
        spans.append((begin, position))
    return spans


def _fill_gaps(known: list[float | None], seconds: float) -> list[float]:
    """Spread words that espeak-ng spoke as one ("of the") evenly over their time."""
    index = [i for i, time in enumerate(known) if time is not None]
    times = [time for time in known if time is not None]
    if not index or index[0] > 0:
        index, times = [0, *index], [0.0, *times]
    filled = np.interp(np.arange(len(known)), [*index, len(known)], [*times, seconds])
    return [float(time) for time in np.maximum.accumulate(filled)]


def _loud_frames(samples: np.ndarray) -> np.ndarray:
    """Mark the 10 ms frames (n // 160,) above a hundredth of the peak."""
    count = len(samples) // 160
    frames = np.abs(samples[: count * 160]).reshape(count, 160).max(axis=1)
    loud: np.ndarray = frames > 0.01 * max(float(frames.max(initial=0.0)), 1e-6)
    return loud


def _last_loud(loud: np.ndarray, start: float, end: float) -> float:
    """Return the end of the sound between start and end: pauses belong to no word."""
    first, last = int(start * 100), int(end * 100)
    hits = np.flatnonzero(loud[first:last])
    return min(end, (first + int(hits[-1]) + 1) / 100.0) if len(hits) else end
