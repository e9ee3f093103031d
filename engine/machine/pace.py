"""Estimated speed of recognition on this machine with each published model, stored for advice in lists.

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
from engine.machine.threads import load_average, usable_cores

PROMPT_SECONDS, LATE_SECONDS = 0.5, 1.5  # longest rounds that keep up, and that are only late

Verdict = Literal["keeps up", "late", "too slow", "too large"]


@dataclass(frozen=True, slots=True)
class MachinePace:
    """The expected speed of this machine.

    Attributes:
        gflops: speed of matrix products, in 10^9 operations per second.
        is_gpu: whether models run on a graphics processor.
        rounds: seconds of one recognition round during speech, by name of the model.
        busy: other programs were computing meanwhile, so that the machine may be faster.
    """

    gflops: float
    is_gpu: bool
    rounds: Mapping[str, float]
    busy: bool = False

    @property
    def keeps_up(self) -> bool:
        """Return whether any model keeps up with speech."""
        return any(verdict_of(each) == "keeps up" for each in self.rounds.values())


def verdict_of(round_seconds: float) -> Verdict:
    """Return the verdict on rounds of this length, for people."""
    if round_seconds <= PROMPT_SECONDS:
        return "keeps up"
    return "late" if round_seconds <= LATE_SECONDS else "too slow"


def is_busy() -> bool:
    """Return whether more programs want to compute than there are cores."""
    return load_average() > usable_cores()


def pace_path() -> Path:
    """Return the path of the file."""
    return user_config_path("earshot", appauthor=False) / "pace.json"


def load_pace() -> MachinePace | None:
    """Read this machine's estimate; None if there is none, or if it cannot be read."""
    try:
        kept = read_machines(pace_path()).get(machine())
        if kept is None:
            return None
        rounds = {str(name): float(seconds) for name, seconds in kept["rounds"].items()}
        return MachinePace(float(kept["gflops"]), bool(kept["is_gpu"]), rounds, bool(kept.get("busy")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # it is estimated again


def store_pace(pace: MachinePace) -> Path:
    """Store this machine's estimate in place of an earlier one; return the path. Raises ProfileUnwritable on failure.

    An earlier estimate of a faster machine stays: other programs can only make a machine seem slower than it is.
    """
    known = load_pace()
    trusted = known is not None and known.is_gpu == pace.is_gpu and known.busy <= pace.busy
    if known is not None and trusted and known.gflops > pace.gflops:
        return pace_path()
    try:
        machines = read_machines(pace_path())
    except (OSError, ValueError):
        machines = {}
    return write_machines(pace_path(), {**machines, machine(): asdict(pace)})
