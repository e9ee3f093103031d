"""Results of `earshot profile --json`: thread settings, and the best of them. No Qt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class ThreadSetting:
    """A thread setting and its measurement.

    Attributes:
        cpu_threads, gpu_threads: threads that decode and that encode.
        pipeline: whether rounds overlap.
        delay_seconds: mean delay from the end of a word until it is shown; None if no word was recognized.
        round_seconds: mean computation of a round.
    """

    cpu_threads: int
    gpu_threads: int
    pipeline: bool
    delay_seconds: float | None
    round_seconds: float

    @property
    def cost_seconds(self) -> float:
        """Measure for comparison: the delay, or without words the computation."""
        return self.round_seconds if self.delay_seconds is None else self.delay_seconds


@dataclass(frozen=True, slots=True)
class MeasuredSettings:
    """All settings in the order of measuring, and the best."""

    settings: tuple[ThreadSetting, ...]
    best: ThreadSetting


def read_measured_settings(text: str) -> MeasuredSettings:
    """Parse the output of the command.

    Raises:
        EngineError: it has another format.
    """
    try:
        record = json.loads(text)
        settings = tuple(_setting(one) for one in record["allocations"])
        best = _setting(record["best"])
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError("The measurement gave no result that can be read. Try again.") from error
    if best not in settings:
        raise EngineError("The measurement gave a best that it had not measured. Try again.")
    return MeasuredSettings(settings, best)


def _setting(record: Any) -> ThreadSetting:
    delay = record["word_latency_seconds"]
    return ThreadSetting(
        int(record["cpu_threads"]),
        int(record["gpu_threads"]),
        bool(record["pipeline"]),
        None if delay is None else float(delay),
        float(record["round_seconds"]),
    )
