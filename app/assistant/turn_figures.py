"""Timings of a turn, for the live charts."""

from __future__ import annotations

from app.captions.figures import Sample
from engine.turns import Turn

FIRST_SOUND = "first_sound_seconds"  # from the end of the question to the first sound of its answer
ENDPOINT = "endpoint_seconds"  # from the end of the question to its being taken for the end
ANSWER_ACCEPTANCE = "answer_acceptance"  # tokens of the last draft that were kept
PREMADE = "premade"  # 1 where the first sentence and its sound were made ahead, else 0

LEAST_ENDPOINT_SECONDS = 0.01
"""Shortest time to notice the end of a spoken question; one that took less was typed."""


class TurnMeter:
    """Measures every revision of a turn once, however often it comes."""

    def __init__(self) -> None:
        self._measured = (0, 0)  # the newest turn and revision

    def samples(self, turn: Turn, seconds: float) -> tuple[Sample, ...]:
        """Return the timings of a turn that ended at `seconds` of the monotonic clock; none without an answer."""
        if not turn.reply or (turn.turn, turn.revision) <= self._measured:
            return ()
        self._measured = turn.turn, turn.revision
        stats = turn.stats
        drafted = stats.answer.drafted
        figures = {
            FIRST_SOUND: stats.first_sound_seconds,
            ENDPOINT: stats.endpoint_seconds if stats.endpoint_seconds >= LEAST_ENDPOINT_SECONDS else None,
            ANSWER_ACCEPTANCE: stats.answer.accepted / drafted if drafted else None,
            PREMADE: float(stats.premade),
        }
        return tuple(Sample(name, seconds, value) for name, value in figures.items() if value is not None)
