"""The sound of several sessions as one file. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.history.kept import audio_files
from app.history.kept.audio_files import audio_from
from app.history.kept.audio_writer import write_sound
from engine.audio import SAMPLE_RATE_HZ, Samples

Part = tuple[Path | None, float]
"""The sound of a session, if there is any, and the seconds that its captions take."""


def begins_of(parts: Sequence[Part], folder: Path) -> tuple[tuple[float, ...], str]:
    """Write the sounds one after the other into a new file of a folder.

    Returns the second at which each part begins, and the file's name; "" if no part has sound. A part without is
    silent for as long as its captions take.

    Raises:
        AudioError: a sound cannot be read.
        OSError, av.FFmpegError: the file cannot be written.
    """
    begins: list[float] = []
    if all(path is None for path, _ in parts):
        end = 0.0
        for _, seconds in parts:
            begins.append(end)
            end += math.ceil(seconds)
        return tuple(begins), ""
    name = audio_files.new_name()
    try:
        write_sound(folder / name, _joined(parts, begins))
    except BaseException:
        audio_files.erase(folder, [name])
        raise
    return tuple(begins), name


def _joined(parts: Sequence[Part], begins: list[float]) -> Iterator[Samples]:
    """Yield the sound of all parts, and note where each begins."""
    import numpy as np

    done = 0
    for path, seconds in parts:
        begins.append(done / SAMPLE_RATE_HZ)
        end = done + math.ceil(seconds) * SAMPLE_RATE_HZ
        for samples in audio_from(path, 0.0) if path is not None else ():
            yield samples
            done += len(samples)
        while done < end:  # the words that come next are not to stand before those that were said
            yield (silence := np.zeros(min(SAMPLE_RATE_HZ, end - done), np.float32))
            done += len(silence)
