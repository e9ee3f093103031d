"""Search strategies for a transcript: greedy, sampling, or beam.

A search holds live candidates, one for each row of the decoder's batch. `advance` gets the filtered logits of those
rows and returns which row each new live candidate continues, so that the caller can reorder the decoder's cache. A
search starts with a single candidate, and the beam grows from its best continuations; prefixes stay distinct, so no
sequence occurs twice.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.rules import Row, log_sum_exp

CHUNK = 64

Choices = tuple[tuple[int, float], ...]
"""The likeliest next tokens and their log-probabilities, likeliest first."""


@dataclass(frozen=True, slots=True)
class TextCandidate:
    """A partial transcript.

    Attributes:
        tokens: tokens sampled so far, end of text excluded.
        logprobs: log-probability of each token.
        sum_logprob: their sum, with that of the end of text once it was sampled.
        heads: the head that wrote each token, and the end of text once it was sampled: 1 predicts the next token, 2 the
            one after it, and so on.
    """

    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    sum_logprob: float = 0.0
    heads: tuple[int, ...] = ()

    def extended(self, token: int, logprob: float, head: int = 1) -> TextCandidate:
        tokens, logprobs = (*self.tokens, token), (*self.logprobs, logprob)
        return TextCandidate(tokens, logprobs, self.sum_logprob + logprob, (*self.heads, head))

    def ended(self, logprob: float, head: int = 1) -> TextCandidate:
        return TextCandidate(self.tokens, self.logprobs, self.sum_logprob + logprob, (*self.heads, head))

    @property
    def has_ended(self) -> bool:
        """Return whether the end of text was sampled."""
        return len(self.heads) > len(self.tokens)

    @property
    def average_logprob(self) -> float:
        """Mean over the tokens and the end of text."""
        return self.sum_logprob / (len(self.tokens) + 1)


class Search(Protocol):
    live: list[TextCandidate]
    pruned_steps: int

    @property
    def done(self) -> bool:
        """Return whether enough candidates have ended."""

    def advance(self, rows: NDArray[np.float32]) -> list[int]:
        """Extend the live candidates by rows (len(live), n_vocab) of logits; return each new one's source row."""

    def best(self) -> TextCandidate:
        """Return the best candidate so far, ended or not."""


class Greedy:
    """Chooses the likeliest token at every step, or samples one at a temperature."""

    pruned_steps = 0

    def __init__(self, eot: int, temperature: float = 0.0, generator: np.random.Generator | None = None) -> None:
        self.live = [TextCandidate()]
        self._eot = eot
        self._temperature = temperature
        self._generator = generator or np.random.default_rng(0)
        self._finished: TextCandidate | None = None

    @property
    def done(self) -> bool:
        return self._finished is not None

    def advance(self, rows: NDArray[np.float32]) -> list[int]:
        row, candidate = rows[0], self.live[0]
        token = int(row.argmax()) if self._temperature == 0 else self._draw(row)
        logprob = float(row[token]) - log_sum_exp(row)
        if token == self._eot:
            self._finished = candidate.ended(logprob)
            return []
        self.live = [candidate.extended(token, logprob)]
        return [0]

    def best(self) -> TextCandidate:
        return self._finished or self.live[0]

    def _draw(self, row: Row) -> int:
        weights = np.exp((row - row.max()).astype(np.float64) / self._temperature).cumsum()
        return int(np.searchsorted(weights, self._generator.random() * weights[-1], side="right"))


