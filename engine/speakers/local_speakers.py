"""The people of each window of ten seconds, with their voice prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    Segmentation,
)
from engine.speakers.voice_prints import VoicePrint, VoicePrints

STEP_SECONDS = 5.0
"""Time from one window to the next."""

STEP_SAMPLES = round(STEP_SECONDS * SAMPLE_RATE_HZ)
SPEAKS = 0.5
"""Least probability with which somebody speaks."""

LEAST_PRINT_SECONDS = 0.4
"""Shortest speech of one person alone that a voice print is made of."""

BATCH_WINDOWS = 4
"""Windows that the network looks at together."""


@dataclass(frozen=True, slots=True)
class LocalSpeaker:
    """One of the people that a window tells apart.

    Attributes:
        window: number of the window.
        activity: probability that this person speaks at each frame of the window (589,).
        alone_seconds: how long this person alone speaks in it.
        voice_print: the voice, None where too little of it is heard alone.
    """

    window: int
    activity: NDArray[np.float32]
    alone_seconds: float
    voice_print: VoicePrint | None


class LocalSpeakers:
    """Finds the people in a stream of audio. Raises ModelError if the weights are missing or damaged."""

    def __init__(self) -> None:
        self._segmentation = Segmentation()
        self._prints = VoicePrints()

    def __call__(self, chunks: Iterable[Samples]) -> Iterator[LocalSpeaker]:
        """Yield the people of each window who speak at all, for chunks of samples (n,) at 16 kHz."""
        windows = enumerate(_windows(chunks))
        while batch := list(islice(windows, BATCH_WINDOWS)):
            activities = self._segmentation(np.stack([window for _, window in batch]))
            for (number, window), activity in zip(batch, activities, strict=True):
                yield from self._people(number, window, activity)

    def _people(self, number: int, window: Samples, activity: NDArray[np.float32]) -> Iterator[LocalSpeaker]:
        """Yield the people of one window, by who speaks at each of its frames (589, 3)."""
        speaks = activity > SPEAKS
        for person in range(LOCAL_SPEAKERS):
            if not speaks[:, person].any():
                continue
            alone = speaks[:, person] & (speaks.sum(axis=1) == 1)
            seconds = float(alone.sum()) * FRAME_SECONDS
            heard = self._prints(_samples_of(window, alone)) if seconds >= LEAST_PRINT_SECONDS else None
            yield LocalSpeaker(number, activity[:, person], seconds, heard)


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
