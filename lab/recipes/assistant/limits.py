"""Thresholds of the classifier of intents, chosen by heads that never saw the question.

A fifth of the questions in unusual words, of the requests and of their near neighbours is left out of each of five
heads. How sure it must be of a tool is chosen by half of the ways to ask; the other half says what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.answer.intents.classifier import Kind
from engine.answer.intents.encoder import Vectors
from engine.answer.tools.recognition import recognise
from engine.answer.tools.table import TOOLS
from lab.recipes.assistant.dialogues import Intent
from lab.recipes.sentences.text import fraction

FOLDS = 5
MOST_WRONG = 0.04
"""Largest share of the questions in unusual words that may be answered with something else on this classifier's word
alone. Answers on which the assistant's model agrees, where this is less sure, add to them."""

KINDS = ("looks", "changes")
"""Thresholds of tools are stricter where they change something: a mistake does more harm there."""

MOST_MISTAKEN = {"looks": 0.001, "changes": 0.0005}
"""Largest shares of neighbours and of questions in unusual words that may be taken for a tool of either kind."""

STEPS = tuple(round(0.3 + 0.01 * step, 2) for step in range(70))
"""Range of the threshold of a tool."""

Label = tuple[Kind, str]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Seen:
    """Questions that were left out, as heads took them.

    Attributes:
        wanted, found: the numbers of their labels, and of the likeliest ones.
        sure: how likely those are.
        right: they are the ones, or tools that do what the intent tells.
        unusual: in unusual words; the others are requests and their neighbours.
        choosing: by which limits of tools are chosen.
    """

    labels: Sequence[Label]
    wanted: NDArray[np.int64]
    found: NDArray[np.int64]
    sure: NDArray[np.float32]
    right: Flags
    unusual: Flags
    choosing: Flags

    def are(self, numbers: NDArray[np.int64], kind: str) -> Flags:
        """Return the labels among these that are tools of one of `KINDS`."""
        marks = np.array([label[0] == "tool" and kind_of(label[1]) == kind for label in self.labels])
        flags: Flags = marks[numbers]
        return flags


def kind_of(tool: str) -> str:
    """Return whether a tool looks at something or changes it."""
    return "changes" if TOOLS[tool].changes else "looks"


def seen(
    labels: Sequence[Label],
    wanted: NDArray[np.int64],
    found: NDArray[np.int64],
    sure: Vectors,
    right: Flags,
    unusual: Flags,
    origins: Sequence[str],
) -> Seen:
    """Keep what was found for questions that were left out; half of the ways to ask choose the limits of tools."""
    choosing = np.array([fraction(origin, "limits") < 0.5 for origin in origins])
    return Seen(labels, wanted, found, sure, right, unusual, choosing)


def alike(labels: Sequence[Label], intents: Sequence[Intent]) -> Flags:
    """Return for every label (n, n) which ones are as right: itself, and a tool that a way to ask the same calls."""
    numbers = {label: number for number, label in enumerate(labels)}
    found = np.eye(len(labels), dtype=np.bool_)
    for intent in intents:
        for question in intent.questions if ("intent", intent.name) in numbers else ():
            call = recognise(question)
            if call is not None and ("tool", call.name) in numbers:
                found[numbers["intent", intent.name], numbers["tool", call.name]] = True
    return found


def answer_limit(questions: Seen) -> tuple[float, float]:
    """Return the least probability at which no more than `MOST_WRONG` are wrong, and the share right with it."""
    mask, unknown = questions.unusual, questions.labels.index(("unknown", ""))
    answered = questions.found[mask] != unknown
    order = np.argsort(-np.where(answered, questions.sure[mask], 0.0))
    right = questions.right[mask][order]
    wrong = np.cumsum(~right & answered[order]) / mask.sum()
    place = max(0, int(np.searchsorted(wrong, MOST_WRONG, side="right")) - 1)
    known = np.cumsum(right & answered[order]) / mask.sum()
    return float(questions.sure[mask][order][place]), float(known[place])


def tool_limit(questions: Seen, kind: str) -> float:
    """Return the least probability at which no more than `MOST_MISTAKEN` of the others are taken for such a request."""
    return next(limit for limit in (*STEPS, 1.0) if _mistaken(questions, kind, limit, True) <= MOST_MISTAKEN[kind])


def limits(questions: Seen, report: Callable[[str], None]) -> tuple[float, Mapping[str, float]]:
    """Choose how sure one must be of an answer, and of each tool; say what comes of it."""
    answer, known = answer_limit(questions)
    count = int(questions.unusual.sum())
    report(f"limit {answer:.3f}: {known:.1%} of {count} unusual questions right, {MOST_WRONG:.0%} wrong")
    by_kind = {kind: tool_limit(questions, kind) for kind in KINDS}
    for kind, limit in by_kind.items():
        judged = questions.are(questions.wanted, kind) & ~questions.choosing
        hit = (questions.right & (questions.sure >= limit))[judged]
        report(
            f"limit {limit:.2f} of what {kind}: of the other half {hit.mean():.1%} of {len(hit)} known, "
            f"{_mistaken(questions, kind, limit, False):.2%} of what is none of it taken for one"
        )
    return answer, {name: by_kind[kind_of(name)] for label, name in questions.labels if label == "tool"}


def _mistaken(questions: Seen, kind: str, limit: float, choosing: bool) -> float:
    """Return how much of what asks for no tool is taken for one of this kind."""
    others = np.array([label[0] != "tool" for label in questions.labels])[questions.wanted]
    taken = questions.are(questions.found, kind) & ~questions.right & (questions.sure >= limit)
    return float(taken[others & (questions.choosing == choosing)].mean())
