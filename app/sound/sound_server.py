"""Devices of a Linux desktop's sound server: PulseAudio, or PipeWire in its place. No Qt.

PortAudio sees such a server as one device. This module selects which of the server's own devices it records from or
plays on, and reports whether one is muted or its volume low. Everything is asked of `pactl`; without it there is no
server.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from engine.audio import SAMPLE_RATE_HZ, Samples

PATIENCE_SECONDS = 3.0
USUAL_VOLUME = "80%"
_MONITOR_OF = "Monitor of "
_MONITOR_ENDING = ".monitor"  # suffix of a source's name, after the name of the sink it records
_SAMPLE_BYTES = 4
_BLOCK_BYTES = SAMPLE_RATE_HZ // 20 * _SAMPLE_BYTES

Side = Literal["source", "sink"]


@dataclass(frozen=True, slots=True)
class ServerDevice:
    """A device that the server records from (a source) or plays on (a sink).

    Attributes:
        number: the server's number, new at every connection.
        name: the same at every connection.
        title: the name for people; for a monitor, that of its sink.
        is_default: whether it is the server's default.
        is_monitor: whether it is a source of a sink's sound.
        muted, volume: as set; a volume of 1 is unchanged.
        rate_hz, channels: its own.
    """

    number: int
    name: str
    title: str
    is_default: bool
    is_monitor: bool
    muted: bool
    volume: float
    rate_hz: int
    channels: int


@dataclass(frozen=True, slots=True)
class Recording:
    """A program that records from a source now.

    Attributes:
        process: its number in the system; 0 if unknown.
        name: the program's name for people.
        of_monitor: whether it records what is played.
    """

    process: int
    name: str
    of_monitor: bool


def recordings() -> tuple[Recording, ...]:
    """List the programs that record now; empty if there is no server. Meters that only show a level are left out."""
    listed = _ask("list", "source-outputs")
    if not listed:
        return ()
    monitors = {each.number for each in sources() if each.is_monitor}
    return tuple(_recordings(listed, monitors))


def _recordings(listed: str, monitors: Collection[int]) -> Iterator[Recording]:
    for block in re.findall(r"^Source Output #\d+\n(.*?)(?=^\S|\Z)", listed, re.M | re.S):
        if _field(block, "Corked") == "yes" or _field(block, "Resample method") == "peaks":
            continue
        process = _property(block, "application.process.id")
        name = _property(block, "application.name") or _property(block, "application.process.binary")
        source = _field(block, "Source")
        yield Recording(
            int(process) if process.isdecimal() else 0, name, source.isdecimal() and int(source) in monitors
        )


def sources() -> tuple[ServerDevice, ...]:
    """List the devices to record from; empty if there is no server."""
    return _devices("source")


def sinks() -> tuple[ServerDevice, ...]:
    """List the devices to play on; empty if there is no server."""
    return _devices("sink")


def default_source() -> ServerDevice | None:
    """Return the default device to record from."""
    return next((each for each in sources() if each.is_default), None)


def unmute(source: str) -> bool:
    """Unmute a source; return whether the server did it."""
    return _ask("set-source-mute", source, "0") is not None


def turn_up(source: str) -> bool:
    """Set a source to the usual volume; return whether the server did it."""
    return _ask("set-source-volume", source, USUAL_VOLUME) is not None


def record(source: str, seconds: float, stop: threading.Event) -> Samples | None:
    """Record a source for a moment: mono samples (n,) at 16 kHz; None if the server does not deliver them.

    Any number of sources can be recorded side by side, which PortAudio does not always survive.
    """
    if not is_there() or not shutil.which("parec"):
        return None
    import numpy as np  # here alone: the window waits for devices' names, not for this

    words = [f"--device={source}", "--raw", "--format=float32le", f"--rate={SAMPLE_RATE_HZ}", "--channels=1"]
    try:
        process = subprocess.Popen(
            ["parec", *words, "--latency-msec=50"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    wanted = round(seconds * SAMPLE_RATE_HZ) * _SAMPLE_BYTES
    heard = b""
    overdue = threading.Timer(seconds + PATIENCE_SECONDS, process.kill)
    overdue.start()
    with process:
        assert process.stdout is not None
        while len(heard) < wanted and not stop.is_set() and (block := process.stdout.read(_BLOCK_BYTES)):
            heard += block
        process.kill()
    overdue.cancel()
    whole = len(heard) - len(heard) % _SAMPLE_BYTES
    return np.frombuffer(heard[:whole], np.float32) if whole or stop.is_set() else None


def is_there() -> bool:
    """Return whether this machine may have a server and can ask it."""
    return sys.platform == "linux" and shutil.which("pactl") is not None


def answers() -> bool:
    """Return whether a server answers now."""
    return _ask("info") is not None


def environment() -> dict[str, str]:
    """Return the environment in which `pactl` answers in English."""
    return {**os.environ, "LC_ALL": "C"}


def _ask(*words: str) -> str | None:
    if not is_there():
        return None
    try:
        done = subprocess.run(["pactl", *words], capture_output=True, env=environment(), timeout=PATIENCE_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _devices(side: Side) -> tuple[ServerDevice, ...]:
    listed = _ask("list", f"{side}s")
    if not listed:
        return ()
    info = _ask("info") or ""
    found = _read(listed, side, _field(info, f"Default {side.capitalize()}"))
    # Of the monitors, that of the default output comes first.
    heard = f"{_field(info, 'Default Sink')}{_MONITOR_ENDING}"
    return tuple(sorted(found, key=lambda each: each.is_monitor and each.name != heard))


def _read(listed: str, side: Side, default: str) -> Iterator[ServerDevice]:
    for number, block in re.findall(rf"^{side.capitalize()} #(\d+)\n(.*?)(?=^\S|\Z)", listed, re.M | re.S):
        name = _field(block, "Name")
        title = _field(block, "Description") or name
        shape = re.search(r"(\d+)ch (\d+)Hz", _field(block, "Sample Specification"))
        loudest = max(map(int, re.findall(r"(\d+)%", _field(block, "Volume"))), default=100)
        yield ServerDevice(
            number=int(number),
            name=name,
            title=title.removeprefix(_MONITOR_OF),
            is_default=name == default,
            is_monitor=_field(block, "Monitor of Sink") not in ("", "n/a"),
            muted=_field(block, "Mute") == "yes",
            volume=loudest / 100,
            rate_hz=int(shape[2]) if shape else 48_000,
            channels=int(shape[1]) if shape else 1,
        )


def _property(block: str, name: str) -> str:
    found = re.search(rf'^\s*{re.escape(name)} = "(.*)"$', block, re.M)
    return found[1].strip() if found else ""


def _field(block: str, name: str) -> str:
    found = re.search(rf"^\s*{name}: (.*)$", block, re.M)
    return found[1].strip() if found else ""
