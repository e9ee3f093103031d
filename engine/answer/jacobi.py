"""Jacobi decoding: a block of guesses is corrected at all places at once, until the model would change none of them.

Every forward returns the likeliest token at each place of the block, given the tokens that stand before it now. The
correct tokens from the first place on stay; the rest is replaced by the forward's tokens, and read again. The text at
the fixed point is that of plain greedy decoding (Santilli et al., arXiv:2305.10427; consistency models that need few
rounds: Kou et al., arXiv:2403.00835; PredGen, 3.4). The first block is the rest of the last candidate, as corrected by
the forward that read it; later ones begin as tokens drawn from the earlier ones.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from engine.language.drafts import Guesser, Guesses


class JacobiBlock:
    """Guesses the continuation of an answer, block by block.

    Attributes:
        offered: tokens of all blocks, counted every time they were read.
        kept: how many of those the model would have written.
    """

    def __init__(
        self, prompt: Sequence[int], corrected: Sequence[int], block_tokens: int, ends: Collection[int]
    ) -> None:
        """Begin with a block that a forward has corrected, which may be empty; `ends` are tokens that end an answer."""
        self._seen = [token for token in prompt if token not in ends]
        self._block = list(corrected)
        self._block_tokens = block_tokens
        self._ends = ends
        self._random = random.Random(0)
        self.offered = 0
        self.kept = 0

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Return the present block, at most `room` tokens, up to the end of the answer."""
        if not self._block:  # the token before the block is read too and counts as part of it
            seen = [*self._seen, *answer]
            self._block = [self._random.choice(seen) for _ in range(self._block_tokens - 1)]
        end = next((place for place, token in enumerate(self._block) if token in self._ends), len(self._block))
        guess = self._block[: min(room, end)]
        self.offered += len(guess)
        return guess

    def judge(self, kept: int, best: Sequence[int]) -> None:
        """Correct wrong tokens, and remove those that the answer has accepted."""
        self.kept += kept
        self._block = list(best[kept + 1 :])


def jacobi(block_tokens: int, ends: Collection[int]) -> Guesses:
    """Return a factory of `JacobiBlock`, for decoding in blocks of this many tokens."""

    def guesser(prompt: Sequence[int], rest: Sequence[int], best: Sequence[int]) -> Guesser:
        return JacobiBlock(prompt, best, block_tokens, ends)

    return guesser
