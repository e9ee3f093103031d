"""What an answer may go on with while it is decoded: tokens that are offered behind the last one, as one block with it.

They change how many forwards an answer takes, and never what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.language.continuations import Continuations

FIRST_RESYNC_TOKENS, RESYNC_TOKENS = 4, 8
"""The most tokens of a draft's rest that are offered again at once: at first, and where all of the last ones held."""

NEAR_TOKENS = 4
"""How far on in the rest one token alone is looked for: words such as “the” come again everywhere."""

MOST_MISSES = 2
"""After so many offers of which nothing held, the rest of the draft is given up."""


class Guesser(Protocol):
    """Says what an answer may go on with; what it says costs no forward of its own, and is only ever offered.

    Attributes:
        offered: tokens that were guessed.
        kept: how many of those the model would have written.
    """

    offered: int
    kept: int

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Give what may follow the answer, no more than `room` tokens."""

    def judge(self, kept: int, best: Sequence[int]) -> None:
        """Take how many of the guess held, and the likeliest token in each of its places and behind them.

        The answer goes on with those that held and the likeliest behind them, best[kept].
        """


Guesses = Callable[[Sequence[int], Sequence[int], Sequence[int]], Guesser]
"""Makes a guesser of the prompt, what is left of the draft from the first difference on, and the tokens that
the model would have written in the places behind that difference, as far as it has read the draft."""


class DraftRest:
    """The rest of a draft after the first difference, and where the answer may find back to it.

    A place is looked for where the draft goes on from the last two tokens of the answer, then, near by, from the last
    one. If there is none, each token since the difference may have taken the place of one of the draft's.

    Attributes:
        offered: tokens that were offered again.
        kept: how many of those the model would have written.
    """

    def __init__(self, rest: Sequence[int]) -> None:
        """Begin with the draft from its first token that was not kept."""
        self._rest = list(rest)
        self._next = 0  # nothing before it will come again
        self._replaced = 1  # tokens of the answer since it left the draft there
        self._guessed = range(0)  # places of the last guess
        self._found = False  # whether all of it held
        self._misses = 0
        self.offered = 0
        self.kept = 0

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Give what the answer may go on with, no more than `room` tokens; nothing where there is no telling."""
        self._guessed = range(0)
        if self._misses < MOST_MISSES and self._next < len(self._rest):
            place = self._place_after(answer)
            most = min(room, RESYNC_TOKENS if self._found else FIRST_RESYNC_TOKENS)
            self._guessed = range(place, min(place + most, len(self._rest)))
        self.offered += len(self._guessed)
        return [self._rest[place] for place in self._guessed]

    def judge(self, kept: int, best: Sequence[int] = ()) -> None:
        """Note how many of the guessed tokens held; the answer has gone on with one more, whatever it is."""
        self.kept += kept
        self._found = 0 < kept == len(self._guessed)
        if kept:
            self._next = self._guessed[0] + kept
            self._replaced = 1
        else:
            self._misses += len(self._guessed) > 0
            self._replaced += 1

    def _place_after(self, answer: Sequence[int]) -> int:
        """Find the place in the rest behind what the answer ends with."""
        last, before = answer[-1], answer[-2] if len(answer) > 1 else None
        alike = [place for place in range(self._next, len(self._rest)) if self._rest[place] == last]
        for place in alike:
            if place > self._next and self._rest[place - 1] == before:
                return place + 1
        if alike and alike[0] < self._next + NEAR_TOKENS:
            return alike[0] + 1
        return self._next + self._replaced


class LookAhead(DraftRest):
    """The rest of a draft, and where that tells nothing what such answers mostly go on with.

    `offered` and `kept` count the draft's tokens alone.
    """

    def __init__(self, rest: Sequence[int], continuations: Continuations, before: Sequence[int]) -> None:
        """Begin behind the difference; `before` is what the answer itself comes behind."""
        super().__init__(rest)
        self._continuations = continuations
        self._before = tuple(before)

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Give what the answer may go on with, no more than `room` tokens; nothing where there is no telling."""
        return super().guess(answer, room) or self._continuations.after((*self._before, *answer), room)

    def judge(self, kept: int, best: Sequence[int] = ()) -> None:
        """Note how many of the guessed tokens held; the answer has gone on with one more, whatever it is."""
        if self._guessed:
            super().judge(kept, best)
        else:
            self._found = False
            self._replaced += kept + 1


def draft_rest(resync: bool, continuations: Continuations | None = None) -> Guesses:
    """Return a factory of what is offered while an answer goes on.

    Without `resync` nothing of a draft is offered again, and without `continuations` nothing else.
    """

    def guesser(prompt: Sequence[int], rest: Sequence[int], best: Sequence[int]) -> Guesser:
        rest = rest if resync else ()
        return DraftRest(rest) if continuations is None else LookAhead(rest, continuations, prompt[-1:])

    return guesser
