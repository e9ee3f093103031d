"""PortAudio, shared by microphones and loudspeakers: loaded on first use, and restarted to find new devices.

PortAudio lists devices only when it starts, and a restart ends every stream, so all open streams are recorded here. On
Linux, a sound server can route a stream to a newer device, so no restart is needed. macOS has none: there the streams
are closed for a moment and opened again.
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
"""Longest wait for a device to start, in seconds."""

END_SECONDS = 10.0
"""Longest wait of the ending process for a thread that lists devices or opens one, in seconds."""

SILENT_DEVICE_SECONDS = 2.0
"""Longest silence of an open device's callback, in seconds; after that the device counts as gone."""

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
_is_stuck = False  # a stream that never started cannot be closed: PortAudio must not be restarted
_listed: object = None  # the system's devices when PortAudio listed them
_is_loaded = False


def install() -> str:
    """Return a sentence about how to install the library on this system."""
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
    """Prevent other threads from opening or closing a stream, and let PortAudio list new devices if it is necessary.

    Raises:
        sounddevice.PortAudioError: the sound system does not answer.
    """
    with _lock:
        if not _is_stuck and (not _open or _present() != _listed):
            _look(sounddevice)
        yield


def _present() -> object:
    """Return the present devices, for comparison, on systems where PortAudio needs a restart to find new ones."""
    if sys.platform == "darwin":
        return core_audio.devices()
    else:
        return None


def _look(sounddevice: Any) -> None:
    """Restart PortAudio, with all streams closed meanwhile."""
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
    """An open stream; it may be closed for a moment while PortAudio is restarted."""

    def __init__(self, sounddevice: Any, make: Callable[[Callable[[], None]], Any], ended: Callable[[], None]) -> None:
        """Open the stream that `make` returns.

        Args:
            make: makes PortAudio's stream, and may query devices; its argument is to be called at the stream's end.
            ended: called, on any thread, when the device delivers or accepts no more.

        Raises:
            sounddevice.PortAudioError, StartHangs: the stream cannot be opened. Errors of `make` are raised too.
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
        """Latency that the device reports; 0 while the stream is closed."""
        stream = self._stream
        return 0.0 if stream is None else float(stream.latency)

    def close(self) -> None:
        """Close the stream and drop queued audio."""
        with _lock:
            self._let_go()
            _open.remove(self)

    def _begin(self) -> None:
        self._stream = stream = self._make(self._finish)
        try:
            _start(self._sounddevice, stream)
        except (self._sounddevice.PortAudioError, StartHangs) as error:
            self._stream = None
            if not isinstance(error, StartHangs):  # a stream that hangs cannot be closed either
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
        if self._stream is not None:  # otherwise it was closed by this object
            self._ended()


def _start(sounddevice: Any, stream: Any) -> None:
    """Start a stream, with a time limit: PortAudio hangs if ALSA fails at the last moment."""
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
        sounddevice._initialized = 0  # otherwise PortAudio would wait for it for ever at exit
        raise StartHangs("it does not start")
    if problems:
        raise problems[0]


class StartHangs(Exception):
    """A device was opened but does not run."""


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
