"""Short recordings with a manifest, for tests of recipes in which it does not matter what is heard."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import soundfile

TEXTS = ("good morning", "the paper is here", "a dog sleeps", "blue water", "we sing", "red")


def write_recordings(folder: Path) -> Path:
    """Write a few seconds of noise by six speakers, and give the manifest."""
    generator = np.random.default_rng(0)
    lines = []
    for number, text in enumerate(TEXTS):
        samples = (0.1 * generator.standard_normal(8000 + 1600 * number)).astype(np.float32)
        soundfile.write(folder / f"{number}.wav", samples, 16_000)
        record = {"file": f"{number}.wav", "seconds": len(samples) / 16_000, "text": text, "speaker": f"s{number}"}
        lines.append(json.dumps(record))
    manifest = folder / "recordings.jsonl"
    manifest.write_text("\n".join(lines) + "\n")
    return manifest
