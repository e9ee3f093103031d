"""Keeping macOS from slowing the app down: App Nap rests what has no window in sight, as captions in the overlay."""

from __future__ import annotations

import sys

from app.macos.objective_c import Runtime, runtime

USER_INITIATED = 0x00FF_FFFF  # with the system kept awake, but not the display
LATENCY_CRITICAL = 0xFF_0000_0000


class Activity:
    """Work that must not wait: held while it goes on, and let go."""

    def __init__(self, reason: str, objects: Runtime | None = None) -> None:
        """`reason` is what the system's own tools show for it."""
        self._reason = reason
        self._objects = objects
        self._token = 0

    @property
    def is_held(self) -> bool:
        """Tell whether the system knows of it."""
        return self._token != 0

    def hold(self, wanted: bool) -> None:
        """Begin it, or let it go; does nothing where it is so already, or where there is no such thing."""
        if wanted == self.is_held or (self._objects is None and sys.platform != "darwin"):
            return
        try:
            objects = self._objects or runtime()
            process = objects.send(objects.class_named("NSProcessInfo"), "processInfo")
            if wanted:
                options = USER_INITIATED | LATENCY_CRITICAL
                token = objects.send(process, "beginActivityWithOptions:reason:", options, self._reason)
                self._token = objects.send(token, "retain")  # it is ours no longer than until the next event
            else:
                token, self._token = self._token, 0
                objects.send(process, "endActivity:", token)
                objects.send(token, "release")
        except (OSError, AttributeError):
            return  # captions may come later while the window is out of sight, no more
