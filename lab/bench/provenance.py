"""The origin of a benchmark's record: the command, the commit, the machine and the date."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.machine.thread_profile import machine

ROOT = Path(__file__).resolve().parents[2]


def provenance(arguments: Sequence[str]) -> dict[str, str]:
    """Return what a page says of a run: `command`, `commit`, `machine` and `date`, for JSON.

    Args:
        arguments: the arguments of `earshot`, from "bench" on. Those that only say how to print are left out.
    """
    command = shlex.join(each for each in arguments if each != "--json")
    today = datetime.now(UTC).date().isoformat()
    return {"command": f"earshot {command}", "commit": commit(), "machine": machine(), "date": today}


def commit() -> str:
    """Return the short name of the commit that runs, with "-dirty" where files differ; "unknown" outside a clone."""
    describe = ("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude", "*")
    try:
        return subprocess.run(describe, check=True, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
