"""The stretches of speech in each window of up to ten seconds, with the voice prints of those who speak.

People who sound alike may be one to the network that tells them apart in a window. So each stretch between two pauses
has a voice print of its own, and whose it is comes out when the prints of all windows are grouped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.speakers.segmentation import (
    FRAME_CENTRE_SECONDS,
    FRAME_SECONDS,
    WINDOW_SAMPLES,
    Segmentation,
)
from engine.speakers.voice_prints import LONGEST_SECONDS, VoicePrint, VoicePrints, mean_print

STEP_SECONDS = 2.5
"""Time from one window of a recording to the next. Chosen in LOG 2026-11-29."""

STEP_SAMPLES = round(STEP_SECONDS * SAMPLE_RATE_HZ)
SPEAKS = 0.5
"""Least probability with which somebody speaks."""

PAUSE_SECONDS = 0.2
"""Shortest pause of one person between two stretches. Chosen in LOG 2026-11-29."""

LONGEST_WHOLE_SECONDS = 3.5
"""Longest stretch that is not cut in parts. Chosen in LOG 2026-11-29."""

LEAST_PART_SECONDS = 0.8
"""Shortest part of a stretch that is cut."""

LEAST_PRINT_SECONDS = 0.4
"""Shortest speech of one person alone that a voice print is made of."""

LEAST_CUT_SECONDS = 1.0
"""Shortest speech alone, in a stretch that the end of its window cuts off, that a voice print is made of."""

SAME_SECONDS = 0.07
"""Most time between the ends of a stretch as two windows hear it."""

PERSON_SECONDS = 0.5
"""Speech that the mean of a person's stretches in a window counts for in each of them. Chosen in LOG 2026-11-29."""

KEPT_PRINTS = 32
"""Newest stretches whose prints are kept for the windows that hear them again."""

BATCH_WINDOWS = 2
"""Windows that the network looks at together: the fastest number on CPUs."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Speech of one of the people that a window tells apart, without a pause.

    Attributes:
        person: which of them, from 0 on.
        first: frame of the window at which it begins.
        activity: probability that this person speaks at each of its frames (n,).
        alone_seconds: how long this person alone speaks in it.
        voice_print: the voice, None where too little of it is heard alone.
        likely_print: the voice, with a little of this person's other stretches in the window; None if they have none.
        is_new: no earlier window had this voice print.
    """

    person: int
    first: int
    activity: NDArray[np.float32]
    alone_seconds: float
    voice_print: VoicePrint | None
    likely_print: VoicePrint | None = None
    is_new: bool = True

    @property
    def frames(self) -> slice:
        """Return the frames of the window that it takes up."""
        return slice(self.first, self.first + len(self.activity))

    @property
    def print_seconds(self) -> float:
        """Return how much speech the voice print is made of."""
        return min(self.alone_seconds, LONGEST_SECONDS)


@dataclass(frozen=True, slots=True)
class HeardWindow:
    """A window of up to ten seconds of a recording.

    Attributes:
        start_seconds: second of the recording at which it begins.
        frames: how many there are.
        stretches: what is said in it.
    """

    start_seconds: float
    frames: int
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class _Printed:
    """A stretch of a stream, from one second to another, and its voice print of so many seconds."""

    start: float
    end: float
    seconds: float
    voice_print: VoicePrint


class PrintedStretches:
    """The newest voice prints of one stream: windows overlap, and each stretch is looked at once."""

    def __init__(self) -> None:
        self._printed: deque[_Printed] = deque(maxlen=KEPT_PRINTS)

    def find(self, start: float | None, end: float) -> VoicePrint | None:
        """Return the print of the stretch between these seconds; a start of None is one that was not heard."""
        for each in reversed(self._printed):
            begins_there = start is not None and abs(each.start - start) <= SAME_SECONDS
            ends_there = abs(each.end - end) <= SAME_SECONDS
            if ((begins_there or start is None) and ends_there) or (begins_there and each.seconds >= LONGEST_SECONDS):
                return each.voice_print
        return None

    def add(self, start: float, end: float, seconds: float, voice_print: VoicePrint) -> None:
        """Keep the print of a stretch, made of so many seconds."""
        self._printed.append(_Printed(start, end, seconds, voice_print))


