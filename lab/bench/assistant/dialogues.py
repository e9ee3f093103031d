"""Share of its dialogues that the assistant knows: it is asked every question that it was never trained on.

It is asked as people ask it: danger and tools come first, then the model, which may answer that it is unsure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from app.terminal.tables import Cell, table
from engine.answer.predictor import Predictor
from engine.answer.sentences import first_sentence_end
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.answer.tools.recognition import FOLLOW_UP
from engine.assistant.doubt import answer_if_sure
from engine.errors import OptionError
from engine.language.language_model import LanguageModel
from engine.options import AnswerOptions
from lab.bench.assistant.phrasings import found_danger, found_request
from lab.bench.tables import mean, percent, rounded
from lab.recipes.assistant.dialogues import Dialogues, Intent, letters_of
from lab.recipes.assistant.tables import NONE
from lab.recipes.sentences.text import fraction

Spelling = Literal["written", "typed"]
Part = Literal["held_out", "later", "casual"]
SPELLINGS: tuple[str, ...] = get_args(Spelling)
PARTS: tuple[Part, ...] = get_args(Part)
"""Ways to ask that are tests by themselves."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, or its first sentence.

    Attributes:
        by: the tool or the danger that it is by; "" of the model.
        unsure: it says that it does not know.
    """

    text: str
    by: str = ""
    unsure: bool = False


Answering = Callable[[str], Given]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what came of it.

    Attributes:
        intent: what it asks for.
        in_family: whether that is one row of a family.
        question: as it was asked.
        answered: the first sentence of the answer.
        by, unsure: as of `Given`.
    """

    intent: Intent
    in_family: bool
    question: str
    answered: str
    by: str = ""
    unsure: bool = False

    @property
    def right(self) -> bool:
        """Return whether it is the answer, or by a tool that a learnt way to ask the same thing calls."""
        if self.by:
            return any(scripted(question) == self.by for question in self.intent.questions)
        return is_right(self.answered, self.intent.reply)

    @property
    def wrong(self) -> bool:
        """Return whether it is something else."""
        return not (self.right or self.unsure)


def is_right(reply: str, expected: str | None) -> bool:
    """Return whether a reply is the one for what was asked: its first sentence is that one's, letter by letter."""
    found = letters_of(first_sentence(reply))
    return bool(found) and found == letters_of(first_sentence(expected or ""))


def first_sentence(reply: str) -> str:
    """Return the first sentence of a whole reply; all of it if it has no end."""
    return reply[: first_sentence_end(reply, ended=True)].strip()


def check_spelling(spelling: str) -> None:
    """Refuse an unknown spelling.

    Raises:
        OptionError: there is no such spelling.
    """
    if spelling not in SPELLINGS:
        raise OptionError(f"--spelling must be one of {', '.join(SPELLINGS)}, not {spelling!r}.")


def spelled(question: str, spelling: str) -> str:
    """Return a question as it is written, or as people type it and hearing may write it: without capitals and marks.

    >>> spelled("Where's Earshot, please?", "typed")
    "where's earshot please"
    """
    return question if spelling == "written" else re.sub(r"[^\w\s'’-]", "", question.lower())


def questions(written: Dialogues, limit: int | None = None, part: Part = "held_out") -> list[tuple[Intent, bool, str]]:
    """Return every question of a part, with what it asks for and whether that is a row of a family.

    The order is fixed and shuffled, so that the first ones are of all kinds.
    """
    kinds = [(intent, False) for intent in written.intents] + [(row, True) for row in written.rows]
    found = [(intent, in_family, question) for intent, in_family in kinds for question in getattr(intent, part)]
    return sorted(found, key=lambda each: (fraction(each[2], "bench"), each[2]))[:limit]


def ask_all(answer: Answering, asked: Sequence[tuple[Intent, bool, str]], spelling: str) -> Iterator[Asked]:
    """Ask questions one by one, each by itself."""
    for intent, in_family, text in asked:
        question = spelled(text, spelling)
        given = answer(question)
        yield Asked(intent, in_family, question, first_sentence(given.text), given.by, given.unsure)


