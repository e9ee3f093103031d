"""Processes that open windows: where they run, and what they and all that they start take of the machine. No Qt."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

import psutil

from app.preferences.program import has_display

MEGABYTE = 1_000_000


def environment() -> dict[str, str]:
    """Return the environment for such a process; where no window can be shown, Qt does all but show it."""
    return {**({} if has_display() else {"QT_QPA_PLATFORM": "offscreen"}), **os.environ}


@dataclass(frozen=True, slots=True)
class Holdings:
    """Holdings of a process.

    Attributes:
        megabytes: memory in use, what it shares with others included.
        private_megabytes: what it alone has allocated. Files in memory are left out where the system tells them apart:
            they come to count as its own when other processes that read them end.
    """

    megabytes: float
    private_megabytes: float
    threads: int
    handles: int


def holdings_of(root: int) -> dict[int, Holdings]:
    """Return the memory, threads and files of a process and its descendants, by their numbers, without those that end
    now."""
    held = {}
    for process in family(root):
        with suppress(psutil.NoSuchProcess):
            memory = process.memory_info()
            own = memory.rss - memory.shared if hasattr(memory, "shared") else process.memory_full_info().uss
            held[process.pid] = Holdings(
                memory.rss / MEGABYTE, own / MEGABYTE, process.num_threads(), process.num_fds()
            )
    return held


def family(root: int) -> tuple[psutil.Process, ...]:
    """Return a process and its descendants; empty where there is none of that number."""
    try:
        process = psutil.Process(root)
        return (process, *process.children(recursive=True))
    except psutil.NoSuchProcess:
        return ()


def cpu_seconds(root: int) -> float:
    """Count what a process and its descendants have computed so far; what those computed that are gone is not known."""
    seconds = 0.0
    for process in family(root):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            seconds += times.user + times.system
    return seconds


def resident_megabytes(root: int) -> float:
    """Count the memory that a process itself has in use; 0 where there is no such process."""
    try:
        return float(psutil.Process(root).memory_info().rss) / MEGABYTE
    except psutil.NoSuchProcess:
        return 0.0
