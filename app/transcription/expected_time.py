"""An estimate of how long a transcription takes. No Qt."""

from __future__ import annotations

from engine.captions.for_files import STEP_SECONDS
from engine.machine.pace import MachinePace

LONGER_ROUNDS = 6.0
"""Time of a round of a recording over that of a live one: it hears more audio, with several candidates."""

_SHAPES = {"starter": "tiny.en"}
"""Models that are as fast as another one that was estimated."""


def expected_speed(model: str, pace: MachinePace | None) -> float | None:
    """Return the seconds of work for a second of a recording; None where this machine was never measured."""
    seconds = pace.rounds.get(_SHAPES.get(model, model)) if pace is not None else None
    return seconds * LONGER_ROUNDS / STEP_SECONDS if seconds is not None else None