def answering(model: LanguageModel) -> Answering:
    """Return a function that answers as the assistant does, a model's answers up to the end of the first sentence.

    Raises:
        ModelError: the model's context is too short.
    """
    predictor = Predictor(model, AnswerOptions(speculate=False))
    unsure = words_of(ToolOutcome("unsure"), "en")[0]

    def answer(question: str) -> Given:
        if by := scripted(question):
            return Given("", by)
        predictor.restart()
        answer_steps = predictor.answer if predictor.can_read else partial(answer_if_sure, predictor)
        with closing(answer_steps(question)) as steps:
            while True:
                try:
                    new = next(steps)
                except StopIteration as end:
                    return Given(end.value.text)
                if new is not None and new.sentences:
                    return Given(new.sentences[0], unsure=new.sentences[0] == unsure)

    return answer


def scripted(question: str) -> str:
    """Name the danger or the tool by which a question is answered without a model; "" where there is none."""
    danger, _ = found_danger(question)
    if danger != NONE:
        return danger
    tool, _ = found_request(question)
    return "" if tool in (NONE, FOLLOW_UP) else tool


def refused_share(answer: Answering, asked: Iterable[str]) -> float | None:
    """Return how many prompts of other sets, which ask for nothing that was taught, are met with "I am not sure"."""
    given = [answer(text) for text in asked]
    return mean(each.unsure for each in given)


def share_right(asked: Sequence[Asked]) -> float | None:
    """Return the share of these that were answered rightly; None of nothing."""
    return mean(each.right for each in asked)


def share_wrong(asked: Sequence[Asked]) -> float | None:
    """Return the share of these that were answered with something else; None of nothing."""
    return mean(each.wrong for each in asked)


def figures(asked: Sequence[Asked]) -> dict[str, Cell]:
    """Return the headline numbers: the share right of all, of intents of their own, of rows; the share wrong."""
    parts = {
        "intents_right_share": [each for each in asked if not each.in_family],
        "families_right_share": [each for each in asked if each.in_family],
    }
    return {name: rounded(share_right(part)) for name, part in parts.items()} | shares(asked)


def shares(asked: Sequence[Asked]) -> dict[str, Cell]:
    """Return the shares that are right, and that are answered with something else."""
    return {"right_share": rounded(share_right(asked)), "wrong_share": rounded(share_wrong(asked))}


def groups(asked: Sequence[Asked]) -> list[dict[str, Cell]]:
    """Return the share right of each group of intents as plain values: intents, then families, the worst first."""
    found: dict[tuple[bool, str], list[Asked]] = {}
    for each in asked:
        found.setdefault((each.in_family, each.intent.group), []).append(each)
    order = sorted(found, key=lambda key: (key[0], share_right(found[key]) or 0.0, key[1]))
    return [
        {
            "group": name,
            "family": "yes" if in_family else "no",
            "questions": len(found[in_family, name]),
            "right": sum(each.right for each in found[in_family, name]),
            "right_share": round(share_right(found[in_family, name]) or 0.0, 4),
        }
        for in_family, name in order
    ]


def wrong(asked: Sequence[Asked]) -> list[dict[str, Cell]]:
    """Return every question that was not answered rightly, as plain values."""
    return [
        {"intent": each.intent.name, "asked": each.question, "answered": each.by or each.answered}
        for each in asked
        if not each.right
    ]


def group_table(asked: Sequence[Asked]) -> str:
    """Lay out the share right of every group, and of all together."""
    found = groups(asked)
    cells: list[tuple[Cell, ...]] = [
        (each["group"], each["family"], each["questions"], each["right"], percent(float(each["right_share"] or 0)))
        for each in found
    ]
    everything = ("all", "", len(asked), sum(each.right for each in asked), percent(share_right(asked)))
    return table(("group", "family", "questions", "right", "share"), [*cells, everything])


def worst(asked: Sequence[Asked], count: int = 20) -> str:
    """Lay out the intents that were mistaken most often, each with what was asked and what was answered instead."""
    by_intent: dict[str, list[Asked]] = {}
    for each in asked:
        by_intent.setdefault(each.intent.name, []).append(each)
    missed = [(found, [each for each in found if not each.right]) for found in by_intent.values()]
    order = sorted((pair for pair in missed if pair[1]), key=lambda pair: (-len(pair[1]), pair[0][0].intent.name))
    return "".join(_mistaken(found, missing) for found, missing in order[:count])


def _mistaken(found: Sequence[Asked], missed: Sequence[Asked]) -> str:
    lines = [f"{found[0].intent.name}: {len(missed)} of {len(found)} wrong"]
    lines += [f"  {each.question}  ->  {each.by or each.answered or '(nothing)'}" for each in missed]
    return "\n".join(lines) + "\n"
