"""Microphones, and the computer's own sound, through PortAudio. No Qt: window and command line share it.

If a sound server holds the devices, they are listed under its names, and PortAudio is routed to the chosen one.
PortAudio is loaded on first use, because the library may be missing and searching for it takes a while.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.macos.permission import Permission, await_microphone_permission
from app.sound import core_audio, portaudio, process_tap, sound_server
from app.sound.portaudio import SILENT_DEVICE_SECONDS
from engine.audio import Samples
from engine.audio.resample import Resampler, mix_down
from engine.errors import AudioError

CHUNK_SECONDS = 0.05
NO_INDEX = -1
"""Index of a device that PortAudio does not have."""

PORTAUDIO_DEFAULT = "default"
"""ALSA's name for the system's current default."""


class MicrophoneUnavailable(AudioError):
    """There is no microphone, it cannot be opened, or it was disconnected."""


@dataclass(frozen=True, slots=True)
class InputDevice:
    """A device that can be recorded from.

    Attributes:
        index: PortAudio's number, valid until devices come or go; NO_INDEX on a Mac.
        name: the system's name, the same at every connection.
        is_default: whether it is the system's default.
        title: the name for people; empty if it is `name`.
        is_monitor: it records what the computer plays on the output that `title` names.
    """

    index: int
    name: str
    is_default: bool
    title: str = ""
    is_monitor: bool = False

    @property
    def label(self) -> str:
        """Name to show."""
        return self.title or self.name


def list_input_devices() -> tuple[InputDevice, ...]:
    """List the devices that can be recorded from: the default one first, monitors last; empty if there are none.

    Raises:
        MicrophoneUnavailable: PortAudio is missing or does not start.
    """
    found = _inputs()
    if process_tap.is_there():
        found.append(InputDevice(NO_INDEX, process_tap.NAME, False, process_tap.title(), is_monitor=True))
    return tuple(sorted(found, key=lambda device: (not device.is_default, device.is_monitor)))


def _inputs() -> list[InputDevice]:
    if sys.platform == "darwin":
        now = core_audio.devices()  # PortAudio does not know devices that came while a stream was open
        return [
            InputDevice(
                NO_INDEX, each.name, each.number == now.default_input, is_monitor=process_tap.is_loopback(each.name)
            )
            for each in now.found
            if each.inputs
        ]
    else:
        sounddevice = _portaudio()
        try:
            with portaudio.devices(sounddevice):
                server = portaudio.server_device(sounddevice, "input")
                default = sounddevice.default.device[0]
                found = [
                    InputDevice(device["index"], device["name"], device["index"] == default)
                    for device in sounddevice.query_devices()
                    if device["max_input_channels"] > 0
                    and portaudio.is_meant(device["name"], has_server=server is not None)
                ]
        except sounddevice.PortAudioError as error:
            raise _no_answer(error) from error
        return found if server is None else _with_server(found, server["index"])


def _with_server(found: list[InputDevice], index: int) -> list[InputDevice]:
    """Add the server's sources, and describe PortAudio's default device by the one behind it."""
    sources = sound_server.sources()
    default = next((source for source in sources if source.is_default), None)
    named = [
        replace(device, title=default.title, is_monitor=default.is_monitor)
        if device.name == PORTAUDIO_DEFAULT and default is not None
        else device
        for device in found
    ]
    return named + [InputDevice(index, each.name, False, each.title, each.is_monitor) for each in sources]


def microphone_chunks(device: str | int | None, stop: threading.Event) -> Generator[Samples]:
    """Record until `stop` is set, yielding float32 mono chunks (n,) at 16 kHz of about CHUNK_SECONDS.

    `device` is an InputDevice's index, its name or title or a part of it, or None for the system's default.

    Raises:
        MicrophoneUnavailable: it is missing, access is denied, or it was disconnected while recording.
    """
    if _is_tap(device):
        try:
            yield from process_tap.tap_chunks(stop)
        except process_tap.TapUnavailable as error:
            raise MicrophoneUnavailable(str(error)) from error
        return
    _have_permission(stop)
    sounddevice = _portaudio()
    with _recording(sounddevice, device) as recording:
        resampler = Resampler(recording.sample_rate_hz)
        for block in recording.blocks(stop):
            chunk = resampler.add(mix_down(block))
            if len(chunk):
                yield chunk
        rest = resampler.finish()
        if len(rest):
            yield rest


def _is_tap(device: str | int | None) -> bool:
    return process_tap.is_there() and device in (NO_INDEX, process_tap.NAME, process_tap.title())


def _have_permission(stop: threading.Event) -> None:
    """Wait for the user's permission if the system asks for it. Raises MicrophoneUnavailable if it is denied."""
    permission = await_microphone_permission(stop)
    if permission is Permission.DENIED:
        raise MicrophoneUnavailable(
            "Earshot may not use microphones. Allow it in System Settings, Privacy & Security, Microphone, "
            "then start again."
        )
    if permission is Permission.RESTRICTED:
        raise MicrophoneUnavailable("Whoever manages this Mac does not allow microphones. Open an audio file instead.")


