"""The folder of the sessions' sound beside the history, readable by its owner alone. No Qt."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

FOLDER_NAME = "audio"
ENDING = ".ogg"
NEW_SECONDS = 3600.0
BEFORE_SECONDS = 0.5
"""Time that a decoder needs to settle when it begins in the middle of a file."""


def audio_folder(history: Path) -> Path:
    """Return the folder that belongs to a history's file."""
    return history.with_name(FOLDER_NAME)


def new_name() -> str:
    """Make up the name of a new file."""
    return secrets.token_hex(12) + ENDING


def create(path: Path) -> BinaryIO:
    """Create a file that nobody else may read. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def erase(folder: Path, names: Collection[str]) -> None:
    """Remove files if they exist; a file that cannot be removed is tried again with the strays."""
    for name in names:
        if name == Path(name).name and name.endswith(ENDING):  # a damaged history must not lead elsewhere
            _remove(folder / name)


def erase_strays(folder: Path, kept: Collection[str]) -> None:
    """Remove files that belong to no session: the app was killed before anything was said.

    New files stay: they may belong to a recording that has just begun.
    """
    for path in _files(folder):
        if path.name not in kept and _written_at(path) < time.time() - NEW_SECONDS:
            _remove(path)


def set_aside(folder: Path) -> None:
    """Leave the files to whoever repairs the history that they belonged to."""
    with suppress(OSError):  # if there are none
        folder.rename(folder.with_name(f"{FOLDER_NAME}-damaged-{time.strftime('%Y-%m-%d-%H%M%S')}"))


def size_bytes(folder: Path) -> int:
    """Return the size of all files together."""
    return sum(path.stat().st_size for path in _files(folder))


def length_seconds(path: Path) -> float:
    """Return how long a file's sound is; 0 if that cannot be read."""
    import av

    try:
        with av.open(str(path)) as container:
            return (container.duration or 0) / av.time_base
    except (av.FFmpegError, OSError):
        return 0.0


def audio_from(path: Path, seconds: float) -> Iterator[Samples]:
    """Yield a file's sound from a second on, in pieces (n,) at 16 kHz; a damaged file as far as it can be read.

    Raises:
        AudioError: there is no sound in it that can be read.
    """
    import av

    try:
        with av.open(str(path)) as container:
            stream = container.streams.audio[0]
            container.seek(max(0, round((seconds - BEFORE_SECONDS) * av.time_base)))
            resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE_HZ)
            for frame in container.decode(stream):
                begin = frame.time or 0.0
                for part in resampler.resample(frame):
                    samples = part.to_ndarray()[0]
                    early = max(0, round((seconds - begin) * SAMPLE_RATE_HZ))
                    begin += len(samples) / SAMPLE_RATE_HZ
                    if early < len(samples):
                        yield samples[early:]
    except (av.FFmpegError, OSError, IndexError) as error:
        raise AudioError("The sound of this session cannot be read: its file is gone or damaged.") from error


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from (path for path in folder.iterdir() if path.suffix == ENDING and path.is_file())
    except OSError:
        return


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
