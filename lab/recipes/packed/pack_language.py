"""Packs what `train packed-language` learns from: rows of conversations, some held out, and files of the model.

The rows are those of `train starter-language`, drawn once.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.models.catalogue import ASSETS
from lab.recipes.language.rows import ROLES, Rows
from lab.recipes.language.train import HELD_OUT_ROWS, StarterLanguageOptions, make_model, write_model
from lab.recipes.packed.folder import MODEL, WEIGHTS, write_arrays
from lab.recipes.sentences.pairs import Conversation
from lab.recipes.sentences.translation_lessons import TranslationLessons
from lab.recipes.training.options import add_options, read_options

ROW_TOKENS = 192
HEAD_STATES = 64
SAYS = {
    "data": "folder with text/parallel/ and text/spoken/",
    "out": "the folder to carry to the GPU",
    "gathered": "folder of `train parallel-text`, translations to learn from beside those of --data",
    "rows": "of 192 tokens",
    "layers": "of the model",
    "states": "of a token",
    "seed": "another one draws other rows",
}


@dataclass(frozen=True, slots=True)
class PackLanguageOptions:
    """Options of a pack. The usual shape has 24 million parameters, and 24 MB in 8 bits."""

    data: Path
    out: Path
    gathered: Path | None = None
    rows: int = 150_000
    layers: int = 12
    states: int = 384
    seed: int = 1
    tokenizer: Path = ASSETS / "starter" / "language"


def pack(options: PackLanguageOptions) -> None:
    """Draw rows and write the folder. EngineError where data is missing or the folder gets too large."""
    lessons = TranslationLessons(options.data, options.gathered)
    tokenizer = Tokenizer.from_file(str(options.tokenizer / "tokenizer.json"))
    made = Rows(tokenizer, ROW_TOKENS)
    rows = _drawn(made, lessons.conversations(Random(options.seed)), options.rows)
    held_out = [_drawn(made, each, HELD_OUT_ROWS) for each in lessons.held_out().values()]
    roles = np.array([tokenizer.token_to_id(role) for role in ROLES], np.uint16)
    shape = StarterLanguageOptions(
        options.data, states=options.states, layers=options.layers, heads=options.states // HEAD_STATES
    )
    write_model(make_model(shape, tokenizer), tokenizer, lessons.asked_as, options.out / MODEL)
    (options.out / MODEL / WEIGHTS).unlink()
    write_arrays(options.out, {"rows": rows, "held_out": np.concatenate(held_out), "roles": roles})
    print(f"{rows.size:,} tokens in {options.out}")


def _drawn(made: Rows, source: Iterator[Conversation], count: int) -> NDArray[np.uint16]:
    """Return rows of tokens (count, n + 1)."""
    found = np.empty((count, ROW_TOKENS + 1), np.uint16)
    for row, (tokens, targets, _) in zip(found, islice(made.rows(source), count), strict=True):
        row[:-1], row[-1] = tokens, max(targets[-1], 0)  # a last token that is not learnt may be any
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, PackLanguageOptions, SAYS)


def run(args: argparse.Namespace) -> None:
    """Pack as the command line asks."""
    pack(read_options(PackLanguageOptions, args))
