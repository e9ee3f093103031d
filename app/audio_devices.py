"""Microphones by way of PortAudio. No Qt: the window and `earshot caption --mic` share it.

PortAudio is loaded on first use, because the library may be missing and looking for it takes a while.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.audio import Samples
from engine.audio.resample import Resampler, mix_down
from engine.errors import AudioError

CHUNK_SECONDS = 0.05
SILENT_DEVICE_SECONDS = 2.0
"""A microphone that is open delivers something, if only zeros; after this long without, it is gone."""

# What ALSA lists beside real devices: converters and outputs that nobody means when choosing a microphone.
_ALSA_PLUGINS = frozenset(
    [
        "dmix",
        "front",
        "iec958",
        "jack",
        "lavrate",
        "null",
        "oss",
        "samplerate",
        "spdif",
        "speex",
        "speexrate",
        "sysdefault",
        "upmix",
        "vdownmix",
        "surround21",
        "surround40",
        "surround41",
        "surround50",
        "surround51",
        "surround71",
    ]
)

_lock = threading.Lock()
_open_streams = 0


class MicrophoneUnavailable(AudioError):
    """There is no microphone, it cannot be opened, or it went away."""


@dataclass(frozen=True, slots=True)
class InputDevice:
    """Something that can be recorded from.

    Attributes:
        index: PortAudio's number, good until devices come or go.
        name: what the system calls it.
        is_default: whether the system would choose it.
    """

    index: int
    name: str
    is_default: bool


def list_input_devices() -> tuple[InputDevice, ...]:
    """List what can be recorded from, the default one first; empty where there is nothing.

    Raises:
        MicrophoneUnavailable: PortAudio is missing or does not start.
    """
    sounddevice = _portaudio()
    with _lock:
        if _open_streams == 0:
            _look_again(sounddevice)
        default = sounddevice.default.device[0]
        found = [
            InputDevice(device["index"], device["name"], device["index"] == default)
            for device in sounddevice.query_devices()
            if device["max_input_channels"] > 0 and device["name"].split(":")[0] not in _ALSA_PLUGINS
        ]
    return tuple(sorted(found, key=lambda device: not device.is_default))


def microphone_chunks(device: str | int | None, stop: threading.Event) -> Iterator[Samples]:
    """Record until `stop` is set, yielding float32 mono chunks (n,) at 16 kHz of about CHUNK_SECONDS.

    `device` is an InputDevice's index, its name or a part of it, or None for the system's default.

    Raises:
        MicrophoneUnavailable: it is missing, refused, or went away while recording.
    """
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


class _Recording:
    """An open input stream, read through a queue.

    Attributes:
        name: of the device, for messages.
        sample_rate_hz: the device's own.
    """

    def __init__(self, name: str, sample_rate_hz: int) -> None:
        self.name = name
        self.sample_rate_hz = sample_rate_hz
        self._blocks: queue.SimpleQueue[np.ndarray | None] = queue.SimpleQueue()

    def take(self, block: np.ndarray, frames: int, when: object, status: object) -> None:
        """PortAudio's callback, on its own thread, where nothing may wait: keep a copy, no more."""
        self._blocks.put(block.copy())

    def ended(self) -> None:
        """PortAudio's other callback: the stream will deliver no more."""
        self._blocks.put(None)

    def blocks(self, stop: threading.Event) -> Iterator[np.ndarray]:
        """Yield blocks (n, channels) as they come, then what is left once `stop` is set."""
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
    global _open_streams
    with _lock:
        if _open_streams == 0:
            _look_again(sounddevice)
        info = _find(sounddevice, device)
        rate = int(info["default_samplerate"])
        recording = _Recording(info["name"], rate)
        stream = _opened(sounddevice, info, recording)
        _open_streams += 1
    try:
        yield recording
    finally:
        with _lock:
            stream.close()  # ignores errors: the device may be gone
            _open_streams -= 1


def _opened(sounddevice: Any, info: dict[str, Any], recording: _Recording) -> Any:
    stream = None
    try:
        stream = sounddevice.InputStream(
            device=info["index"],
            samplerate=recording.sample_rate_hz,
            channels=min(info["max_input_channels"], 2),
            dtype="float32",
            blocksize=round(recording.sample_rate_hz * CHUNK_SECONDS),
            callback=recording.take,
            finished_callback=recording.ended,
        )
        stream.start()
    except sounddevice.PortAudioError as error:
        if stream is not None:
            stream.close()
        raise MicrophoneUnavailable(
            f"The microphone {recording.name!r} cannot be opened ({_reason(error)}). Allow this app to use the "
            "microphone in the system's settings, close what else may be using it, or choose another."
        ) from error
    return stream


def _find(sounddevice: Any, device: str | int | None) -> dict[str, Any]:
    names = [each["name"] for each in sounddevice.query_devices() if each["max_input_channels"] > 0]
    if not names:
        raise MicrophoneUnavailable("No microphone was found. Connect one, or open an audio file instead.")
    try:
        info: dict[str, Any] = sounddevice.query_devices(device, "input")
    except (ValueError, sounddevice.PortAudioError) as error:
        if device is None:
            raise MicrophoneUnavailable(
                f"The system names no default microphone. Choose one of: {', '.join(names)}."
            ) from error
        raise MicrophoneUnavailable(
            f"There is no single microphone that answers to {device!r}. Choose one of: {', '.join(names)}."
        ) from error
    return info


def _portaudio() -> Any:
    try:
        import sounddevice
    except (ImportError, OSError) as error:
        raise MicrophoneUnavailable(
            "Microphones need the PortAudio library, which is missing here. Install it (Debian and Ubuntu: "
            "apt install libportaudio2; Fedora and Arch: portaudio), or open an audio file instead."
        ) from error
    return sounddevice


def _look_again(sounddevice: Any) -> None:
    """Have PortAudio list the devices afresh: it looks only when it starts."""
    restart: tuple[Callable[[], None], ...] = (sounddevice._terminate, sounddevice._initialize)
    try:
        for step in restart:
            step()
    except sounddevice.PortAudioError as error:
        raise MicrophoneUnavailable(f"The sound system does not answer ({_reason(error)}).") from error


def _reason(error: Exception) -> str:
    """Give PortAudio's own words without its error numbers."""
    return str(error.args[0]).split(" [")[0].rstrip(".") if error.args else "no reason given"
