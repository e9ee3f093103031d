"""The microphone's audio on its way to recognition: in order, gated by the key, without the assistant's own voice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.barge_in import BARGE_IN_SECONDS, BargeIn, SpokenOver
from engine.audio.duplex import Duplex
from engine.audio.inbox import Inbox
from engine.options import TurnOptions


class Playback(Protocol):
    """The assistant's own sound, by time of the audio."""

    def sounding(self, moment: float) -> bool:
        """Return whether anything is played at a moment."""
        ...

    def sound(self, start: float, end: float) -> Samples:
        """Return the audio played between two moments, at 16 kHz, with silence while nothing was played."""
        ...


class Intake:
    """Receives the microphone's audio and passes on what is to be recognized. One thread uses it.

    Attributes:
        pressed: whether the push-to-talk key is held, at the position the audio has been processed to.
    """

    def __init__(self, options: TurnOptions, *, notices: bool) -> None:
        """Apply the options; `notices`: whether interruptions of the assistant are detected here."""
        self.pressed = False
        self._inbox = Inbox()
        self._notices = notices
        self._go_by(options)

    @property
    def arrived_seconds(self) -> float:
        """Audio that has been added, in seconds."""
        return self._inbox.arrived_seconds

    @property
    def processed_seconds(self) -> float:
        """Audio that has been processed, in seconds."""
        return self._inbox.removed_seconds

    @property
    def key_held(self) -> bool:
        """Return whether the key is held at the end of the audio that has been added."""
        return self.pressed != (self._inbox.marks % 2 == 1)

    def add(self, chunk: Samples) -> None:
        """Add samples (n,), float32 at 16 kHz, of any length."""
        self._inbox.add(chunk)

    def turn_key(self) -> None:
        """Record that the key was pressed or released after the newest sample."""
        self._inbox.mark()

    def key_turns(self) -> Iterator[bool]:
        """Yield, for every press and release at the current position, whether the key is held from then on."""
        while self._inbox.pass_mark():
            self.pressed = not self.pressed
            yield self.pressed

    def next_samples(self, *, window: int | None, whole: bool) -> Samples | None:
        """Return the next samples, as Inbox does; `let_through` decides what of them is to be recognized."""
        return self._inbox.remove(window=window, whole=whole)

    def let_through(self, chunk: Samples, *, sounding: bool) -> list[Samples]:
        """Return the audio to be recognized after a chunk (n,); `sounding`: the assistant was speaking meanwhile."""
        if self._push_to_talk:
            return [chunk if self.pressed else np.zeros_like(chunk)]
        return self._duplex.add(chunk, sounding=sounding)

    def spoken_over(self, chunk: Samples, playback: Playback) -> SpokenOver | None:
        """Detect that the user speaks over the playback, if that is detected here; called for each chunk."""
        if self._barge_in is None or not self._duplex.holding:
            return None
        end = self.processed_seconds
        return self._barge_in.add(chunk, playback.sound(end - len(chunk) / SAMPLE_RATE_HZ, end))

    def let_in(self, cleaned: Samples | None) -> list[Samples]:
        """Return the held audio to be recognized: it holds the user's voice; `cleaned` is only that, if known."""
        return self._duplex.let_in(cleaned)

    def begin_reply(self) -> None:
        """Forget speech over the last reply: another begins."""
        if self._barge_in is not None:
            self._barge_in.restart()

    def change(self, options: TurnOptions) -> list[Samples]:
        """Apply changed options from here on; return the held audio that is to be recognized."""
        kept = self._duplex.let_go()
        self._go_by(options)
        return kept

    def _go_by(self, options: TurnOptions) -> None:
        barges_in = options.barge_in and not options.push_to_talk
        self._push_to_talk = options.push_to_talk
        self._duplex = Duplex(BARGE_IN_SECONDS if barges_in else None)
        self._barge_in = BargeIn() if barges_in and self._notices else None
