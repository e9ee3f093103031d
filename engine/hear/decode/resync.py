"""Re-offering the rest of a draft after the first difference.

The draft is the last round's text, or that of the encoder alone (engine.hear.whisper.encoder_draft), or both. Most
differences are one changed word in a text that otherwise stays: the text after it is located again and read as one
block (engine.hear.decode.multitoken). If a model has multi-token heads, they fill the gap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from engine.hear.decode.tokenizer import TextTokens

FEWEST_OFFERED, MOST_OFFERED = 6, 24
"""Number of tokens offered at once: at first, and after all of the last ones were kept."""

NEAR_WORDS = 3
"""Largest distance, in words, at which the last word is searched in the draft around its expected place."""

NEAR_TOKENS, FAR_TOKENS = 4, 12
"""Largest distance at which a token is searched in the draft: a single one, and one after the same token as there."""


class DraftRemainder:
    """The rest of a draft after the first difference, and the search for the place where the text returns to it.

    Words are counted, not tokens: a word with another spelling seldom has as many tokens. A place is searched after the
    same two tokens, then after the start of the same word nearby. Otherwise each word since the difference is assumed
    to replace one word of the draft.
    """

    def __init__(self, rest: Sequence[int], begins_word: Callable[[int], bool], written: int = 0) -> None:
        """Start with the draft from its first token that was not kept, after a text of `written` tokens."""
        self._rest = list(rest)
        self._begins_word = begins_word
        self._begins = [place for place, token in enumerate(self._rest) if begins_word(token)]
        self._next = 0  # first token that may still be used
        self._settled = self._written = written  # tokens of the text up to there, and at the last guess
        self._foreseen = 0  # tokens of the last guess that are not from the draft
        self._offered = range(0)  # places of the tokens that are
        self._most = FEWEST_OFFERED

    def guess(self, text: Sequence[int], room: int, foreseen: Sequence[int] = ()) -> list[int]:
        """Return a likely continuation of a text, of at most `room` tokens.

        Tokens `foreseen` by the heads come before the rest of the draft, up to where the draft agrees.
        """
        ahead = list(foreseen[:room])
        for count in range(len(ahead) + 1):
            place = self._place_after([*text, *ahead[:count]])
            if self._rest[place : place + 1] == ahead[count : count + 1]:
                break
        self._written, self._foreseen = len(text), count
        self._offered = range(place, min(place + min(room - count, self._most), len(self._rest)))
        return ahead[:count] + [self._rest[place] for place in self._offered]

    def judge(self, kept: int) -> None:
        """Record how many of the guessed tokens were kept."""
        drafted = kept - self._foreseen
        if drafted > 0:
            self._next, self._settled = self._offered[0] + drafted, self._written + kept
        self._most = MOST_OFFERED if 0 < drafted == len(self._offered) else FEWEST_OFFERED

    def _place_after(self, text: Sequence[int]) -> int:
        """Return the place in the rest that continues the end of the text."""
        words = sum(map(self._begins_word, text[self._settled :]))
        last, before = text[-1], text[-2] if len(text) > 1 else None
        alike = [place for place in range(self._next, len(self._rest)) if self._rest[place] == last]
        for place in alike:
            if 0 < place < self._next + FAR_TOKENS and self._rest[place - 1] == before:
                return place + 1
        first = bisect_right(self._begins, self._next - 1)  # of the words that may still come
        if self._begins_word(last):
            believed = first + words - 1
            near = [place for place in alike if abs(bisect_right(self._begins, place) - 1 - believed) <= NEAR_WORDS]
            if near:
                return min(near, key=lambda place: abs(bisect_right(self._begins, place) - 1 - believed)) + 1
        elif alike and alike[0] < self._next + NEAR_TOKENS:
            return alike[0] + 1
        following = first + words
        return self._begins[following] if following < len(self._begins) else len(self._rest)


def begins_word(tokenizer: TextTokens) -> Callable[[int], bool]:
    """Return a function that tells which tokens begin a word: a space, a mark, or a letter of a script without
    spaces.
    """

    def begins(token: int) -> bool:
        first = tokenizer.token_bytes(token)[:1]
        return not first or not (first.isalnum() or b"\x80" <= first < b"\xe0")

    return begins
