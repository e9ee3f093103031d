"""The networks of the classifier of intents, learnt in numpy: over vectors of sentences, and over candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answer.intents.classifier import SHARPNESS
from engine.answer.intents.encoder import Vectors

STEPS, BATCH, PEAK_RATE, WARMUP_STEPS, DROPPED = 700, 384, 2e-3, 50, 0.3
HIDDEN = 512
UNUSUAL_WEIGHT = 3.0
"""Weight with which a question in unusual words is drawn, beside 1 for another."""

RERANKER_STEPS, RERANKER_RATE, RERANKER_HIDDEN = 400, 2e-2, 8
BETAS, DECAY = (0.9, 0.999), 0.01

Arrays = dict[str, NDArray[Any]]


class Adam:
    """Adam with decay that is decoupled from it, over arrays by name, which it changes in place."""

    def __init__(self, weights: Mapping[str, Vectors]) -> None:
        self._weights, self._step = weights, 0
        self._means, self._squares = ({name: np.zeros_like(each) for name, each in weights.items()} for _ in range(2))

    def step(self, gradients: Mapping[str, Vectors], rate: float) -> None:
        """Change the weights against their gradients."""
        self._step += 1
        unbiased = math.sqrt(1 - BETAS[1] ** self._step) / (1 - BETAS[0] ** self._step)
        for name, gradient in gradients.items():
            mean, square, weight = self._means[name], self._squares[name], self._weights[name]
            mean += (1 - BETAS[0]) * (gradient - mean)
            square += (1 - BETAS[1]) * (gradient * gradient - square)
            weight -= np.float32(rate) * (unbiased * mean / (np.sqrt(square) + 1e-8) + DECAY * weight)


def fitted(
    vectors: Vectors,
    numbers: NDArray[np.int64],
    counts: NDArray[np.float64],
    labels: int,
    seed: int,
    *,
    hidden: int = HIDDEN,
    steps: int = STEPS,
    batch: int = BATCH,
) -> Arrays:
    """Train a network on vectors (n, d), their labels (n,) and how much each counts (n,); return its arrays."""
    drawn = np.random.default_rng(seed)
    weights = {
        "first.weight": _drawn(drawn, hidden, vectors.shape[1]),
        "first.bias": np.zeros(hidden, np.float32),
        "second.weight": _drawn(drawn, labels, hidden),
        "second.bias": np.zeros(labels, np.float32),
    }
    adam, often = Adam(weights), np.cumsum(counts)
    for step in range(steps):
        places = np.searchsorted(often, drawn.random(batch) * often[-1], side="right")
        rate = PEAK_RATE * min(1.0, (step + 1) / WARMUP_STEPS) * (1 - step / steps)
        adam.step(_gradients(weights, vectors[places], numbers[places], drawn), rate)
    return {name: each.astype(np.float16) for name, each in weights.items()}


def _gradients(
    weights: dict[str, Vectors], vectors: Vectors, numbers: NDArray[np.int64], drawn: np.random.Generator
) -> dict[str, Vectors]:
    """Return the gradients of the cross-entropy of some vectors, with a part of all states dropped."""
    x = vectors * np.float32(SHARPNESS) * _kept(drawn, vectors.shape)
    inner = x @ weights["first.weight"].T + weights["first.bias"]
    passed = (inner > 0) * _kept(drawn, inner.shape)
    inner *= passed
    errors = inner @ weights["second.weight"].T + weights["second.bias"]
    errors = np.exp(errors - errors.max(axis=1, keepdims=True))
    errors /= errors.sum(axis=1, keepdims=True)
    errors[np.arange(len(numbers)), numbers] -= 1
    errors /= len(numbers)
    back = (errors @ weights["second.weight"]) * passed
    return {
        "first.weight": back.T @ x,
        "first.bias": back.sum(axis=0),
        "second.weight": errors.T @ inner,
        "second.bias": errors.sum(axis=0),
    }


def _kept(drawn: np.random.Generator, shape: tuple[int, ...]) -> Vectors:
    kept: Vectors = (drawn.random(shape, dtype=np.float32) >= DROPPED).astype(np.float32) / np.float32(1 - DROPPED)
    return kept


def _drawn(drawn: np.random.Generator, rows: int, columns: int) -> Vectors:
    made: Vectors = drawn.uniform(-1, 1, (rows, columns)).astype(np.float32) / np.float32(math.sqrt(columns))
    return made


def reranker(features: Vectors, right: NDArray[np.bool_], weights: Vectors, seed: int) -> Arrays:
    """Train the network that chooses among candidates (n, k, features), of which some are right (n, k) or none is."""
    drawn = np.random.default_rng(seed)
    mean, scale = features.mean(axis=(0, 1)), features.std(axis=(0, 1)) + np.float32(1e-6)
    x = (features - mean) / scale
    wanted = np.concatenate([right, ~right.any(axis=1, keepdims=True)], axis=1)
    learnt = {
        "first": _drawn(drawn, RERANKER_HIDDEN, x.shape[2]),
        "bias": np.zeros(RERANKER_HIDDEN, np.float32),
        "second": _drawn(drawn, 1, RERANKER_HIDDEN)[0],
        "none": np.full(1, -3.0, np.float32),
    }
    adam = Adam(learnt)
    for _ in range(RERANKER_STEPS):
        adam.step(_reranker_gradients(learnt, x, wanted, weights / weights.sum()), RERANKER_RATE)
    first = learnt["first"] / scale
    learnt |= {"first": first, "bias": learnt["bias"] - first @ mean}
    return {f"reranker.{name}": each.astype(np.float32) for name, each in learnt.items()}


def _reranker_gradients(
    learnt: Mapping[str, Vectors], x: Vectors, wanted: NDArray[np.bool_], weights: Vectors
) -> dict[str, Vectors]:
    """Return the gradients of how unlikely it is that one of the wanted is chosen."""
    inner = np.tanh(x @ learnt["first"].T + learnt["bias"])
    scores = inner @ learnt["second"]
    scores = np.concatenate([scores, np.broadcast_to(learnt["none"], (len(scores), 1))], axis=1)
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    among = np.where(wanted, likely, np.float32(1e-30))
    errors = (likely - among / among.sum(axis=1, keepdims=True)) * weights[:, None]
    own = errors[:, :-1]
    back = own[..., None] * learnt["second"] * (1 - inner * inner)
    return {
        "first": np.einsum("nkh,nkf->hf", back, x, optimize=True),
        "bias": back.sum(axis=(0, 1)),
        "second": np.einsum("nk,nkh->h", own, inner),
        "none": errors[:, -1:].sum(axis=0),
    }
