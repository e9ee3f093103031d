"""Sentences said by people, which lie in tests/people: tests hear them where there are no other recordings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio

PEOPLE = Path(__file__).resolve().parent / "people"


@dataclass(frozen=True, slots=True)
class PersonClip:
    """One sentence said by a person.

    Attributes:
        name: of its file, without the ending.
        text: as it is said, in the case and with the punctuation of its source.
        samples: (n,) at 16 kHz.
    """

    name: str
    text: str
    samples: Samples

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE_HZ


def people_clips() -> tuple[PersonClip, ...]:
    """Read all of them, in the order of the manifest."""
    lines = (PEOPLE / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return tuple(
        PersonClip(Path(each["file"]).stem, each["text"], read_audio(PEOPLE / each["file"])) for each in records
    )
