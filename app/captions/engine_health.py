"""How the engine behind a session is: whether it hears, and whether it is brought back when it dies."""

from __future__ import annotations

import time

from app.engine_link.engine_restarts import Restarts

ACHIEVED_SECONDS = 5.0
"""An engine that has heard so much beyond where the last one died has achieved something."""


class EngineHealth:
    """The health of the engine, as far as it is known.

    Attributes:
        hears: it has taken up the newest session.
        has_died: it is gone, and is not started again by itself.
        is_stuck: it does not move any more, and is about to be killed for it.
    """

    def __init__(self) -> None:
        self.hears = False
        self.has_died = False
        self.is_stuck = False
        self._restarts = Restarts()
        self._died_at = 0.0  # seconds of the recording that it had heard when it died last

    def begin_recording(self) -> None:
        """A recording begins, which is another attempt where the engine had died."""
        self._died_at = 0.0
        if self.has_died:
            self.begin_anew()
            self.has_died = False

    def begin_anew(self) -> None:
        """Somebody asked for another attempt: what was is forgotten."""
        self._restarts.begin_anew()

    def note_stuck(self) -> None:
        """It does not move any more."""
        self.is_stuck = True

    def survives_crash(self, heard_seconds: float) -> bool:
        """It has crashed when so much was heard: tell whether it is to be started again without asking."""
        self.hears = self.is_stuck = False
        self._died_at = heard_seconds
        self.has_died = not self._restarts.may_restart(time.monotonic())
        return not self.has_died

    def note_progress(self, heard_seconds: float) -> None:
        """It has heard so much."""
        if heard_seconds > self._died_at + ACHIEVED_SECONDS:
            self._restarts.went_well()
