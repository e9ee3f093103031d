"""Playback of a recording while it is captioned, at the same pace. No Qt: window and command line share it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from app.sound.pace import at_the_pace_of_speech
from app.sound.source_notes import Note, Unplayed
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

if TYPE_CHECKING:
    from app.sound.playback import Player


CHUNKS_AHEAD = 6
"""Number of chunks that are played before they are captioned."""


class RecordingSound:
    """Plays a recording beside its captions; it may be muted and unmuted meanwhile.

    Attributes:
        muted: whether it is silent; any thread may change it, with effect within a chunk.
    """

    def __init__(self, make_player: Callable[[], Player], *, muted: bool = False) -> None:
        """Prepare playback; `make_player` is called when a recording begins, on the thread that yields it."""
        self.muted = muted
        self._make_player = make_player

    def beside(
        self, chunks: Iterator[Samples], stop: threading.Event, report: Callable[[Note], object]
    ) -> Iterator[Samples]:
        """Yield chunks (n,) at 16 kHz in real time while playing them, until their end or `stop`.

        What is played is read a moment ahead, so that a busy machine leaves no gaps in it. If there is no loudspeaker,
        `report` gets the reason, and the chunks are yielded all the same.
        """
        beside = _Beside(self, chunks, self._make_player(), report)
        try:
            beside.begin()  # opening a device takes a while: the recording begins after that
            for chunk in at_the_pace_of_speech(beside, stop):
                yield chunk
                beside.follow()
        finally:
            beside.player.close()


class _Beside(Iterator[Samples]):
    """Chunks that are played a moment before they are taken.

    Attributes:
        player: plays them.
    """

    def __init__(
        self, sound: RecordingSound, chunks: Iterator[Samples], player: Player, report: Callable[[Note], object]
    ) -> None:
        self.player = player
        self._sound = sound
        self._chunks = chunks
        self._report = report
        self._ahead: deque[Samples] = deque()  # read, and played unless muted
        self._heard = self._lost = False

    def __next__(self) -> Samples:
        if not self._ahead:
            raise StopIteration
        chunk = self._ahead.popleft()
        self._read()
        return chunk

    def begin(self) -> None:
        """Read and play what is to be ahead."""
        for _ in range(CHUNKS_AHEAD):
            self._read()
        self.follow()

    def follow(self) -> None:
        """Start or stop playing what is read, if it was muted or unmuted."""
        if self._heard == (not self._sound.muted):
            return
        self._heard = not self._sound.muted
        if not self._heard:
            self.player.stop()
        elif self._ahead:
            for chunk in self._ahead:
                self._play(chunk)

    def _read(self) -> None:
        if (chunk := next(self._chunks, None)) is not None:
            self._ahead.append(chunk)
            if self._heard:
                self._play(chunk)

    def _play(self, samples: Samples) -> None:
        try:
            if not self._lost:
                self.player.play(samples, SAMPLE_RATE_HZ)
        except AudioError as error:
            self._lost = True
            self._report(Unplayed(str(error)))
