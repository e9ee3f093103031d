"""The rest of a draft after the first difference, corrected by the decoder and offered again.

The draft is the last round's text, or that of the encoder alone (engine.hear.whisper.encoder_draft), or both. The
forward that verifies it predicts a token in every place, also after the first difference. Cross-attention makes most of
these predictions right although a word before them is wrong. So they correct the rest of the draft: the verifier is its
editor. The text stays that of decoding token by token, because all that is offered is verified
(engine.hear.decode.multitoken).

Where the text returns to the draft is decided by letters: a misspelt word sounds like the right one, and is written
much like it. The same comparison tells what part of the draft a correction replaces, if any.

Ancestors: aggressive decoding offers the rest of its input after the last common suffix (arXiv:2205.10350), Jacobi
decoding takes the predictions in the places where they stand (arXiv:2305.10427), SpecASR offers rejected tokens of a
draft model again (arXiv:2507.18181).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.tokenizer import TextTokens

MOST_OFFERED = 24
"""Most tokens of a draft that are offered at once."""

MOST_REPLACED = 12
"""Most tokens of a draft that a correction may replace."""

SKIPPED_LETTER = 0.6
"""Cost of a letter of the draft that the text lacks; a letter that the draft lacks, or another letter, costs 1.

It is below 1 because a draft may repeat what was written already."""

BETWEEN_WORDS = 0.4
"""Reduction of the cost of a place between two words: the text seldom leaves or enters a draft inside of a word."""


@dataclass(frozen=True, slots=True)
class TokenSpelling:
    """The spelling of a vocabulary's tokens.

    Attributes:
        letters: returns the bytes of a token in lower case.
        begins_word: tells whether a token begins a word: a space, a mark, or a letter of a script without spaces.
        eot: end-of-text token.
    """

    letters: Callable[[int], bytes]
    begins_word: Callable[[int], bool]
    eot: int


@dataclass(frozen=True, slots=True)
class Drafted:
    """A token of a draft.

    Attributes:
        token: the token, corrected if the decoder predicted another one.
        spelt: bytes of the draft that it stands for; empty for a token that was put in.
    """

    token: int
    spelt: bytes


class DraftRemainder:
    """The rest of a draft after the first difference, and the search for the place where the text returns to it."""

    def __init__(
        self, rest: Sequence[int], predicted: Sequence[int], spelling: TokenSpelling, written: int = 0
    ) -> None:
        """Start with the draft from its first token that was not kept, after a text of `written` tokens.

        The decoder predicted the tokens `predicted` in the places of the first ones, the token that is kept included.
        """
        self._spelling = spelling
        drafted = [Drafted(token, spelling.letters(token)) for token in rest]
        self._rest = drafted[:1] + self._corrected(drafted, predicted, 1, is_first=True)
        self._next = 0  # first token that may still be used
        self._settled = self._written = written  # tokens of the text up to there, and at the last guess
        self._foreseen = 0  # tokens of the last guess that are not from the draft
        self._offered = range(0)  # places of the tokens that are

    def guess(self, text: Sequence[int], room: int, foreseen: Sequence[int] = ()) -> list[int]:
        """Return a likely continuation of a text, of at most `room` tokens.

        Tokens `foreseen` by the heads come before the rest of the draft, up to where the draft agrees.
        """
        ahead = list(foreseen[:room])
        for count in range(len(ahead) + 1):
            place = self._place_after([*text, *ahead[:count]])
            if [each.token for each in self._rest[place : place + 1]] == ahead[count : count + 1]:
                break
        self._written, self._foreseen = len(text), count
        self._offered = range(place, min(place + min(room - count, MOST_OFFERED), len(self._rest)))
        return ahead[:count] + [self._rest[place].token for place in self._offered]

    def beyond(self, text: Sequence[int]) -> list[int]:
        """Return the tokens of the draft that continue a text, with the end of text behind its last one."""
        return [*(each.token for each in self._rest[self._place_after(text) :]), self._spelling.eot]

    def judge(self, kept: int, predicted: Sequence[int]) -> None:
        """Record how many of the guessed tokens were kept, and what the decoder predicted in the place of each."""
        drafted = kept - self._foreseen
        if drafted > 0:
            self._next, self._settled = self._offered[0] + drafted, self._written + kept
        if 0 <= drafted < len(self._offered):
            first, end = self._offered[0], self._offered[-1] + 1
            block = self._rest[first:end]
            self._rest[first + drafted + 1 : end] = self._corrected(block, predicted[self._foreseen :], drafted + 1)

    def _corrected(
        self, block: Sequence[Drafted], predicted: Sequence[int], start: int, *, is_first: bool = False
    ) -> list[Drafted]:
        """Return a block from the place `start` on, with the decoder's predictions in it.

        A prediction is believed after a token on which the decoder agreed. The first block stands where it belongs, so
        that its words are believed as well; a later one may be misplaced as a whole.
        """
        found: list[Drafted] = []
        place = start
        while place < len(block):
            end = place
            if self._is_believed(place, block, predicted, is_first):
                spelt = self._spelling.letters(predicted[place])
                end += place_after(spelt, block[place : place + MOST_REPLACED], self._spelling)
                found.append(Drafted(predicted[place], b"".join(each.spelt for each in block[place:end])))
            if end == place:  # nothing was replaced
                found.append(block[place])
                end += 1
            place = end
        return found

    def _is_believed(self, place: int, block: Sequence[Drafted], predicted: Sequence[int], is_first: bool) -> bool:
        """Return whether the prediction in a place corrects the block."""
        if place >= len(predicted) or predicted[place] in (block[place].token, self._spelling.eot):
            return False
        agreed = predicted[place - 1] == block[place - 1].token
        return agreed or (is_first and self._spelling.begins_word(block[place].token))

    def _place_after(self, text: Sequence[int]) -> int:
        """Return the place in the rest that continues the text."""
        since = b"".join(map(self._spelling.letters, text[self._settled :]))
        return self._next + place_after(since, self._rest[self._next :], self._spelling)


def place_after(spelt: bytes, rest: Sequence[Drafted], spelling: TokenSpelling) -> int:
    """Return how many tokens of a rest the spelt text most likely stands for."""
    ends = [0, *accumulate(len(each.spelt) for each in rest)]
    costs = prefix_distances(spelt, b"".join(each.spelt for each in rest))[ends]
    between = [place for place, each in enumerate(rest) if spelling.begins_word(each.token)]
    costs[[*between, len(rest)]] -= BETWEEN_WORDS
    return int(costs.argmin())


def prefix_distances(text: bytes, other: bytes) -> NDArray[np.floating[Any]]:
    """Return the edit distance of a text to each prefix of another one (len(other) + 1,).

    A letter of the other that the text lacks costs SKIPPED_LETTER.
    """
    skipped = SKIPPED_LETTER * np.arange(len(other) + 1)
    costs: NDArray[np.floating[Any]] = skipped
    letters = np.frombuffer(other, np.uint8)
    for letter in text:
        changed = costs[:-1] + (letters != letter)
        costs = costs + 1
        costs[1:] = np.minimum(costs[1:], changed)
        costs = np.minimum.accumulate(costs - skipped) + skipped
    return costs


def spelling_of(tokenizer: TextTokens) -> TokenSpelling:
    """Return how a vocabulary's tokens are spelt."""

    def letters(token: int) -> bytes:
        return tokenizer.token_bytes(token).lower()

    return TokenSpelling(letters, begins_word(tokenizer), tokenizer.eot)


def begins_word(tokenizer: TextTokens) -> Callable[[int], bool]:
    """Return a function that tells which tokens begin a word: a space, a mark, or a letter of a script without
    spaces.
    """

    def begins(token: int) -> bool:
        first = tokenizer.token_bytes(token)[:1]
        return not first or not (first.isalnum() or b"\x80" <= first < b"\xe0")

    return begins
