"""The words that a listener would have to be told: long, rare, and said in the recordings."""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.metrics import normalized_words
from lab.bench.captions.clips import Clip
from lab.bench.captions.people import data_folder
from lab.bench.errors import BenchError

LEAST_LETTERS = 5
"""Fewest letters of a rare word."""

MOST_COMMON = 6000
"""Number of the commonest words, which are not rare."""

TEXTS = Path("text") / "parallel"
"""Place of everyday sentences in the data folder: tab-separated, English first."""


def common_words() -> frozenset[str]:
    """Return the commonest words of everyday English.

    Raises:
        BenchError: there are no texts to count in.
    """
    files = sorted((data_folder() / TEXTS).glob("tatoeba-eng-*.tsv.gz"))
    if not files:
        raise BenchError(f"{data_folder() / TEXTS} has no English sentences in which to count common words.")
    sentences: set[str] = set()
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            sentences.update(line.partition("\t")[0] for line in lines)
    counts = Counter(word for sentence in sorted(sentences) for word in re.findall("[a-z']+", sentence.lower()))
    return frozenset(word for word, _ in counts.most_common(MOST_COMMON))


def rare_words(clips: Iterable[Clip], common: frozenset[str]) -> list[str]:
    """Return the rare words of what is said, each once, in order."""
    said = (word for clip in clips for word in normalized_words(clip.text))
    return list(dict.fromkeys(word for word in said if _is_rare(word, common)))


def with_distractors(words: Sequence[str], others: Sequence[str], count: int, seed: int = 1) -> tuple[str, ...]:
    """Return a list of words that are said and of up to `count` others, in random order."""
    known = set(words)
    pool = [word for word in others if word not in known]
    chance = random.Random(seed)
    chance.shuffle(pool)
    listed = [*words, *pool[:count]]
    chance.shuffle(listed)
    return tuple(listed)


def _is_rare(word: str, common: frozenset[str]) -> bool:
    return len(word) >= LEAST_LETTERS and word.isalpha() and word not in common
