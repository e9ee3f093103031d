"""PortAudio, shared by microphones and loudspeakers: loaded on first use, and never restarted while a stream is
open.

It looks for devices only when it starts, and starting it again ends every stream, so that all that are open are known
here. On Linux a sound server leads a stream to a device that came later. A Mac has none: there the streams are closed
for a moment, and opened again.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from app.sound import core_audio
from engine.errors import AudioError

START_SECONDS = 5.0
"""Longest wait for a device to start."""

END_SECONDS = 10.0
"""Longest wait of the process, at its end, for a thread that looks for devices or opens one."""

SILENT_DEVICE_SECONDS = 2.0
"""Longest that an open device delivers or takes nothing, not even zeros; after that it is gone."""

SERVER = "pulse"
"""ALSA's name of the sound server."""

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
_open: list[Stream] = []
_is_stuck = False  # one that never started cannot be closed either: nothing may start PortAudio again
_listed: object = None  # the devices that it knows, as the system told them
_is_loaded = False


def install() -> str:
    """Return how to get the library on this system."""
    if sys.platform == "darwin":
        return "Install Earshot again"
    else:
        return "Install it (Debian and Ubuntu: apt install libportaudio2; Fedora and Arch: portaudio)"


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
    """Let nobody else open or close a stream, and have devices looked for afresh, where that is possible and needed.

    Raises sounddevice.PortAudioError if the sound system does not answer.
    """
    with _lock:
        if not _is_stuck and (not _open or _present() != _listed):
            _look(sounddevice)
        yield


def _present() -> object:
    """Return the devices that there are, for comparison, where PortAudio does not follow them by itself."""
    if sys.platform == "darwin":
        return core_audio.devices()
    else:
        return None


def _look(sounddevice: Any) -> None:
    """Start PortAudio again, with all streams closed meanwhile."""
    global _listed
    for stream in _open:
        stream._let_go()
    try:
        sounddevice._terminate()
        _listed = _present()
        sounddevice._initialize()
    finally:
        for stream in _open:
            stream._open_again()


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


class Stream:
    """A stream that is open; for a moment it may be closed, while devices are looked for."""

    def __init__(self, sounddevice: Any, make: Callable[[Callable[[], None]], Any], ended: Callable[[], None]) -> None:
        """`make` makes what PortAudio has for it, and may ask for devices; it is given what to call at the end.

        `ended` is called, on any thread, when it delivers or takes no more.

        Raises:
            sounddevice.PortAudioError, StartHangs: it cannot be opened; and what `make` raises.
        """
        self._sounddevice = sounddevice
        self._make = make
        self._ended = ended
        self._stream: Any = None
        with devices(sounddevice):
            self._begin()
            _open.append(self)

    @property
    def latency_seconds(self) -> float:
        """Return how late it is, as the device says; 0 while it is closed."""
        stream = self._stream
        return 0.0 if stream is None else float(stream.latency)

    def close(self) -> None:
        """Close it, dropping what it holds."""
        with _lock:
            self._let_go()
            _open.remove(self)

    def _begin(self) -> None:
        self._stream = stream = self._make(self._finish)
        try:
            _start(self._sounddevice, stream)
        except (self._sounddevice.PortAudioError, StartHangs) as error:
            self._stream = None
            if not isinstance(error, StartHangs):  # such a one cannot be closed either
                stream.close()
            raise

    def _let_go(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()  # ignores errors: the device may be gone

    def _open_again(self) -> None:
        try:
            self._begin()
        except (self._sounddevice.PortAudioError, StartHangs, AudioError):
            self._ended()

    def _finish(self) -> None:
        if self._stream is not None:  # else it was closed here
            self._ended()


def _start(sounddevice: Any, stream: Any) -> None:
    """Start it, but do not wait for ever: PortAudio hangs where ALSA fails at the last moment."""
    global _is_stuck
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
        _is_stuck = True
        sounddevice._initialized = 0  # at the app's end PortAudio would wait for it for ever
        raise StartHangs("it does not start")
    if problems:
        raise problems[0]


class StartHangs(Exception):
    """A device was opened and then did nothing."""


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
