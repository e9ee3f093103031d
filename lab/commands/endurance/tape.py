"""Recordings of people, one after another and again, as if a microphone heard them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import chunks_of
from engine.errors import AudioError
from lab.bench.captions.clips import Clip

GAP_SECONDS = 0.6
WAIT_SECONDS = 0.05
TORN = "The tape is torn."


@dataclass(slots=True)
class Mishap:
    """Mishaps of the device, which another thread may bring about.

    Attributes:
        is_torn: it breaks off with the next chunk, once.
        waits: it yields nothing while this is so, and then goes on where it was.
    """

    is_torn: bool = False
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Tape:
    """A microphone that hears the same recordings over and over.

    Attributes:
        samples: all of them once, (n,) at 16 kHz.
        words: what is said in them.
        speed: how much faster than time it plays.
    """

    samples: Samples
    words: tuple[str, ...]
    speed: float = 1.0
    name: str = "Tape"
    passes_by: bool = True
    mishap: Mishap = field(default_factory=Mishap)

    @classmethod
    def of(cls, clips: list[Clip], speed: float) -> Tape:
        """Put recordings behind one another, with a pause after each."""
        gap = np.zeros(round(GAP_SECONDS * SAMPLE_RATE_HZ), np.float32)
        parts = [part for clip in clips for part in (clip.listen(), gap)]
        return cls(np.concatenate(parts), tuple(word for clip in clips for word in clip.text.split()), speed)

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        """Yield chunks (n,) when they are due, without an end."""
        due = time.monotonic()
        while True:
            for chunk in chunks_of(self.samples):
                while self.mishap.waits and not stop.wait(WAIT_SECONDS):
                    due = time.monotonic()
                if self.mishap.is_torn:
                    self.mishap.is_torn = False
                    raise AudioError(TORN)
                due += len(chunk) / SAMPLE_RATE_HZ / self.speed
                if stop.wait(max(0.0, due - time.monotonic())):
                    return
                yield chunk
