"""Where audio comes from: a microphone, or a file that is given out at the pace of speech. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.audio import SAMPLE_RATE_HZ, Samples

CHUNK_SECONDS = 0.05


class AudioSource(Protocol):
    """Something to caption."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def passes_by(self) -> bool:
        """Whether its sound is lost while nobody takes it, so that it must be taken before the engine is ready."""

    def chunks(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[Samples]:
        """Yield mono chunks (n,) as they are heard, until its end or `stop`; tell `report` what is odd about it.

        Raises:
            AudioError: it cannot be opened, or breaks off.
        """


@dataclass(frozen=True, slots=True)
class Microphone:
    """A microphone by PortAudio's index, or the system's default."""

    device: int | str | None
    name: str
    passes_by: bool = True

    def chunks(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[Samples]:
        from app.audio_devices import microphone_chunks

        return microphone_chunks(self.device, stop)


@dataclass(frozen=True, slots=True)
class AudioFile:
    """A file, heard as if it were being spoken now."""

    path: Path
    title: str = ""
    passes_by: bool = False

    @property
    def name(self) -> str:
        return self.title or self.path.name

    def chunks(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[Samples]:
        from engine.audio.source import stream_audio

        return at_the_pace_of_speech(stream_audio(self.path, CHUNK_SECONDS, report), stop)


def at_the_pace_of_speech(chunks: Iterable[Samples], stop: threading.Event) -> Iterator[Samples]:
    """Give out each chunk (n,) of 16 kHz samples when its last sample would have been heard."""
    due = time.monotonic()
    for chunk in chunks:
        due += len(chunk) / SAMPLE_RATE_HZ
        if stop.wait(max(0.0, due - time.monotonic())):
            return
        yield chunk