class Beam:
    """Keeps the `size` likeliest sequences at every step, until round(size * patience) have ended
    (arXiv:2204.05424).
    """

    pruned_steps = 0

    def __init__(self, eot: int, size: int, patience: float = 1.0, length_penalty: float | None = None) -> None:
        self.live = [TextCandidate()]
        self.size = size
        self._eot = eot
        self._enough = max(1, round(size * patience))
        self._length_penalty = length_penalty
        self._finished: list[TextCandidate] = []

    @property
    def done(self) -> bool:
        return len(self._finished) >= self._enough or not self.live

    def advance(self, rows: NDArray[np.float32]) -> list[int]:
        return self.choose([self.likeliest(row) for row in rows])

    def likeliest(self, row: Row) -> Choices:
        """Return the size + 1 likeliest next tokens by their logits (v,), with their log-probabilities.

        That is one more than the beam holds, since one of them may be the end of text.
        """
        normaliser = log_sum_exp(row)
        return tuple((token, float(row[token]) - normaliser) for token in top_tokens(row, self.size + 1))

    def choose(self, choices: Sequence[Choices]) -> list[int]:
        """Extend the live candidates by their likeliest tokens; return each new one's source."""
        live: list[TextCandidate] = []
        sources: list[int] = []
        ended: list[TextCandidate] = []
        for source, token, logprob in self._continuations(choices):
            if token == self._eot:
                ended.append(self.live[source].ended(logprob))
                continue
            live.append(self.live[source].extended(token, logprob))
            sources.append(source)
            if len(live) == self.size:
                break
        self._finished += ended[: self._enough - len(self._finished)]
        self.live = live
        return sources

    def is_decided(self, choices: Sequence[Choices | None]) -> bool:
        """Return whether candidates whose tokens are not known (None) lose whatever they are, against those known."""
        unknown = [one.sum_logprob for one, known in zip(self.live, choices, strict=True) if known is None]
        if not unknown:
            return True
        known = self._continuations([each or () for each in choices])
        better = [
            source
            for source, token, logprob in known
            if token != self._eot and self.live[source].sum_logprob + logprob > max(unknown)
        ]
        return len(better) >= self.size

    def copied(self) -> Beam:
        """Return a beam that goes on from here by itself."""
        other = copy.copy(self)
        other._finished = list(self._finished)
        return other

    def grow(self, longer: Sequence[TextCandidate]) -> list[int]:
        """Replace the live candidates by longer ones; return the indices of those that have not ended."""
        ended = [candidate for candidate in longer if candidate.has_ended]
        self._finished += ended[: self._enough - len(self._finished)]
        stay = [place for place, candidate in enumerate(longer) if not candidate.has_ended]
        self.live = [longer[place] for place in stay]
        return stay

    def best(self) -> TextCandidate:
        return next(iter(self.ranked()), TextCandidate())

    def ranked(self) -> list[TextCandidate]:
        """Return ended candidates and the likeliest live ones, up to `size`, best first."""
        unfinished = sorted(self.live, key=lambda candidate: -candidate.sum_logprob)
        missing = max(0, self.size - len(self._finished))
        return sorted(self._finished + unfinished[:missing], key=self._score, reverse=True)

    def _continuations(self, choices: Sequence[Choices]) -> list[tuple[int, int, float]]:
        """Return every (source row, token, log-probability), best sum first."""
        found = [
            (self.live[source].sum_logprob + logprob, source, token, logprob)
            for source, tokens in enumerate(choices)
            for token, logprob in tokens
        ]
        found.sort(key=lambda entry: -entry[0])
        return [(source, token, logprob) for _, source, token, logprob in found]

    def _score(self, candidate: TextCandidate) -> float:
        length = max(1, len(candidate.tokens))
        if self._length_penalty is None:
            return candidate.sum_logprob / length
        return float(candidate.sum_logprob / ((5 + length) / 6) ** self._length_penalty)


def top_tokens(row: Row, count: int) -> Sequence[int]:
    """Return the `count` likeliest allowed tokens of a row (n,), likeliest first; fewer if fewer are allowed.

    The count-th largest maximum of any chunks is at most the count-th largest value, so all wanted values lie at or
    above it. This is faster than a partition of the whole row.
    """
    whole = len(row) // CHUNK * CHUNK
    maxima = row[:whole].reshape(CHUNK, -1).max(axis=0)  # interleaved chunks, so that maxima are vectorized
    bound = np.partition(maxima, -count)[-count] if len(maxima) >= count else -np.inf
    found = np.flatnonzero(row >= bound if bound > -np.inf else row > -np.inf)
    order: list[int] = found[np.argsort(-row[found], kind="stable")][:count].tolist()
    return order
