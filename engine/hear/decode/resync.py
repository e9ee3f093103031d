"""What is left of a draft where it stopped to hold, offered again.

The draft is what the last round heard, or what the encoder alone says (engine.hear.whisper.encoder_draft), or both.
Most differences are one word that came out otherwise, in the middle of a text that stays: what follows it is found
again and read as one block (engine.hear.decode.multitoken). Where a model has heads, they fill the gap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from engine.hear.decode.tokenizer import TextTokens

FEWEST_OFFERED, MOST_OFFERED = 6, 24
"""Tokens that are offered at once: at first, and where all of the last ones held."""

NEAR_WORDS = 3
"""How many words off its place in the draft the word that was written last is looked for."""

NEAR_TOKENS, FAR_TOKENS = 4, 12
"""How far on a token is looked for in the draft: one alone, and one that follows the same one as there."""


class Rest:
    """Rest of a draft after the first difference, and where the text may find back to it.

    Words are counted, not tokens: one that is spelled otherwise seldom has as many tokens. A place is looked for
    behind the same two tokens, behind the beginning of the same word near by, and else it is believed that each word
    since the difference has taken the place of one of the draft's.
    """

    def __init__(self, rest: Sequence[int], begins_word: Callable[[int], bool], written: int = 0) -> None:
        """Begin with the draft from its first token that was not kept, behind a text of `written` tokens."""
        self._rest = list(rest)
        self._begins_word = begins_word
        self._begins = [place for place, token in enumerate(self._rest) if begins_word(token)]
        self._next = 0  # nothing before it will come again
        self._settled = self._written = written  # tokens of the text up to there, and at the last guess
        self._foreseen = 0  # tokens of the last guess that are none of the draft
        self._offered = range(0)  # places of the others
        self._most = FEWEST_OFFERED

    def guess(self, text: Sequence[int], room: int, foreseen: Sequence[int] = ()) -> list[int]:
        """Give what a text may go on with, no more than `room` tokens.

        What is `foreseen` comes before the rest of the draft, up to where the draft says the same.
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
        """Note how many of the guessed tokens held."""
        drafted = kept - self._foreseen
        if drafted > 0:
            self._next, self._settled = self._offered[0] + drafted, self._written + kept
        self._most = MOST_OFFERED if 0 < drafted == len(self._offered) else FEWEST_OFFERED

    def _place_after(self, text: Sequence[int]) -> int:
        """Find the place in the rest behind what the text ends with."""
        words = sum(map(self._begins_word, text[self._settled :]))
        last, before = text[-1], text[-2] if len(text) > 1 else None
        alike = [place for place in range(self._next, len(self._rest)) if self._rest[place] == last]
        for place in alike:
            if 0 < place < self._next + FAR_TOKENS and self._rest[place - 1] == before:
                return place + 1
        first = bisect_right(self._begins, self._next - 1)  # of the words that may come
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
    """Tell which tokens begin a word: a space, a mark, or a letter of a script without spaces."""

    def begins(token: int) -> bool:
        first = tokenizer.token_bytes(token)[:1]
        return not first or not (first.isalnum() or b"\x80" <= first < b"\xe0")

    return begins
