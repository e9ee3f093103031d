"""A Mac's sound devices, read as Core Audio writes of them."""

from __future__ import annotations

import gc
import struct
import weakref

import pytest

from app.sound import core_audio
from app.sound.audio_devices import list_input_devices
from app.sound.core_audio import Device, device_changes, devices
from app.sound.output_devices import list_output_devices
from tests.app.sound.fake_core_audio import SYSTEM, FakeCoreAudio


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> FakeCoreAudio:
    made = FakeCoreAudio()
    monkeypatch.setattr(core_audio, "_library", lambda: made)
    plug_in(made, 40, "MacBook Pro-Mikrofon", inputs=(1,))
    plug_in(made, 41, "MacBook Pro-Lautsprecher", outputs=(2,))
    made.properties[SYSTEM, "dIn ", "glob"] = struct.pack("<I", 40)
    made.properties[SYSTEM, "dOut", "glob"] = struct.pack("<I", 41)
    return made


def plug_in(
    mac: FakeCoreAudio, number: int, name: str, inputs: tuple[int, ...] = (), outputs: tuple[int, ...] = ()
) -> None:
    """Add a device, of which each stream has so many channels."""
    mac.properties[SYSTEM, "dev#", "glob"] = mac.properties.get((SYSTEM, "dev#", "glob"), b"") + struct.pack(
        "<I", number
    )
    mac.properties[number, "lnam", "glob"] = mac.text(name)
    for scope, streams in (("inpt", inputs), ("outp", outputs)):
        buffers = b"".join(struct.pack("<IIQ", channels, 0, 0) for channels in streams)
        mac.properties[number, "slay", scope] = struct.pack("<II", len(streams), 0) + buffers


def test_devices_are_told_with_their_channels_and_the_default_ones(mac: FakeCoreAudio) -> None:
    plug_in(mac, 42, "Interface", inputs=(2, 2, 8), outputs=(2,))
    now = devices()
    assert now.found == (
        Device(40, "MacBook Pro-Mikrofon", 1, 0),
        Device(41, "MacBook Pro-Lautsprecher", 0, 2),
        Device(42, "Interface", 12, 2),
    )
    assert (now.default_input, now.default_output) == (40, 41)
    assert mac.called.count("CFRelease") == 3


def test_a_device_that_goes_while_it_is_asked_is_left_out(mac: FakeCoreAudio) -> None:
    mac.gone.add(40)
    assert [each.name for each in devices().found] == ["MacBook Pro-Lautsprecher"]
    assert devices() == devices()


def test_m4_a_microphone_that_is_plugged_in_while_captions_run_is_listed(
    mac: FakeCoreAudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review M4: PortAudio is not asked, which knows those alone that there were at its start."""
    monkeypatch.setattr("app.sound.audio_devices.sys.platform", "darwin")
    monkeypatch.setattr("app.sound.portaudio.load", lambda: pytest.fail("it asked PortAudio"))
    plug_in(mac, 42, "Yeti", inputs=(2,), outputs=(2,))
    assert [(each.name, each.is_default) for each in list_input_devices()] == [
        ("MacBook Pro-Mikrofon", True),
        ("Yeti", False),
    ]
    assert [(each.name, each.is_default) for each in list_output_devices()] == [
        ("MacBook Pro-Lautsprecher", True),
        ("Yeti", False),
    ]


def test_what_catap_reads_a_tap_by_is_no_microphone(mac: FakeCoreAudio) -> None:
    plug_in(mac, 43, "catap Recording Device", inputs=(1,))
    assert 43 not in [each.number for each in devices().found]


def test_changes_are_told_until_nobody_listens(mac: FakeCoreAudio) -> None:
    told: list[int] = []
    with device_changes(lambda: told.append(1)):
        mac.change(SYSTEM, "dev#")
        assert told == [1] * 3, "of the devices, and of both default ones"
    mac.change(SYSTEM, "dIn ")
    assert told == [1] * 3


def test_l12_a_listener_outlives_what_it_listens_for(mac: FakeCoreAudio) -> None:
    """Mac review L12: a last call may be under way while it is taken back."""
    with device_changes(lambda: None):
        (_, listener), *_ = mac.listeners
        alive = weakref.ref(listener)
    del listener
    gc.collect()
    assert alive() is not None


def test_processes_that_record_are_known_by_their_numbers(mac: FakeCoreAudio) -> None:
    mac.properties[SYSTEM, "prs#", "glob"] = struct.pack("<3I", 70, 71, 72)
    for number, process, records in ((70, 501, 1), (71, 502, 0), (72, 503, 1)):
        mac.properties[number, "ppid", "glob"] = struct.pack("<i", process)
        mac.properties[number, "piri", "glob"] = struct.pack("<I", records)
    mac.gone.add(72)
    assert core_audio.recording_processes() == (501,)


def test_a_mac_before_14_4_knows_no_processes(mac: FakeCoreAudio) -> None:
    assert core_audio.recording_processes() == ()
