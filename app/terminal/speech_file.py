"""The assistant's speech as a sound file: its replies as they were audible, one after the other."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.history.export.formats import check_place, write_file
from engine.errors import OptionError
from engine.turns import Speech

LONGEST_PAUSE_SECONDS = 0.5
"""Pause between two replies, and longest pause within one: the time of the user's speech is cut."""


@dataclass(slots=True)
class _AudioSpan:
    """Sound without a break: float32 samples (n,) from a time on."""

    seconds: float
    samples: np.ndarray
    first: bool  # whether it starts a reply


class SpeechFile:
    """The sound of a conversation's replies, on the conversation's clock until it is written.

    Attributes:
        path: path of the file, 16-bit WAV, written completely or not at all.
    """

    def __init__(self, path: Path) -> None:
        """Prepare for a file that `check_speech_file` has accepted."""
        self.path = path
        self._rate_hz = 0
        self._heard: list[_AudioSpan] = []
        self._begins = True

    @property
    def has_sound(self) -> bool:
        """Return whether there is any speech."""
        return bool(self._heard)

    def begin(self) -> None:
        """Start another reply: the sound that comes next belongs to it."""
        self._begins = True

    def add(self, speech: Speech, seconds: float) -> None:
        """Add sound that is ready at a time: it is audible then, or right after earlier sound."""
        samples = np.frombuffer(speech.samples, np.float32)
        if not len(samples):
            return
        self._rate_hz = speech.rate_hz  # one voice speaks, at one rate
        self._heard.append(_AudioSpan(max(seconds, self._end()), samples, self._begins))
        self._begins = False

    def cut(self, seconds: float) -> None:
        """Drop all sound after this time."""
        while self._heard and self._heard[-1].seconds >= seconds:
            self._heard.pop()
        if self._heard:
            last = self._heard[-1]
            last.samples = last.samples[: round((seconds - last.seconds) * self._rate_hz)]

    def write(self) -> tuple[Path, ...]:
        """Write the file and return its path. Raises ExportError; an existing file is then unchanged."""
        import soundfile  # here: a conversation in writing needs none

        buffer = io.BytesIO()
        soundfile.write(buffer, self._joined(), self._rate_hz, "PCM_16", format="WAV")
        write_file(self.path, buffer.getvalue())
        return (self.path,)

    def _end(self) -> float:
        if not self._heard:
            return 0.0
        return self._heard[-1].seconds + len(self._heard[-1].samples) / self._rate_hz

    def _joined(self) -> np.ndarray:
        parts: list[np.ndarray] = []
        for index, stretch in enumerate(self._heard):
            if index:
                before = self._heard[index - 1]
                silent = stretch.seconds - before.seconds - len(before.samples) / self._rate_hz
                pause = LONGEST_PAUSE_SECONDS if stretch.first else min(silent, LONGEST_PAUSE_SECONDS)
                parts.append(np.zeros(max(0, round(pause * self._rate_hz)), np.float32))
            parts.append(stretch.samples)
        return np.concatenate(parts)


def check_speech_file(path: Path) -> None:
    """Refuse a file that could not be written afterwards, before any work.

    Raises:
        OptionError: its suffix is not that of a WAV file.
        ExportError: see check_place.
    """
    if path.suffix.lower() != ".wav":
        raise OptionError(f"Cannot write speech to {path.name!r}: the name must end in .wav.")
    check_place(path)
