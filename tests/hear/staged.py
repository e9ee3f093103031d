"""A recogniser of planted words that hears in stages, so that rounds can overlap and workers can die."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from engine.audio import Samples
from engine.hear.rounds.pipeline import Stages
from tests.hear.planted import PlantedRecognizer

DEATH_SECONDS = 120.0
"""Longest wait of a round for an executor that is to die, as it does once another round begins."""


@dataclass
class StagedRecognizer(PlantedRecognizer):
    """Hears planted words in stages, and goes on decoding until the next round has begun or for a while.

    Attributes:
        lasting_seconds: how long a round decodes at the most; while an executor is still to die, until it has.
        overlaps: how often a round began while another was being heard.
        deadly: the executor, by its name, that dies at its first decoding step.
    """

    lasting_seconds: float = 0.0
    overlaps: int = 0
    deadly: str = ""
    begun: int = 0
    under_way: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def stages(self, samples: Samples, **how: object) -> Stages:
        with self.lock:
            self.begun += 1
            mine = self.begun
            self.overlaps += self.under_way > 0
            self.under_way += 1
        try:
            yield "encoded"
            end = time.monotonic() + self.lasting_seconds
            while True:
                self._die()
                yield "decoding"
                self._die()
                if how["final"] or time.monotonic() > end + (DEATH_SECONDS if self.deadly else 0.0):
                    break
                if self.begun > mine and not self.deadly:
                    break
            yield "decoded"
            return self.hear(samples, **how)  # type: ignore[arg-type]
        finally:
            with self.lock:
                self.under_way -= 1

    def _die(self) -> None:
        """Raise an error on the executor that is to die, once."""
        with self.lock:
            if not self.deadly or not threading.current_thread().name.startswith(self.deadly):
                return
            self.deadly = ""
        raise RuntimeError("the stream was lost")
