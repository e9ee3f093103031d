"""Speaker diarization: which of its speakers talk at each moment of a recording.

As in pyannote's pipeline (Bredin, Interspeech 2023), people are told apart in overlapping windows, each of them gets a
voice print there, prints of all windows are clustered, and the windows vote on every moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from engine.audio import Samples
from engine.speakers.clustering import groups, merges
from engine.speakers.local_speakers import HeardWindow, LocalSpeaker, LocalSpeakers
from engine.speakers.turns import SpeakerTurn, turns_of
from engine.speakers.voice_prints import VoicePrint

FARTHEST = 0.47
"""Most mean distance of the voice prints of one speaker, 0 to 2. Chosen in LOG 2026-11-28."""

SURE_SECONDS = 1.6
"""Shortest speech whose voice print may found a speaker; shorter speech joins the speaker it is most like."""

LEAST_SHARE = 0.05
"""Smallest share of all speech that makes a speaker, where it is not known how many there are."""

LEAST_SECONDS = 2.0
"""Shortest speech that makes a speaker, where it is not known how many there are."""


class Diarizer:
    """The two networks and the grouping. Raises ModelError if the weights are missing or damaged."""

    def __init__(self) -> None:
        self._local_speakers = LocalSpeakers()

    def __call__(
        self,
        chunks: Iterable[Samples],
        speakers: int | None = None,
        report: Callable[[float], None] = lambda seconds: None,
    ) -> tuple[SpeakerTurn, ...]:
        """Return the turns of a recording, by their start.

        Args:
            chunks: its samples at 16 kHz, in order.
            speakers: how many people speak, where that is known.
            report: told the second that has been reached, every few seconds.
        """
        return label_turns(list(_reported(self._local_speakers(chunks), report)), speakers)


def _reported(windows: Iterator[HeardWindow], report: Callable[[float], None]) -> Iterator[HeardWindow]:
    for window in windows:
        report(window.start_seconds)
        yield window


def label_turns(windows: Sequence[HeardWindow], speakers: int | None = None) -> tuple[SpeakerTurn, ...]:
    """Return the turns of these windows, in which `speakers` different people speak where that is known."""
    return turns_of(windows, label_people(windows, speakers))


def label_people(windows: Sequence[HeardWindow], number: int | None = None) -> NDArray[np.intp]:
    """Return the speaker of each person of each window, -1 where that cannot be told."""
    people = [person for window in windows for person in window.people]
    labels = np.full(len(people), -1, np.intp)
    heard = [each for each in people if each.voice_print is not None]
    if not heard:
        return labels
    sure = [each for each in heard if each.alone_seconds >= SURE_SECONDS] or heard
    prints, seconds = [_print_of(each) for each in sure], [each.alone_seconds for each in sure]
    voices = _voices(np.stack(prints), np.array(seconds), number)
    first = 0
    for window in windows:
        here = [at for at, person in enumerate(window.people, start=first) if person.voice_print is not None]
        first += len(window.people)
        if here:
            labels[here] = _distinct(np.stack([_print_of(people[at]) for at in here]) @ voices.T)
    return labels


def _print_of(person: LocalSpeaker) -> VoicePrint:
    assert person.voice_print is not None
    return person.voice_print


def _voices(prints: NDArray[np.float32], seconds: NDArray[np.float64], number: int | None) -> NDArray[np.float32]:
    """Return the voice print of each speaker (speakers, 192), from prints (n, 192) of so many seconds."""
    joined = merges(1 - prints @ prints.T)
    if number is None:
        found = groups(joined, len(prints), farthest=FARTHEST)
    else:
        found = groups(joined, len(prints), number=number)
    talk = np.bincount(found, seconds)
    enough = max(LEAST_SECONDS, LEAST_SHARE * float(talk.sum())) if number is None else 0.0
    large = np.flatnonzero(talk >= min(enough, float(talk.max())))
    sums = np.stack([(prints[found == each] * seconds[found == each, None]).sum(axis=0) for each in large])
    voices: NDArray[np.float32] = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
    return voices


def _distinct(likeness: NDArray[np.float32]) -> list[int]:
    """Return a different speaker for each person of a window, those that are most alike in sum.

    `likeness` is (people, speakers). Where there are more people than speakers, those least like any get -1.
    """
    people, speakers = likeness.shape
    choices = [*range(speakers), *[-1] * max(0, people - speakers)]

    def sum_of(chosen: tuple[int, ...]) -> float:
        return sum(float(likeness[person, speaker]) for person, speaker in enumerate(chosen) if speaker >= 0)

    best: tuple[int, ...] = max(permutations(choices, people), key=sum_of)
    return list(best)
