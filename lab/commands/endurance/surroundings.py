"""Surroundings of a trial: its clock jumps, its disk turns read-only, and nothing outside notices."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.commands.private_sound_server import can_be_listened_to

_TRY_SECONDS = 60.0
_true_time = time.time


def set_clock(seconds: float) -> None:
    """Shift the wall clock of this process from now on, as all that is written in Python reads it.

    A library that is loaded before all others could shift it for Qt and SQLite as well (libfaketime), but that breaks
    waiting: `time.sleep` fails at times.
    """
    time.time = lambda: _true_time() + seconds


def mounting() -> list[str]:
    """Return the words before a command that let it mount for itself alone; none where that cannot be."""
    words = ["unshare", "--map-root-user", "--mount"]
    if sys.platform == "linux" and shutil.which(words[0]):
        tried = subprocess.run([*words, "true"], capture_output=True, timeout=_TRY_SECONDS)
        return words if tried.returncode == 0 else []
    else:
        return []


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Forbid making, writing, renaming and deleting anything in a folder. Needs `mounting`.

    Raises:
        subprocess.SubprocessError: it cannot be mounted.
    """
    _run("mount", "--bind", str(folder), str(folder))
    try:
        _run("mount", "-o", "remount,bind,ro", str(folder))
        yield
    finally:
        _run("umount", "--lazy", str(folder))


def _run(*words: str) -> None:
    subprocess.run(words, capture_output=True, timeout=_TRY_SECONDS, check=True)


def what_is_missing() -> dict[str, str]:
    """Return what cannot go wrong here, by what it needs, and why not; empty where everything can."""
    missing = {}
    if not mounting():
        missing["mount"] = "a program may not mount here, not even for itself alone (unshare --map-root-user --mount)"
    if not can_be_listened_to():
        missing["sound"] = "PulseAudio is not installed (apt install pulseaudio pulseaudio-utils libasound2-plugins)"
    return missing
