"""A loudspeaker that nobody hears, for what is played while something is captioned."""

from __future__ import annotations

from app.sound.output_devices import LoudspeakerUnavailable
from app.sound.playback import Player
from engine.audio import SAMPLE_RATE_HZ, Samples


class FakePlayer(Player):
    """Notes what it is asked to do."""

    def __init__(self, failure: LoudspeakerUnavailable | None = None) -> None:
        super().__init__()
        self.pieces: list[Samples] = []
        self.stops = 0
        self.closed = False
        self.failure = failure

    def play(self, samples: Samples, rate_hz: int) -> None:
        assert rate_hz == SAMPLE_RATE_HZ
        if self.failure is not None:
            raise self.failure
        self.pieces.append(samples)

    def stop(self) -> None:
        self.stops += 1

    def close(self) -> None:
        self.closed = True
