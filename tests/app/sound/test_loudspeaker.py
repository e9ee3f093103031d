"""Replies on their way to a loudspeaker: what of them has been played, and who may silence it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.sound.loudspeaker import Loudspeaker
from engine.audio import Samples
from engine.errors import AudioError
from engine.turns import Speech

RATE_HZ = 1000


class SteadyPlayer:
    """A player whose device takes sound when it is told to.

    Attributes:
        waiting: seconds of sound that wait.
        broken: the device is gone, and that has not been told.
    """

    def __init__(self) -> None:
        self.waiting = self.played_seconds = 0.0
        self.broken = False

    @property
    def playing(self) -> bool:
        return self.waiting > 0

    def play(self, samples: Samples, rate_hz: int) -> None:
        self.waiting += len(samples) / rate_hz

    def take(self, seconds: float) -> None:
        self.waiting -= seconds
        self.played_seconds += seconds

    def stop(self) -> None:
        self.waiting = 0.0

    def drain(self) -> None:
        if self.broken:
            raise AudioError("The device is gone.")


def speech(seconds: float) -> Speech:
    return Speech(1, 0, 0, np.zeros(round(seconds * RATE_HZ), np.float32).tobytes(), RATE_HZ)


@pytest.fixture
def player() -> SteadyPlayer:
    return SteadyPlayer()


@pytest.fixture
def loudspeaker(player: Any) -> Loudspeaker:
    return Loudspeaker(player)


def test_seconds_are_counted_from_the_reply_s_beginning(loudspeaker: Loudspeaker, player: SteadyPlayer) -> None:
    loudspeaker.begin()
    loudspeaker.add(speech(2.0), 0.0)
    player.take(0.5)
    assert loudspeaker.played_seconds == 0.5
    player.take(1.5)
    assert loudspeaker.played_seconds == math.inf, "all that came"
    loudspeaker.begin()
    loudspeaker.add(speech(1.0), 0.0)
    player.take(0.25)
    assert loudspeaker.played_seconds == 0.25
    assert loudspeaker.replies == 2


def test_hushed_it_plays_nothing_and_knows_where_it_stopped(loudspeaker: Loudspeaker, player: SteadyPlayer) -> None:
    loudspeaker.begin()
    loudspeaker.add(speech(2.0), 0.0)
    player.take(0.5)
    assert loudspeaker.hush() == 0.5
    loudspeaker.add(speech(1.0), 0.0)
    assert not loudspeaker.playing
    assert loudspeaker.hush() == loudspeaker.played_seconds == 0.5
    loudspeaker.resume()
    loudspeaker.add(speech(1.0), 0.0)
    player.take(0.1)
    assert loudspeaker.played_seconds == pytest.approx(0.6), "the same reply goes on"


def test_a_cut_drops_what_waits_and_no_more(loudspeaker: Loudspeaker, player: SteadyPlayer) -> None:
    loudspeaker.add(speech(2.0), 0.0)
    loudspeaker.cut(1.0)
    assert not loudspeaker.playing
    loudspeaker.add(speech(1.0), 0.0)
    assert player.waiting == 1.0


def test_draining_ends_where_there_is_enough(loudspeaker: Loudspeaker, player: SteadyPlayer) -> None:
    loudspeaker.add(speech(2.0), 0.0)
    assert list(loudspeaker.drain(lambda: True)) == []
    assert not loudspeaker.playing


def test_a_device_that_goes_away_while_draining_is_told(loudspeaker: Loudspeaker, player: SteadyPlayer) -> None:
    player.broken = True
    (incident,) = loudspeaker.drain(lambda: False)
    assert incident.message == "The device is gone."


def test_without_a_player_everything_counts_as_played() -> None:
    loudspeaker = Loudspeaker(None)
    loudspeaker.begin()
    loudspeaker.add(speech(2.0), 0.0)
    assert loudspeaker.hush() == math.inf
    assert not len(loudspeaker.pop_played())
    assert not loudspeaker.playing
    assert list(loudspeaker.drain(lambda: False)) == []
    loudspeaker.close()
