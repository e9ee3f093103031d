"""Sources of audio: a microphone, a recording, a pipe. No Qt: window and command line share it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from app.sound.pace import CHUNK_SECONDS, at_the_pace_of_speech
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples

if TYPE_CHECKING:
    from app.sound.recording_sound import RecordingSound
    from engine.audio.decoding import TrackChoice


class AudioSource(Protocol):
    """A source of audio that can be captioned."""

    @property
    def name(self) -> str:
        """Name to show."""

    @property
    def passes_by(self) -> bool:
        """Return whether its sound is lost unless it is read, so that reading must start before the engine is ready."""

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        """Yield mono chunks (n,) in real time, until its end or `stop`; `report` receives notes about the source.

        Raises:
            AudioError: it cannot be opened, or breaks off. A file that cannot be decoded raises before the first chunk
                is requested.
        """


@dataclass(frozen=True, slots=True)
class Microphone:
    """A microphone, or the computer's own sound, by the device's name or number, or the system's default.

    If it is unplugged, the recording goes on in silence until it is back.

    Attributes:
        is_monitor: it records what the computer plays.
    """

    device: int | str | None
    name: str
    passes_by: bool = True
    is_monitor: bool = field(default=False, compare=False)

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from app.sound.steady_recording import steady_chunks

        return steady_chunks(self.device, stop, report)


@dataclass(frozen=True, slots=True)
class AudioFile:
    """A file, read as if it were being spoken now.

    Attributes:
        sound: plays it on the loudspeaker meanwhile; None leaves it silent.
        at_once: whether it is read as fast as possible.
        choice: the choice of a sound track.
        begin_seconds: the second from which on it is read.
    """

    path: Path
    title: str = ""
    passes_by: bool = False
    sound: RecordingSound | None = field(default=None, compare=False)
    at_once: bool = False
    choice: TrackChoice | None = None
    begin_seconds: float = 0.0

    @property
    def name(self) -> str:
        return self.title or self.path.name

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from engine.audio.source import begun, stream_audio

        if self.at_once:
            chunks = stream_audio(self.path, report=report, choice=self.choice)
            return takewhile(lambda chunk: not stop.is_set(), begun(chunks))
        chunks = begun(stream_audio(self.path, CHUNK_SECONDS, report, self.choice))
        chunks = islice(chunks, round(self.begin_seconds / CHUNK_SECONDS), None)
        return at_the_pace_of_speech(chunks, stop) if self.sound is None else self.sound.beside(chunks, stop, report)


@dataclass(frozen=True, slots=True)
class Pipe:
    """A recording, or raw 16-bit mono PCM, from another program; only the reader can interrupt a wait for it.

    Attributes:
        stream: the pipe, or the path of a named one.
        rate_hz: sample rate of raw samples.
        choice: the choice of a sound track.
    """

    stream: BinaryIO | Path
    name: str = "standard input"
    passes_by: bool = True
    rate_hz: int = SAMPLE_RATE_HZ
    choice: TrackChoice | None = None

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from engine.audio.source import stream_pipe

        with self.stream.open("rb") if isinstance(self.stream, Path) else nullcontext(self.stream) as stream:
            chunks = stream_pipe(stream, report=report, rate_hz=self.rate_hz, choice=self.choice)
            yield from takewhile(lambda chunk: not stop.is_set(), chunks)


@dataclass(frozen=True, slots=True)
class TwoSides:
    """Two sources that are recorded side by side, such as a microphone and the computer's own sound.

    Attributes:
        here: the sound of the person at the computer.
        there: the sound of the people whom the computer plays.
        names: what their captions are called.
    """

    here: AudioSource
    there: AudioSource
    name: str
    names: tuple[str, str] = ("You", "Call")

    @property
    def passes_by(self) -> bool:
        """Return whether its sound is lost unless it is read."""
        return self.here.passes_by or self.there.passes_by


Source = AudioSource | TwoSides
"""Any source that can be captioned."""


def sides_of(source: Source) -> tuple[AudioSource, ...]:
    """Return the sources that are recorded side by side; most often one."""
    return (source.here, source.there) if isinstance(source, TwoSides) else (source,)


def hears_room(source: AudioSource) -> bool:
    """Return whether a source hears what a loudspeaker here plays."""
    return isinstance(source, Microphone) and not source.is_monitor


def demo_clip() -> Path:
    """Return the path of the recording that `earshot demo` captions."""
    from engine.models.catalogue import ASSETS

    return ASSETS / "demo" / "talk.ogg"


def demo_script() -> dict[str, Any]:
    """Read the script of the demo: its "text", and the "parts" of that with their times."""
    script: dict[str, Any] = json.loads(demo_clip().with_suffix(".json").read_text(encoding="utf-8"))
    return script
