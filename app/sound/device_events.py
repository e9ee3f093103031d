"""Notification when sound devices or recordings of other programs come and go, at almost no cost otherwise. No Qt.

One thread serves all listeners, and ends with the last of them. On Linux it reads the sound server's events, or without
a server polls the modification time of the kernel's folder of devices. On macOS the system calls back.
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
from enum import Enum
from pathlib import Path

from app.sound import sound_server

KERNEL_DEVICES = Path("/dev/snd")
LOOK_SECONDS = 2.0
Listener = Callable[[], None]


class News(Enum):
    """A kind of event.

    Attributes:
        DEVICES: devices come or go, or another is the default.
        RECORDINGS: a program begins to record, or ends; macOS does not send these.
    """

    DEVICES = re.compile(r"'(new|remove)' on (source|sink) |'change' on server")
    RECORDINGS = re.compile(r"on source-output ")


_lock = threading.RLock()  # a listener may add or remove one
_listeners: list[tuple[Listener, News]] = []
_watch: _Watch | None = None


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener`, on a thread of its own, whenever devices may have changed."""
    add(listener)
    try:
        yield
    finally:
        remove(listener)


def add(listener: Listener, news: News = News.DEVICES) -> None:
    """Start calling a listener about one kind of news."""
    global _watch
    with _lock:
        _listeners.append((listener, news))
        if _watch is None:
            _watch = _Watch()
            _watch.start()


def remove(listener: Listener) -> None:
    """Stop calling a listener; it is not called any more once this returns."""
    global _watch
    with _lock:
        _listeners.remove(next(each for each in _listeners if each[0] == listener))
        last, _watch = (None, _watch) if _listeners else (_watch, None)
    if last is not None:
        last.end()


def _tell(*kinds: News) -> None:
    """Call the listeners of some kinds of news, or of all."""
    with _lock:  # a listener that is removed meanwhile may be destroyed right after
        for each in tuple(_listeners):
            if each in _listeners and each[1] in (kinds or News):
                each[0]()


class _Watch:
    def __init__(self) -> None:
        self._over = threading.Event()
        self._server: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._kernel_time = _kernel_time()
        self._was_missed = False  # whether no server was found the last time
        self._thread = threading.Thread(target=self._run, name="device events", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Stop the thread and its child process."""
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
        """Pass the server's events on until it ends; return at once if there is none."""
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
                said = line.decode("utf-8", "replace")
                if kinds := [each for each in News if each.value.search(said)]:
                    _tell(*kinds)
        if not self._over.is_set():
            _tell()  # all devices of the server are gone

    def _look_at_kernel(self) -> None:
        """Poll for a while whether a device was added or removed; a server may be there again afterwards."""
        self._over.wait(LOOK_SECONDS)
        before, self._kernel_time = self._kernel_time, _kernel_time()
        if self._kernel_time != before and not self._over.is_set():
            _tell()


def _with_us(*words: str) -> list[str]:
    """Return a command that is killed with the app, even if the app ends at the moment of its start."""
    if not shutil.which("setpriv"):
        return list(words)
    # If the app ended before the signal was requested, the child has another parent.
    still_ours = f'test "$PPID" = {os.getpid()} && exec "$@"'
    return ["setpriv", "--pdeathsig", "KILL", "sh", "-c", still_ours, "sh", *words]


def _kernel_time() -> int:
    try:
        return KERNEL_DEVICES.stat().st_mtime_ns
    except OSError:
        return 0
