"""Speaker diarization: which of its speakers talk at each moment of a recording.

As in pyannote's pipeline (Bredin, Interspeech 2023), people are told apart in overlapping windows, each of them gets a
voice print there, prints of all windows are clustered, and the windows vote on every moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.audio import Samples
from engine.speakers.clustering import Labels, Merge, groups, merges
from engine.speakers.local_speakers import HeardWindow, LocalSpeakers, Stretch
from engine.speakers.turns import SpeakerTurn, turns_of
from engine.speakers.voice_prints import VoicePrint, mean_print

FARTHEST = 0.52
"""Most mean distance of the voice prints of one speaker, 0 to 2. Chosen in LOG 2026-11-29."""

SURE_SECONDS = 1.6
"""Shortest speech whose voice print may found a speaker; shorter speech joins the speaker it is most like."""

LEAST_SHARE = 0.05
"""Smallest share of all speech that makes a speaker, where it is not known how many there are."""

MOST_PRINTS = 3000
"""Most voice prints that are grouped, which takes time and memory in proportion to their square."""

LEAST_SECONDS = 2.0
"""Shortest speech that makes a speaker, where it is not known how many there are."""


@dataclass(frozen=True, slots=True)
class Diarization:
    """The turns of a recording and the voices of its speakers.

    Attributes:
        turns: by their start. Speakers are numbered from 0, by when they first talk.
        voices: the voice print of each speaker.
    """

    turns: tuple[SpeakerTurn, ...]
    voices: tuple[VoicePrint, ...]


class Diarizer:
    """The two networks and the grouping. Raises ModelError if the weights are missing or damaged."""

    def __init__(self) -> None:
        self._local_speakers = LocalSpeakers()

    def __call__(
        self,
        chunks: Iterable[Samples],
        speakers: int | None = None,
        report: Callable[[float], None] = lambda seconds: None,
    ) -> Diarization:
        """Return the turns of a recording, and the voices of its speakers.

        Args:
            chunks: its samples at 16 kHz, in order.
            speakers: how many people speak, where that is known.
            report: told the second that has been reached, every few seconds.
        """
        return diarize(list(_reported(self._local_speakers(chunks), report)), speakers)


def _reported(windows: Iterator[HeardWindow], report: Callable[[float], None]) -> Iterator[HeardWindow]:
    for window in windows:
        report(window.start_seconds)
        yield window


def diarize(windows: Sequence[HeardWindow], speakers: int | None = None) -> Diarization:
    """Return the turns of these windows, in which `speakers` different people speak where that is known."""
    labels = label_stretches(windows, speakers)
    turns = turns_of(windows, labels)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(turn.speaker for turn in turns))}
    stretches = [stretch for window in windows for stretch in window.stretches]
    said = [[stretches[at] for at in np.flatnonzero(labels == label)] for label in numbers]
    voices = [_voice(own) for own in said]
    return Diarization(tuple(replace(turn, speaker=numbers[turn.speaker]) for turn in turns), tuple(voices))


def label_stretches(windows: Sequence[HeardWindow], number: int | None = None) -> NDArray[np.intp]:
    """Return the speaker of each stretch of each window, -1 where that cannot be told."""
    stretches = [stretch for window in windows for stretch in window.stretches]
    labels = np.full(len(stretches), -1, np.intp)
    new = [each for each in stretches if each.is_new and each.voice_print is not None]
    if not new:
        return labels
    sure = [each for each in new if each.alone_seconds >= SURE_SECONDS] or new
    sure = sure[:: len(sure) // MOST_PRINTS + 1]
    prints = np.stack([each.voice_print for each in sure if each.voice_print is not None])
    voices = _voices(prints, np.array([each.print_seconds for each in sure]), number)
    likely = {at: each.likely_print for at, each in enumerate(stretches) if each.likely_print is not None}
    labels[list(likely)] = np.argmax(np.stack(list(likely.values())) @ voices.T, axis=1)
    return labels


def _voice(said: Sequence[Stretch]) -> VoicePrint:
    """Return the voice print of the speaker of these stretches."""
    heard = [(each.likely_print, each.alone_seconds) for each in said if each.likely_print is not None]
    prints, seconds = zip(*heard, strict=True)
    return mean_print(prints, seconds)


def _voices(prints: NDArray[np.float32], seconds: NDArray[np.float64], number: int | None) -> NDArray[np.float32]:
    """Return the voice print of each speaker (speakers, 192), from prints (n, 192) of so many seconds."""
    joined = merges(1 - prints @ prints.T)
    if number is None:
        found = groups(joined, len(prints), farthest=FARTHEST)
        enough = max(LEAST_SECONDS, LEAST_SHARE * float(seconds.sum()))
    else:
        found, enough = _so_many(joined, seconds, number)
    talk = np.bincount(found, seconds)
    large = np.flatnonzero(talk >= min(enough, float(talk.max())))
    return np.stack([mean_print(list(prints[found == each]), list(seconds[found == each])) for each in large])


def _so_many(joined: list[Merge], seconds: NDArray[np.float64], number: int) -> tuple[Labels, float]:
    """Return groups of which `number` speak for long enough, and how long that is.

    What is like nothing else, such as a laugh, is joined last, and is no speaker.
    """
    for count in range(number, len(seconds) + 1):
        found = groups(joined, len(seconds), number=count)
        if (np.bincount(found, seconds) >= LEAST_SECONDS).sum() >= number:
            return found, LEAST_SECONDS
    return groups(joined, len(seconds), number=number), 0.0
