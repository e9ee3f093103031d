"""Recordings that say one word each, and the model of an engine process that hears which. No Qt: the child loads it."""

from __future__ import annotations

from pathlib import Path

from tests.app.scripted_hearing import write_wav
from tests.app.scripted_models import StubbornModel
from tests.hear.planted import numbered, plant

WORDS = numbered([(0.5, 1.0)] * 9, "Word {}.")
SECONDS, ENDLESS_SECONDS = 4.0, 28.0
HANGS_AT_SECONDS = 6.0
"""Audio that no recording but an endless one has: its first round comes later, and lasts for ever."""


def spoken_files(folder: Path, *names: str) -> list[Path]:
    """Write recordings of which the first says "Word 1.", and so on; a bad one is empty, an endless one is heard on.

    One that is cut is whole up to the end of its word.
    """
    paths = [folder / name for name in names]
    for number, path in enumerate(paths, start=1):
        seconds = ENDLESS_SECONDS if "endless" in path.name else SECONDS
        samples = plant(WORDS[:number], seconds)  # at the same place: only the last is left
        write_wav(path, samples, format="WAV", subtype="FLOAT")
        if "bad" in path.name:
            path.write_bytes(b"")
        if "cut" in path.name:
            path.write_bytes(path.read_bytes()[:-8000])
    return paths


def hearing_model(folder: Path) -> StubbornModel:
    """Make the model that hears them; in the folder it keeps that it hangs."""
    return StubbornModel(tuple(WORDS), seconds=HANGS_AT_SECONDS, file=str(folder / "hangs"))
