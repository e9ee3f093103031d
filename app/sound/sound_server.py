"""What the sound server of a Linux desktop says of its devices: PulseAudio, or PipeWire in its place. No Qt.

PortAudio sees such a server as one device. Which of the server's own devices it records from or plays on is told
here, and so is whether one is muted or turned down. Everything is asked of `pactl`; where that is missing there is no
server to speak of.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.audio import SAMPLE_RATE_HZ, Samples

PATIENCE_SECONDS = 3.0
USUAL_VOLUME = "80%"
_MONITOR_OF = "Monitor of "
_MONITOR_ENDING = ".monitor"  # of the name of a source, behind that of the sink it hears
_SAMPLE_BYTES = 4
_BLOCK_BYTES = SAMPLE_RATE_HZ // 20 * _SAMPLE_BYTES

Side = Literal["source", "sink"]


@dataclass(frozen=True, slots=True)
class ServerDevice:
    """Something that the server records from (a source) or plays on (a sink).

    Attributes:
        number: the server's, new whenever the device is connected again.
        name: the same whenever it is connected.
        title: what a person calls it; for a monitor, the sink that it listens to.
        is_default: the server would choose it.
        is_monitor: a source of what a sink plays.
        muted, volume: as set; 1 is as loud as it is.
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


def sources() -> tuple[ServerDevice, ...]:
    """List what can be recorded from; empty where there is no server."""
    return _devices("source")


def sinks() -> tuple[ServerDevice, ...]:
    """List what can be played on; empty where there is no server."""
    return _devices("sink")


def default_source() -> ServerDevice | None:
    """Return what is recorded from where nobody chooses."""
    return next((each for each in sources() if each.is_default), None)


def unmute(source: str) -> bool:
    """Let a source be heard; tell whether the server did it."""
    return _ask("set-source-mute", source, "0") is not None


def turn_up(source: str) -> bool:
    """Give a source the usual volume; tell whether the server did it."""
    return _ask("set-source-volume", source, USUAL_VOLUME) is not None


def record(source: str, seconds: float, stop: threading.Event) -> Samples | None:
    """Listen to a source for a moment: mono samples (n,) at 16 kHz; None where the server does not deliver them.

    Any number of sources can be listened to side by side, which PortAudio does not always survive.
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
    """Tell whether this machine may have a server and can ask it."""
    return sys.platform == "linux" and shutil.which("pactl") is not None


def answers() -> bool:
    """Tell whether a server answers now."""
    return _ask("info") is not None


def environment() -> dict[str, str]:
    """Where `pactl` answers in the words that are read here."""
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
    # Of what the computer plays, the output that it uses comes first.
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


def _field(block: str, name: str) -> str:
    found = re.search(rf"^\s*{name}: (.*)$", block, re.M)
    return found[1].strip() if found else ""
