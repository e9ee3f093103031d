"""How an engine process shows that it is alive: again and again, and how long it has been at what it does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from engine.process.messages import Beat

BEAT_SECONDS = 1.0


class Heartbeat:
    """Beats on a thread of its own while another one works; what is sent says whether that one gets on."""

    def __init__(self, send: Callable[[Beat], None], every_seconds: float = BEAT_SECONDS) -> None:
        """`send` is called on the beating thread."""
        self._send = send
        self._every = every_seconds
        self._since: float | None = None  # when the present piece of work began
        self._loading = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more; nothing is sent once this has returned."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    @contextmanager
    def working(self) -> Generator[None]:
        """A piece of work is done in this context."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._since = None

    def got_on(self) -> None:
        """The present piece of work has brought something; what follows is another one."""
        if self._since is not None:
            self._since = time.monotonic()

    @contextmanager
    def loading(self) -> Generator[None]:
        """Let what is done in this context take its time."""
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

    def _run(self) -> None:
        while True:
            self._send(self.beat())
            if self._over.wait(self._every):
                return
