"""Notes in the engine process: the newest request of each subject, a step at a time."""

from __future__ import annotations

from engine.errors import ModelError
from engine.notes.records import SaidLine
from engine.notes.template import load_template
from engine.process.messages import Event, MakeNotes, NotesMade
from engine.process.notes_work import NotesWork
from tests.notes.said import said

LINES = tuple(
    said("Ben: Okay, then we take the blue one.", "Anna: Agreed. I'll order it by Friday.", "Ben: It rained.")
)


def refuse(name: str) -> object:
    raise ModelError(f"There is no model {name}.")


def work_of() -> tuple[NotesWork, list[Event]]:
    sent: list[Event] = []
    return NotesWork(sent.append, refuse), sent  # type: ignore[arg-type]


def request(subject: str, lines: tuple[SaidLine, ...] = LINES, writer: str = "") -> MakeNotes:
    return MakeNotes(subject, lines, load_template(), writer)


def run(work: NotesWork) -> None:
    while work.busy:
        work.work()


def made(sent: list[Event]) -> list[NotesMade]:
    return [each for each in sent if isinstance(each, NotesMade)]


def test_notes_are_sent_once_they_are_made() -> None:
    work, sent = work_of()
    assert not work.busy
    work.take(request("live"))
    run(work)
    (answer,) = made(sent)
    assert (answer.subject, answer.problem) == ("live", "")
    assert [line.rests_on for line in answer.notes.section("decisions")] == [(1, 2)]


def test_a_newer_request_replaces_the_one_under_way_and_others_follow() -> None:
    work, sent = work_of()
    work.take(request("live", LINES[:1]))
    work.work()
    work.take(request("session 4", LINES[:1]))
    work.take(request("live"))
    run(work)
    assert sorted((each.subject, len(each.notes.section("tasks"))) for each in made(sent)) == [
        ("live", 1),
        ("session 4", 0),
    ]


def test_a_model_that_cannot_be_loaded_is_told_and_work_goes_on() -> None:
    work, sent = work_of()
    work.take(request("live", writer="nowhere"))
    work.take(request("session 4"))
    run(work)
    assert [(each.subject, each.problem) for each in made(sent)] == [
        ("live", "There is no model nowhere."),
        ("session 4", ""),
    ]
