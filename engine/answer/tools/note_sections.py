"""The section of the notes that a question is about, by the question's meaning."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
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


LEAST_LIKENESS = 0.48  # chosen in LOG 2026-11-29
"""Least likeness to a section's question of one that asks for it."""


def section_meant(question: str) -> str:
    """Return the section that a question is about; the summary in doubt, and in languages that the encoder lacks."""
    likeness = _likeness(question)
    best = max(likeness, key=lambda name: likeness[name])
    return best if likeness[best] >= likeness[SUMMARY] + LEAST_LEAD else SUMMARY


def section_asked_for(question: str) -> str | None:
    """Return the section that a question asks for; None if it hardly asks for any."""
    return section_meant(question) if max(_likeness(question).values()) >= LEAST_LIKENESS else None


@lru_cache(16)
def _likeness(question: str) -> dict[str, float]:
    """Return how like a question is to that of each section."""
    from engine.answer.intents.encoder import starter_encoder  # the window's process, which needs a name here, has none

    vector = starter_encoder().encode(question)
    half = len(vector) // 2
    return {name: float(vector[:half] @ each[:half]) for name, each in _vectors().items()}


@cache
def _vectors() -> dict[str, Vectors]:
    from engine.answer.intents.encoder import starter_encoder

    return {name: starter_encoder().encode(question) for name, question in MEANINGS.items()}
