"""PortAudio, shared by microphones and loudspeakers: loaded on first use, and kept still while a stream is open.

It looks for devices only when it starts, and starting it again ends every stream, so that it is known here how many
are open.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INSTALL = "Install it (Debian and Ubuntu: apt install libportaudio2; Fedora and Arch: portaudio)"

SILENT_DEVICE_SECONDS = 2.0
"""A device that is open delivers or takes something, if only zeros; after this long without, it is gone."""

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
_open_streams = 0


def load() -> Any:
    """Import it. ImportError or OSError where it is missing."""
    import sounddevice

    return sounddevice


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


def open_stream(sounddevice: Any, make: Callable[[], Any]) -> Any:
    """Start the stream that `make` makes, which may ask for devices."""
    global _open_streams
    with devices(sounddevice):
        stream = make()
        try:
            stream.start()
        except BaseException:
            stream.close()
            raise
        _open_streams += 1
    return stream


def close_stream(stream: Any) -> None:
    """Close one that was opened here, dropping what it holds."""
    global _open_streams
    with _lock:
        stream.close()  # ignores errors: the device may be gone
        _open_streams -= 1


def is_meant(name: str) -> bool:
    """Whether people may mean a device of this name, and not another that it leads to."""
    return name.split(":")[0] not in _ALSA_PLUGINS


def reason(error: Exception) -> str:
    """PortAudio's own words without its error numbers."""
    return str(error.args[0]).split(" [")[0].rstrip(".") if error.args else "no reason given"
