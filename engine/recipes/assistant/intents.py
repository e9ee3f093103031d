"""Learns to recognise what a question asks for: the head of the recogniser that the starter assistant trusts.

A published encoder of sentences stays as it is, in bytes. Over its vectors a small network learns the intents of the
dialogues, their families of facts, ways to ask for tools, the questions of open data sets that have an answer, and what
is none of these. How sure it must be is chosen by cross-validation on what it learns from (`limits`), never on the
questions that are held out.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from engine.answer.intents.encoder import SentenceEncoder, Vectors, in_bytes, read_arrays
from engine.answer.intents.recogniser import HEAD, SHARPNESS, Scores
from engine.errors import OptionError
from engine.recipes.assistant.conversations import UNKNOWN, borrowed_questions, unknown_questions
from engine.recipes.assistant.dialogues import Dialogues, later_questions, read_dialogues
from engine.recipes.assistant.limits import FOLDS, Label, Seen, limits, seen
from engine.recipes.assistant.requests import NONE, requests
from engine.recipes.sentences.text import fraction
from engine.recipes.training.options import add_options, read_options

STEPS, BATCH, PEAK_RATE, WARMUP_STEPS, DROPPED = 700, 384, 2e-3, 50, 0.3
HIDDEN = 512
BETAS, DECAY = (0.9, 0.999), 0.01
MOST_OF_A_ROW, MOST_BORROWED, MOST_UNKNOWN = 3, 30, 2_500
PROMPTS = ("arena_hard_v2.0", "gsm8k_test", "self_instruct_seed_tasks", "user_oriented_instructions")
"""Sets of prompts that ask for what was not taught; those of MT-bench and of Vicuna are what it is judged by."""

MOST_PROMPTS, MOST_CHARACTERS = 400, 600
_TEXTS = ("prompt", "question", "instruction")


@dataclass(frozen=True, slots=True)
class IntentOptions:
    """Options of the recipe: what to learn from, with which encoder, and where it goes."""

    data: Path
    start: Path
    export: Path
    seed: int = 1

    def __post_init__(self) -> None:
        if not (self.start / "tokenizer.json").is_file():
            raise OptionError(f"--start must be a folder with an encoder of sentences, not {self.start}.")


@dataclass(frozen=True, slots=True)
class Lessons:
    """Questions with the numbers of their labels, in the order of the labels.

    Attributes:
        replies: answers of intents, by name.
        unusual: which questions were written later, in unusual words.
        requests: which ask for tools, or are near neighbours of such.
        origins: the questions as they are written: with fields in those that ask for tools.
    """

    labels: list[Label]
    questions: list[str]
    numbers: NDArray[np.int64]
    replies: dict[str, str]
    unusual: NDArray[np.bool_]
    requests: NDArray[np.bool_]
    origins: list[str]


def lessons(written: Dialogues, data: Path, seed: int) -> Lessons:
    """Gather all that is learnt from. EngineError where data is missing."""
    random, asked = Random(seed), dict[Label, list[str]]()
    replies = {intent.name: intent.reply for intent in written.intents}
    names = {reply: name for name, reply in replies.items()}
    for intent in written.intents:
        asked.setdefault(("intent", intent.name), []).extend(intent.questions)
    for row in written.rows:
        some = random.sample(row.questions, min(MOST_OF_A_ROW, len(row.questions)))
        asked.setdefault(("family", row.group), []).extend(some)
    for number, (questions, reply) in enumerate(borrowed_questions(data, written.borrowed)):
        some = random.sample(questions, min(MOST_BORROWED, len(questions)))
        name = names.get(reply, f"borrowed_{number}")
        replies[name] = reply
        unknown = reply == written.borrowed.get(UNKNOWN)
        asked.setdefault(("unknown", "") if unknown else ("intent", name), []).extend(some)
    strange = unknown_questions(data, [*written.intents, *written.rows])
    random.shuffle(strange)
    asked.setdefault(("unknown", ""), []).extend([*strange[:MOST_UNKNOWN], *prompts(data)])
    origins = dict[str, str]()
    for tool, question, way in requests(random):
        label: Label = ("unknown", "") if tool == NONE else ("tool", tool)
        asked.setdefault(label, []).append(question)
        origins[question] = way
    labels = [label for label, questions in asked.items() if questions]
    pairs = [(question, number) for number, label in enumerate(labels) for question in asked[label]]
    later = later_questions()
    return Lessons(
        labels,
        [question for question, _ in pairs],
        np.array([number for _, number in pairs]),
        {name: replies[name] for kind, name in labels if kind == "intent"},
        np.array([question in later for question, _ in pairs]),
        np.array([question in origins for question, _ in pairs]),
        [origins.get(question, question) for question, _ in pairs],
    )


def prompts(data: Path) -> Iterator[str]:
    """Give what other sets ask of large models."""
    for name in PROMPTS:
        path = data / "text" / "prompts" / f"{name}.jsonl"
        if not path.is_file():
            raise OptionError(f"--data lacks {path.relative_to(data)}.")
        for line in path.read_text(encoding="utf-8").split("\n")[:MOST_PROMPTS]:
            record = json.loads(line or "{}")
            if found := next((record[key] for key in _TEXTS if isinstance(record.get(key), str)), None):
                yield found[:MOST_CHARACTERS]


def fitted(vectors: Vectors, numbers: NDArray[np.int64], labels: int, seed: int) -> dict[str, NDArray[Any]]:
    """Train a head on vectors (n, d) and their labels (n,), which are in order; give its arrays."""
    drawn = np.random.default_rng(seed)
    weights = {
        "first.weight": _drawn(drawn, HIDDEN, vectors.shape[1]),
        "first.bias": np.zeros(HIDDEN, np.float32),
        "second.weight": _drawn(drawn, labels, HIDDEN),
        "second.bias": np.zeros(labels, np.float32),
    }
    means, squares = ({name: np.zeros_like(each) for name, each in weights.items()} for _ in range(2))
    for step in range(STEPS):
        places = drawn.integers(0, len(vectors), BATCH)
        rate = PEAK_RATE * min(1.0, (step + 1) / WARMUP_STEPS) * (1 - step / STEPS)
        for name, gradient in _gradients(weights, vectors[places], numbers[places], drawn).items():
            means[name] += (1 - BETAS[0]) * (gradient - means[name])
            squares[name] += (1 - BETAS[1]) * (gradient * gradient - squares[name])
            unbiased = math.sqrt(1 - BETAS[1] ** (step + 1)) / (1 - BETAS[0] ** (step + 1))
            change = unbiased * means[name] / (np.sqrt(squares[name]) + 1e-8) + DECAY * weights[name]
            weights[name] -= np.float32(rate) * change
    begins = np.searchsorted(numbers, np.arange(labels)).astype(np.int32)
    arrays = {name: each.astype(np.float16) for name, each in weights.items()}
    return arrays | in_bytes({"taught": vectors}) | {"begins": begins}


def _gradients(
    weights: dict[str, Vectors], vectors: Vectors, numbers: NDArray[np.int64], drawn: np.random.Generator
) -> dict[str, Vectors]:
    """Give the gradients of the cross-entropy of some vectors, with a part of all states dropped."""
    x = vectors * np.float32(SHARPNESS) * _kept(drawn, vectors.shape)
    inner = x @ weights["first.weight"].T + weights["first.bias"]
    passed = (inner > 0) * _kept(drawn, inner.shape)
    inner *= passed
    errors = inner @ weights["second.weight"].T + weights["second.bias"]
    errors = np.exp(errors - errors.max(axis=1, keepdims=True))
    errors /= errors.sum(axis=1, keepdims=True)
    errors[np.arange(len(numbers)), numbers] -= 1
    errors /= len(numbers)
    back = (errors @ weights["second.weight"]) * passed
    return {
        "first.weight": back.T @ x,
        "first.bias": back.sum(axis=0),
        "second.weight": errors.T @ inner,
        "second.bias": errors.sum(axis=0),
    }


def _kept(drawn: np.random.Generator, shape: tuple[int, ...]) -> Vectors:
    kept: Vectors = (drawn.random(shape, dtype=np.float32) >= DROPPED).astype(np.float32) / np.float32(1 - DROPPED)
    return kept


def _drawn(drawn: np.random.Generator, rows: int, columns: int) -> Vectors:
    made: Vectors = drawn.uniform(-1, 1, (rows, columns)).astype(np.float32) / np.float32(math.sqrt(columns))
    return made


def left_out(found: Lessons, vectors: Vectors, report: Callable[[str], None], seed: int) -> Seen:
    """Ask heads what they never saw: of the questions in unusual words and of the requests a fifth each.

    Ways that are made of one stay together.
    """
    folds = np.array([int(fraction(origin, "intents") * FOLDS) for origin in found.origins])
    asked = found.unusual | found.requests
    likelihoods = np.zeros((len(vectors), len(found.labels)), np.float32)
    for fold in range(FOLDS):
        part = asked & (folds == fold)
        scores = Scores(fitted(vectors[~part], found.numbers[~part], len(found.labels), seed))
        likelihoods[part] = scores.likelihoods(vectors[part])
        report(f"fold {fold + 1} of {FOLDS}")
    origins = [origin for origin, is_asked in zip(found.origins, asked, strict=True) if is_asked]
    return seen(
        found.labels, found.numbers[asked], likelihoods[asked], found.unusual[asked], origins, read_dialogues().intents
    )


def train(options: IntentOptions, report: Callable[[str], None] = print) -> None:
    """Encode, choose the limit, learn from everything, and export."""
    _export_encoder(options.start, options.export)
    found = lessons(read_dialogues(), options.data, options.seed)
    report(f"{len(found.questions)} questions of {len(found.labels)} labels")
    vectors = SentenceEncoder(options.export).encode_all(found.questions)
    limit, tool_limits = limits(left_out(found, vectors, report, options.seed), report)
    folder = options.export / HEAD
    folder.mkdir(exist_ok=True)
    save_file(fitted(vectors, found.numbers, len(found.labels), options.seed), folder / "model.safetensors")
    write_labels(folder, found, limit, tool_limits)


def write_labels(folder: Path, found: Lessons, limit: float, tool_limits: Mapping[str, float]) -> None:
    """Write what the head's labels are, one a line, so that changes can be read."""
    content = {
        "limit": round(limit, 4),
        "tool_limits": tool_limits,
        "labels": [f"{kind} {name}".strip() for kind, name in found.labels],
        "replies": found.replies,
    }
    (folder / "intents.json").write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def _export_encoder(start: Path, export: Path) -> None:
    """Write the encoder in bytes, without the layers that it does not need."""
    export.mkdir(parents=True, exist_ok=True)
    arrays = {name: array for name, array in read_arrays(start).items() if array.dtype == np.float32}
    kept = {name: array for name, array in arrays.items() if not name.startswith("pooler.")}
    save_file(in_bytes(kept), export / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        shutil.copyfile(start / name, export / name)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(
        parser,
        IntentOptions,
        {
            "data": "folder with text/dialogue/, text/prompts/ …",
            "start": "folder of all-MiniLM-L6-v2",
            "export": "where it goes, e.g. assets/starter/intents",
            "seed": "another one meets other batches",
        },
    )


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(IntentOptions, args))
