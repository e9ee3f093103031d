"""What the translator learns: translated sentences as turns of conversations, some whole, joined or cut short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import ClassVar

from engine.recipes.sentences.pairs import (
    LANGUAGES,
    Conversation,
    Pair,
    Turn,
    cut_short,
    held_out_pairs,
    training_pairs,
)
from engine.recipes.sentences.spoken import held_out_dialogue, own_pairs, spoken_pairs
from engine.recipes.sentences.variety import varied

WEIGHTS = {"de": 0.38, "fr": 0.32, "es": 0.3}
SHARES = {"tatoeba": 0.62, "spoken": 0.29, "own": 0.09}
PREFIX_SHARE = 0.25
JOINED_SHARE = 0.3
MOST_JOINED = 4
MOST_TURNS = 6
GLOSSARY_SHARE = 0.1
MOST_TERMS = 3
RENAMED_SHARE = 0.5
LEAST_SEEN = 5
HELD_OUT_CONVERSATIONS = 400
LEAST_ASSOCIATION = 0.3

_WORD = re.compile(r"\w{3,}")  # shorter ones are mostly grammar


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


def lexicon(pairs: Sequence[Pair]) -> dict[str, str]:
    """Words and their usual translations, as they stand in the sentences: those that choose each other (Dice)."""
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        here, there = set(_WORD.findall(pair.source)), set(_WORD.findall(pair.target))
        sources.update(here)
        targets.update(there)
        both.update((source, target) for source in here for target in there)
    best: dict[str, tuple[float, str]] = {}
    back: dict[str, tuple[float, str]] = {}
    for (source, target), count in both.items():
        association = 2 * count / (sources[source] + targets[target])
        if count >= LEAST_SEEN and association >= LEAST_ASSOCIATION:
            best[source] = max(best.get(source, (0.0, "")), (association, target))
            back[target] = max(back.get(target, (0.0, "")), (association, source))
    return {source: target for source, (_, target) in sorted(best.items()) if back[target][1] == source}


class TranslationLessons:
    """Sentences and their translations as turns. EngineError where the data is missing."""

    asked_as: ClassVar[dict[str, object]] = {
        "translates_from": ["en"],
        "translates_to": list(LANGUAGES),
        "translation_instruction": "{target}",
        "context_tokens": 192,
        "context_sentences": 0,  # the turns it learns from have nothing to do with each other
    }

    def __init__(self, data: Path) -> None:
        self._data = data
        tatoeba = {code: training_pairs(data, code) for code in LANGUAGES}
        self._lexicons = {code: lexicon(pairs) for code, pairs in tatoeba.items()}
        self._draws = {code: _draw(data, code, pairs) for code, pairs in tatoeba.items()}

    def conversations(self, random: Random) -> Iterator[Conversation]:
        """Endless conversations, some of them with glossaries."""
        return conversations(self._draws, random, self._lexicons)

    def texts(self) -> Iterator[str]:
        """All that is said in them."""
        return (text for draw in self._draws.values() for pair in draw.pairs for text in (pair.source, pair.target))

    def translations(self) -> Iterator[str]:
        """All that is to be written."""
        return (pair.target for draw in self._draws.values() for pair in draw.pairs)

    def held_out(self) -> dict[str, Iterator[Conversation]]:
        """Sentences that are never seen, by language; those of dialogues apart."""
        random, found = Random(0), {}
        for code, (_, name) in LANGUAGES.items():
            kinds = {name: held_out_pairs(self._data, code, HELD_OUT_CONVERSATIONS)}
            kinds[f"{name} dialogue"] = list(held_out_dialogue(self._data, code))[:HELD_OUT_CONVERSATIONS]
            for kind, sources in kinds.items():
                pairs = [Pair(source, target) for source, targets in sources for target in targets[:1]]
                if pairs:
                    found[kind] = conversations({code: Draw.evenly(pairs)}, random)
        return found


def _draw(data: Path, code: str, tatoeba: Sequence[Pair]) -> Draw:
    own = own_pairs(code)
    return Draw.of(
        {
            "tatoeba": (tatoeba, [1.0] * len(tatoeba)),
            "spoken": spoken_pairs(data, code),
            "own": (own, [1.0] * len(own)),
        }
    )


def conversations(
    draws: Mapping[str, Draw], random: Random, lexicons: dict[str, dict[str, str]] | None = None
) -> Iterator[Conversation]:
    """Endless conversations of random languages; with lexicons, some of them begin with a glossary that is obeyed."""
    codes = list(draws)
    weights = [WEIGHTS[code] for code in codes]
    while True:
        code = random.choices(codes, weights)[0]
        turns = tuple(_turn(draws[code], code, random) for _ in range(random.randint(1, MOST_TURNS)))
        terms: dict[str, str] = {}
        if lexicons and random.random() < GLOSSARY_SHARE:
            terms, turns = _with_terms(turns, lexicons[code], random)
        lines = [LANGUAGES[code][1], *(f"{source} = {target}" for source, target in terms.items())]
        yield Conversation("\n".join(lines), turns)


def _with_terms(
    turns: tuple[Turn, ...], words: dict[str, str], random: Random
) -> tuple[dict[str, str], tuple[Turn, ...]]:
    """Choose terms for a glossary: some from the turns, half of those with another translation than usual, and some
    that do not occur. The answers use what the glossary says."""
    here = [word for turn in turns for word in _WORD.findall(turn.user) if word in words]
    known = [word for word in dict.fromkeys(here) if any(words[word] in _WORD.findall(t.assistant) for t in turns)]
    terms: dict[str, str] = {}
    others = list(words)
    for word in random.sample(known, min(len(known), random.randint(1, MOST_TERMS))):
        terms[word] = words[random.choice(others)] if random.random() < RENAMED_SHARE else words[word]
    turns = tuple(_obeying(turn, terms, words) for turn in turns)
    for word in random.sample(others, random.randint(0, 2)):
        if word not in here:
            terms[word] = words[word]
    mixed = list(terms.items())
    random.shuffle(mixed)
    return dict(mixed), turns


def _obeying(turn: Turn, terms: dict[str, str], words: dict[str, str]) -> Turn:
    """The turn with the usual translations of its terms replaced, all at once."""
    replaced = {words[term]: terms[term] for term in terms if term in _WORD.findall(turn.user)}
    return Turn(turn.user, _WORD.sub(lambda found: replaced.get(found[0], found[0]), turn.assistant))


def _turn(draw: Draw, code: str, random: Random) -> Turn:
    """One sentence, some joined into a longer text, or the beginning of either."""
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
