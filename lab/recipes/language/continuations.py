"""Counts what a translator's answers go on with, for the table of n-grams that comes with it.

One to three tokens and the one that mostly follows them, of every translation that the model learns from, as its
tokenizer writes it behind the header of an answer.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from engine.errors import EngineError
from engine.language.continuations import FILE, LEAST_CHANCE, ORDER, key_of
from lab.recipes.language.rows import END, ROLES
from lab.recipes.sentences.translation_lessons import TranslationLessons
from lab.recipes.training.options import add_options, read_options

LEAST_SEEN = 8
MOST_VOCABULARY = 1 << 16
SAYS = {
    "data": "folder with text/parallel/",
    "model": "folder of a model that `train starter-language` exported",
    "out": "where the table goes; by default into the model's folder",
}

Columns = tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]


@dataclass(frozen=True, slots=True)
class ContinuationOptions:
    """Options of a count."""

    data: Path
    model: Path = Path("assets/starter/language")
    out: Path | None = None


def count(answers: Iterable[list[int]]) -> Columns:
    """Count answers, each with the token before it and its end: keys, the likeliest tokens and their chances of 255.

    A context that was seen less than eight times, or goes on in too many ways, is left out.
    """
    rows = list(answers)
    tokens = np.fromiter((token for row in rows for token in row), np.uint64)
    answer = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    found = [_likeliest(*_contexts(tokens, answer, length)) for length in range(1, ORDER + 1)]
    keys, best, chances = (np.concatenate(columns) for columns in zip(*found, strict=True))
    keys, first = np.unique(keys, return_index=True)  # of two contexts of one number the shorter stays
    return keys, best[first], chances[first]


def _contexts(
    tokens: NDArray[np.uint64], answer: NDArray[np.int64], length: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the numbers of all contexts of a length, and the token behind each, within one answer."""
    last = len(tokens) - length
    within = answer[:last] == answer[length:]
    keys = np.array(key_of(tokens[begin : begin + last] for begin in range(length)), np.uint64)  # type: ignore[misc]
    return keys[within], tokens[length:][within]


def _likeliest(keys: NDArray[np.uint64], nexts: NDArray[np.uint64]) -> Columns:
    pairs, counts = np.unique(keys << np.uint64(16) | nexts, return_counts=True)
    keys = pairs >> np.uint64(16)
    order = np.lexsort((-counts, keys))
    keys, first, group = np.unique(keys[order], return_index=True, return_inverse=True)
    seen = np.bincount(group, weights=counts[order])
    chance = counts[order][first] / seen
    kept = (seen >= LEAST_SEEN) & (chance >= LEAST_CHANCE)
    best = pairs[order][first] & np.uint64(MOST_VOCABULARY - 1)
    return (
        keys[kept].astype(np.uint32),
        best[kept].astype(np.uint16),
        np.round(255 * chance[kept]).astype(np.uint8),
    )


def answers(tokenizer: Tokenizer, translations: Iterable[str]) -> Iterator[list[int]]:
    """Return translations as tokens, from the header of an answer to its end."""
    begin, end = (tokenizer.encode(special).ids for special in (ROLES[-1], END))
    for encoding in tokenizer.encode_batch(list(translations)):
        yield [*begin, *encoding.ids, *end]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, ContinuationOptions, SAYS)


def run(args: argparse.Namespace) -> None:
    """Count as the command line asks."""
    options = read_options(ContinuationOptions, args)
    path = options.model / "tokenizer.json"
    if not path.is_file():
        raise EngineError(f"{path} is missing: answers are counted as its tokens.")
    tokenizer = Tokenizer.from_file(str(path))
    if tokenizer.get_vocab_size() > MOST_VOCABULARY:
        raise EngineError(f"{path} knows more than {MOST_VOCABULARY} tokens: tables are made for starter models.")
    columns = count(answers(tokenizer, TranslationLessons(options.data).translations()))
    out = options.out or options.model
    out.mkdir(parents=True, exist_ok=True)
    save_file(dict(zip(("keys", "tokens", "chances"), columns, strict=True)), out / FILE)
    print(f"{len(columns[0]):,} contexts, {(out / FILE).stat().st_size / 1e6:.1f} MB in {out / FILE}")
