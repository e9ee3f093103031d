"""One recording as the window knows it: how long it is, whose voices are in it, and how live its captions are."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from app.captions.figures import FigureMeter
from app.engine_link.uncovered_audio import UncoveredAudio
from app.sound.audio_feed import QUIETEST_DBFS
from engine.audio import Samples

if TYPE_CHECKING:
    from app.sound.mixer import Mixer

DEAD_SILENCE_SECONDS = 3.0
"""Longest run of zeros that a source delivers before people are told."""


class Recording:
    """A recording on its way into the transcript.

    Attributes:
        names: what the speakers of its sides, and those told apart by voice, are called now, by what they were at
            first.
        labels: what captions were labelled by voice, at first names, by the captions' ids.
        meter: its figures.
    """

    def __init__(self, audio: UncoveredAudio, names: Mapping[str, str], sides: int = 1) -> None:
        """Follow what is added to `audio`, which has so many sides."""
        self.names = dict(names)
        self.labels: dict[int, str] = {}
        self._sides = sides
        self.meter = FigureMeter()
        self._audio = audio
        self._mixer: Mixer | None = None
        self._clock_zero = math.inf  # time.monotonic() of the first sample
        self._sound_at = [0.0] * sides  # seconds of each side at which it was not silent last

    def side_names(self) -> tuple[str, ...]:
        """Return what the speakers of its sides are called now."""
        return tuple(self.names[own] for own in list(self.names)[: self._sides])

    @property
    def start_seconds(self) -> float:
        """Return the second of the transcript at which it begins."""
        return self._audio.start_seconds

    @property
    def seconds(self) -> float:
        """Return how long it is."""
        return self._audio.seconds

    @property
    def clock_seconds(self) -> float:
        """Return the second of it at which what is being said now will stand."""
        return time.monotonic() - self._clock_zero

    @property
    def is_silent(self) -> bool:
        """Return whether only zeros come in.

        Of two sides none must have sounded yet: later one is often muted, and the other waits for its turn.
        """
        silent = all(map(self.is_side_silent, range(self._sides)))
        return silent and not (self._sides > 1 and any(self._sound_at))

    def is_side_silent(self, side: int) -> bool:
        """Return whether every sample of a side has been zero for so long that people are told."""
        return self._audio.seconds_of(side) - self._sound_at[side] > DEAD_SILENCE_SECONDS

    def note_level(self, dbfs: float, side: int) -> None:
        """Note how loud the newest chunk of a side is."""
        seconds = self._audio.seconds_of(side)
        # Chunks may come late, never early: the earliest reckoning is the truest.
        self._clock_zero = min(self._clock_zero, time.monotonic() - seconds)
        if dbfs > QUIETEST_DBFS:
            self._sound_at[side] = seconds

    def give_audio_to(self, listener: Callable[[Samples], None] | None) -> None:
        """Pass all samples to a listener, mixed where there are several sides, on a thread that records."""
        if listener is None:
            self._audio.listener = None
        elif self._sides == 1:
            self._audio.listener = lambda samples, side: listener(samples)
        else:
            from app.sound.mixer import Mixer

            mixer = self._mixer = Mixer(self._sides, listener)
            self._audio.listener = lambda samples, side: mixer.add(side, samples)

    def close(self) -> None:
        """Pass no audio on any more."""
        self._audio.close()
        if self._mixer is not None:
            self._mixer.finish()
            self._mixer = None
