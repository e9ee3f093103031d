"""Protection from App Nap, which slows down apps without a visible window, as with captions in the overlay."""

from __future__ import annotations

import sys

from app.macos.objective_c import Runtime, runtime

USER_INITIATED = 0x00FF_FFFF  # with the system kept awake, but not the display
LATENCY_CRITICAL = 0xFF_0000_0000


class Activity:
    """A declaration to the system that important work is in progress."""

    def __init__(self, reason: str, objects: Runtime | None = None) -> None:
        """Prepare an activity; the system's tools show `reason` for it."""
        self._reason = reason
        self._objects = objects
        self._token = 0

    @property
    def is_held(self) -> bool:
        """Return whether it is declared to the system."""
        return self._token != 0

    def hold(self, wanted: bool) -> None:
        """Declare or end the activity; does nothing if that is its state, or on other systems."""
        if wanted == self.is_held or (self._objects is None and sys.platform != "darwin"):
            return
        try:
            objects = self._objects or runtime()
            process = objects.send(objects.class_named("NSProcessInfo"), "processInfo")
            if wanted:
                options = USER_INITIATED | LATENCY_CRITICAL
                token = objects.send(process, "beginActivityWithOptions:reason:", options, self._reason)
                self._token = objects.send(token, "retain")  # otherwise it is freed at the next event
            else:
                token, self._token = self._token, 0
                objects.send(process, "endActivity:", token)
                objects.send(token, "release")
        except (OSError, AttributeError):
            return  # captions may come later while the window is hidden, nothing worse
