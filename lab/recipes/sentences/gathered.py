"""Pairs that `earshot train parallel-text` has gathered from published documents and catalogues."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.errors import EngineError
from lab.recipes.sentences.pairs import Pair
from lab.recipes.sentences.text import is_held_out

INDEX = "sources.jsonl"


@dataclass(frozen=True, slots=True)
class Gathered:
    """Findings in one source and one language.

    Attributes:
        weight: how often a pair of it is drawn, beside 1 for what people say.
        words: of English.
    """

    source: str
    code: str
    licence: str
    weight: float
    pairs: int
    words: int

    def path(self, folder: Path) -> Path:
        """Return the path of its pairs: English, a tab, the other language."""
        return folder / f"{self.source}-{self.code}.tsv.gz"


def write_gathered(folder: Path, found: Gathered, pairs: list[Pair]) -> None:
    """Write pairs, and a line about them."""
    partial = found.path(folder).with_suffix(".partial")
    with gzip.open(partial, "wt", encoding="utf-8") as file:
        file.writelines(f"{pair.source}\t{pair.target}\n" for pair in pairs)
    partial.replace(found.path(folder))
    with (folder / INDEX).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(found)) + "\n")


def read_index(folder: Path) -> list[Gathered]:
    """Read what was gathered into a folder; nothing where there is none."""
    index = folder / INDEX
    return [Gathered(**json.loads(line)) for line in index.read_text("utf-8").splitlines()] if index.is_file() else []


def read_gathered(folder: Path, found: Gathered) -> Iterator[Pair]:
    """Yield the pairs of a source."""
    with gzip.open(found.path(folder), "rt", encoding="utf-8") as lines:
        yield from (Pair(*line.rstrip("\n").split("\t")) for line in lines)


def gathered_pairs(folder: Path | None, code: str) -> tuple[list[Pair], list[float]]:
    """Return the gathered pairs to learn from, and how often each is drawn; held-out sentences are left out.

    Raises:
        EngineError: nothing was gathered there.
    """
    pairs: list[Pair] = []
    weights: list[float] = []
    if folder is None:
        return pairs, weights
    index = read_index(folder)
    if not index:
        raise EngineError(f"{folder} has no {INDEX}: 'earshot train parallel-text --out {folder}' gathers text there.")
    for found in index:
        if found.code == code:
            kept = [pair for pair in read_gathered(folder, found) if not is_held_out(pair.source)]
            pairs += kept
            weights += [found.weight] * len(kept)
    return pairs, weights
