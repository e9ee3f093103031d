"""The dialogues that the starter assistant learns, as they are written in assets/dialogues.

A file holds intents: a name, ways to ask, one answer.

    # talk_name
    ? What is your name?
    ? Who am I talking to?
    ! I am Earshot, a small assistant that lives on this computer.

or families of them, whose rows fill the fields of all their questions and of the answer:

    ## capital: country, city
    France | Paris
    ? What is the capital of {country}?
    ! The capital of {country} is {city}.

One question in eight, by its letters, is never trained on: it is asked to test what was learnt. Ways to ask that were
written later, in unusual words, begin with '+' in place of '?', and those that are written as people type and talk in
passing, short, vague or misspelt, with '*'. Of those it is as many, and they are tests by themselves, so that what the
first test said of earlier models can still be compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import EngineError
from engine.models.catalogue import ASSETS
from lab.recipes.sentences.text import fraction

FOLDER = ASSETS / "dialogues"
HELD_OUT_IN = 8
BORROWED = "clinc150.txt"  # answers only: their questions are CLINC150's
_FIELD = re.compile(r"\{([^{}]+)\}")


class DialogueError(EngineError):
    """A file of dialogues that is not written as it should be."""


@dataclass(frozen=True, slots=True)
class Intent:
    """One thing that people ask for.

    Attributes:
        questions: the ways to ask that are trained on.
        held_out: those that never are.
        reply: the one answer.
        group: what it is counted with: the family that it is a row of, else the first word of its name.
        later, casual: those of the ways written later, and of the casual ones, that are never trained on.
    """

    name: str
    questions: tuple[str, ...]
    held_out: tuple[str, ...]
    reply: str
    group: str = field(default="", compare=False)
    later: tuple[str, ...] = ()
    casual: tuple[str, ...] = ()

    @property
    def every_way(self) -> tuple[str, ...]:
        """All ways to ask."""
        return (*self.questions, *self.held_out, *self.later, *self.casual)


@dataclass(frozen=True, slots=True)
class Dialogues:
    """All that is written.

    Attributes:
        intents: those with questions of their own.
        rows: one for each row of a family, named after both ("capital_france").
        borrowed: answers to the questions of CLINC150, by the names of its intents.
    """

    intents: tuple[Intent, ...]
    rows: tuple[Intent, ...] = ()
    borrowed: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Block:
    """The lines between two headings."""

    heading: str
    place: str
    rows: list[tuple[str, ...]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    casual: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)


def read_dialogues(folder: Path = FOLDER) -> Dialogues:
    """Read every file of a folder. DialogueError names file and line of what is wrong."""
    blocks = [block for path in sorted(folder.glob("*.txt")) if path.name != BORROWED for block in _blocks(path)]
    if not blocks:
        raise DialogueError(f"{folder} holds no dialogues: files of questions and answers are looked for there.")
    intents = tuple(_intent(block) for block in blocks if not block.heading.startswith("#"))
    asked = {letters_of(question) for intent in intents for question in intent.every_way}
    rows = tuple(row for block in blocks if block.heading.startswith("#") for row in _family(block, asked))
    _check_distinct([*intents, *rows])
    borrowed = _borrowed(folder / BORROWED, {intent.name: intent.reply for intent in intents})
    return Dialogues(intents, rows, borrowed)


def unusual_questions(folder: Path = FOLDER) -> frozenset[str]:
    """Return the ways to ask that were written later, and casual ones, learnt and held out."""
    blocks = (block for path in sorted(folder.glob("*.txt")) if path.name != BORROWED for block in _blocks(path))
    return frozenset(question for block in blocks for question in (*block.later, *block.casual))


def letters_of(question: str) -> str:
    """Return what is left of a question whatever its case and marks: two that are alike in it are the same."""
    return re.sub(r"[^\w]+", " ", question.casefold().replace("'", "").replace("’", "")).strip()


def _blocks(path: Path) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line, place = line.strip(), f"{path.name}, line {number}"
        if line.startswith("#"):
            if block is not None:
                yield block
            block = _Block(line[1:].strip(), place)
        elif line and block is None:
            raise DialogueError(f"{place}: a heading such as '# name' must come first.")
        elif line and block is not None:
            _add_line(block, line, place)
    if block is not None:
        yield block


def _add_line(block: _Block, line: str, place: str) -> None:
    mark, text = line[0], line[1:].strip()
    if mark == "?" and text:
        block.questions.append(text)
    elif mark == "+" and text and not block.heading.startswith("#"):
        block.later.append(text)
    elif mark == "*" and text and not block.heading.startswith("#"):
        block.casual.append(text)
    elif mark == "!" and text:
        block.replies.append(text)
    elif block.heading.startswith("#") and "|" in line:
        block.rows.append(tuple(part.strip() for part in line.split("|")))
    else:
        raise DialogueError(f"{place}: a line must begin with '?' or '!', not {line[:20]!r}.")


def _intent(block: _Block) -> Intent:
    _check_block(block)
    name, later, casual = block.heading, _split(block.later), _split(block.casual)
    first = _with_held_out(name, block.questions, block.replies[0], name.partition("_")[0])
    learnt = (*first.questions, *later[0], *casual[0])
    return replace(first, questions=learnt, later=later[1], casual=casual[1])


def _family(block: _Block, asked: set[str]) -> Iterator[Intent]:
    """Fill in the rows; a question that an intent asks already is that intent's."""
    _check_block(block)
    name, _, listed = block.heading.lstrip("#").partition(":")
    name = name.strip()
    fields = tuple(part.strip() for part in listed.split(","))
    for row in block.rows:
        if len(row) != len(fields):
            raise DialogueError(f"{block.place}: {' | '.join(row)!r} has not one part for each of {', '.join(fields)}.")
        values = dict(zip(fields, row, strict=True))
        filled = [_filled(question, values, block.place) for question in block.questions]
        filled = [question for question in filled if letters_of(question) not in asked]
        slug = re.sub(r"\W+", "_", row[0].casefold()).strip("_")
        yield _with_held_out(f"{name}_{slug}", filled, _filled(block.replies[0], values, block.place), name)


