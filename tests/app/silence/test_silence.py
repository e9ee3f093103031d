"""The doctor tells apart what a person would take for the same silence: real devices, muted, quiet, wrong, refusing."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from app.macos.permission import Permission
from app.silence import silence
from app.silence.silence import Cause, Circumstances, Finding, InputSound, examine, listen
from app.sound import audio_devices, process_tap
from app.sound.audio_devices import InputDevice, list_input_devices
from tests.app.pulse import REFUSED, Pulse
from tests.app.scripted_hearing import say, write_wav
from tests.app.tones import tone

pytestmark = pytest.mark.realtime

Speak = Callable[[str, np.ndarray], None]
LOUD = InputSound(-20.0, speech=True)


@pytest.fixture
def speak(pulse: Pulse, tmp_path: Path) -> Iterator[Speak]:
    """Play samples into a sink until the test is over: speak(sink, samples)."""
    playing: list[subprocess.Popen[bytes]] = []

    def begin(sink: str, samples: np.ndarray) -> None:
        playing.append(pulse.speak(write_wav(tmp_path / f"{sink}.wav", np.tile(samples, 8)), into=sink))

    yield begin
    for each in playing:
        each.kill()
        each.wait()


@pytest.fixture(scope="module")
def speech() -> np.ndarray:
    return say("Can you hear me? I am speaking to you now.").samples


def look(device: str | None, seconds: float = 0.7, **known: object) -> tuple[Finding, ...]:
    return examine(Circumstances(device, **known), threading.Event(), seconds)  # type: ignore[arg-type]


def causes(found: tuple[Finding, ...]) -> list[Cause]:
    return [each.cause for each in found]


def test_an_input_with_speech_is_fine(pulse: Pulse, speak: Speak, speech: np.ndarray) -> None:
    pulse.plug_in("yeti", "Yeti")
    speak("yeti_cable", speech)
    found = look("yeti")
    assert causes(found) == [Cause.HEARD]
    assert found[0].device is not None
    assert found[0].device.label == "Yeti"


def test_zeros_without_a_reason_are_told_from_a_muted_microphone_and_one_turned_down(pulse: Pulse) -> None:
    pulse.plug_in("yeti", "Yeti")
    assert causes(look("yeti", 0.2)) == [Cause.ZEROS]
    pulse.ask("set-source-volume", "yeti", "0%")
    assert causes(look("yeti", 0.2)) == [Cause.TURNED_DOWN]
    pulse.ask("set-source-mute", "yeti", "1")
    found = look("yeti", 0.2)
    assert causes(found) == [Cause.MUTED]
    assert found[0].source == "yeti"


def test_a_muted_microphone_is_muted_however_loudly_it_is_spoken_into(
    pulse: Pulse, speak: Speak, speech: np.ndarray
) -> None:
    pulse.plug_in("yeti", "Yeti")
    speak("yeti_cable", speech)
    pulse.ask("set-source-mute", "yeti", "1")
    assert causes(look("yeti"))[0] is Cause.MUTED


def test_speech_at_another_microphone_is_the_wrong_device(pulse: Pulse, speak: Speak, speech: np.ndarray) -> None:
    pulse.plug_in("yeti", "Yeti")
    pulse.plug_in("headset", "Headset")
    speak("headset_cable", speech)
    found = look("yeti")
    assert causes(found) == [Cause.ZEROS, Cause.ELSEWHERE]
    assert found[1].device is not None
    assert found[1].device.name in ("headset", "headset_cable.monitor")


def test_the_default_microphone_is_not_taken_for_another_one(pulse: Pulse, speak: Speak, speech: np.ndarray) -> None:
    pulse.plug_in("yeti", "Yeti")
    pulse.ask("set-default-source", "yeti")
    pulse.ask("set-source-mute", "yeti", "1")
    assert causes(look(None, 0.2)) == [Cause.MUTED]


def test_sound_that_is_no_speech_is_the_gates_doing(pulse: Pulse, speak: Speak) -> None:
    pulse.plug_in("yeti", "Yeti")
    speak("yeti_cable", tone(220, 2.0))
    found = look("yeti")
    assert causes(found)[0] is Cause.NO_SPEECH
    assert found[0].dbfs > -30


def test_hardly_any_sound_is_too_quiet(pulse: Pulse, speak: Speak) -> None:
    pulse.plug_in("yeti", "Yeti")
    speak("yeti_cable", tone(220, 2.0, loudness=0.001))
    assert causes(look("yeti"))[0] is Cause.QUIET


def test_a_computer_that_plays_nothing_is_no_broken_microphone(pulse: Pulse) -> None:
    assert causes(look("speakers.monitor", 0.2)) == [Cause.NOTHING_PLAYS]


def test_an_input_that_refuses_or_is_not_connected_is_told(pulse: Pulse) -> None:
    refused = look(REFUSED, 0.2)
    assert causes(refused) == [Cause.REFUSES]
    assert "cannot be opened" in refused[0].detail
    assert causes(look("headset")) == [Cause.NOT_CONNECTED]


def test_what_is_being_recorded_is_not_listened_to_again(pulse: Pulse, monkeypatch: pytest.MonkeyPatch) -> None:
    pulse.plug_in("yeti", "Yeti")
    listened: list[str] = []

    def listening(device: InputDevice, stop: threading.Event, seconds: float) -> InputSound:
        listened.append(device.name)
        return InputSound()

    monkeypatch.setattr(silence, "listen", listening)
    assert causes(look("yeti", heard=LOUD)) == [Cause.HEARD]
    assert "yeti" not in listened
    assert listened


def test_an_engine_that_loads_has_stopped_or_lags_is_told_when_the_input_is_fine(pulse: Pulse) -> None:
    assert causes(look(None, 0.1, heard=LOUD, is_loading=True)) == [Cause.LOADING]
    assert causes(look(None, 0.1, heard=LOUD, has_stopped=True)) == [Cause.STOPPED]
    behind = look(None, 0.1, heard=LOUD, behind_seconds=7.0)
    assert causes(behind) == [Cause.BEHIND]
    assert behind[0].seconds == 7.0


@pytest.mark.parametrize(
    ("permission", "cause"), [(Permission.DENIED, Cause.DENIED), (Permission.RESTRICTED, Cause.RESTRICTED)]
)
def test_being_forbidden_is_told_before_anything_is_opened(
    monkeypatch: pytest.MonkeyPatch, permission: Permission, cause: Cause
) -> None:
    monkeypatch.setattr(silence, "microphone_permission", lambda: permission)
    monkeypatch.setattr(audio_devices, "list_input_devices", lambda: pytest.fail("it looked for devices"))
    assert causes(look(None)) == [cause]


BUILT_IN, PHONE = InputDevice(-1, "MacBook Microphone", True), InputDevice(-1, "iPhone Microphone", False)
TAP = InputDevice(-1, process_tap.NAME, False, "Mac", is_monitor=True)


@pytest.fixture
def listened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A Mac with three inputs, none of which hears anything: those that were listened to."""
    heard: list[str] = []

    def listening(device: InputDevice, stop: threading.Event, seconds: float) -> InputSound:
        heard.append(device.name)
        return InputSound()

    monkeypatch.setattr(silence.sys, "platform", "darwin")
    monkeypatch.setattr(silence, "listen", listening)
    monkeypatch.setattr(silence.sound_server, "sources", tuple)
    monkeypatch.setattr(audio_devices, "list_input_devices", lambda: (BUILT_IN, PHONE, TAP))
    monkeypatch.setattr(silence, "microphone_permission", lambda: Permission.GRANTED)
    return heard


