"""A sentence that nobody asked for is said on the loudspeaker, in its language, or not at all."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from app.assistant.announcer import SAMPLES, Announcer
from app.preferences.preferences import Preferences
from app.sound.output_devices import LoudspeakerUnavailable
from engine.audio import Samples
from engine.options import VoiceOptions

PATIENCE = 120.0


class RecordingPlayer:
    """Keeps what is played."""

    def __init__(self, *, lost: bool = False) -> None:
        self.seconds = 0.0
        self.drained = False
        self.closed = threading.Event()
        self._lost = lost

    def play(self, samples: Samples, rate_hz: int) -> None:
        if self._lost:
            raise LoudspeakerUnavailable("gone")
        self.seconds += len(samples) / rate_hz

    def drain(self) -> None:
        self.drained = True

    def close(self) -> None:
        self.closed.set()


def announce(player: RecordingPlayer, *, speaks: bool = True) -> Announcer:
    usual = Preferences()
    settings = SimpleNamespace(preferences=replace(usual, behaviour=replace(usual.behaviour, speaks=speaks)))
    announcer = Announcer(settings, lambda: player)  # type: ignore[arg-type, return-value]
    announcer.say("Der Timer ist abgelaufen.", "de")
    return announcer


def test_it_is_said_to_its_end_and_the_device_let_go() -> None:
    player = RecordingPlayer()
    announce(player)
    assert player.closed.wait(PATIENCE)
    assert player.drained
    assert player.seconds > 0.5


def test_where_answers_are_not_spoken_nothing_is_said() -> None:
    player, before = RecordingPlayer(), threading.enumerate()
    announce(player, speaks=False)
    assert set(threading.enumerate()) <= set(before)
    assert player.seconds == 0


def test_a_loudspeaker_that_is_gone_is_let_go() -> None:
    player = RecordingPlayer(lost=True)
    announce(player)
    assert player.closed.wait(PATIENCE)
    assert not player.drained


def test_a_voice_is_heard_in_its_own_language_even_where_answers_are_not_spoken() -> None:
    player, failures = RecordingPlayer(), list[str]()
    announcer = announce(RecordingPlayer(), speaks=False)
    announcer._make_player = lambda: player  # type: ignore[assignment, return-value]
    announcer.sample(VoiceOptions("espeak", "de"), failures.append)
    assert player.closed.wait(PATIENCE)
    assert player.drained and player.seconds > 0.5 and not failures


def test_a_portuguese_voice_is_heard_in_portuguese(monkeypatch: pytest.MonkeyPatch) -> None:
    player, said = RecordingPlayer(), list[str]()
    monkeypatch.setattr("app.assistant.announcer._play", lambda voice, sentence, player: said.append(sentence))
    announcer = announce(player, speaks=False)
    announcer.sample(VoiceOptions("espeak", "pt-br"), lambda reason: None)
    assert player.closed.wait(PATIENCE)
    assert said == [SAMPLES["pt"]]


def test_a_voice_that_the_installation_cannot_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    player, reasons = RecordingPlayer(), list[str]()
    announce(player, speaks=False).sample(VoiceOptions(), reasons.append)
    assert player.closed.wait(PATIENCE)
    assert len(reasons) == 1 and "onnxruntime" in reasons[0]


def test_why_a_voice_cannot_be_heard_is_told() -> None:
    player, told = RecordingPlayer(), threading.Event()
    announcer = announce(RecordingPlayer(), speaks=False)
    announcer._make_player = lambda: player  # type: ignore[assignment, return-value]
    reasons: list[str] = []
    announcer.sample(VoiceOptions("no such voice"), lambda reason: (reasons.append(reason), told.set()))
    assert told.wait(PATIENCE) and reasons[0].startswith("There is no model called 'no such voice'")
    assert player.closed.wait(PATIENCE)