class _Recording:
    """An open input stream, read through a queue.

    Attributes:
        name: name of the device, for messages.
        sample_rate_hz: sample rate of the device.
    """

    def __init__(self, name: str, sample_rate_hz: int) -> None:
        self.name = name
        self.sample_rate_hz = sample_rate_hz
        self._blocks: queue.SimpleQueue[np.ndarray | None] = queue.SimpleQueue()

    def receive(self, block: np.ndarray, frames: int, when: object, status: object) -> None:
        """Queue a copy of a block. PortAudio calls this on its own thread, which must not wait."""
        self._blocks.put(block.copy())

    def ended(self) -> None:
        """Record the end of the stream; called by PortAudio."""
        self._blocks.put(None)

    def blocks(self, stop: threading.Event) -> Iterator[np.ndarray]:
        """Yield blocks (n, channels) as they come, then the rest once `stop` is set."""
        heard = time.monotonic()
        while not stop.is_set():
            with suppress(queue.Empty):
                block = self._blocks.get(timeout=CHUNK_SECONDS)
                if block is None:
                    raise self._gone()
                heard = time.monotonic()
                yield block
            if time.monotonic() - heard > SILENT_DEVICE_SECONDS:
                raise self._gone()
        with suppress(queue.Empty):
            while (rest := self._blocks.get_nowait()) is not None:
                yield rest

    def _gone(self) -> MicrophoneUnavailable:
        return MicrophoneUnavailable(
            f"The microphone {self.name!r} stopped delivering sound. Check that it is still connected, "
            "then start again."
        )


@contextmanager
def _recording(sounddevice: Any, device: str | int | None) -> Iterator[_Recording]:
    made: list[_Recording] = []

    def make(ended: Callable[[], None]) -> Any:
        chosen = _find(sounddevice, device)
        if not made:
            made.append(_Recording(chosen.label, chosen.rate_hz))
        (recording,) = made
        with portaudio.routed("PULSE_SOURCE", chosen.source) if chosen.source else nullcontext():
            return sounddevice.InputStream(
                device=chosen.index,
                samplerate=recording.sample_rate_hz,
                channels=min(chosen.channels, 2),
                dtype="float32",
                blocksize=round(recording.sample_rate_hz * CHUNK_SECONDS),
                callback=recording.receive,
                finished_callback=ended,
            )

    try:
        stream = portaudio.Stream(sounddevice, make, lambda: made[0].ended())
    except (sounddevice.PortAudioError, portaudio.StartHangs) as error:
        if not made:
            raise _no_answer(error) from error
        raise MicrophoneUnavailable(
            f"The microphone {made[0].name!r} cannot be opened ({portaudio.reason(error)}). Allow this app to use the "
            "microphone in the system's settings, close what else may be using it, or choose another."
        ) from error
    try:
        yield made[0]
    finally:
        stream.close()


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A device to open.

    Attributes:
        index: PortAudio's number of the device, or of the sound server.
        source: the server's name of the device; empty for a device of PortAudio's own.
    """

    index: int
    label: str
    rate_hz: int
    channels: int
    source: str = ""


def _find(sounddevice: Any, device: str | int | None) -> _Chosen:
    names = [each["name"] for each in sounddevice.query_devices() if each["max_input_channels"] > 0]
    if not names:
        raise MicrophoneUnavailable("No microphone was found. Connect one, or open an audio file instead.")
    server = portaudio.server_device(sounddevice, "input")
    sources = sound_server.sources() if server is not None and isinstance(device, str) else ()
    named = [each for each in sources if each.name == device]
    if not named:
        try:
            return _own(sounddevice.query_devices(device, "input"))
        except (ValueError, sounddevice.PortAudioError) as error:
            named = [each for each in sources if str(device).casefold() in each.title.casefold()]
            if len(named) != 1:
                raise _unknown(device, [*names, *(each.title for each in sources)]) from error
    source = named[0]
    assert server is not None
    return _Chosen(server["index"], source.title, source.rate_hz, source.channels, source.name)


def _own(info: dict[str, Any]) -> _Chosen:
    return _Chosen(info["index"], info["name"], int(info["default_samplerate"]), info["max_input_channels"])


def _unknown(device: str | int | None, names: list[str]) -> MicrophoneUnavailable:
    choice = f"Choose one of: {', '.join(dict.fromkeys(names))}."
    if device is None:
        return MicrophoneUnavailable(f"The system names no default microphone. {choice}")
    return MicrophoneUnavailable(f"There is no single microphone that answers to {device!r}. {choice}")


def _portaudio() -> Any:
    try:
        return portaudio.load()
    except (ImportError, OSError) as error:
        raise MicrophoneUnavailable(
            f"Microphones need the PortAudio library, which is missing here. {portaudio.install()}, "
            "or open an audio file instead."
        ) from error


def _no_answer(error: Exception) -> MicrophoneUnavailable:
    return MicrophoneUnavailable(f"The sound system does not answer ({portaudio.reason(error)}).")
