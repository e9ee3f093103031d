"""A recording on the loudspeaker while it is captioned, at the same pace. No Qt: window and command line share it."""

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
    """Plays a recording beside its captions; it may be muted, and heard again, while it goes on.

    Attributes:
        muted: nothing is to be heard; any thread may change it, and it is so within CHUNK_SECONDS.
    """

    def __init__(self, make_player: Callable[[], Player], *, muted: bool = False) -> None:
        """The player is made when a recording begins, on the thread that gives it out."""
        self.muted = muted
        self._make_player = make_player

    def beside(self, samples: Samples, stop: threading.Event, report: Callable[[Note], object]) -> Iterator[Samples]:
        """Give samples (n,) at 16 kHz out in chunks as they are heard, until their end or `stop`.

        Where there is no loudspeaker, `report` is told why, and they are given out all the same.
        """
        size = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
        player = self._make_player()
        heard = False
        position = 0

        def follow() -> None:
            """Play what is still to come, or be silent, where that has changed."""
            nonlocal heard
            if heard == (not self.muted):
                return
            heard = not self.muted
            try:
                player.play(samples[position:], SAMPLE_RATE_HZ) if heard else player.stop()
            except AudioError as error:
                report(Unplayed(str(error)))

        try:
            follow()  # to open a device takes a while: the recording begins behind that
            for chunk in at_the_pace_of_speech((samples[at : at + size] for at in range(0, len(samples), size)), stop):
                yield chunk
                position += len(chunk)
                follow()
        finally:
            player.close()
