"""Lessons of the translator: translated sentences as turns of conversations, some whole, joined or cut short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import ClassVar

from lab.recipes.sentences.gathered import gathered_pairs
from lab.recipes.sentences.pairs import (
    LANGUAGES,
    Conversation,
    Pair,
    Turn,
    cut_short,
    held_out_pairs,
    training_pairs,
)
from lab.recipes.sentences.spoken import held_out_dialogue, own_pairs, spoken_pairs
from lab.recipes.sentences.variety import is_pattern, varied

WEIGHTS = {"de": 0.38, "fr": 0.32, "es": 0.3}
SHARES = {"tatoeba": 0.62, "spoken": 0.29, "own": 0.12, "gathered": 0.4}
"""Weight of each kind of pair in a draw."""
PATTERN_WEIGHT = 12.0  # of a line that says something else each time
PREFIX_SHARE = 0.25
JOINED_SHARE = 0.3
MOST_JOINED = 4
MOST_TURNS = 6
HELD_OUT_CONVERSATIONS = 400


@dataclass(frozen=True)
class Draw:
    """Pairs to draw from at random, some more often than others, each said in another way each time."""

    pairs: Sequence[Pair]
    cumulative: Sequence[float]

    @classmethod
    def of(cls, groups: Mapping[str, tuple[Sequence[Pair], Sequence[float]]]) -> Draw:
        """Draw from groups by their shares, and within one by the weights of its pairs; empty ones are left out."""
        pairs: list[Pair] = []
        weights: list[float] = []
        for name, (members, each) in groups.items():
            scale = SHARES[name] / (sum(each) or 1.0)
            pairs += members
            weights += [weight * scale for weight in each]
        return cls(pairs, list(accumulate(weights)))

    @classmethod
    def evenly(cls, pairs: Sequence[Pair]) -> Draw:
        """Draw each pair as often as any other."""
        return cls(pairs, list(accumulate([1.0] * len(pairs))))

    def pick(self, count: int, code: str, random: Random) -> list[Pair]:
        """Draw some pairs of a language."""
        return [varied(pair, code, random) for pair in random.choices(self.pairs, cum_weights=self.cumulative, k=count)]


class TranslationLessons:
    """Sentences and their translations as turns, gathered ones among them. EngineError where data is missing."""

    asked_as: ClassVar[dict[str, object]] = {
        "translates_from": ["en"],
        "translates_to": list(LANGUAGES),
        "translation_instruction": "{target}",
        "context_tokens": 192,
        "context_sentences": 0,  # the turns it learns from have nothing to do with each other
    }

    def __init__(self, data: Path, gathered: Path | None = None) -> None:
        self._data = data
        self._draws = {code: _draw(data, code, gathered) for code in LANGUAGES}

    def conversations(self, random: Random) -> Iterator[Conversation]:
        """Endless conversations."""
        return conversations(self._draws, random)

    def texts(self) -> Iterator[str]:
        """Return all that is said in them."""
        return (text for draw in self._draws.values() for pair in draw.pairs for text in (pair.source, pair.target))

    def translations(self) -> Iterator[str]:
        """Return all that is to be written."""
        return (pair.target for draw in self._draws.values() for pair in draw.pairs)

    def held_out(self) -> dict[str, Iterator[Conversation]]:
        """Return sentences that are never seen, by language; those of dialogues apart."""
        random, found = Random(0), {}
        for code, (_, name) in LANGUAGES.items():
            kinds = {name: held_out_pairs(self._data, code, HELD_OUT_CONVERSATIONS)}
            kinds[f"{name} dialogue"] = list(held_out_dialogue(self._data, code))[:HELD_OUT_CONVERSATIONS]
            for kind, sources in kinds.items():
                pairs = [Pair(source, target) for source, targets in sources for target in targets[:1]]
                if pairs:
                    found[kind] = conversations({code: Draw.evenly(pairs)}, random)
        return found


def _draw(data: Path, code: str, gathered: Path | None) -> Draw:
    tatoeba, own = training_pairs(data, code), own_pairs(code)
    return Draw.of(
        {
            "tatoeba": (tatoeba, [1.0] * len(tatoeba)),
            "spoken": spoken_pairs(data, code),
            "own": (own, [PATTERN_WEIGHT if is_pattern(pair) else 1.0 for pair in own]),
            "gathered": gathered_pairs(gathered, code),
        }
    )


def conversations(draws: Mapping[str, Draw], random: Random) -> Iterator[Conversation]:
    """Endless conversations of random languages."""
    codes = list(draws)
    weights = [WEIGHTS[code] for code in codes]
    while True:
        code = random.choices(codes, weights)[0]
        turns = tuple(_turn(draws[code], code, random) for _ in range(random.randint(1, MOST_TURNS)))
        yield Conversation(LANGUAGES[code][1], turns)


def _turn(draw: Draw, code: str, random: Random) -> Turn:
    """Draw one sentence, some joined into a longer text, or the beginning of either."""
    count = random.randint(2, MOST_JOINED) if random.random() < JOINED_SHARE else 1
    chosen = draw.pick(count, code, random)
    pair = Pair(" ".join(part.source for part in chosen), " ".join(part.target for part in chosen))
    if random.random() < PREFIX_SHARE:
        last = cut_short(chosen[-1], random.random())
        pair = Pair(
            " ".join([*(part.source for part in chosen[:-1]), last.source]),
            " ".join([*(part.target for part in chosen[:-1]), last.target]),
        )
    return Turn(pair.source, pair.target)
