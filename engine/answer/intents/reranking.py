"""Reranking: the final choice among the likeliest labels, and its probability.

A network of a few states sees every candidate by itself: its probability by meaning and by words, and the distance to
all other labels. Its scores stand against one fixed score of "none of these".
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
"""Least probability of a label."""


@dataclass(frozen=True, slots=True)
class Opinions:
    """Opinions on every label (n, labels).

    Attributes:
        likely: logarithm of the probability by meaning.
        nearest: likeness of the nearest taught question.
        words: for each kind of units, how much more likely they make it.
    """

    likely: Vectors
    nearest: Vectors
    words: tuple[Vectors, ...]

    def candidates(self, kinds: NDArray[np.int64], sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], Vectors]:
        """Return the likeliest labels (n, k), and their features (n, k, features).

        `kinds` and `sizes` belong to the labels: the kind of each, counted from 0, and its number of taught questions.
        """
        found = np.argsort(-self.likely, axis=1, kind="stable")[:, :CANDIDATES]
        spoken = [np.take_along_axis(self.likely, found, 1)]
        for each in (self.nearest, *self.words):
            spoken += [np.take_along_axis(each, found, 1), _ahead(each, found)]
        spoken.append(np.log(sizes[found]).astype(np.float32))
        marks = np.eye(int(kinds.max()) + 1, dtype=np.float32)[kinds[found]]
        return found, np.concatenate([np.stack(spoken, axis=2), marks], axis=2)


def _ahead(scores: Vectors, found: NDArray[np.int64]) -> Vectors:
    """Return by how much the scores of some labels are above the best of all others."""
    best = np.sort(scores, axis=1)
    own = np.take_along_axis(scores, found, 1)
    ahead: Vectors = own - np.where(own >= best[:, -1:], best[:, -2:-1], best[:, -1:])
    return ahead


class Reranker:
    """The network of the reranking."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Use its arrays. Raises KeyError if one is missing."""
        self._first, self._bias, self._second, self._none = (
            arrays[f"reranker.{name}"].astype(np.float32) for name in ("first", "bias", "second", "none")
        )

    def probabilities(self, features: Vectors) -> Vectors:
        """Return the probability of each candidate (n, k); the rest to 1 is that of none of them."""
        scores = np.tanh(features @ self._first.T + self._bias) @ self._second
        scores = np.concatenate([scores, np.broadcast_to(self._none, (len(scores), 1))], axis=1)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        made: Vectors = (likely / likely.sum(axis=1, keepdims=True))[:, :-1]
        return made


def choose(
    numbers: NDArray[np.int64], features: Vectors, probabilities: Vectors, tools: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Vectors]:
    """Return the likeliest candidate's label of each question (n,), and its probability.

    `tools` marks the labels that are tools. Because tools act, one must also be the likeliest by meaning, and the lower
    of the two probabilities counts.
    """
    rows, best = np.arange(len(numbers)), probabilities.argmax(axis=1)
    found, sure = numbers[rows, best], probabilities[rows, best]
    agreed = np.where(best == 0, np.minimum(sure, np.exp(features[:, 0, 0])), np.float32(0))
    return found, np.where(tools[found], agreed, sure)


def kinds_of(kinds: Sequence[str]) -> NDArray[np.int64]:
    """Number the kinds of labels, in the order of their names."""
    return np.unique(np.array(kinds), return_inverse=True)[1].astype(np.int64)
