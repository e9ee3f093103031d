"""What the assistant says, as a sound file: its replies as they are heard, one after the other."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from app.history.export.formats import check_place, write_file
from engine.errors import OptionError
from engine.turns import Speech

LONGEST_PAUSE_SECONDS = 0.5
"""Between two replies, and the most within one: nobody wants to hear how long the user spoke meanwhile."""


@dataclass(slots=True)
class _Stretch:
    """Sound that is heard without a break: float32 samples (n,) from a moment on."""

    seconds: float
    samples: np.ndarray
    first: bool  # of its reply


class SpeechFile:
    """The sound of a conversation's replies, on the conversation's clock until it is written.

    Attributes:
        path: where it is written to, as 16-bit WAV, whole or not at all.
    """

    def __init__(self, path: Path) -> None:
        """Prepare for a file that `check_speech_file` has let pass."""
        self.path = path
        self._rate_hz = 0
        self._heard: list[_Stretch] = []
        self._begins = True

    @property
    def has_sound(self) -> bool:
        """Tell whether anything has been said."""
        return bool(self._heard)

    def begin(self) -> None:
        """Begin another reply: what comes next belongs to it."""
        self._begins = True

    def add(self, speech: Speech, seconds: float) -> None:
        """Take sound that is there at a moment: it is heard then, or right after what is heard until later."""
        samples = np.frombuffer(speech.samples, np.float32)
        if not len(samples):
            return
        self._rate_hz = speech.rate_hz  # one voice speaks, at one rate
        self._heard.append(_Stretch(max(seconds, self._end()), samples, self._begins))
        self._begins = False

    def cut(self, seconds: float) -> None:
        """From this moment on nothing of what was taken is heard."""
        while self._heard and self._heard[-1].seconds >= seconds:
            self._heard.pop()
        if self._heard:
            last = self._heard[-1]
            last.samples = last.samples[: round((seconds - last.seconds) * self._rate_hz)]

    def write(self) -> tuple[Path, ...]:
        """Write the file and give its path. Raises ExportError; what was there before is then still there."""
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
    """Refuse, before any work, a file that could not be written afterwards.

    Raises:
        OptionError: its ending is not that of a WAV file.
        ExportError: see check_place.
    """
    if path.suffix.lower() != ".wav":
        raise OptionError(f"Cannot write speech to {path.name!r}: the name must end in .wav.")
    check_place(path)