def _filled(text: str, values: dict[str, str], place: str) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise DialogueError(f"{place}: there is no field {found[0]}.")
        return values[found[1]]

    made = _FIELD.sub(value, text)
    return made[0].upper() + made[1:]


def _check_block(block: _Block) -> None:
    if not block.questions or len(block.replies) != 1:
        raise DialogueError(f"{block.place}: {block.heading!r} must have questions and exactly one answer.")


def _with_held_out(name: str, questions: Iterable[str], reply: str, group: str) -> Intent:
    return Intent(name, *_split(questions), reply, group)


def _split(questions: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the questions that are trained on, and those that never are."""
    kept: list[str] = []
    held_out: list[str] = []
    for question in questions:
        (held_out if fraction(question, "dialogue") < 1 / HELD_OUT_IN else kept).append(question)
    return tuple(kept), tuple(held_out)


def _check_distinct(intents: list[Intent]) -> None:
    """Refuse two intents with a name or a question in common: there would be no right answer."""
    names = Counter(intent.name for intent in intents)
    if twice := [name for name, count in names.items() if count > 1]:
        raise DialogueError(f"Intents must have names of their own; {', '.join(twice[:5])} come twice.")
    asked: dict[str, str] = {}
    for intent in intents:
        for question in intent.every_way:
            if asked.setdefault(letters_of(question), intent.name) != intent.name:
                other = asked[letters_of(question)]
                raise DialogueError(f"{question!r} is asked in two intents: {other} and {intent.name}.")


def _borrowed(path: Path, replies: dict[str, str]) -> dict[str, str]:
    """Return answers by CLINC150's names: written there, or named as those of an intent."""
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.is_file() else (), 1):
        name, tab, answer = line.partition("\t")
        if line.strip() and not (tab and answer.strip()):
            raise DialogueError(f"{path.name}, line {number}: 'name TAB answer' is expected.")
        if line.strip():
            found[name.strip()] = replies.get(answer.strip(), answer.strip())
    return found
