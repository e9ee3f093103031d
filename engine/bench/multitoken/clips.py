"""What the multi-token benchmark hears: people, sentences of synthetic voices, or recordings of several languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.clips import VOICES, Clip, read_manifest, spoken_clips
from engine.bench.captions.people import MANIFEST, Split, utterances
from engine.bench.errors import BenchError

LONGEST_SECONDS = 28.0
"""Longer recordings are left out: they would be heard in windows, which are not the decoder's matter."""

SENTENCES_EACH = 3
"""Of one spoken clip: about 20 words, as LibriSpeech's utterances have. The calls that a clip takes in any case weigh
more the shorter it is."""

MOST_RECORDINGS = 40


def people(languages: Sequence[str], split: Split, limit: int | None = None) -> list[Clip]:
    """Up to `limit` (40) utterances of LibriSpeech's speakers, in turn one of each; see engine.bench.captions.people.

    BenchError for a model without English.
    """
    if "en" not in languages:
        raise BenchError(
            f"LibriSpeech's speakers speak English, and the model knows {', '.join(languages)}: give --data."
        )
    return [replace(clip, samples=clip.listen()) for clip in utterances(split, limit or MOST_RECORDINGS)]


def spoken(languages: Sequence[str], limit: int | None = None, sentences_each: int = SENTENCES_EACH) -> list[Clip]:
    """The sentences that no model was trained on, in the voices in turn. BenchError for a model without English."""
    if "en" not in languages:
        raise BenchError(
            f"The synthetic voices speak English, and the model knows {', '.join(languages)}: give --data."
        )
    return spoken_clips(limit, sentences_each, VOICES)


def recorded(data: Path, languages: Sequence[str], limit: int | None = None) -> list[Clip]:
    """The first recordings of each language, up to `limit` (40), of a folder like the project's data or a manifest.

    They hold their samples, since every way of decoding hears them. BenchError where there are none.
    """
    manifest = data / MANIFEST if (data / MANIFEST).is_file() else data
    found = read_manifest(manifest, languages)
    spoken_there = [code for code in languages if any(clip.language == code for clip in found)]
    chosen = [clip for code in spoken_there for clip in _first(found, code, limit or MOST_RECORDINGS)]
    if not chosen:
        raise BenchError(f"Every recording of {manifest} is longer than {LONGEST_SECONDS:g} s.")
    return chosen


def _first(clips: Sequence[Clip], language: str, limit: int) -> list[Clip]:
    chosen: list[Clip] = []
    for clip in clips:
        if clip.language == language and len(chosen) < limit:
            samples = clip.listen()
            if len(samples) <= LONGEST_SECONDS * SAMPLE_RATE_HZ:
                chosen.append(replace(clip, samples=samples))
    return chosen
