"""Where audio comes from: a microphone, a recording, a pipe. No Qt: window and command line share it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from app.sound.pace import CHUNK_SECONDS, at_the_pace_of_speech
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.decoding import TrackChoice

if TYPE_CHECKING:
    from app.sound.recording_sound import RecordingSound


class AudioSource(Protocol):
    """Something to caption."""

    @property
    def name(self) -> str:
        """Return what a person calls it."""

    @property
    def passes_by(self) -> bool:
        """Tell whether its sound is lost while nobody takes it, so that it must be taken before the engine is ready."""

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        """Yield mono chunks (n,) as they are heard, until its end or `stop`; tell `report` what happens to it.

        Raises:
            AudioError: it cannot be opened, or breaks off; of a file that cannot be heard, before the first chunk is
                asked for.
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
        from app.sound.steady_recording import steady_chunks

        return steady_chunks(self.device, stop, report)


@dataclass(frozen=True, slots=True)
class AudioFile:
    """A file, heard as if it were being spoken now.

    Attributes:
        sound: plays it on the loudspeaker meanwhile; None leaves it silent.
        at_once: it is given out as fast as it is taken.
        choice: which of several sound tracks is heard.
    """

    path: Path
    title: str = ""
    passes_by: bool = False
    sound: RecordingSound | None = None
    at_once: bool = False
    choice: TrackChoice | None = None

    @property
    def name(self) -> str:
        return self.title or self.path.name

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from engine.audio.source import begun, read_audio, stream_audio

        if self.sound is not None:
            return self.sound.beside(read_audio(self.path, report, self.choice), stop, report)
        if self.at_once:
            chunks = stream_audio(self.path, report=report, choice=self.choice)
            return takewhile(lambda chunk: not stop.is_set(), begun(chunks))
        return at_the_pace_of_speech(begun(stream_audio(self.path, CHUNK_SECONDS, report, self.choice)), stop)


@dataclass(frozen=True, slots=True)
class Pipe:
    """A recording, or raw 16-bit mono PCM, that another program writes; only the reader can break off a wait for it.

    Attributes:
        rate_hz: of raw samples.
        choice: which of several sound tracks is heard.
    """

    stream: BinaryIO
    name: str = "standard input"
    passes_by: bool = True
    rate_hz: int = SAMPLE_RATE_HZ
    choice: TrackChoice | None = None

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        from engine.audio.source import stream_pipe

        chunks = stream_pipe(self.stream, report=report, rate_hz=self.rate_hz, choice=self.choice)
        return takewhile(lambda chunk: not stop.is_set(), chunks)


@dataclass(frozen=True, slots=True)
class TwoSides:
    """Two sources that are heard side by side, such as a microphone and what the computer plays.

    Attributes:
        here: what is heard of who sits at the computer.
        there: what is heard of whom it plays.
    """

    here: AudioSource
    there: AudioSource
    name: str

    @property
    def passes_by(self) -> bool:
        """Tell whether its sound is lost while nobody takes it."""
        return self.here.passes_by or self.there.passes_by


Source = AudioSource | TwoSides
"""Whatever can be captioned."""


def sides_of(source: Source) -> tuple[AudioSource, ...]:
    """The sources that are heard side by side; most often one."""
    return (source.here, source.there) if isinstance(source, TwoSides) else (source,)


def demo_clip() -> Path:
    """The recording that `earshot demo` captions."""
    from engine.models.catalogue import ASSETS

    return ASSETS / "demo" / "readings.flac"


def demo_script() -> dict[str, Any]:
    """Read the script of the demo: its "text", and "sentences" with their times and translations, as noted."""
    script: dict[str, Any] = json.loads(demo_clip().with_suffix(".json").read_text(encoding="utf-8"))
    return script
