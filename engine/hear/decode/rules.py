"""What the decoder may say next, and when it has begun to loop.

A rule edits one row of logits (n_vocab,) in place: minus infinity forbids a token. `sampled` holds the tokens sampled
so far, without prompt and start-of-transcript sequence. Whisper's vocabulary has the order: text, end of text, other
special tokens, timestamps; so a rule can speak of ranges.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.tokenizer import SECONDS_PER_TIMESTAMP, Tokenizer

Row = NDArray[np.float32]

MAX_INITIAL_TIMESTAMP_SECONDS = 1.0
NO_TOKENS = np.zeros(0, np.int64)
LOOP_COPIES = 3
LOOP_TOKENS = 12
LOOP_SHARE = 0.75
REPEATED_PER_SECOND = 6.0
"""Most tokens a second that people repeat, as in a telephone number: more is a decoder that has lost the audio."""


class Rule(Protocol):
    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        """Forbid tokens in row (n_vocab,), the logits that follow the sampled tokens."""


class Suppress:
    """Never say these tokens."""

    def __init__(self, tokens: NDArray[np.int64]) -> None:
        # A sum with all places is several times quicker than writing to tens of thousands of them, one by one.
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


@dataclass(frozen=True, slots=True)
class TimestampRules:
    """Timestamps open and close segments of text, and never run backwards.

    Attributes:
        eot, begin: the end-of-text token and the first timestamp token, `<|0.00|>`.
        last: index of the last timestamp within the audio.
        last_initial: index of the last timestamp that the first segment may begin with.
    """

    eot: int
    begin: int
    last: int
    last_initial: int

    def apply(self, row: Row, sampled: Sequence[int]) -> None:
        text, times = row[: self.begin], row[self.begin :]
        row[self.eot + 1 : self.begin] = -np.inf
        times[self.last + 1 :] = -np.inf
        if not sampled:
            text[:] = -np.inf
            times[self.last_initial + 1 :] = -np.inf
            return
        after_time = sampled[-1] >= self.begin
        segment_open = after_time and (len(sampled) == 1 or sampled[-2] >= self.begin)
        if segment_open:  # text must follow
            times[:] = -np.inf
        elif after_time:  # a segment was closed: the next one opens, or the text ends
            row[: self.eot] = -np.inf
        times[: self._earliest(sampled, after_time and not segment_open)] = -np.inf
        if log_sum_exp(times) > text.max():  # a timestamp is likelier than any single token of text
            text[:] = -np.inf

    def _earliest(self, sampled: Sequence[int], segment_closed: bool) -> int:
        """The first timestamp index that may come next."""
        previous = next((token for token in reversed(sampled) if token >= self.begin), None)
        if previous is None:
            return 0
        # A segment may open where the one before closed, but closes later than it opened.
        return previous - self.begin + (0 if segment_closed else 1)


def transcript_rules(
    tokenizer: Tokenizer, timestamps: bool, audio_seconds: float, forbidden: NDArray[np.int64]
) -> tuple[Rule, ...]:
    """The rules of a transcription, in the order in which they apply; `forbidden` tokens (k,) are never said."""
    rules: list[Rule] = [
        Suppress(np.concatenate([np.array(tokenizer.non_speech_tokens, np.int64), forbidden])),
        SuppressAtStart(np.array(tokenizer.blank_tokens, np.int64)),
    ]
    if not timestamps:
        return (*rules, TextOnly(tokenizer.eot))
    last = max(0, round(audio_seconds / SECONDS_PER_TIMESTAMP))
    initial = round(MAX_INITIAL_TIMESTAMP_SECONDS / SECONDS_PER_TIMESTAMP)
    return (*rules, TimestampRules(tokenizer.eot, tokenizer.timestamp_begin, last, min(initial, last)))


def apply_rules(rules: Sequence[Rule], rows: NDArray[np.float32], sequences: Sequence[Sequence[int]]) -> None:
    """Apply every rule to rows (n, n_vocab) in place; sequences holds the sampled tokens of each row."""
    for row, sampled in zip(rows, sequences, strict=True):
        for rule in rules:
            rule.apply(row, sampled)


def log_sum_exp(row: Row) -> float:
    """log(sum(exp(row))) of a row (n,); minus infinity if nothing in it is allowed."""
    top = float(row.max(initial=-np.inf))
    if top == -np.inf:
        return top
    return top + float(np.log(np.exp(row - np.float32(top)).sum()))


def compression_ratio(text: str) -> float:
    """Bytes of the text over bytes of its zlib form: repetition raises it; empty text has none (1.0)."""
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0


def repeated_tail(tokens: Sequence[int]) -> int:
    """Count the tokens at the end that only repeat what comes before them; 0 unless it is a loop.

    In a loop nearly all of the last tokens end a triple that was said LOOP_COPIES times before: people say "no, no,
    no", and a chorus thrice, but decoders that lost the audio go on for ever, at times with a word changed. What
    repeats is all from the first triple that had been said before and was followed by little else.
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
    """Return how many of the tokens a search would have written before it was stopped for a loop of more than `repeats`
    tokens; all, if there is none.
    """
    before = _triples_before(tokens)
    looping = (end for end in range(LOOP_TOKENS, len(tokens) + 1) if _is_loop(before[:end]))
    return next((end for end in looping if repeated_tail(tokens[:end]) > repeats), len(tokens))


def _triples_before(tokens: Sequence[int]) -> list[int]:
    """For every token, how often the triple that ends there had been said before."""
    said: Counter[tuple[int, ...]] = Counter()
    before = []
    for end in range(1, len(tokens) + 1):
        triple = tuple(tokens[max(0, end - 3) : end])
        before.append(said[triple] if len(triple) == 3 else 0)
        said[triple] += 1
    return before


def _is_loop(before: Sequence[int]) -> bool:
    return sum(count >= LOOP_COPIES for count in before[-LOOP_TOKENS:]) >= LOOP_SHARE * LOOP_TOKENS
