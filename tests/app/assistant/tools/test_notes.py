"""Answers about what was missed and decided: from the notes at once, if there are some."""

from __future__ import annotations

from app.assistant.tools.meeting import Meeting, noted
from app.terminal.terminal_tools import _Opened
from engine.answer.tools.outcomes import words_of
from engine.notes.records import NoteLine, Notes, NotesSection
from tests.app.made_captions import caption

NOTES = Notes(
    "meeting",
    (
        NotesSection("summary", "Summary", (NoteLine("The pump broke.", (1,)),)),
        NotesSection("decisions", "Decisions", (NoteLine("We buy a new pump.", (2, 3)),)),
        NotesSection("tasks", "Tasks", (NoteLine("I'll order it.", (4,), "Omar"),)),
        NotesSection("questions", "Open questions"),
    ),
)
STARTS = {1: 0.0, 2: 10.0, 3: 14.0, 4: 65.0}


def test_a_section_is_told_with_its_times() -> None:
    told = words_of(noted(NOTES, "decisions", STARTS), "en")
    assert told == ("This is in the notes so far.", "At 0:10: “We buy a new pump.”")


def test_the_summary_comes_with_decisions_and_tasks() -> None:
    assert [quote.seconds for quote in noted(NOTES, "summary", STARTS).quotes] == [0.0, 10.0, 65.0]


def test_a_task_names_who_does_it() -> None:
    assert words_of(noted(NOTES, "tasks", STARTS), "en")[1] == "At 1:05, Omar: “I'll order it.”"


def test_a_line_of_two_sections_is_told_once() -> None:
    lines = (NoteLine("I'll order it.", (4,)),)
    notes = Notes("meeting", (NotesSection("summary", "", lines), *NOTES.sections[2:]))
    assert [(quote.text, quote.speaker) for quote in noted(notes, "summary", STARTS).quotes] == [
        ("I'll order it.", "Omar")
    ]


def test_an_empty_section_is_told() -> None:
    assert words_of(noted(NOTES, "questions", STARTS), "de") == ("Dazu steht bisher nichts in den Notizen.",)


def test_where_notes_sum_up_nothing_what_was_said_last_is_told() -> None:
    meeting = Meeting(lambda: (caption(1, "I like tea.", final=True),), _Opened())
    topics = Notes("meeting", (NotesSection("topics", "Topics", (NoteLine("Tea", (1,)),)),))
    told = meeting.missed({"section": "summary"}, topics, {})
    assert (told.kind, [quote.text for quote in told.quotes]) == ("missed", ["I like tea."])
    assert meeting.missed({"section": "decisions"}, topics, {}).kind == "noted_nothing"
