"""Where audio comes from: a microphone, or a file that is given out at the pace of speech. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.audio import SAMPLE_RATE_HZ, Samples

if TYPE_CHECKING:
    from app.recording_sound import RecordingSound

CHUNK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Lost:
    """The device went away while it was recorded; silence is delivered until it is back. `reason` says how it went."""

    reason: str


@dataclass(frozen=True, slots=True)
class Back:
    """It can be heard again, after so many seconds of silence; or another one that the system uses in its place."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Moved:
    """The system uses another device now, of this name, and the recording went along."""

    name: str


@dataclass(frozen=True, slots=True)
class Missed:
    """So many seconds of sound did not come, and are silence."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Slept:
    """The computer slept so long, and nothing was recorded."""

    seconds: float


Note = str | Lost | Back | Moved | Missed | Slept
"""What a source reports: what happened to a device, or what is odd about a file, in one sentence."""


class AudioSource(Protocol):
    """Something to caption."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def passes_by(self) -> bool:
        """Whether its sound is lost while nobody takes it, so that it must be taken before the engine is ready."""

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        """Yield mono chunks (n,) as they are heard, until its end or `stop`; tell `report` what happens to it.

        Raises:
            AudioError: it cannot be opened, or breaks off.
        """


@dataclass(frozen=True, slots=True)
class Microphone:
    """A microphone, or what the computer plays, by the device's name or number, or the system's default.

    It may be unplugged: the recording goes on in silence until it is back.
    """

    device: int | str | None
    name: str
    passes_by: bool = True

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from app.steady_recording import steady_chunks

        return steady_chunks(self.device, stop, report)


@dataclass(frozen=True, slots=True)
class AudioFile:
    """A file, heard as if it were being spoken now.

    Attributes:
        sound: plays it on the loudspeaker meanwhile; None leaves it silent.
    """

    path: Path
    title: str = ""
    passes_by: bool = False
    sound: RecordingSound | None = None

    @property
    def name(self) -> str:
        return self.title or self.path.name

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from engine.audio.source import read_audio, stream_audio

        if self.sound is not None:
            return self.sound.beside(read_audio(self.path, report), stop, report)
        return at_the_pace_of_speech(stream_audio(self.path, CHUNK_SECONDS, report), stop)


def at_the_pace_of_speech(chunks: Iterable[Samples], stop: threading.Event) -> Iterator[Samples]:
    """Give out each chunk (n,) of 16 kHz samples when its last sample would have been heard."""
    due = time.monotonic()
    for chunk in chunks:
        due += len(chunk) / SAMPLE_RATE_HZ
        if stop.wait(max(0.0, due - time.monotonic())):
            return
        yield chunk
