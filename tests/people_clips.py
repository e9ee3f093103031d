"""Eight sentences that people say, of those in lab/people, which tests hear with the starter."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio

PEOPLE = Path(__file__).resolve().parents[1] / "lab" / "people"
NAMES = (
    "1272-135031-0003", "1988-148538-0002", "2035-147961-0016", "2078-142845-0011", "251-137823-0003",
    "LJ001-0004", "LJ001-0011", "LJ001-0030",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PersonClip:
    """One sentence said by a person.

    Attributes:
        name: its file's name, without the ending.
        text: what is said, in the case and with the punctuation of its source.
        samples: (n,) at 16 kHz.
    """

    name: str
    text: str
    samples: Samples

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE_HZ


def people_clips() -> tuple[PersonClip, ...]:
    """Read the sentences, in the order of their names."""
    lines = (PEOPLE / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    records = {Path(record["file"]).stem: record for record in map(json.loads, lines)}
    return tuple(PersonClip(name, records[name]["text"], read_audio(PEOPLE / records[name]["file"])) for name in NAMES)
