"""Heartbeat of an engine process: it is alive, and has been at its present piece of work for so many seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from engine.process.messages import Beat

BEAT_SECONDS = 1.0
"""Time between two beats, in seconds."""


class Heartbeat:
    """Sends beats on a thread of its own; they show whether the working thread moves on."""

    def __init__(self, send: Callable[[Beat], None], every_seconds: float = BEAT_SECONDS) -> None:
        """Send beats by `send`, which is called on the beating thread."""
        self._send = send
        self._every = every_seconds
        self._since: float | None = None  # when the present piece of work began
        self._loading = False
        self._worker: int | None = None  # the working thread; others hold nothing up
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start to send beats."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; nothing is sent once this has returned."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    @contextmanager
    def working(self) -> Generator[None]:
        """Mark the body of the context as one piece of work."""
        self._worker, self._since = threading.get_ident(), time.monotonic()
        try:
            yield
        finally:
            self._worker = self._since = None

    def got_on(self) -> None:
        """Count the present piece of work as done, and what follows as another one, if the working thread says so."""
        if self._is_worker:
            self._since = time.monotonic()

    @contextmanager
    def loading(self) -> Generator[None]:
        """Mark the body of the context as the loading of a model; on another thread nothing waits for it."""
        if not self._is_worker:
            yield
            return
        self._loading = True
        try:
            yield
        finally:
            self._loading = False
            self.got_on()

    def beat(self) -> Beat:
        """Return the present state."""
        since = self._since
        return Beat(0.0 if since is None else time.monotonic() - since, self._loading)

    @property
    def _is_worker(self) -> bool:
        return self._worker == threading.get_ident()

    def _run(self) -> None:
        while True:
            self._send(self.beat())
            if self._over.wait(self._every):
                return
