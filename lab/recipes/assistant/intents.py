"""Learns to recognise what a question asks for: the head of the classifier that the starter assistant trusts.

A published encoder of sentences stays as it is, in bytes. Over its vectors a small network learns the intents of the
dialogues, their families of facts, ways to ask for tools, the questions of open data sets that have an answer, and what
is none of these. How sure it must be is chosen by cross-validation on what it learns from (`limits`), never on the
questions that are held out.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from engine.answer.intents.classifier import HEAD, NETWORKS, Scores
from engine.answer.intents.encoder import SentenceEncoder, Vectors, in_bytes, read_arrays
from engine.answer.intents.reranking import Reranker, choose, kinds_of
from engine.answer.intents.words import UNITS, counted
from engine.errors import OptionError
from lab.recipes.assistant.conversations import UNKNOWN, borrowed_questions, unknown_questions
from lab.recipes.assistant.dialogues import Dialogues, read_dialogues, unusual_questions
from lab.recipes.assistant.heads import UNUSUAL_WEIGHT, Arrays, fitted, reranker
from lab.recipes.assistant.limits import FOLDS, Label, Seen, alike, limits, seen
from lab.recipes.assistant.requests import NONE, requests
from lab.recipes.sentences.text import fraction
from lab.recipes.training.options import add_options, read_options

MOST_OF_A_ROW, MOST_BORROWED, MOST_UNKNOWN = 3, 30, 2_500
PROMPTS = ("arena_hard_v2.0", "gsm8k_test", "self_instruct_seed_tasks", "user_oriented_instructions")
"""Sets of prompts that ask for what was not taught; those of MT-bench and of Vicuna are what it is judged by."""

MOST_PROMPTS, MOST_CHARACTERS = 400, 600
OTHERS_SHARE, OTHERS_WEIGHT = 0.25, 0.3
"""Share of the questions that are neither unusual nor a request which is left out, too, and the weight of all but the
unusual ones."""

TOGETHER = 256
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
class IntentLessons:
    """Questions with the numbers of their labels, in the order of the labels.

    Attributes:
        replies: answers of intents, by name.
        asked: the first ways to ask for intents that are questions, by name.
        unusual: which questions were written later, in unusual words.
        requests: which ask for tools, or are near neighbours of such.
        origins: the questions as they are written: with fields in those that ask for tools.
    """

    labels: list[Label]
    questions: list[str]
    numbers: NDArray[np.int64]
    replies: dict[str, str]
    asked: dict[str, str]
    unusual: NDArray[np.bool_]
    requests: NDArray[np.bool_]
    origins: list[str]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Questions as heads took them that never saw them.

    Attributes:
        places: which of the lessons' questions they are.
        folds: which part of them each was left out with.
        numbers, features: of their likeliest labels, as `Opinions.candidates` gives them.
    """

    places: NDArray[np.int64]
    folds: NDArray[np.int64]
    numbers: NDArray[np.int64]
    features: Vectors


def lessons(written: Dialogues, data: Path, seed: int) -> IntentLessons:
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
    unusual = unusual_questions()
    return IntentLessons(
        labels,
        [question for question, _ in pairs],
        np.array([number for _, number in pairs]),
        {name: replies[name] for kind, name in labels if kind == "intent"},
        {intent.name: first for intent in written.intents if (first := intent.questions[0]).endswith("?")},
        np.array([question in unusual for question, _ in pairs]),
        np.array([question in origins for question, _ in pairs]),
        [origins.get(question, question) for question, _ in pairs],
    )


def prompts(data: Path) -> Iterator[str]:
    """Return questions that other sets ask of large models."""
    for name in PROMPTS:
        path = data / "text" / "prompts" / f"{name}.jsonl"
        if not path.is_file():
            raise OptionError(f"--data lacks {path.relative_to(data)}.")
        for line in path.read_text(encoding="utf-8").split("\n")[:MOST_PROMPTS]:
            record = json.loads(line or "{}")
            if found := next((record[key] for key in _TEXTS if isinstance(record.get(key), str)), None):
                yield found[:MOST_CHARACTERS]


def _head(found: IntentLessons, vectors: Vectors, kept: NDArray[np.bool_], seed: int) -> Arrays:
    """Learn all but the reranker from the questions that are kept, which are in the order of their labels."""
    numbers, labels, width = found.numbers[kept], len(found.labels), vectors.shape[1] // 2
    head = in_bytes({"taught": vectors[kept, :width]})
    head["begins"] = np.searchsorted(numbers, np.arange(labels)).astype(np.int32)
    for name, seen_by_it in zip(NETWORKS, (vectors[:, :width], vectors), strict=True):
        counts = np.where(found.unusual[kept], UNUSUAL_WEIGHT, 1.0)
        network = fitted(seen_by_it[kept], numbers, counts, labels, seed)
        head |= {f"{name}.{part}": array for part, array in network.items()}
    questions = [question for question, is_kept in zip(found.questions, kept, strict=True) if is_kept]
    for units in UNITS:
        head |= counted(questions, numbers, units)
    return head


