"""Notes in the engine process: the newest request of each subject, a step at a time."""

from __future__ import annotations

import threading

from engine.errors import ModelError
from engine.notes.records import SaidLine
from engine.notes.template import load_template
from engine.process.messages import Event, MakeNotes, NotesMade
from engine.process.notes_work import NotesWork
from tests.notes.said import said
from tests.scripted_model import ScriptedModel

PATIENCE_SECONDS = 120

LINES = tuple(
    said("Ben: Okay, then we take the blue one.", "Anna: Agreed. I'll order it by Friday.", "Ben: It rained.")
)


def refuse(name: str) -> object:
    raise ModelError(f"There is no model {name}.")


def work_of() -> tuple[NotesWork, list[Event]]:
    sent: list[Event] = []
    return NotesWork(sent.append, refuse), sent  # type: ignore[arg-type]


def slow_work(model: object, loads: list[str]) -> tuple[NotesWork, list[Event], threading.Event, threading.Event]:
    """Return work whose model is there once the first event is set; the second is set when it is."""
    sent: list[Event] = []
    may_load, loaded = threading.Event(), threading.Event()

    def load(name: str) -> object:
        loads.append(name)
        assert may_load.wait(PATIENCE_SECONDS)
        return model

    return NotesWork(sent.append, load, loaded.set), sent, may_load, loaded  # type: ignore[arg-type]


def request(subject: str, lines: tuple[SaidLine, ...] = LINES, writer: str = "") -> MakeNotes:
    return MakeNotes(subject, lines, load_template(), writer)


def run(work: NotesWork) -> None:
    while work.busy:
        work.work()


def test_while_a_model_is_loaded_there_is_nothing_to_do_and_the_newest_request_is_written_with_it() -> None:
    loads: list[str] = []
    work, sent, may_load, loaded = slow_work(ScriptedModel(lambda text: "- We met."), loads)
    work.take(request("live", LINES[:1], "model"))
    run(work)
    work.take(request("live", writer="model"))
    run(work)
    assert not work.busy
    assert not sent
    may_load.set()
    assert loaded.wait(PATIENCE_SECONDS)
    run(work)
    assert [each.notes.writer for each in made(sent)] == ["scripted"]
    assert loads == ["model"]


def test_lines_are_chosen_at_once_though_a_model_that_is_wanted_no_more_is_still_loaded() -> None:
    work, sent, may_load, loaded = slow_work(ScriptedModel(lambda text: "- We met."), [])
    work.take(request("live", writer="model"))
    run(work)
    work.take(request("live"))
    run(work)
    assert [each.subject for each in made(sent)] == ["live"]
    may_load.set()
    assert loaded.wait(PATIENCE_SECONDS)
    assert not work.busy


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
    failed = threading.Event()
    sent: list[Event] = []
    work = NotesWork(sent.append, refuse, failed.set)  # type: ignore[arg-type]
    work.take(request("live", writer="nowhere"))
    work.take(request("session 4"))
    run(work)
    assert failed.wait(PATIENCE_SECONDS)
    run(work)
    assert [(each.subject, each.problem) for each in made(sent)] == [
        ("live", "There is no model nowhere."),
        ("session 4", ""),
    ]
