"""Learns to tell danger from what is harmless: the network of `engine.answer.safety.meaning`.

It learns from the tables of danger in assets/bench/phrasings, from sentences of Tatoeba in four languages, and from
questions of CLINC150. Both limits are chosen by cross-validation on what it learns from, and on the table
oblique_limits, from which it doesn't learn. The table by which it is judged, oblique_judged, is never read here.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from engine.answer.intents.encoder import in_bytes, starter_encoder
from engine.answer.safety.meaning import NONE, DangerByMeaning, features_of
from engine.answer.safety.recognition import recognise as recognise_danger
from engine.answer.tools.recognition import recognise as recognise_request
from engine.errors import OptionError
from lab.recipes.assistant.heads import fitted
from lab.recipes.assistant.tables import OBLIQUE, OBLIQUE_LIMITS, SAFETY, phrasings
from lab.recipes.training.options import add_options, read_options

FOLDS, HIDDEN, STEPS, BATCH = 3, 48, 250, 128
TABLE_WEIGHT, DANGER_WEIGHT = 3.0, 2.0
"""Weights with which a phrasing of the tables, and a danger, is drawn."""

MOST_SENTENCES, MOST_QUESTIONS = 140, 200
"""Most sentences of each language of Tatoeba, and most questions of CLINC150."""

MOST_FALSE = 0.01
"""Largest share of the harmless neighbours in the tables, of those it is asked about, that may be taken for danger."""

MOST_POSSIBLE, MOST_POSSIBLE_OTHERS = 0.1, 0.02
"""Largest shares of these neighbours, and of other harmless sentences, that may be taken for a possible danger."""

_PAIRS = ("deu", "fra", "spa")
_NO_LESSON = re.compile(
    r"(?i)\b(?:die[ds]?|dying|kill|suicid|dead|death|poison|tot|tod|sterb|starb|umbring|mort|mour|tuer|tué|muer|mata"
    r"|morir|murió|hurt|blood|blut|sang|fire|help|hilfe|feuer|aide|ayuda|fuego)\w*"
)
"""Words of sentences that may speak of danger: they are left out."""


@dataclass(frozen=True, slots=True)
class DangerOptions:
    """Options of the recipe: what to learn from, and where it goes."""

    data: Path
    export: Path
    seed: int = 1

    def __post_init__(self) -> None:
        if not (self.data / "text").is_dir():
            raise OptionError(f"--data must be a folder with text/, not {self.data}.")


@dataclass(frozen=True, slots=True)
class DangerLessons:
    """Texts with their labels; the first ones are those of the tables."""

    texts: list[str]
    labels: list[str]
    tables: int


def lessons(data: Path, seed: int) -> DangerLessons:
    """Gather all that is learnt from."""
    tables = list(phrasings((*SAFETY, OBLIQUE)))
    random, harmless = Random(seed), list[str]()
    for pair in _PAIRS:
        rows = list(_pairs(data / "text" / "parallel" / f"tatoeba-eng-{pair}.tsv.gz"))
        random.shuffle(rows)
        own = [theirs for _, theirs in rows[:MOST_SENTENCES]]
        harmless += [*own, *(english for english, _ in rows[MOST_SENTENCES : MOST_SENTENCES * 8 // 5])]
    sets = json.loads((data / "text" / "dialogue" / "clinc150_data_full.json").read_text(encoding="utf-8"))
    questions = [question for part in ("train", "oos_train") for question, _ in sets[part]]
    random.shuffle(questions)
    harmless = [text for text in (*harmless, *questions[:MOST_QUESTIONS]) if not _NO_LESSON.search(text)]
    texts = [each.text for each in tables] + harmless
    return DangerLessons(texts, [each.kind for each in tables] + [NONE] * len(harmless), len(tables))


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row[0], row[1]


def train(options: DangerOptions, report: Callable[[str], None] = print) -> None:
    """Encode, choose how sure it must be, learn from everything, and export."""
    found = lessons(options.data, options.seed)
    names = sorted(set(found.labels))
    numbers = np.array([names.index(label) for label in found.labels])
    is_danger, tables = numbers != names.index(NONE), np.arange(len(numbers)) < found.tables
    report(
        f"{found.tables} phrasings, {int((is_danger & tables).sum())} of them of danger; {len(numbers)} texts in all"
    )
    features = features_of(found.texts, starter_encoder().encode_all(found.texts))

    def network(kept: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        shape = {"hidden": HIDDEN, "steps": STEPS, "batch": BATCH}
        return fitted(features[kept], numbers[kept], weights[kept], len(names), options.seed, **shape)

    weights = np.where(tables, TABLE_WEIGHT, 1.0) * np.where(is_danger, DANGER_WEIGHT, 1.0)
    folds = np.random.default_rng(options.seed).integers(0, FOLDS, len(numbers))
    danger = np.zeros(len(numbers), np.float32)
    for fold in range(FOLDS):
        part = folds == fold
        head = DangerByMeaning(names, 1.0, 1.0, network(~part))
        danger[part] = 1 - head.probabilities(features[part])[:, names.index(NONE)]
        report(f"fold {fold + 1} of {FOLDS}")
    everything = network(np.ones(len(numbers), np.bool_))
    asked = np.array([_is_asked(text) for text in found.texts])
    neighbours = danger[tables & ~is_danger & asked], _kept_out(names, everything)
    limit = max(least_above(part, MOST_FALSE) for part in neighbours)
    possible = max(least_above(part, MOST_POSSIBLE) for part in neighbours)
    possible = min(limit, max(possible, least_above(danger[~tables & asked], MOST_POSSIBLE_OTHERS)))
    for name, part in (
        ("danger", is_danger),
        ("harmless neighbours", tables & ~is_danger),
        ("other sentences", ~tables),
    ):
        part = part & asked
        certain, either = ((danger[part] >= least).mean() for least in (limit, possible))
        report(
            f"{name}: of {int(part.sum())} {certain:.1%} taken for danger, {either:.1%} for danger or a possible one"
        )
    options.export.mkdir(parents=True, exist_ok=True)
    save_file(in_bytes(everything), options.export / "model.safetensors")
    content = {"limit": limit, "possible_limit": possible, "labels": names}
    (options.export / "danger.json").write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def _kept_out(labels: list[str], arrays: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Return how probable a danger is in each harmless neighbour of the table on which the limits are chosen."""
    texts = [each.text for each in phrasings((OBLIQUE_LIMITS,)) if each.kind == NONE and _is_asked(each.text)]
    features = features_of(texts, starter_encoder().encode_all(texts))
    head = DangerByMeaning(labels, 1.0, 1.0, in_bytes(arrays))
    return 1 - head.probabilities(features)[:, labels.index(NONE)]


def least_above(harmless: NDArray[np.float32], share: float) -> float:
    """Return the lowest limit, of four decimals, that at most a share of the harmless texts reaches."""
    highest = np.sort(harmless)[::-1][int(share * len(harmless))]
    # A number of four decimals may be kept as one just below it: a hundredth of a step makes up for that.
    return (math.floor(float(highest) * 10_000 + 0.01) + 1) / 10_000


def _is_asked(text: str) -> bool:
    """Return whether the network is asked about a text: neither a rule of danger nor a tool knows its words."""
    return recognise_danger(text) is None and recognise_request(text) is None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(
        parser,
        DangerOptions,
        {
            "data": "folder with text/parallel/ and text/dialogue/",
            "export": "where it goes, e.g. assets/starter/danger",
            "seed": "another one meets other batches",
        },
    )


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(DangerOptions, args))
