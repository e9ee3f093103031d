"""The text that the starter language model learns from: translated sentences as turns of conversations."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from engine.errors import EngineError
from engine.recipes.sentences.text import fraction, is_held_out

LANGUAGES = {"de": ("deu", "German"), "fr": ("fra", "French"), "es": ("spa", "Spanish")}
WEIGHTS = {"de": 0.45, "fr": 0.33, "es": 0.22}
LONGEST_CHARACTERS = 240
COMMON_NAME_SHARE = 0.35  # a quarter of Tatoeba is about Tom and Mary
PREFIX_SHARE = 0.25
JOINED_SHARE = 0.3
MOST_JOINED = 4
MOST_TURNS = 6
GLOSSARY_SHARE = 0.3
MOST_TERMS = 3
RENAMED_SHARE = 0.5
LEAST_SEEN = 5
HELD_OUT_CONVERSATIONS = 400
LEAST_ASSOCIATION = 0.3

_WORD = re.compile(r"\w{3,}")  # shorter ones are mostly grammar
_FRENCH_SPACE = re.compile(r"[ \u00a0\u202f]+(?=[?!:;»])|(?<=«)[ \u00a0\u202f]+")
_COMMON_NAMES = re.compile(r"\b(Tom|Mary)\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What is asked for and what is answered.

    Attributes:
        user_learnt: how people ask is to be learnt too, and when they have ended; not where a question is cut off.
        user_given, assistant_given: how many characters of each, from the first on, are not to be learnt. A turn of
            which something is given is learnt for its end: it is never cut off.
        weight: how much each token of the answer counts.
    """

    user: str
    assistant: str
    user_learnt: bool = False
    user_given: int = 0
    assistant_given: int = 0
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns under one system message."""

    system: str
    turns: tuple[Turn, ...]


def read_pairs(data: Path, code: str) -> list[Pair]:
    """All pairs of English and one language, in the file's order. EngineError where the file is missing."""
    path = data / "text" / "parallel" / f"tatoeba-eng-{LANGUAGES[code][0]}.tsv.gz"
    if not path.is_file():
        raise EngineError(f"{path} is missing: translated sentences are looked for there.")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        fields = (line.rstrip("\n").split("\t") for line in lines)
        pairs = [
            Pair(part[0].strip(), _FRENCH_SPACE.sub("\u00a0", part[1].strip())) for part in fields if len(part) >= 2
        ]
    return [pair for pair in pairs if max(len(pair.source), len(pair.target)) <= LONGEST_CHARACTERS and pair.target]


def _tidy(target: str) -> str:
    """French puts a space before some marks, written in three ways: one is enough to learn."""
    return _FRENCH_SPACE.sub("\u00a0", target.strip())


def training_pairs(data: Path, code: str) -> list[Pair]:
    """The pairs to learn from: no held-out source, and fewer of the commonest names."""
    return [
        pair
        for pair in read_pairs(data, code)
        if not is_held_out(pair.source)
        and (not _COMMON_NAMES.search(pair.source) or fraction(pair.source, "name") < COMMON_NAME_SHARE)
    ]


def held_out_pairs(data: Path, code: str, limit: int = 1000) -> list[tuple[str, tuple[str, ...]]]:
    """Sources that are never trained on, each with all its translations, in a fixed shuffled order."""
    found: dict[str, list[str]] = {}
    for pair in read_pairs(data, code):
        if is_held_out(pair.source):
            found.setdefault(pair.source, []).append(pair.target)
    order = sorted(found, key=lambda source: (fraction(source, "test"), source))
    return [(source, tuple(found[source])) for source in order[:limit]]


def cut_short(pair: Pair, share: float) -> Pair:
    """The first part of a sentence with as much of its translation, both cut between words; at least one word each.

    People are translated while they speak: a model that only knows whole sentences would invent their ends.
    """
    source, target = pair.source.split(), pair.target.split()
    kept = max(1, round(share * len(source)))
    if kept == len(source):
        return pair
    return Pair(" ".join(source[:kept]), " ".join(target[: max(1, int(kept / len(source) * len(target)))]))


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
        self._pairs = {code: training_pairs(data, code) for code in LANGUAGES}
        self._lexicons = {code: lexicon(pairs) for code, pairs in self._pairs.items()}

    def conversations(self, random: Random) -> Iterator[Conversation]:
        """Endless conversations, some of them with glossaries."""
        return conversations(self._pairs, random, self._lexicons)

    def texts(self) -> Iterator[str]:
        """All that is said in them."""
        return (text for part in self._pairs.values() for pair in part for text in (pair.source, pair.target))

    def held_out(self) -> dict[str, Iterator[Conversation]]:
        """Sentences that are never seen, by language."""
        random, found = Random(0), {}
        for code, (_, name) in LANGUAGES.items():
            sources = held_out_pairs(self._data, code, HELD_OUT_CONVERSATIONS)
            pairs = [Pair(source, target) for source, targets in sources for target in targets[:1]]
            found[name] = conversations({code: pairs}, random)
        return found

    def exam(self, count: int) -> dict[str, list[Conversation]]:
        """None: there are many right translations."""
        return {}


def conversations(
    pairs: Mapping[str, Sequence[Pair]], random: Random, lexicons: dict[str, dict[str, str]] | None = None
) -> Iterator[Conversation]:
    """Endless conversations of random languages; with lexicons, some of them begin with a glossary that is obeyed."""
    codes = list(pairs)
    weights = [WEIGHTS[code] for code in codes]
    while True:
        code = random.choices(codes, weights)[0]
        turns = tuple(_turn(pairs[code], random) for _ in range(random.randint(1, MOST_TURNS)))
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


def _turn(pairs: Sequence[Pair], random: Random) -> Turn:
    """One sentence, some joined into a longer text, or the beginning of either."""
    count = random.randint(2, MOST_JOINED) if random.random() < JOINED_SHARE else 1
    chosen = random.choices(pairs, k=count)
    pair = Pair(" ".join(part.source for part in chosen), " ".join(part.target for part in chosen))
    if random.random() < PREFIX_SHARE:
        last = cut_short(chosen[-1], random.random())
        pair = Pair(
            " ".join([*(part.source for part in chosen[:-1]), last.source]),
            " ".join([*(part.target for part in chosen[:-1]), last.target]),
        )
    return Turn(pair.source, pair.target)
