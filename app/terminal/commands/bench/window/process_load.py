"""What a process and all that it started take of the machine: computing and memory. No Qt."""

from __future__ import annotations

from contextlib import suppress

import psutil

MEGABYTE = 1_000_000


def family(root: int) -> tuple[psutil.Process, ...]:
    """Give a process and its descendants; empty where there is none of that number."""
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
