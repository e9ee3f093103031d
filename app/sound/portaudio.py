"""PortAudio, shared by microphones and loudspeakers: loaded on first use, and never restarted while a stream is
open.

It searches for devices only when it starts, and a restart ends every stream, so the open streams are counted here.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INSTALL = "Install it (Debian and Ubuntu: apt install libportaudio2; Fedora and Arch: portaudio)"

START_SECONDS = 5.0

END_SECONDS = 10.0
"""Longest wait at the end of the process for a thread that searches for devices or opens one."""

SILENT_DEVICE_SECONDS = 2.0
"""Longest silence of an open device, in seconds: it normally transfers data even if only zeros. After that it is
gone.
"""

SERVER = "pulse"
"""ALSA's name for the sound server."""

# ALSA lists these beside real devices: converters and outputs that nobody chooses.
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
_import_lock = threading.Lock()
_open_streams = 0
_is_loaded = False


def load() -> Any:
    """Import sounddevice. Raises ImportError or OSError if it is missing."""
    global _is_loaded
    with _import_lock:  # during a failing import on another thread, a second import would return half a module
        import sounddevice

        if not _is_loaded:
            atexit.register(_stand_still)
            _is_loaded = True
        return sounddevice


def _stand_still() -> None:
    """Block all use of devices while this process ends, after the use in progress: PortAudio would crash."""
    _lock.acquire(timeout=END_SECONDS)


@contextmanager
def devices(sounddevice: Any) -> Iterator[None]:
    """Hold the lock for opening and closing streams; if none is open, search for devices first.

    Raises sounddevice.PortAudioError if the sound system does not answer.
    """
    with _lock:
        if _open_streams == 0:
            sounddevice._terminate()
            sounddevice._initialize()
        yield


def server_device(sounddevice: Any, kind: str) -> dict[str, Any] | None:
    """Return the device that stands for a sound server ("input" or "output" of it), if PortAudio can reach one.

    It then leads to the device that `routed` selects.
    """
    channels = f"max_{kind}_channels"
    reached = (each for each in sounddevice.query_devices() if each["name"] == SERVER and each[channels] > 0)
    return next(reached, None)


@contextmanager
def routed(variable: str, device: str) -> Iterator[None]:
    """Route streams opened in this context to a device of the sound server: PULSE_SOURCE or PULSE_SINK."""
    before = os.environ.get(variable)
    os.environ[variable] = device
    try:
        yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


def open_stream(sounddevice: Any, make: Callable[[], Any]) -> Any:
    """Start the stream that `make` returns; `make` may query devices.

    Raises sounddevice.PortAudioError or StartHangs if it cannot be opened.
    """
    global _open_streams
    with devices(sounddevice):
        stream = make()
        _open_streams += 1
        try:
            _start(sounddevice, stream)
        except sounddevice.PortAudioError:
            stream.close()
            _open_streams -= 1
            raise
    return stream


def _start(sounddevice: Any, stream: Any) -> None:
    """Start a stream, with a time limit: PortAudio hangs if ALSA fails at the last moment.

    A stream that hangs counts as open from then on, since nothing can close it.
    """
    problems: list[BaseException] = []

    def start() -> None:
        try:
            stream.start()
        except sounddevice.PortAudioError as error:
            problems.append(error)

    starter = threading.Thread(target=start, name="starting a device", daemon=True)
    starter.start()
    starter.join(START_SECONDS)
    if starter.is_alive():
        sounddevice._initialized = 0  # at the app's end PortAudio would wait for it forever
        raise StartHangs("it does not start")
    if problems:
        raise problems[0]


class StartHangs(Exception):
    """A device was opened and then did nothing."""


def close_stream(stream: Any) -> None:
    """Close a stream that was opened here, dropping what it holds."""
    global _open_streams
    with _lock:
        stream.close()  # ignores errors: the device may be gone
        _open_streams -= 1


def is_meant(name: str, *, has_server: bool = False) -> bool:
    """Return whether a person may mean a device of this name, and not another one behind it.

    A sound server holds the hardware itself, and lists it under better names.
    """
    if has_server and (name in (SERVER, "pipewire") or "(hw:" in name):
        return False
    return name.split(":")[0] not in _ALSA_PLUGINS


def reason(error: Exception) -> str:
    """Return PortAudio's message without its error numbers."""
    return str(error.args[0]).split(" [")[0].rstrip(".") if error.args else "no reason given"
