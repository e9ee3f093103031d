"""Asking a real sound server for its devices, and what is recorded when one of them is chosen."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from app.sound import sound_server
from app.sound.audio_devices import list_input_devices, microphone_chunks
from app.sound.output_devices import list_output_devices
from app.sound.playback import Player
from engine.audio import SAMPLE_RATE_HZ
from tests.app.pulse import Pulse
from tests.app.tones import loudest_hertz, record_seconds, tone, write_tone


def test_sources_are_told_by_name_and_by_title(pulse: Pulse) -> None:
    pulse.plug_in("yeti", "Blue Yeti für Ärzte", rate_hz=44_100)
    source = next(each for each in sound_server.sources() if each.name == "yeti")
    assert source.title == "Blue Yeti für Ärzte"
    assert not source.is_monitor
    assert not source.is_default
    assert (source.muted, source.volume, source.rate_hz) == (False, 1.0, 44_100)
    monitor = next(each for each in sound_server.sources() if each.name == "speakers.monitor")
    assert monitor.is_monitor
    assert monitor.title == "Null Output"
    assert [each.name for each in sound_server.sources() if each.is_default] == ["speech.monitor"]
    assert [each.name for each in sound_server.sinks() if each.is_default] == ["speakers"]


def test_a_muted_source_and_one_without_volume_are_told_and_can_be_helped(pulse: Pulse) -> None:
    pulse.plug_in("yeti", "Yeti")
    pulse.ask("set-source-mute", "yeti", "1")
    pulse.ask("set-source-volume", "yeti", "0%")

    def yeti() -> sound_server.ServerDevice:
        return next(each for each in sound_server.sources() if each.name == "yeti")

    assert yeti().muted
    assert yeti().volume == 0.0
    assert sound_server.unmute("yeti")
    assert sound_server.turn_up("yeti")
    assert not yeti().muted
    assert yeti().volume == 0.8
    assert not sound_server.unmute("nobody")


def test_without_a_server_there_are_no_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/none")
    assert sound_server.sources() == ()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sound_server.sinks() == ()
    assert not sound_server.is_there()


def test_inputs_are_listed_with_what_the_computer_plays_last(pulse: Pulse) -> None:
    pulse.plug_in("yeti", "Yeti")
    devices = list_input_devices()
    assert devices[0].is_default
    assert devices[0].label == "Null Output"
    assert "pulse" not in [each.name for each in devices]
    yeti = next(each for each in devices if each.name == "yeti")
    assert (yeti.label, yeti.is_monitor) == ("Yeti", False)
    rest = [each.is_monitor for each in devices[1:]]
    assert rest == sorted(rest)
    assert {each.name for each in devices if each.is_monitor} >= {"speakers.monitor", "yeti_cable.monitor"}


@pytest.mark.parametrize("chosen", ["yeti", "speakers.monitor", "Blue Yet"])
def test_the_chosen_source_is_recorded_and_no_other(chosen: str, pulse: Pulse, tmp_path: Path) -> None:
    pulse.plug_in("yeti", "Blue Yeti")
    cables = {"yeti_cable": 440, "speakers": 880, "speech": 1320}
    playing = [pulse.speak(write_tone(tmp_path / f"{sink}.wav", hertz), into=sink) for sink, hertz in cables.items()]
    recorded = record_seconds(chosen, 0.8)
    for each in playing:
        each.kill()
        each.wait()
    assert loudest_hertz(recorded) == pytest.approx(880 if chosen == "speakers.monitor" else 440, abs=5)


def test_the_chosen_output_is_played_on(pulse: Pulse) -> None:
    pulse.ask("load-module", "module-null-sink", "sink_name=headset", "norewinds=1", "rate=44100")
    assert list_output_devices()[0].is_default
    assert "headset" in [each.name for each in list_output_devices()]
    stop = threading.Event()
    chunks = microphone_chunks("headset.monitor", stop)
    next(chunks)
    player = Player("headset")
    player.play(tone(440, 1.0), SAMPLE_RATE_HZ)
    heard = np.zeros(0, np.float32)
    while len(heard) < SAMPLE_RATE_HZ:
        heard = np.concatenate([heard, next(chunks)])
    player.close()
    stop.set()
    chunks.close()  # type: ignore[attr-defined]
    assert loudest_hertz(heard) == pytest.approx(440, abs=5)
