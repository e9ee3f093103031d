"""Earshot's own voice beside a recording: where it must not be played, and that a microphone loses its echo."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from app.sound import own_voice, process_tap
from app.sound.audio_sources import Microphone, TwoSides
from app.sound.own_voice import OwnVoice, is_recorded
from app.sound.playback import Player
from app.sound.sound_server import ServerDevice
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import SpokenTranslation
from tests.audio.test_barge_in import own_voice as speech
from tests.audio.test_barge_in import room, through, user_voice

CHUNK = 1600


def sink(name: str, *, is_default: bool = False) -> ServerDevice:
    return ServerDevice(0, name, name, is_default, False, False, 1.0, 48_000, 2)


@pytest.mark.parametrize(
    ("source", "output", "recorded"),
    [
        (Microphone("mic", "mic"), None, False),
        (Microphone("speakers.monitor", "s", is_monitor=True), None, True),
        (Microphone("speakers.monitor", "s", is_monitor=True), "speakers", True),
        (Microphone("speakers.monitor", "s", is_monitor=True), "headphones", False),
        (Microphone(None, "s", is_monitor=True), None, True),  # the default source is the speakers' monitor
        (Microphone("default", "s", is_monitor=True), "speakers", True),
        (Microphone("default", "s", is_monitor=True), "headphones", False),
        (Microphone(3, "s", is_monitor=True), "headphones", True),  # a number tells nothing
        (Microphone(process_tap.NAME, "Mac", is_monitor=True), None, False),
        (TwoSides(Microphone("m", "m"), Microphone("speakers.monitor", "s", is_monitor=True), "both"), None, True),
    ],
)
def test_nothing_is_played_where_it_would_be_captioned(
    monkeypatch: pytest.MonkeyPatch, source: Microphone, output: str | None, recorded: bool
) -> None:
    sinks = (sink("headphones"), sink("speakers", is_default=True))
    monkeypatch.setattr(own_voice.sound_server, "sinks", lambda: sinks)
    monkeypatch.setattr(own_voice.sound_server, "default_source", lambda: sink("speakers.monitor"))
    assert is_recorded(source, output) is recorded


class Loudspeaker(Player):
    """Plays in steps of a chunk, as a test asks for what was played."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: deque[Samples] = deque()

    def play(self, samples: Samples, rate_hz: int) -> None:
        assert rate_hz == SAMPLE_RATE_HZ
        self.waiting.extend(np.split(samples, range(CHUNK, len(samples), CHUNK)))

    def played(self) -> Samples:
        return self.waiting.popleft() if self.waiting else np.zeros(0, np.float32)


class UnevenLoudspeaker(Loudspeaker):
    """Reports what it played in uneven parts: nothing, then two chunks."""

    is_late = False

    def played(self) -> Samples:
        self.is_late = not self.is_late
        return np.zeros(0, np.float32) if self.is_late else np.concatenate([super().played(), super().played()])


def played_and_recorded(voice: Samples, microphone: Samples, player: Player | None = None) -> Samples:
    """Play a voice and record meanwhile; return what is left of the recording."""
    own = OwnVoice(player or Loudspeaker())
    own.play(SpokenTranslation(1, "Ja.", voice.tobytes(), SAMPLE_RATE_HZ, 0.0, 0.0))
    return np.concatenate([own.without(part) for part in np.split(microphone, range(CHUNK, len(microphone), CHUNK))])


def power(samples: Samples) -> float:
    return float(np.mean(np.square(samples)))


def test_a_microphone_loses_the_voice_that_it_hears_from_the_loudspeaker() -> None:
    voice = speech()
    echo = through(voice, room(0.1, 0.3, -6))
    left = played_and_recorded(voice, echo)
    second_half = slice(len(left) // 2, None)
    assert power(left[second_half]) < 0.02 * power(echo[second_half])


def test_the_echo_goes_where_the_device_delivers_in_uneven_parts() -> None:
    voice = speech()
    echo = through(voice, room(0.1, 0.3, -6))
    left = played_and_recorded(voice, echo, UnevenLoudspeaker())
    second_half = slice(len(left) // 2, None)
    assert power(left[second_half]) < 0.02 * power(echo[second_half])


def test_a_microphone_that_does_not_hear_it_keeps_what_is_said() -> None:
    voice = speech()
    user = user_voice()[: len(voice)]
    left = played_and_recorded(voice[: len(user)], user)
    assert float(np.corrcoef(left, user[: len(left)])[0, 1]) > 0.95


def test_before_the_first_sound_a_recording_stays_as_it_is() -> None:
    chunk = user_voice()[:CHUNK]
    np.testing.assert_array_equal(OwnVoice(Loudspeaker()).without(chunk), chunk)
