"""How live the captions are: measured, not claimed."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass

from engine.events import Caption, RoundStats

RECENT_WORDS = 20
RECENT_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """What the status line shows; None where nothing has been measured yet.

    Attributes:
        delay_seconds: from the end of a word in the air to its being shown as committed, the middle of recent words.
        real_time_factor: computing over the audio it was for, in recent rounds.
    """

    delay_seconds: float | None = None
    real_time_factor: float | None = None


class FigureMeter:
    """Measures one recording."""

    def __init__(self) -> None:
        self._delays: deque[float] = deque(maxlen=RECENT_WORDS)
        self._rounds: deque[tuple[float, float]] = deque(maxlen=RECENT_ROUNDS)
        self._committed: dict[int, int] = {}

    @property
    def figures(self) -> Figures:
        delay = statistics.median(self._delays) if self._delays else None
        factor = None
        if len(self._rounds) > 1:
            audio = self._rounds[-1][0] - self._rounds[0][0]
            # The oldest round only marks where the others' audio begins.
            computing = sum(seconds for _, seconds in list(self._rounds)[1:])
            factor = computing / audio if audio > 0 else None
        return Figures(delay, factor)

    def add_caption(self, caption: Caption, now_seconds: float) -> None:
        """Take a caption shown at `now_seconds` on the recording's own clock."""
        before = self._committed.get(caption.id, 0)
        self._delays.extend(max(0.0, now_seconds - word.end) for word in caption.committed[before:])
        if caption.final:
            self._committed.pop(caption.id, None)
        else:
            self._committed[caption.id] = len(caption.committed)

    def add_round(self, stats: RoundStats, audio_seconds: float) -> None:
        """Take what a round cost that was run when `audio_seconds` had been heard."""
        self._rounds.append((audio_seconds, stats.encode_seconds + stats.decode_seconds + stats.align_seconds))