class LocalSpeakers:
    """Finds who speaks in windows of audio. Raises ModelError if the weights are missing or damaged."""

    def __init__(self) -> None:
        self._segmentation = Segmentation()
        self._prints = VoicePrints()

    def __call__(self, chunks: Iterable[Samples]) -> Iterator[HeardWindow]:
        """Yield successive windows of a recording, for its chunks of samples (n,) at 16 kHz."""
        windows, printed = enumerate(_windows(chunks)), PrintedStretches()
        while batch := list(islice(windows, BATCH_WINDOWS)):
            activities = self._segmentation(np.stack([window for _, window in batch]))
            for (number, window), activity in zip(batch, activities, strict=True):
                start = number * STEP_SECONDS
                yield _heard(start, activity, list(self._stretches(window, activity, start, printed)))

    def stages(
        self, samples: Samples, start_seconds: float, printed: PrintedStretches
    ) -> Generator[None, None, HeardWindow]:
        """Hear one window (n,) of at most ten seconds, pausing after each pass of a network; return it.

        `printed` has the prints of the stream's earlier windows, and gets those of this one.
        """
        (activity,) = self._segmentation(samples[None])
        yield
        stretches = list[Stretch]()
        for stretch in self._stretches(samples, activity, start_seconds, printed):
            stretches.append(stretch)
            if stretch.is_new and stretch.voice_print is not None:
                yield
        return _heard(start_seconds, activity, stretches)

    def _stretches(
        self, window: Samples, activity: NDArray[np.float32], start_seconds: float, printed: PrintedStretches
    ) -> Iterator[Stretch]:
        """Yield the stretches of one window, by who speaks at each of its frames (frames, 3)."""
        speaks = activity > SPEAKS
        one = speaks.sum(axis=1) == 1
        for person, active in enumerate(speaks.T):
            for first, end in _parts(_runs(active), start_seconds):
                alone = np.zeros(len(activity), bool)
                alone[first:end] = active[first:end] & one[first:end]
                seconds = float(alone.sum()) * FRAME_SECONDS
                bare = Stretch(person, first, activity[first:end, person], seconds, None)
                is_cut = first == 0 and start_seconds > 0, end == len(activity)
                begins, ends = (start_seconds + at * FRAME_SECONDS for at in (first, end))
                known = printed.find(None if is_cut[0] else begins, ends) if seconds >= LEAST_PRINT_SECONDS else None
                if known is not None:
                    yield replace(bare, voice_print=known, is_new=False)
                elif seconds < (LEAST_CUT_SECONDS if any(is_cut) else LEAST_PRINT_SECONDS):
                    yield bare
                else:
                    voice_print = self._prints(_samples_of(window, alone))
                    printed.add(begins, ends, seconds, voice_print)
                    yield replace(bare, voice_print=voice_print)


def _heard(start_seconds: float, activity: NDArray[np.float32], stretches: list[Stretch]) -> HeardWindow:
    """Return a window with the likely prints of its stretches."""
    means = dict[int, VoicePrint]()
    for person in {each.person for each in stretches}:
        own = [each for each in stretches if each.person == person]
        prints = [each.voice_print for each in own if each.voice_print is not None]
        if prints:
            means[person] = mean_print(prints, [each.print_seconds for each in own if each.voice_print is not None])
    likely = [replace(each, likely_print=_likely(each, means.get(each.person))) for each in stretches]
    return HeardWindow(start_seconds, len(activity), tuple(likely))


def _likely(stretch: Stretch, mean: VoicePrint | None) -> VoicePrint | None:
    if mean is None or stretch.voice_print is None:
        return mean
    return mean_print([stretch.voice_print, mean], [stretch.print_seconds, PERSON_SECONDS])


def _runs(active: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first frame of each stretch and the one behind it, short pauses bridged."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], active.astype(np.int8), [0]]))).reshape(-1, 2)
    found = list[tuple[int, int]]()
    for first, end in edges.tolist():
        if found and (first - found[-1][1]) * FRAME_SECONDS < PAUSE_SECONDS:
            found[-1] = found[-1][0], end
        else:
            found.append((first, end))
    return found


def _parts(runs: Iterable[tuple[int, int]], start_seconds: float) -> Iterator[tuple[int, int]]:
    """Yield runs of frames, long ones in parts: people who follow each other without a pause may be in one.

    The cuts are at the same seconds of the recording in each window.
    """
    least = round(LEAST_PART_SECONDS / FRAME_SECONDS)
    for first, end in runs:
        begin = first
        if first == 0 or (end - first) * FRAME_SECONDS > LONGEST_WHOLE_SECONDS:
            number = int((start_seconds + first * FRAME_SECONDS) / STEP_SECONDS) + 1
            while (at := round((number * STEP_SECONDS - start_seconds) / FRAME_SECONDS)) <= end - least:
                if at - first >= least:
                    yield begin, at
                    begin = at
                number += 1
        yield begin, end


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
    """Return the samples of a window that belong to these frames (n,)."""
    hop = round(FRAME_SECONDS * SAMPLE_RATE_HZ)
    first = round((FRAME_CENTRE_SECONDS - FRAME_SECONDS / 2) * SAMPLE_RATE_HZ)
    chosen = np.zeros(len(window), bool)
    chosen[first : first + len(frames) * hop] = np.repeat(frames, hop)[: len(window) - first]
    return window[chosen]
