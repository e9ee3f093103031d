"""How fast this machine hears with each published model, as it was estimated here: kept, for lists to advise with.

The file is {"<processor>, <n> cores": {"gflops": …, "is_gpu": …, "rounds": {"<model>": seconds, …}}}. Reading it loads
no model and no library that runs one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from platformdirs import user_config_path

from engine.machine.thread_profile import machine, read_machines, write_machines

PROMPT_SECONDS, LATE_SECONDS = 0.5, 1.5  # rounds up to so long keep up, or are noticed

Verdict = Literal["keeps up", "late", "too slow", "too large"]


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace that is to be expected of this machine.

    Attributes:
        gflops: of matrix products.
        is_gpu: whether models run on a graphics processor.
        rounds: by the model's name, the seconds of one hearing while somebody speaks.
    """

    gflops: float
    is_gpu: bool
    rounds: Mapping[str, float]

    @property
    def keeps_up(self) -> bool:
        """Tell whether any model keeps up with speech."""
        return any(verdict_of(each) == "keeps up" for each in self.rounds.values())


def verdict_of(round_seconds: float) -> Verdict:
    """Say what rounds of this length mean to somebody who reads."""
    if round_seconds <= PROMPT_SECONDS:
        return "keeps up"
    return "late" if round_seconds <= LATE_SECONDS else "too slow"


def pace_path() -> Path:
    """Where it is kept."""
    return user_config_path("earshot", appauthor=False) / "pace.json"


def load_pace() -> Pace | None:
    """Read what was estimated on this machine; None where nothing was, or it cannot be read."""
    try:
        kept = read_machines(pace_path()).get(machine())
        if kept is None:
            return None
        rounds = {str(name): float(seconds) for name, seconds in kept["rounds"].items()}
        return Pace(float(kept["gflops"]), bool(kept["is_gpu"]), rounds)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # it is estimated again


def store_pace(pace: Pace) -> Path:
    """Keep an estimate for this machine, in place of an earlier one; say where. ProfileUnwritable where that fails.

    An earlier one of a quicker machine stays: what else runs can make a machine only seem slower than it is.
    """
    known = load_pace()
    if known is not None and known.is_gpu == pace.is_gpu and known.gflops > pace.gflops:
        return pace_path()
    try:
        machines = read_machines(pace_path())
    except (OSError, ValueError):
        machines = {}
    return write_machines(pace_path(), {**machines, machine(): asdict(pace)})
