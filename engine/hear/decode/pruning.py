"""Beam pruning (WhisperFlow, section 4.2): one candidate is enough while a search writes what the last round wrote.

As published, a search begins with one candidate. Its likeliest token is looked for in the last hypothesis, the
reference; from there on, token after token is compared. As long as they are the same, one candidate is enough; at the
first difference, or when the reference has ended, the whole beam takes over for good. Punctuation, timestamps and
other special tokens vary from round to round: they are written without a comparison, and left out of the reference.
Text is compared without case and surrounding space.

`Pruning` says which of two improvements over the paper are on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.beam import Beam
from engine.hear.decode.rules import log_sum_exp
from engine.hear.decode.tokenizer import TextTokens

AGAIN_TOKENS = 2
"""Text tokens in a row that must equal the reference before it is followed again."""

AGAIN_REACH = 8
"""Farthest that these tokens may lie from their place in a reference without losses and insertions."""

CUT_CHARACTER = "\ufffd"

Key = Callable[[int], str | None]
"""The part of a token that is compared; None if it is not compared."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """Variants of pruning.

    Attributes:
        aligned: the reference begins where the audio does, and is followed from its first word. Otherwise a search
            begins at the first match, and may find a word such as "the" anywhere.
        again: one candidate is enough again once the best one has come back to the reference.
    """

    aligned: bool
    again: bool


PUBLISHED = Pruning(aligned=False, again=False)
IMPROVED = Pruning(aligned=True, again=True)


@lru_cache(maxsize=1 << 16)
def key_of_token(tokenizer: TextTokens, token: int) -> str | None:
    """Return a token's text without case and surrounding space; None for special tokens, punctuation and spaces."""
    if tokenizer.is_special(token):
        return None
    text = tokenizer.decode([token])
    if CUT_CHARACTER in text:
        return f"{CUT_CHARACTER}{token}"  # a part of a character is only itself
    text = text.strip().lower()
    return text if any(unicodedata.category(character)[0] in "LMN" for character in text) else None


class Follower:
    """The place of a search in its reference, a sequence of keys.

    Attributes:
        place: index of the key that comes next; None while no beginning was found.
    """

    def __init__(self, reference: Sequence[str], aligned: bool) -> None:
        self.place: int | None = 0 if aligned else None
        self._reference = tuple(reference)

    def follows(self, key: str | None) -> bool:
        """Tell whether a key comes next, and if so, go on; a key of None always does."""
        if key is None:
            return True
        place = self.place
        if place is None:
            place = self._reference.index(key) if key in self._reference else len(self._reference)
        if place >= len(self._reference) or self._reference[place] != key:
            return False
        self.place = place + 1
        return True

    def finds_again(self, keys: Sequence[str]) -> bool:
        """Tell whether the last of these keys, written since the reference was left, are in it; if so, go on there."""
        left = self.place or 0
        wanted = tuple(keys[-AGAIN_TOKENS:])
        if len(wanted) < AGAIN_TOKENS:
            return False
        expected = left + len(keys)
        ends = range(max(left + AGAIN_TOKENS, expected - AGAIN_REACH), expected + AGAIN_REACH + 1)
        for end in sorted(ends, key=lambda end: abs(end - expected)):
            if self._reference[end - AGAIN_TOKENS : end] == wanted:
                self.place = end
                return True
        return False


class PrunedBeam(Beam):
    """A beam that is one candidate wide while it follows a reference.

    Attributes:
        pruned_steps: steps that a single candidate was enough for.
    """

    def __init__(
        self,
        eot: int,
        size: int,
        patience: float = 1.0,
        *,
        reference: Sequence[int],
        key: Key,
        pruning: Pruning,
    ) -> None:
        super().__init__(eot, size, patience)
        self._key = key
        self._follower = Follower([text for token in reference if (text := key(token)) is not None], pruning.aligned)
        self._again = pruning.again
        self._following = True
        self._ended = False
        self._left_at = 0  # tokens written when the reference was left

    @property
    def done(self) -> bool:
        return self._ended or super().done

    def advance(self, rows: NDArray[np.float32]) -> list[int]:
        if self._following:
            return self._follow(rows)
        sources = super().advance(rows)
        if self._again and self.live and self._is_back():
            self._following = True
            self.live = self.live[:1]
            return sources[:1]
        return sources

    def _follow(self, rows: NDArray[np.float32]) -> list[int]:
        """Write the likeliest token, or leave the reference with the likeliest few."""
        row, candidate = rows[0], self.live[0]
        token = int(row.argmax())
        if not self._follower.follows(self._key(token)):
            self._following = False
            self._left_at = len(candidate.tokens)
            return super().advance(rows)
        self.pruned_steps += 1
        logprob = float(row[token]) - log_sum_exp(row)
        if token == self._eot:
            self._finished.append(candidate.ended(logprob))
            self._ended, self.live = True, []
            return []
        self.live = [candidate.extended(token, logprob)]
        return [0]

    def _is_back(self) -> bool:
        keys = [self._key(token) for token in self.live[0].tokens[self._left_at :]]
        return keys[-1:] != [None] and self._follower.finds_again([key for key in keys if key is not None])
