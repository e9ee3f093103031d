"""Questions for the benchmark of the assistant, and how a question comes in while it is being said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal, get_args

from engine.answer.prompt import partial_prompt
from engine.errors import OptionError
from lab.bench.errors import BenchError
from lab.recipes.assistant.dialogues import Intent, letters_of, read_dialogues
from lab.recipes.sentences.text import fraction

QuestionSet = Literal["own", "mt-bench", "vicuna", "gsm8k"]
QUESTION_SETS: tuple[str, ...] = get_args(QuestionSet)

CHARACTERS_A_MINUTE = 600.0
"""Speaking rate in the PredGen paper: 120 words, or 600 characters, a minute (section 3.1)."""

_FILES = {"mt-bench": "mt_bench.jsonl", "vicuna": "vicuna_bench.jsonl", "gsm8k": "gsm8k_test.jsonl"}


@dataclass(frozen=True, slots=True)
class Prompts:
    """Everything that the user says in one conversation.

    Attributes:
        turns: what the user says, turn by turn.
        reply: the right answer to the last turn; None where nobody says which one is right.
    """

    name: str
    turns: tuple[str, ...]
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """One turn of the user's as it comes in.

    Attributes:
        text: all of it.
        seconds: when all of it was there, after its beginning.
        partials: what could be asked before that, without a word that may be cut off, and from when on.
        unfinished: the same with that word, as long as some of the question's letters were still to come: a final
            mark is not spoken, and the time it takes here is no time to answer in.
    """

    text: str
    seconds: float
    partials: tuple[tuple[float, str], ...] = ()
    unfinished: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation as it comes in; `reply` as in Prompts."""

    name: str
    questions: tuple[BenchQuestion, ...]
    reply: str | None = None


def streamed(text: str) -> BenchQuestion:
    """Return a question that comes character by character, at one pace.

    >>> [part for _, part in streamed("What is it?").partials]
    ['What', 'What is']
    """
    seconds = 60 / CHARACTERS_A_MINUTE
    return question_of(text, len(text) * seconds, [(end * seconds, text[:end]) for end in range(1, len(text))])


def question_of(text: str, seconds: float, moments: Sequence[tuple[float, str]]) -> BenchQuestion:
    """Return a question with what was known of it at each moment; all of it is there after `seconds`."""
    before = [moment for moment in moments if moment[0] < seconds]
    return BenchQuestion(
        text,
        seconds,
        without_repetitions((moment, partial_prompt(part)) for moment, part in before),
        without_repetitions((moment, part.strip()) for moment, part in before if letters_of(part) != letters_of(text)),
    )


def without_repetitions(partials: Iterable[tuple[float, str]]) -> tuple[tuple[float, str], ...]:
    """Return the moments at which there is something else to ask than before, and something at all."""
    found: list[tuple[float, str]] = []
    for seconds, partial in partials:
        if partial and (not found or found[-1][1] != partial):
            found.append((seconds, partial))
    return tuple(found)


def streams(prompts: Iterable[Prompts]) -> list[Talk]:
    """Return conversations whose questions come as text without a mistake, as in Table 1 of the paper."""
    return [Talk(each.name, tuple(map(streamed, each.turns)), each.reply) for each in prompts]


def read_set(name: str, data: Path | None = None) -> list[Prompts]:
    """Return the conversations of a set.

    "own": questions of the starter assistant's dialogues that it was never trained on, in a fixed shuffled order,
    those of intents and those of families by turns. The others are read from a folder like the project's data.

    Raises:
        OptionError: there is no such set, or a folder is needed.
        BenchError: the file is missing, or holds something else.
    """
    if name not in QUESTION_SETS:
        raise OptionError(f"--set must be one of {', '.join(QUESTION_SETS)}, not {name!r}.")
    if name == "own":
        return own_questions()
    if data is None:
        raise OptionError(f"--set {name} needs --data FOLDER, where its prompts are.")
    return _read(data / "text" / "prompts" / _FILES[name], name)


def own_questions() -> list[Prompts]:
    """Return the questions kept from the starter assistant's training, with their answers, in the order of `read_set`.

    Rows of families have more questions than all intents, and ask for less: by turns neither kind decides alone.
    """
    written = read_dialogues()
    pairs = zip_longest(_kept_from_training(written.intents), _kept_from_training(written.rows))
    return [each for pair in pairs for each in pair if each is not None]


def _kept_from_training(intents: Iterable[Intent]) -> list[Prompts]:
    found = [(question, each) for each in intents for question in each.held_out]
    order = sorted(found, key=lambda pair: (fraction(pair[0], "bench"), pair[0]))
    return [Prompts(each.name, (question,), each.reply) for question, each in order]


def shorter_than(prompts: Iterable[Prompts], characters: int) -> list[Prompts]:
    """Return the conversations in which nothing longer than this many characters is said."""
    return [each for each in prompts if max(map(len, each.turns)) <= characters]


def _read(path: Path, name: str) -> list[Prompts]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # other ends of lines are part of prompts
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"Cannot read {path}: {getattr(error, 'strerror', None) or 'it is not text'}.") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            asked = record["turns"] if "turns" in record else [record["question"]]
            turns = tuple(text for turn in asked if (text := turn.strip()))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BenchError(f"Line {number} of {path} is no prompt of {name}.") from error
        if turns:
            found.append(Prompts(f"{name} {number}", turns))
    if not found:
        raise BenchError(f"{path} holds no prompt.")
    return found
