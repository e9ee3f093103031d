"""Pairs of what people say and its translation: chats, calls, orders, commands, and the project's own lines."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.errors import EngineError
from engine.models.catalogue import ASSETS
from lab.recipes.sentences.pairs import LONGEST_CHARACTERS, Pair, tidy
from lab.recipes.sentences.text import fraction, is_held_out

FOLDER = ASSETS / "translations"
OWN_COLUMNS = ("de", "fr", "es")

SHARES: Mapping[str, float] = {
    "bcontrast": 1.0,
    "diabla": 1.5,
    "cocoa-mt": 1.0,
    "tatoeba-challenge-test": 1.0,
    "storybooks": 1.0,
    "massive-cased": 0.5,  # case restored by rule
    "refugee-phrasebook": 0.5,  # many single words
    "renpy": 0.4,
    "woz2": 0.3,  # one restaurant search after another
    "cdda-dialogue": 0.25,  # weapons and zombies
}
"""Weight with which a pair of each source is drawn, beside 1 for another."""

DIALOGUES = ("bcontrast", "diabla")
DIALOGUE_HELD_OUT_IN = 32
"""One line in this many of the dialogues is never trained on, beside what is held out everywhere."""


def is_dialogue_held_out(source: str) -> bool:
    """Return whether a line of a dialogue belongs to the test set: by its letters, for good."""
    return is_held_out(source) or fraction(source, "dialogue") < 1.0 / DIALOGUE_HELD_OUT_IN


def read_spoken(data: Path, name: str, code: str) -> list[Pair]:
    """Read all pairs of one source, English and one language; none where it lacks that language."""
    path = data / "text" / "spoken" / f"{name}-{code}.tsv.gz"
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        fields = (line.rstrip("\n").split("\t") for line in lines)
        pairs = [Pair(part[0].strip(), tidy(part[1])) for part in fields if len(part) == 2]
    return [pair for pair in pairs if 0 < len(pair.target) <= LONGEST_CHARACTERS >= len(pair.source) > 0]


def spoken_pairs(data: Path, code: str) -> tuple[list[Pair], list[float]]:
    """Return the spoken pairs to learn from, and how often each is drawn; held-out ones are left out."""
    pairs: list[Pair] = []
    weights: list[float] = []
    for name, share in SHARES.items():
        is_out = is_dialogue_held_out if name in DIALOGUES else is_held_out
        kept = [pair for pair in read_spoken(data, name, code) if not is_out(pair.source)]
        pairs += kept
        weights += [share] * len(kept)
    return pairs, weights


def held_out_dialogue(data: Path, code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return lines of dialogues that are never trained on, each with all its translations, in a fixed shuffle."""
    found: dict[str, list[str]] = {}
    for name in DIALOGUES:
        for pair in read_spoken(data, name, code):
            if is_dialogue_held_out(pair.source):
                found.setdefault(pair.source, []).append(pair.target)
    order = sorted(found, key=lambda source: (fraction(source, "test"), source))
    return ((source, tuple(found[source])) for source in order)


def own_pairs(code: str, folder: Path = FOLDER) -> list[Pair]:
    """Read the project's own lines of English and one language, with their places for names and numbers.

    Raises:
        EngineError: a line does not have four columns.
    """
    column = 1 + OWN_COLUMNS.index(code)
    pairs = []
    for path in sorted(folder.glob("*.tsv")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            columns = line.split("\t")
            if len(columns) != 1 + len(OWN_COLUMNS) or not all(part.strip() for part in columns):
                raise EngineError(f"{path.name}, line {number}: four columns are expected, English and three others.")
            pairs.append(Pair(columns[0].strip(), tidy(columns[column])))
    return [pair for pair in pairs if not is_dialogue_held_out(pair.source)]
