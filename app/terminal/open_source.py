"""A source of audio on the command line, and its reports."""

from __future__ import annotations

import queue
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.sound.audio_sources import AudioSource, Microphone, Pipe
from app.sound.source_notes import Back, Lost, Missed, Moved, Note, Slept, Unplayed
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.decoding import TrackChoice
from engine.audio.remark import Remark
from engine.errors import AudioError, OptionError


class OpenSource:
    """A source, from its first chunk to its end.

    Attributes:
        source: the source.
        stop: ends the source after its last recorded audio; None if another program would have to be waited for.
        news: events of the source, in sentences that have not been printed.
        damage: damage found in the source, to be reported at the end.
    """

    def __init__(self, source: AudioSource, stop: threading.Event | None = None) -> None:
        """Open a source; a microphone is opened when its first chunk is requested. Raises AudioError if a file is no
        audio.

        `stop` ends it, possibly together with other sources.
        """
        self.source = source
        self.stop = None if isinstance(source, Pipe) else stop or threading.Event()
        self.news: deque[str] = deque()
        self.damage: list[str] = []
        self._chunks = source.chunks(self.stop or threading.Event(), self._note)

    def chunks(self) -> Iterator[Samples]:
        """Yield mono chunks (n,) at 16 kHz; for the errors see `AudioSource`.

        A microphone is read on a thread of its own: otherwise its audio during a round would seem lost.
        """
        if self.stop is not None and isinstance(self.source, Microphone):
            return _read_ahead(self._chunks, self.stop)
        return self._chunks

    def _note(self, note: Note) -> None:
        name = self.source.name
        match note:
            case str():
                self.damage.append(note)
            case Unplayed(sentence) | Remark(sentence):
                self.news.append(sentence)
            case Lost():
                self.news.append(f"{name} is gone. The recording goes on in silence until it is connected again.")
            case Back(seconds):
                self.news.append(f"{name} can be heard again. The {seconds:.1f} s without it are kept as silence.")
            case Moved(other, plays=True):
                self.news.append(
                    f"The system's default changed: not a microphone, but what {other} plays is heard now."
                )
            case Moved(other):
                self.news.append(f"The system's default changed: now listening to {other}.")
            case Missed(seconds):
                self.news.append(f"This computer was too busy to record {seconds:.1f} s: they are kept as silence.")
            case Slept(seconds):
                self.news.append(f"The computer slept for {seconds:.0f} s. The recording goes on.")


def open_pipe(file: str = "-", rate_hz: int = SAMPLE_RATE_HZ, choice: TrackChoice | None = None) -> Pipe:
    """Read a recording, or raw 16-bit mono PCM at `rate_hz`, from standard input or a named pipe."""
    if file != "-":
        return Pipe(Path(file), file, rate_hz=rate_hz, choice=choice)
    if sys.stdin is None or sys.stdin.isatty():
        what = "closed" if sys.stdin is None else "a terminal"
        raise OptionError(f"'-' reads a recording or raw samples from a pipe, but standard input is {what}.")
    return Pipe(sys.stdin.buffer, rate_hz=rate_hz, choice=choice)


def find_microphone(device: str | None, otherwise: str = "caption a file") -> Microphone:
    """Return a microphone by name or number, or the default one; `otherwise` is the advice if there is none."""
    from app.sound.audio_devices import MicrophoneUnavailable, list_input_devices

    if not list_input_devices():
        raise MicrophoneUnavailable(f"No microphone was found. Connect one, or {otherwise} instead.")
    return Microphone(device_of(device), device or "the default microphone")


def find_computer(device: str | None) -> Microphone:
    """Return the computer's own sound, on an output by the name of its device or on the default one."""
    from app.sound.audio_devices import MicrophoneUnavailable, list_input_devices

    if device is not None:
        return Microphone(device_of(device), device, is_monitor=True)
    played = next((each for each in list_input_devices() if each.is_monitor), None)
    if played is None:
        raise MicrophoneUnavailable(
            "What this computer plays cannot be heard here: that needs a sound server, macOS 14.4 or a loopback device."
        )
    return Microphone(played.name, "what this computer plays", is_monitor=True)


def device_of(name: str | None) -> str | int | None:
    """Convert a typed device to PortAudio's form: a number, if it is one."""
    return int(name) if name and name.isdecimal() else name


def _read_ahead(chunks: Iterator[Samples], stop: threading.Event) -> Iterator[Samples]:
    """Yield chunks that a thread of its own reads as soon as they come; `stop` ends it when the caller stops."""
    come: queue.SimpleQueue[Samples | AudioError | None] = queue.SimpleQueue()

    def read() -> None:
        try:
            for chunk in chunks:
                come.put(chunk)
        except AudioError as error:
            come.put(error)
        else:
            come.put(None)

    threading.Thread(target=read, name="microphone", daemon=True).start()
    try:
        while isinstance(item := come.get(), np.ndarray):
            yield item
    finally:
        stop.set()
    if item is not None:
        raise item
