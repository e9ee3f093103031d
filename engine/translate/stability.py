"""Words of an unfinished translation that are likely to stay: they are shown, and the words behind them are not.

A word stays the likelier the more probable the model finds it and every word before it, and the less probable it finds
an end behind it: a model that has learnt to translate beginnings would end where the source so far leaves it nothing
certain to say. Where the model tells which word of the source it translates, a word also stays the likelier the more of
the source it has read beyond that.

Showing words by how far they can be trusted, in place of a fixed number of words held back, is the dynamic mask of Yao
and Haddow 2020 (arXiv:2006.00249), here with the model's own probabilities, which the verification of the draft has
computed. Attention to the newest words of the source as a reason to wait is of Papi, Negri and Turchi 2023 (EDAtt,
arXiv:2212.07850).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING

from engine.translate.display import bare_length, common_words, units

if TYPE_CHECKING:
    from engine.language.speculative_decoding import Chance

LEAST_END = -20.0
"""Smallest logarithm of an end's probability that tells more than a larger one."""

SPARE_WORDS = 1
"""Words of a translation that may be shown beyond the share of the source that is known."""

AGREED_WORDS = 2
"""Words by which a source grows while a word of its translation stays, so that the word is taken to stay for good."""

SENTENCE_ENDS = ".!?…。！？"
"""Marks that end a sentence: the translation of a beginning ends with one where the sentence does not."""


def stops(text: str) -> Iterator[int]:
    """Yield where a text may be cut: behind each word without the marks at its end, and behind these."""
    for unit, end in zip(units(text), accumulate(map(len, units(text))), strict=True):
        start = end - len(unit)
        bare, whole = start + bare_length(unit), start + len(unit.rstrip())
        yield bare
        if whole > bare:
            yield whole


def likely(
    text: str, chances: Sequence[Chance], spelt: Callable[[str], int], least: float, shown: int = 0
) -> tuple[str, bool]:
    """Return the beginning of an unfinished translation that is likely to stay, and whether the next word is not.

    Args:
        chances: of its tokens, and of its end; of fewer tokens, nothing is told of the words behind them.
        spelt: counts how many tokens spell a beginning of the text.
        least: smallest score of a word that is shown, as a logarithm of odds.
        shown: number of its characters that are on the screen, and stay there.
    """
    found, place, odds = text[:shown], spelt(text[:shown]) if shown else 0, math.inf
    ahead: int | None = None
    for end in stops(text):
        if end <= shown:
            continue
        count = spelt(text[:end])
        odds = min([odds, *(odds_of(chance.written) for chance in chances[place:count])])
        told = [chance.ahead for chance in chances[place:count] if chance.ahead is not None]
        ahead = min(told if ahead is None else [*told, ahead], default=None)
        ended = chances[count].ended if count < len(chances) else LEAST_END
        if score(odds, ended, ahead) < least:
            return found, True
        if count >= len(chances):
            break
        found, place = text[:end], count
    return found, False


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights, as logarithms of odds, of what tells whether a word stays, beside its own odds.

    Attributes:
        end: of the logarithm of the probability of an end behind it.
        ahead: of each word of the source that was read beyond those translated, as far as it counts.
        most_ahead: number of these that count.
        cost: what is taken off, so that one limit fits all models.
    """

    end: float
    ahead: float = 0.0
    most_ahead: int = 0
    cost: float = 0.0


UNALIGNED, ALIGNED = Weights(end=0.3), Weights(end=0.1, ahead=0.8, most_ahead=4, cost=2.75)


def score(odds: float, ended: float, ahead: int | None) -> float:
    """Return how likely a word is to stay, as a logarithm of odds.

    Args:
        odds: of the least probable of it and the words before it, likewise.
        ended: logarithm of the probability of an end behind it.
        ahead: number of the source's words that were read beyond those translated; None where the model does not tell.
    """
    weights = UNALIGNED if ahead is None else ALIGNED
    beyond = weights.ahead * min(ahead or 0, weights.most_ahead)
    return odds - weights.end * max(LEAST_END, ended) + beyond - weights.cost


def known(text: str, share: float, expected: int = 0) -> str:
    """Return the beginning of a translation of whose source this share, from 0 to 1, will not be revised.

    expected: number of words that the whole translation will have at least.
    """
    words = units(text)
    found = "".join(words[: math.floor(max(len(words), expected) * share) + SPARE_WORDS])
    return found if share >= 1 else found.rstrip(SENTENCE_ENDS)


@dataclass(frozen=True, slots=True)
class Lately:
    """The newest translations of a growing source, back to the one whose source was shorter by the words that count.

    Translations of successive beginnings that agree are taken to be right (LocalAgreement; Liu, Spanakis and Niehues
    2020, arXiv:2005.11185). Unlike odds this tells a word that waits for more of the source from one that merely has
    synonyms.

    Attributes:
        translations: the oldest first, each behind the number of its source's words.
    """

    translations: tuple[tuple[int, str], ...] = ()

    def with_another(self, words: int, text: str, apart: int) -> Lately:
        """Return them with the translation of a source of so many words, and without those no longer needed."""
        found = (*self.translations, (words, text))
        while len(found) > 1 and found[1][0] <= words - apart:
            found = found[1:]
        return Lately(found)

    def agreed(self, apart: int) -> str:
        """Return what all have in common, without its last word; nothing while the source has grown by less."""
        if not self.translations or self.translations[-1][0] - self.translations[0][0] < apart:
            return ""
        return "".join(units(reduce(common_words, (text for _, text in self.translations)))[:-1])


NONE_LATELY = Lately()


def odds_of(chance: float) -> float:
    """Return the logarithm of the odds of something, of whose probability `chance` is the logarithm."""
    return chance - math.log(max(1e-9, -math.expm1(min(chance, 0.0))))
