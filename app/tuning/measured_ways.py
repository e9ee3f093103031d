"""What `earshot profile --json` measured: ways to share out the processor, and which is the best. No Qt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class Way:
    """One way to hear, and what it came to.

    Attributes:
        cpu_threads, gpu_threads: those that decode and those that encode.
        pipeline: rounds overlap.
        delay_seconds: mean, from the end of a word to its being written down; None where no word was heard.
        round_seconds: mean computation of a round.
    """

    cpu_threads: int
    gpu_threads: int
    pipeline: bool
    delay_seconds: float | None
    round_seconds: float

    @property
    def cost_seconds(self) -> float:
        """Return what ways are compared by: the delay, or without words the computation."""
        return self.round_seconds if self.delay_seconds is None else self.delay_seconds


@dataclass(frozen=True, slots=True)
class MeasuredWays:
    """All of them in the order of measuring, and the best."""

    ways: tuple[Way, ...]
    best: Way


def read_measured_ways(text: str) -> MeasuredWays:
    """Read what the command printed.

    Raises:
        EngineError: it is not that.
    """
    try:
        record = json.loads(text)
        ways = tuple(_way(one) for one in record["allocations"])
        best = _way(record["best"])
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError("The measurement gave no result that can be read. Try again.") from error
    if best not in ways:
        raise EngineError("The measurement gave a best that it had not measured. Try again.")
    return MeasuredWays(ways, best)


def _way(record: Any) -> Way:
    delay = record["word_latency_seconds"]
    return Way(
        int(record["cpu_threads"]),
        int(record["gpu_threads"]),
        bool(record["pipeline"]),
        None if delay is None else float(delay),
        float(record["round_seconds"]),
    )
