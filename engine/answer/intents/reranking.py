"""Which of the likeliest labels it is after all, and how likely that is, by all that speaks for each of them.

A network of a few states looks at every candidate by itself: how likely it is by meaning and by words, and by how much
more than any other label. What it gives them stands against one fixed score of "none of these".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answer.intents.encoder import Vectors

CANDIDATES = 6
LEAST = 1e-9
"""No label is less likely than this."""


@dataclass(frozen=True, slots=True)
class Opinions:
    """Opinions of every label (n, labels), by what speaks for it.

    Attributes:
        likely: the logarithm of how likely it is by meaning.
        nearest: how near the nearest of its taught questions is.
        words: of each kind of units, how much more likely they make it.
    """

    likely: Vectors
    nearest: Vectors
    words: tuple[Vectors, ...]

    def candidates(self, kinds: NDArray[np.int64], sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], Vectors]:
        """Give the likeliest labels (n, k), and what speaks for each (n, k, features).

        `kinds` and `sizes` are of the labels: which kind each is, counted from 0, and how many of its questions were
        taught.
        """
        found = np.argsort(-self.likely, axis=1, kind="stable")[:, :CANDIDATES]
        spoken = [np.take_along_axis(self.likely, found, 1)]
        for each in (self.nearest, *self.words):
            spoken += [np.take_along_axis(each, found, 1), _ahead(each, found)]
        spoken.append(np.log(sizes[found]).astype(np.float32))
        marks = np.eye(int(kinds.max()) + 1, dtype=np.float32)[kinds[found]]
        return found, np.concatenate([np.stack(spoken, axis=2), marks], axis=2)


def _ahead(scores: Vectors, found: NDArray[np.int64]) -> Vectors:
    """Tell by how much the scores of some labels are above the best of all others."""
    best = np.sort(scores, axis=1)
    own = np.take_along_axis(scores, found, 1)
    ahead: Vectors = own - np.where(own >= best[:, -1:], best[:, -2:-1], best[:, -1:])
    return ahead


class Reranker:
    """The network."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take its arrays; KeyError where one is missing."""
        self._first, self._bias, self._second, self._none = (
            arrays[f"reranker.{name}"].astype(np.float32) for name in ("first", "bias", "second", "none")
        )

    def probabilities(self, features: Vectors) -> Vectors:
        """Give how likely each candidate is (n, k); what is missing to 1 is none of them."""
        scores = np.tanh(features @ self._first.T + self._bias) @ self._second
        scores = np.concatenate([scores, np.broadcast_to(self._none, (len(scores), 1))], axis=1)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        made: Vectors = (likely / likely.sum(axis=1, keepdims=True))[:, :-1]
        return made


def choose(
    numbers: NDArray[np.int64], features: Vectors, probabilities: Vectors, tools: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Vectors]:
    """Give the likeliest candidate's label of each question (n,), and how sure it is.

    `tools` tells which labels are tools. They do something: one must be the likeliest by meaning, too, and what counts
    is the less sure of the two.
    """
    rows, best = np.arange(len(numbers)), probabilities.argmax(axis=1)
    found, sure = numbers[rows, best], probabilities[rows, best]
    agreed = np.where(best == 0, np.minimum(sure, np.exp(features[:, 0, 0])), np.float32(0))
    return found, np.where(tools[found], agreed, sure)


def kinds_of(kinds: Sequence[str]) -> NDArray[np.int64]:
    """Number the kinds of labels, in the order of their names."""
    return np.unique(np.array(kinds), return_inverse=True)[1].astype(np.int64)
