"""Beam pruning (WhisperFlow, section 4.2): search with one candidate while it agrees with the last hypothesis.

In the published method, a search begins with one candidate. Its most probable token is located in the last hypothesis,
the reference. From there, each further token is compared with the next one of the reference. At the first difference,
or at the end of the reference, the search widens to the full beam and stays there. Punctuation, timestamps and other
special tokens vary from round to round, so they are left out of the comparison. Text is compared without case and
surrounding space.

`Pruning` selects two improvements over the paper.
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
"""Consecutive text tokens that must equal the reference before the search narrows again."""

AGAIN_REACH = 8
"""Largest distance of these tokens from their expected position in the reference, in tokens."""

CUT_CHARACTER = "\ufffd"

Key = Callable[[int], str | None]
"""Function that returns the part of a token to compare, or None for a token that is not compared."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """Variants of pruning.

    Attributes:
        aligned: the reference begins where the audio begins, and is compared from its first word. Otherwise the
            comparison begins at the first match, which a frequent word such as "the" may have anywhere.
        again: the search narrows to one candidate again once the best candidate agrees with the reference again.
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
        return f"{CUT_CHARACTER}{token}"  # part of a multi-byte character: equal to the same token only
    text = text.strip().lower()
    return text if any(unicodedata.category(character)[0] in "LMN" for character in text) else None


class Follower:
    """The position of a search in its reference, a sequence of keys.

    Attributes:
        place: index of the next key; None before the first match.
    """

    def __init__(self, reference: Sequence[str], aligned: bool) -> None:
        self.place: int | None = 0 if aligned else None
        self._reference = tuple(reference)

    def follows(self, key: str | None) -> bool:
        """Return whether the key is the next one of the reference (None always is), and advance if it is."""
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
        """Return whether the last of these keys occur in the reference near their expected place, and continue there if
        so.

        `keys` are those written since the search left the reference.
        """
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
    """A beam that is one candidate wide while it agrees with a reference.

    Attributes:
        pruned_steps: steps with a single candidate.
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
        self._left_at = 0  # number of tokens when the search left the reference

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
        """Append the most probable token, or leave the reference and branch into the most probable tokens."""
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
