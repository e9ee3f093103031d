"""Guesses during decoding: tokens that are offered behind the last one, as one block with it.

They change how many forwards an answer takes, never its text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.language.continuations import Continuations

FIRST_RESYNC_TOKENS, RESYNC_TOKENS = 4, 8
"""Most tokens of a draft's rest that are offered again at once: at first, and after all of the last ones held."""

NEAR_TOKENS = 4
"""Distance in the rest up to which one token alone is searched for: words such as “the” come again everywhere."""

MOST_MISSES = 2
"""Number of offers without a match after which the rest of the draft is abandoned."""


class Guesser(Protocol):
    """Guesses the continuation of an answer, without a forward of its own; guesses are only offers.

    Attributes:
        offered: tokens that were guessed.
        kept: how many of those the model would have written.
    """

    offered: int
    kept: int

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Return a guess of the tokens behind the answer, at most `room` tokens."""

    def judge(self, kept: int, best: Sequence[int]) -> None:
        """Learn how many tokens of the guess held, and the likeliest token at each of its places and behind them.

        The answer goes on with those that held and the likeliest behind them, best[kept]. Where fewer of the guess were
        read than held, the last that held is that likeliest one: `kept` is the length of `best`.
        """


Guesses = Callable[[Sequence[int], Sequence[int], Sequence[int]], Guesser]
"""Makes a guesser from the prompt, the rest of the draft from the first difference on, and the model's own tokens.

Those stand at the places behind that difference, as far as the model has read the draft.
"""


class DraftRest:
    """The rest of a draft after the first difference, with the place where the answer may return to it.

    The place is searched for by the last two tokens of the answer, then, near by, by the last one. If there is none,
    each token since the difference may have replaced one of the draft's.

    Attributes:
        offered: tokens that were offered again.
        kept: how many of those the model would have written.
    """

    def __init__(self, rest: Sequence[int]) -> None:
        """Begin with the draft from its first rejected token."""
        self._rest = list(rest)
        self._next = 0  # nothing before it will come again
        self._replaced = 1  # tokens of the answer since it left the draft there
        self._guessed = range(0)  # places of the last guess
        self._found = False  # whether all of it held
        self._misses = 0
        self.offered = 0
        self.kept = 0

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Return the expected continuation, at most `room` tokens; none if the draft does not tell."""
        self._guessed = range(0)
        if self._misses < MOST_MISSES and self._next < len(self._rest):
            place = self._place_after(answer)
            most = min(room, RESYNC_TOKENS if self._found else FIRST_RESYNC_TOKENS)
            self._guessed = range(place, min(place + most, len(self._rest)))
        self.offered += len(self._guessed)
        return [self._rest[place] for place in self._guessed]

    def judge(self, kept: int, best: Sequence[int] = ()) -> None:
        """Note how many of the guessed tokens held, and whether the answer has gone on with one more."""
        self.kept += kept
        self._found = 0 < kept == len(self._guessed)
        if kept:
            self._next = self._guessed[0] + kept
            self._replaced = 0 if kept == len(best) else 1
        else:
            self._misses += len(self._guessed) > 0
            self._replaced += 1

    def _place_after(self, answer: Sequence[int]) -> int:
        """Find the place in the rest behind the answer's last tokens."""
        last, before = answer[-1], answer[-2] if len(answer) > 1 else None
        alike = [place for place in range(self._next, len(self._rest)) if self._rest[place] == last]
        for place in alike:
            if place > self._next and self._rest[place - 1] == before:
                return place + 1
        if alike and alike[0] < self._next + NEAR_TOKENS:
            return alike[0] + 1
        return self._next + self._replaced


class LookAhead(DraftRest):
    """The rest of a draft, and the usual continuations of answers if the draft does not tell.

    `offered` and `kept` count the draft's tokens alone.
    """

    def __init__(self, rest: Sequence[int], continuations: Continuations, before: Sequence[int]) -> None:
        """Begin behind the difference; `before` are the tokens before the answer."""
        super().__init__(rest)
        self._continuations = continuations
        self._before = tuple(before)

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Return the expected continuation, at most `room` tokens; none if neither tells."""
        return super().guess(answer, room) or self._continuations.after((*self._before, *answer), room)

    def judge(self, kept: int, best: Sequence[int] = ()) -> None:
        """Note how many of the guessed tokens held; the answer has gone on with one more, in any case."""
        if self._guessed:
            super().judge(kept, best)
        else:
            self._found = False
            self._replaced += kept + 1


def draft_rest(resync: bool, continuations: Continuations | None = None) -> Guesses:
    """Return a factory of guessers.

    Without `resync` nothing of a draft is offered again, and without `continuations` nothing else.
    """

    def guesser(prompt: Sequence[int], rest: Sequence[int], best: Sequence[int]) -> Guesser:
        rest = rest if resync else ()
        return DraftRest(rest) if continuations is None else LookAhead(rest, continuations, prompt[-1:])

    return guesser
