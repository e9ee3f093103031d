"""Playback of a recording while it is captioned, at the same pace. No Qt: window and command line share it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from app.sound.pace import CHUNK_SECONDS, at_the_pace_of_speech
from app.sound.source_notes import Note, Unplayed
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

if TYPE_CHECKING:
    from app.sound.playback import Player


class RecordingSound:
    """Plays a recording beside its captions; it may be muted and unmuted meanwhile.

    Attributes:
        muted: whether it is silent; any thread may change it, with effect within CHUNK_SECONDS.
    """

    def __init__(self, make_player: Callable[[], Player], *, muted: bool = False) -> None:
        """Prepare playback; `make_player` is called when a recording begins, on the thread that yields it."""
        self.muted = muted
        self._make_player = make_player

    def beside(self, samples: Samples, stop: threading.Event, report: Callable[[Note], object]) -> Iterator[Samples]:
        """Yield samples (n,) at 16 kHz in chunks in real time while playing them, until their end or `stop`.

        If there is no loudspeaker, `report` gets the reason, and the samples are yielded all the same.
        """
        size = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
        player = self._make_player()
        heard = False
        position = 0

        def follow() -> None:
            """Start or stop playing the rest, if `muted` has changed."""
            nonlocal heard
            if heard == (not self.muted):
                return
            heard = not self.muted
            try:
                player.play(samples[position:], SAMPLE_RATE_HZ) if heard else player.stop()
            except AudioError as error:
                report(Unplayed(str(error)))

        try:
            follow()  # opening a device takes a while: the recording begins after that
            for chunk in at_the_pace_of_speech((samples[at : at + size] for at in range(0, len(samples), size)), stop):
                yield chunk
                position += len(chunk)
                follow()
        finally:
            player.close()
