"""Metrics of captions: word error rate, per-word latency, real-time factor."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.events import Caption, Latency, Word
from engine.hear.rounds.policy import key_of
from engine.models.catalogue import ASSETS

CHARACTER_LANGUAGES = frozenset(("zh", "yue", "ja", "th", "lo", "my", "km"))
"""Languages written without spaces. They are compared by characters: the word error rate is a character error rate."""

SPELLINGS = ASSETS / "bench" / "spellings.json"
"""American spellings by British ones: the list that Whisper's authors publish with their normalizer."""

EDIT, MATCH = 10_000, -1
"""Costs of an alignment. MATCH is so small that no number of equal pairs outweighs an edit."""


@dataclass(frozen=True, slots=True)
class WordErrors:
    """Minimum edits between a reference and a hypothesis; `+` sums them over a corpus."""

    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    reference_words: int = 0

    def __add__(self, other: WordErrors) -> WordErrors:
        return WordErrors(
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            self.reference_words + other.reference_words,
        )

    @property
    def edits(self) -> int:
        """Return the number of edits of all kinds."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float:
        """Edits over reference words (over 1 if there are none): 0 is perfect, and it may exceed 1."""
        return self.edits / max(1, self.reference_words)

    @property
    def heard_words(self) -> int:
        """Number of words of the hypothesis."""
        return self.reference_words - self.deletions + self.insertions


def normalized_words(text: str, language: str = "en") -> list[str]:
    """Split text into the words that are compared.

    English goes through Whisper's published normalizer: lower case, no punctuation, no fillers (um, uh), nothing in
    brackets, contractions and abbreviations written out ("isn't" and "is not", "Mr." and "mister" are equal), numbers
    in figures ("twenty-one" equals "21"), American spellings for British ones. Other languages only lose case,
    punctuation and bracketed text; those without spaces are compared by characters.
    """
    return _normalizer(language)(text.replace("’", "'")).split()


@functools.cache
def _normalizer(language: str) -> Callable[[str], str]:
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # it would complain about a missing torch
    from transformers.models.whisper.english_normalizer import BasicTextNormalizer, EnglishTextNormalizer

    basic: Callable[..., Callable[[str], str]] = BasicTextNormalizer
    english: Callable[..., Callable[[str], str]] = EnglishTextNormalizer
    if language == "en":
        return english(json.loads(SPELLINGS.read_text(encoding="utf-8")))
    return basic(split_letters=language in CHARACTER_LANGUAGES)


def word_errors(reference: str, hypothesis: str, language: str = "en") -> WordErrors:
    """Count the edits between two texts after `normalized_words`."""
    expected, heard = normalized_words(reference, language), normalized_words(hypothesis, language)
    pairs = align(expected, heard)
    return WordErrors(
        substitutions=sum(a is not None and b is not None and expected[a] != heard[b] for a, b in pairs),
        deletions=sum(b is None for _, b in pairs),
        insertions=sum(a is None for a, _ in pairs),
        reference_words=len(expected),
    )


def align(
    reference: Sequence[Hashable], hypothesis: Sequence[Hashable], *, to_beginning: bool = False
) -> list[tuple[int | None, int | None]]:
    """Align two sequences: (i, j) pairs items, (i, None) deletes i, (None, j) inserts j.

    Of the alignments with the fewest edits, one with the most equal pairs is returned.

    Args:
        to_beginning: align with the best-matching prefix of the reference and leave the rest of it out.
    """
    costs = _edit_costs(reference, hypothesis)
    pairs: list[tuple[int | None, int | None]] = []
    i, j = int(costs[:, -1].argmin()) if to_beginning else len(reference), len(hypothesis)
    while i or j:
        if i and j and costs[i, j] == costs[i - 1, j - 1] + (MATCH if reference[i - 1] == hypothesis[j - 1] else EDIT):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and costs[i, j] == costs[i - 1, j] + EDIT:
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1]


def _edit_costs(reference: Sequence[Hashable], hypothesis: Sequence[Hashable]) -> NDArray[np.int32]:
    """Return the minimum costs of turning prefixes into each other: (len(reference) + 1, len(hypothesis) + 1)."""
    numbers: dict[Hashable, int] = {}
    rows = [numbers.setdefault(word, len(numbers)) for word in reference]
    columns = np.array([numbers.setdefault(word, len(numbers)) for word in hypothesis], np.int32)
    steps = EDIT * np.arange(len(columns) + 1, dtype=np.int32)
    costs = np.empty((len(rows) + 1, len(columns) + 1), np.int32)
    costs[0] = steps
    for i, word in enumerate(rows, start=1):
        costs[i, 0] = EDIT * i
        costs[i, 1:] = np.minimum(costs[i - 1, 1:] + EDIT, costs[i - 1, :-1] + np.where(columns == word, MATCH, EDIT))
        # Insertions run along the row: the cheapest path to j ends some steps earlier and inserts the rest.
        costs[i] = np.minimum.accumulate(costs[i] - steps) + steps
    return costs


def committed_words(captions: Iterable[Caption]) -> list[tuple[Word, float]]:
    """Return every committed word in order, with the time (seconds on the session's clock) it was first committed."""
    known: dict[int, int] = {}
    words: list[tuple[Word, float]] = []
    for caption in captions:
        before = max(known.get(caption.id, 0), caption.moved)
        words += [(word, caption.emitted_seconds) for word in caption.committed[before:]]
        known[caption.id] = len(caption.committed)
    return words


def word_latencies(captions: Iterable[Caption], reference: Sequence[Word] | None = None) -> list[float]:
    """Return the seconds from each word's end in the audio until it was shown as committed.

    `reference` has words with true times. With it, the ends are theirs: words are matched by edit distance, and those
    without a match of the same text are left out. Without it, the ends are those that the session found.
    """
    words = committed_words(captions)
    if reference is None:
        return [shown - word.end for word, shown in words]
    return [shown - reference[i].end for i, shown in _matched(words, reference)]


def shown_before_next(captions: Iterable[Caption], reference: Sequence[Word] | None = None) -> int:
    """Return how many words were committed before the next word ended; see `word_latencies` for `reference`."""
    words = committed_words(captions)
    if reference is None:
        return sum(shown < following.end for (_, shown), (following, _) in pairwise(words))
    return sum(i + 1 < len(reference) and shown < reference[i + 1].end for i, shown in _matched(words, reference))


def _matched(words: Sequence[tuple[Word, float]], reference: Sequence[Word]) -> list[tuple[int, float]]:
    """Return the reference indices of correctly recognized words, with the times at which they were shown."""
    pairs = align([key_of(word) for word in reference], [key_of(word) for word, _ in words])
    return [
        (i, words[j][1])
        for i, j in pairs
        if i is not None and j is not None and key_of(reference[i]) == key_of(words[j][0])
    ]


def latency_of(seconds: Iterable[float]) -> Latency | None:
    """Return mean, median and 95th percentile (interpolated); None if there are no values."""
    values = np.fromiter(seconds, np.float64)
    if not len(values):
        return None
    p50, p95 = np.percentile(values, [50, 95])
    return Latency(mean=float(values.mean()), p50=float(p50), p95=float(p95))


def real_time_factor(compute_seconds: float, audio_seconds: float) -> float:
    """Return computation over audio: below 1, recognition keeps up with speech. 0 if there is no audio."""
    return compute_seconds / audio_seconds if audio_seconds else 0.0


def decoder_calls_per_word(forwards: int, errors: WordErrors) -> float | None:
    """Return decoder forwards per word: the harmonic mean of forwards per reference word and per hypothesis word
    (arXiv:2409.08148, eta, equation 13); None if there are no words.
    """
    words = errors.reference_words + errors.heard_words
    return 2 * forwards / words if words else None
