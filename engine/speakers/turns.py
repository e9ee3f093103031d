"""Turns of speakers, from what windows heard of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.speakers.local_speakers import SPEAKS, STEP_SECONDS, LocalSpeaker
from engine.speakers.segmentation import FRAME_CENTRE_SECONDS, FRAME_SECONDS, WINDOW_FRAMES

LEAST_TURN_SECONDS = 0.25
"""Shortest turn that is kept."""

LONGEST_GAP_SECONDS = 0.35
"""Longest pause within a turn."""


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """A stretch in which one speaker talks, in seconds. Speakers are numbered from 0, by when they first talk."""

    start: float
    end: float
    speaker: int


def turns_of(people: Sequence[LocalSpeaker], labels: NDArray[np.intp]) -> tuple[SpeakerTurn, ...]:
    """Return turns by their start; `labels` is the speaker of each of these people, -1 where that is not known."""
    found = []
    for speaker, speaking in enumerate(_votes(people, labels).T):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], speaking.astype(np.int8), [0]])))
        moments = edges * FRAME_SECONDS + FRAME_CENTRE_SECONDS - FRAME_SECONDS / 2
        spans = _bridged([(float(start), float(end)) for start, end in moments.reshape(-1, 2)])
        found += [SpeakerTurn(*span, speaker) for span in spans if span[1] - span[0] >= LEAST_TURN_SECONDS]
    names = dict[int, int]()
    return tuple(
        SpeakerTurn(turn.start, turn.end, names.setdefault(turn.speaker, len(names)))
        for turn in sorted(found, key=lambda turn: turn.start)
    )


def _votes(people: Sequence[LocalSpeaker], labels: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the speakers of each frame (frames, speakers): as many as the windows hear there, and the likeliest."""
    windows = max((each.window for each in people), default=-1) + 1
    count = _first_frame(windows) + WINDOW_FRAMES
    votes = np.zeros((count, int(labels.max(initial=-1)) + 1), np.float32)
    speaking, covering = np.zeros(count, np.float32), np.zeros(count, np.float32)
    for window in range(windows):
        covering[_frames_of(window)] += 1
    for person, label in zip(people, labels, strict=True):
        frames = _frames_of(person.window)
        speaking[frames] += person.activity > SPEAKS
        if label >= 0:
            votes[frames, label] += person.activity
    at_once = np.rint(speaking / np.maximum(covering, 1))
    rank = np.argsort(np.argsort(-votes, axis=1, kind="stable"), axis=1)
    chosen: NDArray[np.bool_] = (rank < at_once[:, None]) & (votes > 0)
    return chosen


def _first_frame(window: int) -> int:
    return round(window * STEP_SECONDS / FRAME_SECONDS)


def _frames_of(window: int) -> slice:
    return slice(_first_frame(window), _first_frame(window) + WINDOW_FRAMES)


def _bridged(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join spans with a short pause between them."""
    joined = list[tuple[float, float]]()
    for start, end in spans:
        if joined and start - joined[-1][1] <= LONGEST_GAP_SECONDS:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
