"""PortAudio, shared by microphones and loudspeakers: loaded on first use, and kept still while a stream is open.

It looks for devices only when it starts, and starting it again ends every stream, so that it is known here how many
are open.
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
"""So long the end of the process waits, at the most, for a thread that looks for devices or opens one."""

SILENT_DEVICE_SECONDS = 2.0
"""A device that is open delivers or takes something, if only zeros; after this long without, it is gone."""

SERVER = "pulse"
"""What ALSA calls the sound server."""

# What ALSA lists beside real devices: converters and outputs that nobody means when choosing a device.
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
    """Import it. ImportError or OSError where it is missing."""
    global _is_loaded
    with _import_lock:  # a thread that comes upon a failing import of another's is given half a module
        import sounddevice

        if not _is_loaded:
            atexit.register(_stand_still)
            _is_loaded = True
        return sounddevice


def _stand_still() -> None:
    """Let nobody look for devices, open or close one while this process ends, and wait for who does: it would crash."""
    _lock.acquire(timeout=END_SECONDS)


@contextmanager
def devices(sounddevice: Any) -> Iterator[None]:
    """Let nobody else open or close a stream; with none open the devices have been looked for afresh.

    Raises sounddevice.PortAudioError where the sound system does not answer.
    """
    with _lock:
        if _open_streams == 0:
            sounddevice._terminate()
            sounddevice._initialize()
        yield


def server_device(sounddevice: Any, kind: str) -> dict[str, Any] | None:
    """Return what stands for a sound server ("input" or "output" of it), if PortAudio can reach one: it then goes where
    `routed` says."""
    channels = f"max_{kind}_channels"
    reached = (each for each in sounddevice.query_devices() if each["name"] == SERVER and each[channels] > 0)
    return next(reached, None)


@contextmanager
def routed(variable: str, device: str) -> Iterator[None]:
    """Have what is opened in here lead to this device of the sound server: PULSE_SOURCE or PULSE_SINK."""
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
    """Start the stream that `make` makes, which may ask for devices.

    Raises sounddevice.PortAudioError or StartHangs where it cannot be opened.
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
    """Start it, but do not wait for ever: PortAudio hangs where ALSA fails at the last moment.

    One that hangs counts as open from then on, since nothing can close it.
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
        sounddevice._initialized = 0  # at the app's end PortAudio would wait for it for ever
        raise StartHangs("it does not start")
    if problems:
        raise problems[0]


class StartHangs(Exception):
    """A device was opened and then did nothing."""


def close_stream(stream: Any) -> None:
    """Close one that was opened here, dropping what it holds."""
    global _open_streams
    with _lock:
        stream.close()  # ignores errors: the device may be gone
        _open_streams -= 1


def is_meant(name: str, *, has_server: bool = False) -> bool:
    """Tell whether people may mean a device of this name, and not another that it leads to.

    Where there is a sound server, it holds the hardware, and lists it better.
    """
    if has_server and (name in (SERVER, "pipewire") or "(hw:" in name):
        return False
    return name.split(":")[0] not in _ALSA_PLUGINS


def reason(error: Exception) -> str:
    """PortAudio's own words without its error numbers."""
    return str(error.args[0]).split(" [")[0].rstrip(".") if error.args else "no reason given"
