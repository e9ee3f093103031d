"""The computer's source of power."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
"""Folder in which Linux lists batteries and mains."""

IOKIT = "/System/Library/Frameworks/IOKit.framework/IOKit"
UNLIMITED = -2.0
"""Time that macOS estimates to remain while the computer is plugged in."""

ASKED_EVERY_SECONDS = 30.0
"""Time for which an answer of the system is believed."""


class PowerSource:
    """Watches whether the computer runs on its battery. One thread uses it."""

    def __init__(self, ask: Callable[[], bool] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Ask the system, or another source."""
        self._ask = ask or runs_on_battery
        self._clock = clock
        self._asked: float | None = None
        self._battery = False

    @property
    def on_battery(self) -> bool:
        """Return whether the computer runs on its battery; the system is asked at most twice a minute."""
        now = self._clock()
        if self._asked is None or now - self._asked >= ASKED_EVERY_SECONDS:
            self._asked, self._battery = now, self._ask()
        return self._battery


def runs_on_battery() -> bool:
    """Return whether the computer runs on its battery; False if it has none, or the system does not say."""
    return _mac_runs_on_battery() if sys.platform == "darwin" else discharges(SUPPLIES)


def discharges(supplies: Path) -> bool:
    """Return whether a battery of the computer loses charge while no mains is connected, by Linux's folder of supplies.

    Batteries of mice and headsets do not count.
    """
    on_battery = False
    for supply in sorted(supplies.glob("*")):
        kind = _read(supply / "type")
        if kind in ("Mains", "USB") and _read(supply / "online") == "1":
            return False
        if kind == "Battery" and _read(supply / "scope") != "Device":
            on_battery = on_battery or _read(supply / "status") == "Discharging"
    return on_battery


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _mac_runs_on_battery() -> bool:
    try:
        estimate = ctypes.CDLL(IOKIT).IOPSGetTimeRemainingEstimate
    except (OSError, AttributeError):
        return False
    estimate.restype, estimate.argtypes = ctypes.c_double, []
    return bool(estimate() != UNLIMITED)
