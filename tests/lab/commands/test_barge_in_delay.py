"""The barge-in benchmark: real sound on a server of its own, and what is made of it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from app.terminal.cli import main
from engine.options import VoiceOptions
from engine.speak.choice import make_voice
from lab.bench.captions.clips import VOICES
from lab.commands import barge_in_delay
from lab.commands.barge_in_delay import USER_LEVEL, BargeInDelays, Interruption, figures, levelled
from lab.commands.private_sound_server import can_be_listened_to
from lab.recipes.speech.espeak import espeak


def test_figures_are_those_of_the_attempts() -> None:
    over = Interruption(0.45, 0.49), Interruption(0.55, 0.59)
    found = figures(BargeInDelays("monitor", (0.03, 0.04, 0.05), over, missed=1))
    assert found["barge_in_stop_seconds_p50"] == 0.04
    assert found["barge_in_stop_seconds_max"] == 0.05
    assert (found["barge_in_detect_seconds_p50"], found["barge_in_silence_seconds_p50"]) == (0.5, 0.54)
    assert (found["barge_in_stops"], found["barge_in_detects"]) == (3, 2)
    assert (found["barge_in_missed"], found["barge_in_false_alarms"]) == (1, 0)


def test_what_was_not_measured_has_no_figure() -> None:
    assert figures(BargeInDelays("player", (0.03,)))["barge_in_detect_seconds_p50"] is None


def test_everybody_is_equally_loud() -> None:
    samples = levelled(espeak().speak("Wait a moment.", VOICES[1]).samples)
    voiced = samples[np.abs(samples) > 0.01]
    assert np.sqrt(np.mean(np.square(voiced))) == pytest.approx(USER_LEVEL, rel=0.2)


@pytest.mark.parametrize("echo", [[], ["--echo", "-12"]])
def test_without_a_clock_everybody_is_noticed_in_the_same_time_each_time(
    echo: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(barge_in_delay, "QUICK_INTERRUPTIONS", 2)
    assert main(["bench", "barge-in", "--quick", "--simulated", "--json", *echo]) == 0
    found = json.loads(capsys.readouterr().out)["figures"]
    assert (found["barge_in_detects"], found["barge_in_missed"], found["barge_in_false_alarms"]) == (2, 0, 0)
    assert 0.384 < found["barge_in_detect_seconds_p50"] < 1.2
    assert found["barge_in_silence_seconds_p50"] is None


def test_who_is_not_heard_is_missed_and_the_voice_is_not_taken_for_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(barge_in_delay, "QUICK_INTERRUPTIONS", 1)
    said = next(barge_in_delay._objections())
    monkeypatch.setattr(barge_in_delay, "_objections", lambda: [replace(said, samples=said.samples * 0)])
    unheard = barge_in_delay.simulate(make_voice(VoiceOptions()), quick=True, echo_db=-6)
    assert (unheard.interruptions, unheard.missed, unheard.false_alarms) == ((), 1, 0)


def test_an_echo_needs_a_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "barge-in", "--quick", "--echo", "-12"]) != 0
    assert "--echo is for --simulated" in capsys.readouterr().err


@pytest.mark.realtime
def test_the_command_speaks_over_the_assistant_and_prints_how_soon_it_was_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not can_be_listened_to():
        pytest.skip("PulseAudio is not installed: apt install pulseaudio pulseaudio-utils libasound2-plugins")
    pytest.importorskip("sounddevice", reason="PortAudio is missing: apt install libportaudio2", exc_type=OSError)
    monkeypatch.setattr(barge_in_delay, "QUICK_STOPS", 2)
    monkeypatch.setattr(barge_in_delay, "QUICK_INTERRUPTIONS", 1)
    assert main(["bench", "barge-in", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["figures"]
    assert found["barge_in_heard_at"] == "monitor"
    assert found["barge_in_stops"] == 2
    assert 0 < found["barge_in_stop_seconds_p50"] < 1
    assert found["barge_in_detects"] + found["barge_in_missed"] + found["barge_in_false_alarms"] == 1


def test_without_a_sound_server_the_player_s_own_clock_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(barge_in_delay, "can_be_listened_to", lambda: False)
    monkeypatch.setattr(barge_in_delay, "_stopped_by_its_clock", lambda loudspeaker: 0.04)
    assert main(["bench", "barge-in", "--quick"]) == 0
    assert "by the player's own clock" in capsys.readouterr().out
