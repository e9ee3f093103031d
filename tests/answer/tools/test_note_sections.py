"""Questions about notes lead to their section by their meaning."""

from __future__ import annotations

import pytest

from engine.answer.tools.note_sections import section_asked_for, section_meant


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("What did I miss?", "summary"),
        ("Give me a summary of the meeting.", "summary"),
        ("What was decided?", "decisions"),
        ("What have we agreed on so far?", "decisions"),
        ("Was habe ich verpasst?", "summary"),
    ],
)
def test_a_question_leads_to_its_section(question: str, section: str) -> None:
    assert section_meant(question) == section


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("Who does what?", "tasks"),
        ("What is still open?", "questions"),
        ("Do you have a family?", None),
        ("What is the latest news from Paris?", None),
        ("How do I get candle wax out of a tablecloth?", None),
    ],
)
def test_what_hardly_asks_for_a_section_asks_for_none(question: str, section: str | None) -> None:
    assert section_asked_for(question) == section
