"""Where audio comes from: a microphone, or a file that is given out at the pace of speech. No Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.sound.pace import CHUNK_SECONDS, at_the_pace_of_speech
from app.sound.source_notes import Note
from engine.audio import Samples

if TYPE_CHECKING:
    from app.sound.recording_sound import RecordingSound


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
        from app.sound.steady_recording import steady_chunks

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


def demo_clip() -> Path:
    """The recording that `earshot demo` captions."""
    from engine.models.catalogue import ASSETS

    return ASSETS / "demo" / "readings.flac"