def left_out(found: IntentLessons, vectors: Vectors, report: Callable[[str], None], seed: int) -> LeftOut:
    """Ask heads what they never saw: a fifth each of the unusual questions, of the requests, and of some others.

    Ways that are made of one stay together.
    """
    folds = np.array([int(fraction(origin, "intents") * FOLDS) for origin in found.origins])
    others = np.array([fraction(origin, "asked") < OTHERS_SHARE for origin in found.origins])
    asked = found.unusual | found.requests | others
    kinds = kinds_of([kind for kind, _ in found.labels])
    places, numbers, features = list[NDArray[np.int64]](), list[NDArray[np.int64]](), list[Vectors]()
    for fold in range(FOLDS):
        part = asked & (folds == fold)
        scores = Scores(_head(found, vectors, ~part, seed))
        for some in np.array_split(np.flatnonzero(part), max(1, part.sum() // TOGETHER)):
            opinions = scores.opinions(vectors[some], [found.questions[place] for place in some])
            likeliest, spoken = opinions.candidates(kinds, scores.sizes)
            places.append(some)
            numbers.append(likeliest)
            features.append(spoken)
        report(f"fold {fold + 1} of {FOLDS}")
    where = np.concatenate(places)
    return LeftOut(where, folds[where], np.concatenate(numbers), np.concatenate(features))


def judged(found: IntentLessons, left: LeftOut, report: Callable[[str], None], seed: int) -> Seen:
    """Rerank what was left out, each fold by a network that learnt from the others."""
    right, weights = _rightness(found, left)
    probabilities = np.zeros(left.numbers.shape, np.float32)
    for fold in range(FOLDS):
        part = left.folds == fold
        arrays = reranker(left.features[~part], right[~part], weights[~part], seed)
        probabilities[part] = Reranker(arrays).probabilities(left.features[part])
    tools = np.array([kind == "tool" for kind, _ in found.labels])
    taken, sure = choose(left.numbers, left.features, probabilities, tools)
    asked = (found.unusual | found.requests)[left.places]
    places = left.places[asked]
    wanted = found.numbers[places]
    is_right = alike(found.labels, read_dialogues().intents)[wanted, taken[asked]]
    origins = [found.origins[place] for place in places]
    return seen(found.labels, wanted, taken[asked], sure[asked], is_right, found.unusual[places], origins)


def _rightness(found: IntentLessons, left: LeftOut) -> tuple[NDArray[np.bool_], Vectors]:
    """Return the candidates (n, k) that are right, and how much each question counts."""
    as_right = alike(found.labels, read_dialogues().intents)
    weights = np.where(found.unusual[left.places], 1.0, OTHERS_WEIGHT).astype(np.float32)
    return as_right[found.numbers[left.places][:, None], left.numbers], weights


def train(options: IntentOptions, report: Callable[[str], None] = print) -> None:
    """Encode, choose the limits, learn from everything, and export."""
    _export_encoder(options.start, options.export)
    found = lessons(read_dialogues(), options.data, options.seed)
    report(f"{len(found.questions)} questions of {len(found.labels)} labels")
    vectors = SentenceEncoder(options.export).encode_all(found.questions)
    export_head(found, vectors, options, report)


def export_head(
    found: IntentLessons, vectors: Vectors, options: IntentOptions, report: Callable[[str], None] = print
) -> None:
    """Learn what stands beside the encoder, and write it."""
    left = left_out(found, vectors, report, options.seed)
    limit, tool_limits = limits(judged(found, left, report, options.seed), report)
    folder = options.export / HEAD
    folder.mkdir(exist_ok=True)
    head = _head(found, vectors, np.ones(len(vectors), np.bool_), options.seed)
    head |= reranker(left.features, *_rightness(found, left), options.seed)
    save_file(head, folder / "model.safetensors")
    write_labels(folder, found, limit, tool_limits)


def write_labels(folder: Path, found: IntentLessons, limit: float, tool_limits: Mapping[str, float]) -> None:
    """Write what the head's labels are, one a line, so that changes can be read."""
    content = {
        "limit": round(limit, 4),
        "tool_limits": tool_limits,
        "labels": [f"{kind} {name}".strip() for kind, name in found.labels],
        "replies": found.replies,
        "asked": found.asked,
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
