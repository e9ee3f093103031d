"""Sentences whose sound is kept on the disk: fixed answers, which are the same for everybody, in a slow voice.

Nothing that depends on what the user said is kept, so that a conversation leaves no trace.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from engine.audio import Samples

MOST_BYTES = 64 * 1024 * 1024
"""Most that is kept, in bytes: half an hour of speech. The sentences that were used least recently go first."""


class KeptSpeech:
    """A folder of sentences, as 16-bit FLAC.

    A folder that cannot be written to keeps nothing.
    """

    def __init__(
        self, is_fixed: Callable[[str], bool], folder: Path | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        """Keep the sentences for which `is_fixed` holds, in a folder or in the user's cache."""
        self._is_fixed = is_fixed
        self._folder = folder or user_cache_path("earshot", appauthor=False) / "speech"
        self._most_bytes = most_bytes

    def get(self, voice: str, sentence: str) -> Samples | None:
        """Return the sound of a sentence (n,); None if it is not kept."""
        if not self._is_fixed(sentence):
            return None
        import soundfile

        file = self._file(voice, sentence)
        try:
            samples, _ = soundfile.read(file, dtype="float32")
            os.utime(file)
        except (OSError, RuntimeError):
            return None
        kept: Samples = np.ascontiguousarray(samples.reshape(-1))
        return kept

    def keep(self, voice: str, sentence: str, samples: Samples, rate_hz: int) -> None:
        """Keep the sound of a whole sentence (n,), if it is a fixed one."""
        if not self._is_fixed(sentence) or not len(samples):
            return
        import soundfile

        file = self._file(voice, sentence)
        partial = file.with_suffix(f".{os.getpid()}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            soundfile.write(partial, samples, rate_hz, format="FLAC", subtype="PCM_16")
            os.replace(partial, file)
            self._make_room()
        except (OSError, RuntimeError):
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def _file(self, voice: str, sentence: str) -> Path:
        name = hashlib.sha256("\n".join([voice, sentence]).encode(errors="replace")).hexdigest()
        return self._folder / f"{name[:32]}.flac"

    def _make_room(self) -> None:
        """Delete the files that were used least recently until the rest fits."""
        files = sorted(self._folder.glob("*.flac"), key=lambda file: file.stat().st_mtime)
        size = sum(file.stat().st_size for file in files)
        for file in files[:-1]:
            if size <= self._most_bytes:
                return
            size -= file.stat().st_size
            file.unlink(missing_ok=True)
