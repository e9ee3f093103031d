"""Other programs that record from a microphone now. No Qt."""

from __future__ import annotations

import os
import sys

import psutil

from app.sound import sound_server


def can_be_known() -> bool:
    """Return whether this system reports which programs record."""
    if sys.platform == "darwin":
        from app.sound.process_tap import SINCE_MACOS
        from engine.machine.backend import macos_version

        return macos_version() >= SINCE_MACOS
    else:
        return sound_server.is_there()


def recorders() -> tuple[str, ...]:
    """Return the names of other programs that record from a microphone now; none of what records the computer's sound.

    A program without a name is left out.
    """
    if sys.platform == "darwin":
        from app.sound.core_audio import recording_processes

        found = [(process, _program(process)) for process in recording_processes()]
    else:
        found = [(each.process, each.name) for each in sound_server.recordings() if not each.of_monitor]
    own = _own()
    return tuple(dict.fromkeys(name for process, name in found if name and process not in own))


def _own() -> set[int]:
    """Return the processes of Earshot, the engine's included."""
    try:
        children = psutil.Process().children(recursive=True)
    except psutil.Error:
        children = []
    return {os.getpid(), *(each.pid for each in children)}


def _program(process: int) -> str:
    try:
        return str(psutil.Process(process).name())
    except psutil.Error:
        return ""
