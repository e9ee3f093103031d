"""Rules of what the decoder may write next, and the detection of loops.

A rule edits one row of logits (n_vocab,) in place: minus infinity forbids a token. `sampled` holds the tokens sampled
so far, without prompt and start-of-transcript sequence. Whisper's vocabulary has the order: text, end of text, other
special tokens, timestamps; so a rule can name ranges.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.tokenizer import Tokenizer

Row = NDArray[np.float32]

NO_TOKENS = np.zeros(0, np.int64)

LOOP_COPIES = 3
"""Times that a triple of tokens must have been written before to count as repeated."""

LOOP_TOKENS = 12
"""Tokens at the end of a text that are searched for a loop."""

LOOP_SHARE = 0.75
"""Smallest share of repeated tokens in a loop."""

REPEATED_PER_SECOND = 6.0
"""Most tokens a second that people repeat, as in a telephone number: more is a decoder that has lost the audio."""


class Rule(Protocol):
    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        """Forbid tokens in row (n_vocab,), the logits that follow the sampled tokens."""


class Suppress:
    """Never write these tokens."""

    def __init__(self, tokens: NDArray[np.int64]) -> None:
        # A sum over all places is several times quicker than writing to tens of thousands of them, one by one.
        self._penalties = np.zeros(tokens.max(initial=-1) + 1, np.float32)
        self._penalties[tokens] = -np.inf

    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        row[: len(self._penalties)] += self._penalties


@dataclass(frozen=True, slots=True)
class SuppressAtStart:
    """Don't begin with these tokens: a transcript begins neither with a bare space nor with its end."""

    tokens: NDArray[np.int64]

    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        if not sampled:
            row[self.tokens] = -np.inf


@dataclass(frozen=True, slots=True)
class TextOnly:
    """Text and its end: no special token, no language, no timestamp."""

    eot: int

    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        row[self.eot + 1 :] = -np.inf


def transcript_rules(tokenizer: Tokenizer, forbidden: NDArray[np.int64]) -> tuple[Rule, ...]:
    """Return the rules of a transcription in their order; `forbidden` tokens (k,) are never written."""
    return (
        Suppress(np.concatenate([np.array(tokenizer.non_speech_tokens, np.int64), forbidden])),
        SuppressAtStart(np.array(tokenizer.blank_tokens, np.int64)),
        TextOnly(tokenizer.eot),
    )


def apply_rules(rules: Sequence[Rule], rows: NDArray[np.float32], sequences: Sequence[Sequence[int]]) -> None:
    """Apply every rule to rows (n, n_vocab) in place; sequences holds the sampled tokens of each row."""
    for row, sampled in zip(rows, sequences, strict=True):
        for rule in rules:
            rule.apply(row, sampled)


def log_sum_exp(row: Row) -> float:
    """Return log(sum(exp(row))) of a row (n,); minus infinity if nothing in it is allowed."""
    top = float(row.max(initial=-np.inf))
    if top == -np.inf:
        return top
    return top + float(np.log(np.exp(row - np.float32(top)).sum()))


def compression_ratio(text: str) -> float:
    """Return the bytes of a text over those of its zlib form, which repetition raises; 1 for an empty text."""
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0


def repeated_tail(tokens: Sequence[int]) -> int:
    """Count the tokens at the end that only repeat what comes before them; 0 unless it is a loop.

    In a loop nearly all of the last tokens end a triple that was written LOOP_COPIES times before. People say "no, no,
    no", and a chorus thrice; a decoder that lost the audio goes on for ever, sometimes with a word changed. The
    repetition begins at the first triple that was written before and is followed by little else.
    """
    before = _triples_before(tokens)
    if not _is_loop(before):
        return 0
    repeated, first = 0, len(tokens)
    for place in range(len(tokens) - 1, -1, -1):
        repeated += before[place] > 0
        if before[place] and repeated >= LOOP_SHARE * (len(tokens) - place):
            first = place - 2
    return len(tokens) - first


def most_repeated(audio_seconds: float) -> int:
    """Return how many tokens people may repeat in so much audio."""
    return round(REPEATED_PER_SECOND * audio_seconds)


def loop_begins(tokens: Sequence[int], repeats: int = 0) -> int:
    """Return how many of the tokens a search would write before a loop of more than `repeats` stops it; all without."""
    before = _triples_before(tokens)
    looping = (end for end in range(LOOP_TOKENS, len(tokens) + 1) if _is_loop(before[:end]))
    return next((end for end in looping if repeated_tail(tokens[:end]) > repeats), len(tokens))


def _triples_before(tokens: Sequence[int]) -> list[int]:
    """Return for every token how often the triple that ends there was written before."""
    said: Counter[tuple[int, ...]] = Counter()
    before = []
    for end in range(1, len(tokens) + 1):
        triple = tuple(tokens[max(0, end - 3) : end])
        before.append(said[triple] if len(triple) == 3 else 0)
        said[triple] += 1
    return before


def _is_loop(before: Sequence[int]) -> bool:
    return sum(count >= LOOP_COPIES for count in before[-LOOP_TOKENS:]) >= LOOP_SHARE * LOOP_TOKENS
