"""Questions about notes lead to their section by their meaning."""

from __future__ import annotations

import pytest

from engine.answer.tools.note_sections import section_meant


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
