"""The number of processor threads that recognition may use, and their allocation."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engine.errors import OptionError

SMALL_CORES = 4  # up to this number of cores every thread count is measured


def usable_cores() -> int:
    """Return how many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_average() -> float:
    """Return how many programs wanted to compute in the last minute, on average; 0 on a system that does not say."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0


def idle_cores() -> int:
    """Return about how many of the usable cores had no work in the last minute, at least one.

    Threads that wait for each other in a busy loop take many times as long where one of them has to share its core.
    """
    return max(1, round(usable_cores() - load_average()))


@dataclass(frozen=True, slots=True)
class ThreadAllocation:
    """Shares of the processor's cores for the two halves of recognition (WhisperFlow, section 4.3.2).

    On Linux both halves are matrix products on the same OpenBLAS: a round's encoding and word timing use `gpu_threads`,
    its decoding `cpu_threads`. OpenBLAS has one count for the whole process. While two rounds are computed at once, the
    smaller one holds for both.

    On macOS, products on the processor are Accelerate's, which reads its count once, when the process starts:
    `cpu_threads` holds for the whole process, and `gpu_threads` only says how many cores are left to the thread that
    feeds the GPU. (Not tested: no Mac was available.)

    Raises OptionError for a count that the machine does not have.
    """

    cpu_threads: int = 1
    gpu_threads: int = 1

    def __post_init__(self) -> None:
        cores = usable_cores()
        for name, value in (("cpu_threads", self.cpu_threads), ("gpu_threads", self.gpu_threads)):
            if not isinstance(value, int) or not 1 <= value <= cores:
                raise OptionError(f"{name} must be between 1 and {cores} on this machine, not {value!r}.")

    @property
    def at_once(self) -> int:
        """Threads of each half while both compute."""
        return min(self.cpu_threads, self.gpu_threads)


def counts_to_try(cores: int) -> tuple[int, ...]:
    """Return the thread counts worth measuring: all of them on a small machine, otherwise doublings up to all cores."""
    if cores <= SMALL_CORES:
        return tuple(range(1, cores + 1))
    doublings = [1 << power for power in range(cores.bit_length()) if 1 << power < cores]
    return (*doublings, cores)


def allocations(cores: int, *, pipelined: bool) -> tuple[ThreadAllocation, ...]:
    """Return every allocation worth measuring; two halves that compute at once must fit side by side."""
    counts = counts_to_try(cores)
    return tuple(
        ThreadAllocation(cpu, gpu) for cpu in counts for gpu in counts if not pipelined or cpu + gpu <= max(2, cores)
    )
