"""Parts of a desktop to test with: an X display and a session bus of our own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

HAS_X = bool(shutil.which("Xvfb") and shutil.which("xdotool"))
HAS_BUS = bool(shutil.which("dbus-daemon"))


@contextmanager
def x_display(size: str = "320x240") -> Iterator[str]:
    """Run an X server with nothing on it, not even a window manager; yield its name, such as ":7"."""
    # Without -noreset the server restarts when its last client leaves, and refuses clients meanwhile.
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"]
    with _serving(command) as said:
        yield f":{said}"


@contextmanager
def session_bus() -> Iterator[str]:
    """Run a session bus with nothing on it; yield its address."""
    with _serving(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]) as said:
        yield said


@contextmanager
def _serving(command: Sequence[str]) -> Iterator[str]:
    """Run a server as long as it is needed; yield the line it says first."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
