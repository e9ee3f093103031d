"""Telling when sound devices come, go, or another becomes the default, at next to no cost while nothing does. No Qt.

One thread serves all who listen, and ends with the last of them. On Linux it reads what the sound server says by
itself, or where there is none looks at the time of the kernel's folder of devices; on macOS the system calls back.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.sound import sound_server

KERNEL_DEVICES = Path("/dev/snd")
LOOK_SECONDS = 2.0
_RELEVANT = re.compile(r"'(new|remove)' on (source|sink) |'change' on server")

Listener = Callable[[], None]

_lock = threading.Lock()
_listeners: list[Listener] = []
_watch: _Watch | None = None


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` called, on a thread of its own, whenever devices may have changed."""
    add(listener)
    try:
        yield
    finally:
        remove(listener)


def add(listener: Listener) -> None:
    """Begin to call it."""
    global _watch
    with _lock:
        _listeners.append(listener)
        if _watch is None:
            _watch = _Watch()
            _watch.start()


def remove(listener: Listener) -> None:
    """Call it no more; it may be in the middle of a call."""
    global _watch
    with _lock:
        _listeners.remove(listener)
        last, _watch = (None, _watch) if _listeners else (_watch, None)
    if last is not None:
        last.end()


def _tell() -> None:
    with _lock:
        listeners = tuple(_listeners)
    for listener in listeners:
        listener()


class _Watch:
    def __init__(self) -> None:
        self._over = threading.Event()
        self._server: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._kernel_time = _kernel_time()
        self._was_missed = False  # the last time that a server was looked for there was none
        self._thread = threading.Thread(target=self._run, name="device events", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Leave neither thread nor child process."""
        with self._lock:
            self._over.set()
            if self._server is not None:
                self._server.kill()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=2 * LOOK_SECONDS)

    def _run(self) -> None:
        if sys.platform == "darwin":
            from app.sound.core_audio import device_changes

            with device_changes(_tell):
                self._over.wait()
        else:
            while not self._over.is_set():
                if sound_server.is_there():
                    self._read_server()
                self._look_at_kernel()

    def _read_server(self) -> None:
        """Pass on what the server says until it ends; at once where there is none."""
        missed, self._was_missed = self._was_missed, not sound_server.answers()
        if self._was_missed:
            return
        if missed:
            _tell()
        with self._lock:
            if self._over.is_set():
                return
            self._server = subprocess.Popen(
                _with_us("pactl", "subscribe"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=sound_server.environment(),
            )
        with self._server as server:
            assert server.stdout is not None
            for line in server.stdout:
                if _RELEVANT.search(line.decode("utf-8", "replace")):
                    _tell()
        if not self._over.is_set():
            _tell()  # all that the server had is gone

    def _look_at_kernel(self) -> None:
        """Look for a while whether a device was added or removed; a server may be there again afterwards."""
        self._over.wait(LOOK_SECONDS)
        before, self._kernel_time = self._kernel_time, _kernel_time()
        if self._kernel_time != before and not self._over.is_set():
            _tell()


def _with_us(*words: str) -> list[str]:
    """Give a command that is killed when the app is, were it in the moment of the start."""
    if not shutil.which("setpriv"):
        return list(words)
    # An app that had gone before the signal was asked for has left the child another parent.
    still_ours = f'test "$PPID" = {os.getpid()} && exec "$@"'
    return ["setpriv", "--pdeathsig", "KILL", "sh", "-c", still_ours, "sh", *words]


def _kernel_time() -> int:
    try:
        return KERNEL_DEVICES.stat().st_mtime_ns
    except OSError:
        return 0
