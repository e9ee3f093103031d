"""The voices of macOS, by its `say` command, sentence by sentence. (Not tested on a Mac: none was available.)"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

import numpy as np
import soundfile

from engine.audio import Samples
from engine.errors import OptionError, VoiceError
from engine.speak.voice import has_words, in_chunks, named, plain_text

COMMAND = "say"
MOST_SECONDS = 60.0
"""Longest run of the command for one sentence, in seconds; after that it is taken to hang."""

_RATE_HZ = 22_050
_LISTED = re.compile(r"^(?P<name>.+?)\s+[a-z]{2,3}(?:[_-]\w+)*\s+#", re.MULTILINE)


class SystemVoice:
    """`say` as a Voice.

    Attributes:
        name, rate_hz, language, words_per_minute, store_name: see Voice.
    """

    def __init__(self, speaker: str | None = None, words_per_minute: int = 175, command: str = COMMAND) -> None:
        """Select `speaker`, such as "Samantha"; None is the voice of the system's settings.

        Raises:
            OptionError: there is no such voice, or no such command: this is not a Mac.
        """
        self._command = command
        self._speaker = _known(command, speaker)
        self.words_per_minute = words_per_minute
        self.name = f"system {self._speaker} {words_per_minute}"
        self.rate_hz = _RATE_HZ
        self.language: str | None = None
        self.store_name: str | None = None

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Start a sentence (see Voice). All of it is synthesized before its first chunk."""
        text = plain_text(sentence)
        if has_words(text):
            yield from in_chunks([self._made(text)], self.rate_hz)

    def _made(self, text: str) -> Samples:
        with tempfile.TemporaryDirectory(prefix="earshot-") as folder:
            file = Path(folder) / "speech.wav"
            chosen = ["-v", self._speaker] if self._speaker else []
            arguments = [*chosen, "-r", str(self.words_per_minute), "-o", str(file), f"--data-format=LEI16@{_RATE_HZ}"]
            # The text comes by standard input, so that it is never read as an option; [[ ]] would be a command.
            _run([self._command, *arguments], text.replace("[[", "[ [").replace("]]", "] ]"))
            try:
                samples, rate_hz = soundfile.read(file, dtype="float32", always_2d=True)
            except (OSError, RuntimeError) as error:
                raise VoiceError(f"The system voice wrote no speech: {error}. Choose the voice espeak.") from error
        if rate_hz != self.rate_hz:
            raise VoiceError(f"The system voice wrote speech at {rate_hz} Hz, not {self.rate_hz}.")
        return np.ascontiguousarray(samples[:, 0])


def _known(command: str, speaker: str | None) -> str | None:
    if shutil.which(command) is None:
        raise OptionError("voice must be another one here: 'system' speaks with the voices of macOS.")
    names = [match["name"] for match in _LISTED.finditer(_run([command, "-v", "?"], ""))]
    if speaker is not None and speaker not in names:
        raise OptionError(f"speaker must be one of the system's voices, not {speaker!r}: {named(names)}.")
    return speaker


def _run(command: list[str], text: str) -> str:
    """Run `say` and return its output."""
    try:
        ran = subprocess.run(command, input=text.encode(errors="replace"), capture_output=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise VoiceError(f"The system voice has not spoken for {MOST_SECONDS:.0f} seconds.") from error
    except OSError as error:
        raise VoiceError(f"The system voice cannot be run: {error}.") from error
    if ran.returncode != 0:
        reason = " ".join(ran.stderr.decode(errors="replace").split()) or f"error {ran.returncode}"
        raise VoiceError(f"The system voice failed: {reason}. Choose another speaker, or the voice espeak.")
    return ran.stdout.decode(errors="replace")
