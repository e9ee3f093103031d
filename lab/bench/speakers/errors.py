"""The diarization error rate, and the number of speakers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.speakers.turns import SpeakerTurn

FRAME_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class TurnErrors:
    """Seconds of speech missed, made up, and given to somebody else; and of all speech, with overlap counted twice."""

    missed: float = 0.0
    false: float = 0.0
    confused: float = 0.0
    speech: float = 0.0

    @property
    def rate(self) -> float:
        """Diarization error rate."""
        return (self.missed + self.false + self.confused) / self.speech if self.speech else 0.0

    def __add__(self, other: TurnErrors) -> TurnErrors:
        return TurnErrors(
            self.missed + other.missed,
            self.false + other.false,
            self.confused + other.confused,
            self.speech + other.speech,
        )


def turn_errors(
    right: Sequence[SpeakerTurn], found: Sequence[SpeakerTurn], seconds: float, collar_seconds: float = 0.0
) -> TurnErrors:
    """Compare turns; found speakers are matched with the right ones so that most speech agrees.

    Moments within `collar_seconds` of a right turn's start or end do not count.
    """
    frames = int(seconds / FRAME_SECONDS) + 1
    truth, guess = _activity(right, frames), _activity(found, frames)
    counts = np.ones(frames, bool)
    reach = round(collar_seconds / FRAME_SECONDS)
    for moment in (moment for turn in right for moment in (turn.start, turn.end)):
        at = round(moment / FRAME_SECONDS)
        counts[max(0, at - reach) : at + reach] = counts[max(0, at - reach) : at + reach] & (reach == 0)
    truth, guess = truth[counts], guess[counts]
    agree = truth.astype(np.float64).T @ guess.astype(np.float64)
    matched = best_matching(agree)
    right_seconds = sum(agree[a, b] for a, b in enumerate(matched) if b >= 0)
    there, said = truth.sum(axis=1), guess.sum(axis=1)
    missed, false = np.maximum(there - said, 0).sum(), np.maximum(said - there, 0).sum()
    confused = np.minimum(there, said).sum() - right_seconds
    values = (float(each) * FRAME_SECONDS for each in (missed, false, confused, there.sum()))
    return TurnErrors(*values)


def _activity(turns: Sequence[SpeakerTurn], frames: int) -> NDArray[np.int64]:
    """Return the speakers of each frame (frames, speakers)."""
    speakers = max((turn.speaker for turn in turns), default=0) + 1
    active = np.zeros((frames, speakers), np.int64)
    for turn in turns:
        active[round(turn.start / FRAME_SECONDS) : round(turn.end / FRAME_SECONDS), turn.speaker] = 1
    return active


def best_matching(agree: NDArray[np.float64]) -> list[int]:
    """Return for each row a column of its own, or -1, so that the sum of the values (rows, columns) is greatest."""
    rows, columns = agree.shape
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}  # by the set of columns taken
    for row in range(rows):
        grown: dict[int, tuple[float, tuple[int, ...]]] = {}
        for taken, (value, chosen) in best.items():
            for column in range(-1, columns):
                if column >= 0 and taken >> column & 1:
                    continue
                after = taken if column < 0 else taken | 1 << column
                total = value + (agree[row, column] if column >= 0 else 0.0)
                if after not in grown or total > grown[after][0]:
                    grown[after] = (total, (*chosen, column))
        best = grown
    return list(max(best.values())[1])
