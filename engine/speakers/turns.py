"""Turns of speakers, from what windows heard of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.speakers.local_speakers import SPEAKS, HeardWindow
from engine.speakers.segmentation import FRAME_CENTRE_SECONDS, FRAME_SECONDS, LOCAL_SPEAKERS

LEAST_TURN_SECONDS = 0.25
"""Shortest turn that is kept."""

LONGEST_GAP_SECONDS = 0.35
"""Longest pause within a turn."""

LAG_SECONDS = 0.045
"""Time by which the network hears turns begin and end too early. Chosen in LOG 2026-11-29."""

SPEAKS_TOO = 0.7
"""Least probability with which somebody speaks while another does. Chosen in LOG 2026-11-29."""


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """A stretch in which one speaker talks, in seconds. Speakers are numbered from 0."""

    start: float
    end: float
    speaker: int


def turns_of(windows: Sequence[HeardWindow], labels: NDArray[np.intp]) -> tuple[SpeakerTurn, ...]:
    """Return turns by their start; `labels` is the speaker of each stretch of each window, -1 for an unknown one."""
    found = []
    for speaker, speaking in enumerate(_votes(windows, labels).T):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], speaking.astype(np.int8), [0]])))
        moments = edges * FRAME_SECONDS + FRAME_CENTRE_SECONDS - FRAME_SECONDS / 2 + LAG_SECONDS
        spans = _bridged([(float(start), float(end)) for start, end in moments.reshape(-1, 2)])
        found += [SpeakerTurn(*span, speaker) for span in spans if span[1] - span[0] >= LEAST_TURN_SECONDS]
    return tuple(sorted(found, key=lambda turn: turn.start))


def _votes(windows: Sequence[HeardWindow], labels: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the speakers of each frame (frames, speakers): as many as the windows hear there, and the likeliest."""
    count = max((_first_frame(each) + each.frames for each in windows), default=0)
    votes = np.zeros((count, int(labels.max(initial=-1)) + 1), np.float32)
    speaking, covering = np.zeros(count, np.float32), np.zeros(count, np.float32)
    unread = iter(labels)
    for window in windows:
        first = _first_frame(window)
        covering[first:][: window.frames] += 1
        speaking[first:][: window.frames] += _at_once(window)
        for stretch in window.stretches:
            if (label := next(unread)) >= 0:
                votes[first:, label][stretch.frames] += stretch.activity
    at_once = np.rint(speaking / np.maximum(covering, 1))
    rank = np.argsort(np.argsort(-votes, axis=1, kind="stable"), axis=1)
    chosen: NDArray[np.bool_] = (rank < at_once[:, None]) & (votes > 0)
    return chosen


def _at_once(window: HeardWindow) -> NDArray[np.intp]:
    """Return how many people speak at each frame of a window (frames,)."""
    activity = np.zeros((LOCAL_SPEAKERS, window.frames), np.float32)
    for stretch in window.stretches:
        activity[stretch.person, stretch.frames] = stretch.activity
    activity.sort(axis=0)
    count: NDArray[np.intp] = (activity[-1] > SPEAKS) + (activity[:-1] > SPEAKS_TOO).sum(axis=0)
    return count


def _first_frame(window: HeardWindow) -> int:
    return round(window.start_seconds / FRAME_SECONDS)


def _bridged(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join spans with a short pause between them."""
    joined = list[tuple[float, float]]()
    for start, end in spans:
        if joined and start - joined[-1][1] <= LONGEST_GAP_SECONDS:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
