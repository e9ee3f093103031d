"""What a process and all that it started take of the machine: computing and memory. No Qt.

Linux tells it in /proc; elsewhere `ps` does, in hundredths of a second.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """One process as it is now.

    Attributes:
        cpu_seconds: what it has computed so far, on all cores.
        resident_bytes: its memory that is in use.
    """

    number: int
    parent: int
    cpu_seconds: float
    resident_bytes: int


def family(root: int) -> tuple[Process, ...]:
    """A process and its descendants; empty where there is none of that number."""
    everybody = {each.number: each for each in _processes()}
    found = [everybody[root]] if root in everybody else []
    for member in found:  # it grows while it is walked
        found += [each for each in everybody.values() if each.parent == member.number]
    return tuple(found)


def cpu_seconds(root: int) -> float:
    """What a process and its descendants have computed so far; what those computed that are gone is not known."""
    return sum(each.cpu_seconds for each in family(root))


def resident_megabytes(root: int) -> float:
    """The memory that a process itself has in use."""
    return next((each.resident_bytes / MEGABYTE for each in family(root) if each.number == root), 0.0)


def _processes() -> list[Process]:
    return _all_of_proc() if _PROC.is_dir() else _all_of_ps()


def _all_of_proc() -> list[Process]:
    numbers = (int(each.name) for each in _PROC.iterdir() if each.name.isdigit())
    return [process for number in numbers if (process := _of_proc(number)) is not None]


def _all_of_ps() -> list[Process]:
    command = ["ps", "-axo", "pid=,ppid=,time=,rss="]
    asked = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return [of_ps(line) for line in asked.stdout.splitlines() if line.strip()]


def _of_proc(number: int) -> Process | None:
    try:
        record = (_PROC / str(number) / "stat").read_text()
    except OSError:
        return None  # it has ended meanwhile
    fields = record.rpartition(")")[2].split()  # the name before it may hold anything
    ticks = os.sysconf("SC_CLK_TCK")
    return Process(
        number,
        int(fields[1]),
        (int(fields[11]) + int(fields[12])) / ticks,
        int(fields[21]) * os.sysconf("SC_PAGE_SIZE"),
    )


def of_ps(line: str) -> Process:
    """What a line of `ps -o pid=,ppid=,time=,rss=` says; its time is [[days-]hours:]minutes:seconds."""
    number, parent, time, kilobytes = line.split()
    days, _, clock = time.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return Process(int(number), int(parent), seconds + 86_400 * int(days or 0), 1024 * int(kilobytes))
