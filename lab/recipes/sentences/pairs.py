"""Sentences and their translations, and the conversations that the starter language models learn from."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from lab.recipes.sentences.text import fraction, is_held_out

LANGUAGES = {"de": ("deu", "German"), "fr": ("fra", "French"), "es": ("spa", "Spanish")}
LONGEST_CHARACTERS = 240
COMMON_NAME_SHARE = 0.5  # a quarter of Tatoeba is about Tom and Mary

_FRENCH_SPACE = re.compile(r"[ \u00a0\u202f]+(?=[?!:;»])|(?<=«)[ \u00a0\u202f]+")
_COMMON_NAMES = re.compile(r"\b(Tom|Mary)\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer.

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
    """Read all pairs of English and one language, in the file's order.

    Raises:
        EngineError: the file is missing.
    """
    path = data / "text" / "parallel" / f"tatoeba-eng-{LANGUAGES[code][0]}.tsv.gz"
    if not path.is_file():
        raise EngineError(f"{path} is missing: translated sentences are looked for there.")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        fields = (line.rstrip("\n").split("\t") for line in lines)
        pairs = [Pair(part[0].strip(), tidy(part[1])) for part in fields if len(part) >= 2]
    return [pair for pair in pairs if max(len(pair.source), len(pair.target)) <= LONGEST_CHARACTERS and pair.target]


def tidy(target: str) -> str:
    """Write the space that French puts before some marks in one of its three ways: one is enough to learn."""
    return _FRENCH_SPACE.sub("\u00a0", target.strip())


def training_pairs(data: Path, code: str) -> list[Pair]:
    """Return the pairs to learn from: no held-out source, and fewer of the commonest names."""
    return [
        pair
        for pair in read_pairs(data, code)
        if not is_held_out(pair.source)
        and (not _COMMON_NAMES.search(pair.source) or fraction(pair.source, "name") < COMMON_NAME_SHARE)
    ]


def held_out_pairs(data: Path, code: str, limit: int = 1000) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sources that are never trained on, each with all its translations, in a fixed shuffled order."""
    found: dict[str, list[str]] = {}
    for pair in read_pairs(data, code):
        if is_held_out(pair.source):
            found.setdefault(pair.source, []).append(pair.target)
    order = sorted(found, key=lambda source: (fraction(source, "test"), source))
    return [(source, tuple(found[source])) for source in order[:limit]]


def cut_short(pair: Pair, share: float) -> Pair:
    """Return the first part of a sentence with as much of its translation, both cut between words; at least one word
    each.

    People are translated while they speak: a model that only knows whole sentences would invent their ends.
    """
    source, target = pair.source.split(), pair.target.split()
    kept = max(1, round(share * len(source)))
    if kept == len(source):
        return pair
    return Pair(" ".join(source[:kept]), " ".join(target[: max(1, int(kept / len(source) * len(target)))]))