def test_m3_a_mac_that_records_what_it_plays_needs_no_microphone(
    listened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review M3: neither is it told that microphones are forbidden, nor is it asked for them."""
    for permission in (Permission.DENIED, Permission.RESTRICTED, Permission.NOT_ASKED):
        monkeypatch.setattr(silence, "microphone_permission", lambda permission=permission: permission)
        assert causes(look(TAP.name)) == [Cause.NOTHING_PLAYS]
    assert listened == [TAP.name] * 3


@pytest.mark.parametrize(
    ("chosen", "heard"),
    [
        (None, {BUILT_IN.name}),
        (BUILT_IN.name, {BUILT_IN.name}),
        (PHONE.name, {PHONE.name, BUILT_IN.name}),
        (TAP.name, {TAP.name, BUILT_IN.name}),
    ],
)
def test_m3_a_mac_opens_the_chosen_input_and_the_default_one_alone(
    listened: list[str], chosen: str | None, heard: set[str]
) -> None:
    """Mac review M3: others ask the person, spoil the sound of a headset, or wake a phone."""
    look(chosen)
    assert set(listened) == heard


def test_without_any_input_there_is_nothing_to_listen_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio_devices, "list_input_devices", tuple)
    assert causes(look(None)) == [Cause.NO_INPUT]


def test_listening_ends_when_told(pulse: Pulse) -> None:
    stop = threading.Event()
    stop.set()
    for device in list_input_devices():
        if device.name != REFUSED:
            assert listen(device, stop, seconds=60.0).problem == ""
    assert examine(Circumstances(), stop, seconds=60.0) == ()
