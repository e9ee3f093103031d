"""Recordings of people, in two halves of speakers: one to choose settings by, one to judge them by.

The recordings are LibriSpeech's, in the folder that EARSHOT_TEST_DATA names, with a manifest of JSON lines (see
`read_manifest`). Without that folder the few minutes in lab/people take their place.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, cycle, zip_longest
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from lab.bench.captions.clips import Clip, Utterance, read_manifest
from lab.bench.errors import BenchError

LAB = Path(__file__).resolve().parents[2]
DATA_VARIABLE = "EARSHOT_TEST_DATA"
USUAL_DATA = LAB.parents[1] / "shared" / "data"
MANIFEST = Path("speech") / "manifest.jsonl"
LAB_MANIFEST = LAB / "people" / "manifest.jsonl"

Split = Literal["choose", "judge"]
SPLITS: tuple[Split, ...] = get_args(Split)

LONGEST_SECONDS = 28.0
"""Longest utterance: with silence around it a longer one would not fit into a model's window."""

USUAL_MINUTES = 10.0
JOINED_SHARE = 0.8
"""Share of the time that is utterances joined to stretches; the rest is single utterances."""

LEAST_STRETCH_SECONDS = 20.0
GAPS_SECONDS = (0.25, 0.4, 0.3, 0.5, 0.35)
"""Silence between joined utterances, in turn: as long as a reader's pauses, and mostly too short for the voice gate to
end the speech there."""


def data_folder() -> Path:
    """Return the folder that is searched for recordings, whether or not it has any."""
    named = os.environ.get(DATA_VARIABLE)
    return Path(named) if named else USUAL_DATA


def manifest() -> Path:
    """Return the manifest of the recordings to hear: lab's own where the data folder has none."""
    found = data_folder() / MANIFEST
    return found if found.is_file() else LAB_MANIFEST


def speakers(split: Split) -> dict[str, list[Clip]]:
    """Return the utterances of a split's speakers, by speaker, in the order they were read.

    Speakers are sorted as strings; the first half is to choose by, the last to judge by.

    Raises:
        BenchError: the manifest cannot be read, or names fewer than two speakers of LibriSpeech.
    """
    found: dict[str, list[Clip]] = {}
    recordings = manifest()
    for clip in sorted(read_manifest(recordings, ["en"]), key=lambda clip: clip.name):
        if clip.file is not None and clip.file.parent.name == "librispeech" and _seconds(clip) <= LONGEST_SECONDS:
            speaker = clip.name.split("-")[1]
            found.setdefault(speaker, []).append(replace(clip, speaker=speaker))
    if len(found) < len(SPLITS):
        raise BenchError(f"{recordings} names too few speakers of LibriSpeech: one half chooses, the other judges.")
    names = sorted(found)
    half = len(names) // 2
    return {name: found[name] for name in (names[:half] if split == "choose" else names[half:])}


def utterances(split: Split, limit: int | None = None) -> list[Clip]:
    """Return single utterances, one of each speaker in turn."""
    turns = chain.from_iterable(zip_longest(*speakers(split).values()))
    return [clip for clip in turns if clip is not None][:limit]


def joined_and_single(split: Split, minutes: float = USUAL_MINUTES) -> list[Clip]:
    """Return about this many minutes: a stretch of joined utterances of each speaker, then single ones in turn.

    Where time is short only some speakers have a stretch, and the others are the first with single utterances.
    """
    left = {name: list(said) for name, said in speakers(split).items()}
    total = 60 * minutes
    count = max(1, min(len(left), int(JOINED_SHARE * total / LEAST_STRETCH_SECONDS)))
    chosen = [name for place, name in enumerate(left) if place * count % len(left) < count]
    clips = [joined(name, _taken(left[name], JOINED_SHARE * total / count)) for name in chosen]
    rest = total - sum(_seconds(clip) for clip in clips)
    for name in cycle([*(name for name in left if name not in chosen), *chosen]):
        if not any(left.values()) or rest <= 0:
            break
        if left[name]:
            clips.append(left[name].pop(0))
            rest -= _seconds(clips[-1])
    return clips


def joined(speaker: str, said: Sequence[Clip]) -> Clip:
    """Join utterances of one speaker to one clip, with a short silence after each."""
    parts, spans, position = [], [], 0
    for clip, gap in zip(said, cycle(GAPS_SECONDS), strict=False):
        samples = clip.listen()
        spans.append(Utterance(clip.text, position / SAMPLE_RATE_HZ, (position + len(samples)) / SAMPLE_RATE_HZ))
        parts += [samples, np.zeros(round(gap * SAMPLE_RATE_HZ), np.float32)]
        position += len(samples) + len(parts[-1])
    text = " ".join(clip.text for clip in said)
    name = f"{said[0].name} and {len(said) - 1} more" if len(said) > 1 else said[0].name
    return Clip(name, text, samples=np.concatenate(parts), utterances=tuple(spans), speaker=speaker)


def _taken(said: list[Clip], seconds: float) -> list[Clip]:
    """Remove utterances from the front that together last about this many seconds, at least one, and return them."""
    taken: list[Clip] = []
    while said and (not taken or seconds > _seconds(said[0]) / 2):
        taken.append(said.pop(0))
        seconds -= _seconds(taken[-1])
    return taken


def _seconds(clip: Clip) -> float:
    """Return the length of a clip, which the manifest may say without its being read."""
    if not clip.utterances:
        return len(clip.listen()) / SAMPLE_RATE_HZ
    return clip.utterances[-1].end
