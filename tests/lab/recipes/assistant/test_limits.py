"""Limits that the classifier's certainty must reach, found by heads that never saw the question."""

from __future__ import annotations

import numpy as np
import pytest

from lab.recipes.assistant.dialogues import Intent
from lab.recipes.assistant.limits import (
    KINDS,
    MOST_WRONG,
    STEPS,
    Label,
    Seen,
    alike,
    answer_limit,
    limits,
    seen,
    tool_limit,
)

LABELS: list[Label] = [
    ("intent", "hello"),
    ("intent", "sizes"),
    ("tool", "text_larger"),
    ("tool", "missed"),
    ("unknown", ""),
]
HELLO, SIZES, LARGER, MISSED, NOTHING = range(len(LABELS))
INTENTS = [
    Intent("hello", ("Good day.",), (), "Hello."),
    Intent("sizes", ("How do I change the size?", "Make the text bigger."), (), "By a key."),
]


def taken(wanted: list[int], found: list[int], sure: list[float], unusual: bool) -> Seen:
    """Make questions as they were classified: unusual ones, or requests of which every other one chooses."""
    right = alike(LABELS, INTENTS)[wanted, found]
    made = seen(
        LABELS,
        np.array(wanted),
        np.array(found),
        np.array(sure, np.float32),
        right,
        np.full(len(wanted), unusual),
        [""] * len(wanted),
    )
    choosing = np.arange(len(wanted)) % 2 == 0
    return Seen(made.labels, made.wanted, made.found, made.sure, made.right, made.unusual, choosing)


def test_a_tool_that_a_way_to_ask_calls_is_as_right_as_the_answer() -> None:
    found = alike(LABELS, INTENTS)
    assert found[SIZES, LARGER] and not found[LARGER, SIZES]
    assert found.sum() == len(LABELS) + 1


def test_an_answer_has_to_be_so_sure_that_few_are_wrong() -> None:
    sure = np.linspace(0.3, 0.99, 100)
    found = [SIZES if place < 20 else HELLO for place in range(100)]  # the least sure ones are wrong
    limit, known = answer_limit(taken([HELLO] * 100, found, list(sure), unusual=True))
    assert sum(each >= limit - 1e-6 for each in sure[:20]) == round(MOST_WRONG * 100)
    assert known == 0.8


@pytest.mark.parametrize(("tool", "kind"), [(LARGER, "changes"), (MISSED, "looks")])
def test_what_changes_something_has_to_be_surer_than_all_that_asks_for_nothing(tool: int, kind: str) -> None:
    wanted, found = [NOTHING] * 100, [NOTHING] * 98 + [tool] * 2
    questions = taken(wanted, found, [0.9] * 98 + [0.84, 0.97], unusual=False)
    assert tool_limit(questions, kind) == 0.85, "of the half that chooses"
    assert [tool_limit(questions, other) for other in KINDS if other != kind] == [STEPS[0]]


def test_the_limits_are_given_for_every_tool() -> None:
    lines: list[str] = []
    _, tools = limits(taken([HELLO, LARGER, MISSED] * 12, [HELLO] * 36, [0.9] * 36, unusual=True), lines.append)
    assert tools == {"text_larger": STEPS[0], "missed": STEPS[0]}
    assert len(lines) == 1 + len(KINDS)
