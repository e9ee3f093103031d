"""Spoken translation on the command line: on a loudspeaker, in a file, or both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.history.export.formats import ExportError, check_place
from engine.audio import Samples
from engine.errors import OptionError
from engine.events import SpokenTranslation

if TYPE_CHECKING:
    import soundfile

    from app.sound.own_voice import OwnVoice


def check_sound_file(path: Path) -> None:
    """Refuse a file that could not be written. Raises OptionError for its ending, ExportError for its place."""
    if path.suffix.lower() != ".wav":
        raise OptionError(f"A spoken translation is written to a .wav file, not to {path.name}.")
    check_place(path)


class SpokenOut:
    """Plays and writes spoken translations. In the file they stand at the seconds of the original."""

    def __init__(self, voice: OwnVoice | None = None, path: Path | None = None) -> None:
        """Play with `voice`, if there is one, and write to a sound file, if there is a path."""
        self._voice = voice
        self._path = path
        self._file: soundfile.SoundFile | None = None

    def add(self, spoken: SpokenTranslation) -> None:
        """Add the next sound. Raises AudioError or ExportError if it cannot be played or written."""
        if self._voice is not None:
            self._voice.play(spoken)
        if self._path is None:
            return
        import soundfile

        try:
            if self._file is None:
                self._file = soundfile.SoundFile(self._path, "w", spoken.rate_hz, 1)
            silence = round(spoken.start_seconds * spoken.rate_hz) - self._file.tell()
            self._file.write(np.zeros(max(0, silence), np.float32))
            self._file.write(np.frombuffer(spoken.samples, np.float32))
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            raise ExportError(f"{self._path} cannot be written: {error}.") from error

    def without(self, chunk: Samples) -> Samples:
        """Return a microphone's samples (n,) without what is played."""
        return chunk if self._voice is None else self._voice.without(chunk)

    def finish(self) -> None:
        """Play to the end."""
        if self._voice is not None:
            self._voice.drain()

    def close(self) -> None:
        """Close device and file."""
        if self._voice is not None:
            self._voice.close()
        if self._file is not None:
            self._file.close()
