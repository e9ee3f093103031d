"""The section of the notes that a question is about, by the question's meaning."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.answer.intents.encoder import Vectors

SUMMARY = "summary"
MEANINGS: Mapping[str, str] = {
    SUMMARY: "What did I miss? Give me a summary of the meeting.",
    "decisions": "What was decided and agreed on?",
    "tasks": "Who has to do what, and by when?",
    "questions": "Which questions are still open?",
}
"""A question that stands for each section."""

LEAST_LEAD = 0.03
"""Least likeness by which another section must lead the summary."""


def section_meant(question: str) -> str:
    """Return the section that a question is about; the summary in doubt, and in languages that the encoder lacks."""
    from engine.answer.intents.encoder import starter_encoder  # the window's process, which needs a name here, has none

    encoder = starter_encoder()
    vector = encoder.encode(question)
    half = len(vector) // 2
    likeness = {name: float(vector[:half] @ each[:half]) for name, each in _vectors().items()}
    best = max(likeness, key=lambda name: likeness[name])
    return best if likeness[best] >= likeness[SUMMARY] + LEAST_LEAD else SUMMARY


@cache
def _vectors() -> dict[str, Vectors]:
    from engine.answer.intents.encoder import starter_encoder

    return {name: starter_encoder().encode(question) for name, question in MEANINGS.items()}
