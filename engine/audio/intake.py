"""What of the microphone's audio is heard: in order, as the key says, and not the assistant's own voice."""

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
    """The assistant's own sound, by the time of the audio."""

    def sounding(self, moment: float) -> bool:
        """Tell whether anything is played at a moment."""
        ...

    def sound(self, start: float, end: float) -> Samples:
        """Return what was played between two moments, at 16 kHz, with silence where nothing was."""
        ...


class Intake:
    """Takes what is handed over, and lets through what is to be heard. One thread uses it.

    Attributes:
        pressed: whether the key of push-to-talk is held, where the audio has been taken to.
    """

    def __init__(self, options: TurnOptions, *, notices: bool) -> None:
        """Go by the options; `notices`: whether to notice here that the assistant is spoken over."""
        self.pressed = False
        self._inbox = Inbox()
        self._notices = notices
        self._go_by(options)

    @property
    def arrived_seconds(self) -> float:
        """Return how much audio has been handed over."""
        return self._inbox.arrived_seconds

    @property
    def taken_seconds(self) -> float:
        """Return how much of it has been taken."""
        return self._inbox.taken_seconds

    @property
    def key_held(self) -> bool:
        """Tell whether the key is held at the end of what has been handed over."""
        return self.pressed != (self._inbox.marks % 2 == 1)

    def add(self, chunk: Samples) -> None:
        """Take samples (n,), float32 at 16 kHz, of any length."""
        self._inbox.add(chunk)

    def turn_key(self) -> None:
        """The key was pressed, or let go, behind the newest sample."""
        self._inbox.mark()

    def key_turns(self) -> Iterator[bool]:
        """Give for every time that the key was turned where the audio has been taken to, whether it is held since."""
        while self._inbox.pass_mark():
            self.pressed = not self.pressed
            yield self.pressed

    def take(self, *, window: int | None, whole: bool) -> Samples | None:
        """Give what comes next, as Inbox does; what of it is to be heard `let_through` says."""
        return self._inbox.take(window=window, whole=whole)

    def let_through(self, chunk: Samples, *, sounding: bool) -> list[Samples]:
        """Give what is to be heard after a chunk (n,) was taken, which came while the assistant spoke, or did not."""
        if self._push_to_talk:
            return [chunk if self.pressed else np.zeros_like(chunk)]
        return self._duplex.take(chunk, sounding=sounding)

    def spoken_over(self, chunk: Samples, playback: Playback) -> SpokenOver | None:
        """Notice that the user speaks over what is played, where that is noticed here; for each chunk taken."""
        if self._barge_in is None or not self._duplex.holding:
            return None
        end = self.taken_seconds
        return self._barge_in.add(chunk, playback.sound(end - len(chunk) / SAMPLE_RATE_HZ, end))

    def let_in(self, cleaned: Samples | None) -> list[Samples]:
        """Give what is kept back to be heard: it holds the user's voice, which `cleaned` is alone if it is known."""
        return self._duplex.let_in(cleaned)

    def begin_reply(self) -> None:
        """Forget speech over the reply before: another begins."""
        if self._barge_in is not None:
            self._barge_in.restart()

    def change(self, options: TurnOptions) -> list[Samples]:
        """Go by other options from here on; give what was kept back and is to be heard."""
        kept = self._duplex.let_go()
        self._go_by(options)
        return kept

    def _go_by(self, options: TurnOptions) -> None:
        barges_in = options.barge_in and not options.push_to_talk
        self._push_to_talk = options.push_to_talk
        self._duplex = Duplex(BARGE_IN_SECONDS if barges_in else None)
        self._barge_in = BargeIn() if barges_in and self._notices else None
