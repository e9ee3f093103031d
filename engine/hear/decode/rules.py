"""Constraints on the next token, and the detection of repetition loops.

A rule edits one row of logits (n_vocab,) in place: minus infinity forbids a token. `sampled` holds the tokens sampled
so far, without prompt and start-of-transcript sequence. Whisper's vocabulary is ordered: text, end of text, other
special tokens, timestamps. So a rule can name ranges.
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
"""Earlier occurrences from which on a triple of tokens counts as repeated."""

LOOP_TOKENS = 12
"""Length of the end of a text that is searched for a loop, in tokens."""

LOOP_SHARE = 0.75
"""Smallest share of repeated tokens in a loop."""

REPEATED_PER_SECOND, MOST_REPEATED = 6.0, 48
"""Highest rate at which people repeat tokens, such as in a telephone number, in tokens per second, and the most tokens
that they repeat in a row."""


class Rule(Protocol):
    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        """Forbid tokens in row (n_vocab,), the logits of the token after the sampled ones."""


class Suppress:
    """Forbids some tokens everywhere."""

    def __init__(self, tokens: NDArray[np.int64]) -> None:
        # Adding a vector is several times faster than setting tens of thousands of single elements.
        self._penalties = np.zeros(tokens.max(initial=-1) + 1, np.float32)
        self._penalties[tokens] = -np.inf

    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        row[: len(self._penalties)] += self._penalties


@dataclass(frozen=True, slots=True)
class SuppressAtStart:
    """Forbids some tokens at the start: a transcript begins neither with a lone space nor with its end."""

    tokens: NDArray[np.int64]

    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        if not sampled:
            row[self.tokens] = -np.inf


@dataclass(frozen=True, slots=True)
class TextOnly:
    """Allows text and end of text only: no other special token, no language, no timestamp."""

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
    """Return log(sum(exp(row))) of a row (n,); minus infinity if the row allows no token."""
    top = float(row.max(initial=-np.inf))
    if top == -np.inf:
        return top
    return top + float(np.log(np.exp(row - np.float32(top)).sum()))


def compression_ratio(text: str) -> float:
    """Return the length of a text in bytes over its compressed length (zlib); 1 for an empty text.

    Repetition raises the ratio.
    """
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0


def repeated_tail(tokens: Sequence[int]) -> int:
    """Return the number of tokens at the end that only repeat earlier ones; 0 if there is no loop.

    In a loop, nearly all of the last tokens end a triple that has occurred LOOP_COPIES times before. People say "no,
    no,
    no", and a chorus three times; a decoder that has lost the audio repeats without end, sometimes with a word changed.
    The
    repetition begins at the first triple that occurred before and after which almost all tokens repeat.
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
    """Return the largest number of tokens that people may repeat in that time."""
    return min(MOST_REPEATED, round(REPEATED_PER_SECOND * audio_seconds))


def loop_begins(tokens: Sequence[int], repeats: int = 0) -> int:
    """Return the number of tokens before a loop of more than `repeats` tokens; all of them if there is none."""
    before = _triples_before(tokens)
    looping = (end for end in range(LOOP_TOKENS, len(tokens) + 1) if _is_loop(before[:end]))
    return next((end for end in looping if repeated_tail(tokens[:end]) > repeats), len(tokens))


def _triples_before(tokens: Sequence[int]) -> list[int]:
    """Return for each token the number of earlier occurrences of the triple that ends there."""
    said: Counter[tuple[int, ...]] = Counter()
    before = []
    for end in range(1, len(tokens) + 1):
        triple = tuple(tokens[max(0, end - 3) : end])
        before.append(said[triple] if len(triple) == 3 else 0)
        said[triple] += 1
    return before


def _is_loop(before: Sequence[int]) -> bool:
    return sum(count >= LOOP_COPIES for count in before[-LOOP_TOKENS:]) >= LOOP_SHARE * LOOP_TOKENS
