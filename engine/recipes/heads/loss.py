"""What heads lose by what they foresee wrongly, and what verification would keep of what they foresee.

Shapes: m positions of some transcripts, k = K - 1 heads, w numbers of a position's states, d states, u tokens that may
be said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.hear.whisper.heads import Heads
from engine.recipes.heads.teacher import Lesson, Teacher

NOTHING = -1  # where the text is over, or a token is not among those that may be said
FRAMES_PER_UNIT = 10.0  # of the guide


@dataclass(frozen=True, slots=True)
class Batch:
    """Some transcripts, every position but the last of each.

    Attributes:
        states: that the model writes the next token from (m, w).
        tokens: the next one, then those after it (m, k + 1), NOTHING behind the end.
        columns: of the tokens after the next among those that may be said (m, k), or NOTHING.
        frames: that the model looks at to write the tokens after the next (m, k), NaN where it does not say.
    """

    lessons: Sequence[Lesson]
    states: mx.array
    tokens: mx.array
    columns: mx.array
    frames: mx.array


def make_batch(lessons: Sequence[Lesson], ahead: int, draft_tokens: NDArray[np.int64] | None) -> Batch:
    """Put transcripts together, for heads 2 to `ahead` that may say these tokens, or all."""
    states, tokens, frames = [], [], []
    for lesson in lessons:
        count = len(lesson.tokens)
        places = np.arange(count - 1)[:, None] + np.arange(ahead)
        known = places < count
        places = np.minimum(places, count - 1)
        states.append(lesson.states[:-1])
        tokens.append(np.where(known, lesson.tokens[places], NOTHING))
        frames.append(np.where(known, lesson.states[places, -1], np.nan)[:, 1:])
    following = np.concatenate(tokens)
    columns = following[:, 1:]
    if draft_tokens is not None:
        where = np.searchsorted(draft_tokens, columns).clip(max=len(draft_tokens) - 1)
        columns = np.where(draft_tokens[where] == columns, where, NOTHING)
    return Batch(
        lessons,
        mx.array(np.concatenate(states)).astype(mx.float32),
        mx.array(following),
        mx.array(columns),
        mx.array(np.concatenate(frames).astype(np.float32)),
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts of what verification (top-m, M = 1) keeps of what was foreseen, summed over transcripts.

    Attributes:
        foreseen, tokens: for each head, the tokens that it got right, and all that there were.
        written, forwards: the tokens of the transcripts, ends included, and what verification takes to write them.
    """

    ahead: int
    foreseen: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    tokens: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    written: int = 0
    forwards: int = 0

    def __add__(self, other: Kept) -> Kept:
        if not self.forwards:
            return other
        return Kept(
            self.ahead,
            self.foreseen + other.foreseen,
            self.tokens + other.tokens,
            self.written + other.written,
            self.forwards + other.forwards,
        )

    @property
    def right(self) -> list[float]:
        """For each head, the share of its tokens that it got right."""
        shares: list[float] = (self.foreseen / np.maximum(1, self.tokens)).tolist()
        return shares

    @property
    def tokens_per_forward(self) -> float:
        """Return how many tokens each forward writes: 1 without heads."""
        return self.written / max(1, self.forwards)


class HeadsLoss:
    """The mean cross-entropy of what heads foresee, each head given what is right before it."""

    def __init__(self, heads: Heads, teacher: Teacher, guide: float) -> None:
        """`guide` weighs the distance, in units of frames, between where a block listens and where it should."""
        self._heads = heads
        self._teacher = teacher
        self._guide = guide

    def __call__(self, batch: Batch) -> mx.array:
        logits, places = self._foresee(batch)
        known = (batch.columns != NOTHING).astype(mx.float32)
        losses = nn.losses.cross_entropy(logits, mx.maximum(batch.columns, 0))
        loss = (losses * known).sum() / mx.maximum(known.sum(), 1)
        if places is None or not self._guide:
            return loss
        said = mx.logical_not(mx.isnan(batch.frames))
        away = mx.abs(places - mx.where(said, batch.frames, 0)) / FRAMES_PER_UNIT
        return loss + self._guide * mx.where(said, away, 0).sum() / mx.maximum(said.sum(), 1)

    def kept(self, batch: Batch) -> Kept:
        """Return what verification would keep of what the heads foresee."""
        logits, _ = self._foresee(batch)
        right = np.array(mx.argmax(logits, axis=-1) == batch.columns)
        there = np.array(batch.tokens)[:, 1:] != NOTHING
        written = forwards = first = 0
        for lesson in batch.lessons:
            count = len(lesson.tokens)
            written += count
            forwards += verification_forwards(right[first : first + count - 1])
            first += count - 1
        return Kept(right.shape[1] + 1, right.sum(axis=0), there.sum(axis=0), written, forwards)

    def _foresee(self, batch: Batch) -> tuple[mx.array, mx.array | None]:
        """The logits (m, k, u) of all heads, and where a block listens (m, k)."""
        heads = self._heads
        if heads.kind != "block":
            return heads.logits(batch.states, heads.ahead - 1), None
        heard = []
        for lesson in batch.lessons:
            cross = self._teacher.listens(lesson)
            assert cross is not None, "Lessons of a block know what was heard."
            heard.append(heads.block.hearing(cross, len(lesson.tokens) - 1))
        before = self._teacher.hearing.model.embedding(mx.maximum(batch.tokens[:, :-1], 0))
        states, places = heads.block.follow(batch.states, before.astype(mx.float32), heard)
        return heads.unembed(states).astype(mx.float32), places


def verification_forwards(right: NDArray[np.bool_]) -> int:
    """The forwards that write n + 1 tokens, by which heads are right at the n positions before the last: (n, k).

    The first forward reads the prompt. Every other reads a token that is sure and what was foreseen behind it, as far
    as the text goes.
    """
    place, forwards = 0, 1
    while place < len(right):
        wrong = np.flatnonzero(~right[place])
        place += 1 + (int(wrong[0]) if len(wrong) else right.shape[1])
        forwards += 1
    return forwards
