"""The people of each window of ten seconds, with their voice prints."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.speakers.segmentation import (
    FRAME_CENTRE_SECONDS,
    FRAME_SECONDS,
    LOCAL_SPEAKERS,
    WINDOW_FRAMES,
    WINDOW_SAMPLES,
    WINDOW_SECONDS,
    Segmentation,
)
from engine.speakers.voice_prints import VoicePrint, VoicePrints

STEP_SECONDS = 2.5
"""Time from one window of a recording to the next. Chosen in LOG 2026-11-29."""

STEP_SAMPLES = round(STEP_SECONDS * SAMPLE_RATE_HZ)
SPEAKS = 0.5
"""Least probability with which somebody speaks."""

LEAST_PRINT_SECONDS = 0.4
"""Shortest speech of one person alone that a voice print is made of."""

BATCH_WINDOWS = 2
"""Windows that the network looks at together: the fastest number on CPUs."""


@dataclass(frozen=True, slots=True)
class LocalSpeaker:
    """One of the people that a window tells apart.

    Attributes:
        activity: probability that this person speaks at each frame of the window (589,).
        alone_seconds: how long this person alone speaks in it.
        voice_print: the voice, None where too little of it is heard alone.
    """

    activity: NDArray[np.float32]
    alone_seconds: float
    voice_print: VoicePrint | None


@dataclass(frozen=True, slots=True)
class HeardWindow:
    """Ten seconds of a recording.

    Attributes:
        start_seconds: second of the recording at which it begins.
        people: those who speak in it.
        seconds: how much of it there was; the rest was filled up with silence.
    """

    start_seconds: float
    people: tuple[LocalSpeaker, ...]
    seconds: float = WINDOW_SECONDS


class LocalSpeakers:
    """Finds the people in windows of audio. Raises ModelError if the weights are missing or damaged."""

    def __init__(self) -> None:
        self._segmentation = Segmentation()
        self._prints = VoicePrints()

    def __call__(self, chunks: Iterable[Samples]) -> Iterator[HeardWindow]:
        """Yield successive windows of a recording, for its chunks of samples (n,) at 16 kHz."""
        windows = enumerate(_windows(chunks))
        while batch := list(islice(windows, BATCH_WINDOWS)):
            activities = self._segmentation(np.stack([window for _, window in batch]))
            for (number, window), activity in zip(batch, activities, strict=True):
                yield HeardWindow(number * STEP_SECONDS, tuple(self._people(window, activity)))

    def stages(self, samples: Samples, start_seconds: float) -> Generator[None, None, HeardWindow]:
        """Hear one window (n,) of at most ten seconds, pausing after each pass of a network; return it."""
        window = np.pad(samples, (0, WINDOW_SAMPLES - len(samples)))
        (activity,) = self._segmentation(window[None])
        yield
        people = list[LocalSpeaker]()
        for person in self._people(window, activity):
            people.append(person)
            yield
        return HeardWindow(start_seconds, tuple(people), len(samples) / SAMPLE_RATE_HZ)

    def _people(self, window: Samples, activity: NDArray[np.float32]) -> Iterator[LocalSpeaker]:
        """Yield the people of one window, by who speaks at each of its frames (589, 3)."""
        speaks = activity > SPEAKS
        for person in range(LOCAL_SPEAKERS):
            if not speaks[:, person].any():
                continue
            alone = speaks[:, person] & (speaks.sum(axis=1) == 1)
            seconds = float(alone.sum()) * FRAME_SECONDS
            heard = self._prints(_samples_of(window, alone)) if seconds >= LEAST_PRINT_SECONDS else None
            yield LocalSpeaker(activity[:, person], seconds, heard)


def _windows(chunks: Iterable[Samples]) -> Iterator[Samples]:
    """Yield windows (160000,), one every STEP_SECONDS; the last one is filled up with silence."""
    waiting, left = np.zeros(0, np.float32), False
    for chunk in chunks:
        waiting, left = np.concatenate([waiting, chunk]), True
        while len(waiting) >= WINDOW_SAMPLES:
            yield waiting[:WINDOW_SAMPLES]
            waiting, left = waiting[STEP_SAMPLES:], len(waiting) > WINDOW_SAMPLES
    if left:
        yield np.pad(waiting, (0, WINDOW_SAMPLES - len(waiting)))


def _samples_of(window: Samples, frames: NDArray[np.bool_]) -> Samples:
    """Return the samples of a window that belong to these frames (589,)."""
    hop = round(FRAME_SECONDS * SAMPLE_RATE_HZ)
    first = round((FRAME_CENTRE_SECONDS - FRAME_SECONDS / 2) * SAMPLE_RATE_HZ)
    chosen = np.zeros(len(window), bool)
    chosen[first : first + WINDOW_FRAMES * hop] = np.repeat(frames, hop)[: len(window) - first]
    return window[chosen]
