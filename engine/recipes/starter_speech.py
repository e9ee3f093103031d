"""The corpus of the starter Speech-LLaMA: sentences spoken by espeak-ng, in shards.

A shard is `NAME.pcm` (int16 at 16 kHz, utterances end to end) and `NAME.jsonl` (one
utterance a line: text, voice, where its samples are, times of words and phonemes).
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from engine.recipes.espeak import Speech, Voice, espeak
from engine.recipes.starter_text import fraction, training_sentences

SHARD_SENTENCES = 1000
PLAIN_ONLY_SHARDS = 12  # the first shards teach one voice: attention locks on sooner
PLAIN_SHARE = 0.62
BUILT_IN = Voice()

_VARIANTS = {
    "en-us+f3": 10, "en-us+f1": 3, "en-us+f2": 3, "en-us+f4": 3, "en-us+f5": 2,
    "en-us+m1": 2, "en-us+m2": 2, "en-us+m3": 2, "en-us+m4": 2, "en-us+m5": 1,
    "en-us+m6": 2, "en-us+m7": 2, "gmw/en": 1, "gmw/en-GB-x-rp": 1,
    "gmw/en-GB-scotland": 1, "gmw/en-US-nyc": 1,
}  # fmt: skip


def choose_voice(sentence: str, shard: int) -> Voice:
    """Pick the voice of a training sentence: the same one on every run."""
    generator = random.Random(fraction(sentence, "voice"))
    name = BUILT_IN.name
    if shard >= PLAIN_ONLY_SHARDS and generator.random() > PLAIN_SHARE:
        name = generator.choices(list(_VARIANTS), list(_VARIANTS.values()))[0]
    return Voice(name, generator.randint(150, 200), generator.randint(40, 60))


def synthesise(data: Path, out: Path, shards: int, first: int = 0) -> None:
    """Speak the training sentences shard by shard; shards already there are kept."""
    out.mkdir(parents=True, exist_ok=True)
    sentences = training_sentences(data)
    for shard in range(first, shards):
        chosen = sentences[shard * SHARD_SENTENCES : (shard + 1) * SHARD_SENTENCES]
        target = out / f"speech-{shard:04d}"
        if chosen and not target.with_suffix(".jsonl").exists():
            write_shard(target, (espeak().speak(s, choose_voice(s, shard)) for s in chosen))


def write_shard(target: Path, speeches: Iterable[Speech]) -> None:
    """Write one shard; its .jsonl appears last and whole, so readers never see a half."""
    position = 0
    lines = []
    with target.with_suffix(".pcm").open("wb") as pcm:
        for speech in speeches:
            samples = (np.clip(speech.samples, -1.0, 1.0) * 32767.0).astype("<i2")
            pcm.write(samples.tobytes())
            lines.append(json.dumps(_record(speech, position, len(samples))))
            position += len(samples)
    partial = target.with_suffix(".partial")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(partial, target.with_suffix(".jsonl"))


def _record(speech: Speech, position: int, count: int) -> dict[str, object]:
    return {
        "text": speech.text,
        "voice": speech.voice,
        "position": position,
        "count": count,
        "words": [[round(a, 3), round(b, 3)] for a, b in speech.words],
        "phonemes": [[symbol, round(start, 3)] for symbol, start in speech.phonemes],
    }
