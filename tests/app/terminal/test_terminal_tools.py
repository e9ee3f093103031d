"""The assistant's tools on the command line: the history is searched, and timers ring."""

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.history.store import HistoryStore
from app.terminal import terminal_tools
from app.terminal.said import Said
from app.terminal.terminal_tools import TerminalTools, with_tools
from engine.answer.tools.outcomes import ToolOutcome
from engine.answer.tools.table import INSTEAD
from engine.notes.records import NoteLine, Notes, NotesSection
from engine.turns import Heard, Sentence, ToolCall, TurnEvent
from tests.app.made_captions import caption

PATIENCE = 120.0


def call(tool: str, **arguments: str) -> ToolCall:
    return ToolCall(1, 0, tool, "en", arguments)


def history(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "history" / "history.sqlite"
    store = HistoryStore(path)
    session = store.begin("captions", "Meeting", "Microphone", "starter", "en", 1000.0)
    for number, text in enumerate(texts, 1):
        store.put_caption(session, caption(number, text, final=True))
    store.end(session, 2000.0)
    store.close()
    return path


def test_what_was_said_is_found_in_the_history(tmp_path: Path) -> None:
    tools = TerminalTools(history(tmp_path, "The deadline is on Friday.", "Lunch is at noon."))
    found = tools.carry_out(call("said_about", topic="the deadline"))
    assert (found.kind, [quote.text for quote in found.quotes]) == ("said", ["The deadline is on Friday."])
    assert [quote.text for quote in tools.carry_out(call("last_lines", count="1")).quotes] == ["Lunch is at noon."]
    assert len(tools.carry_out(call("missed", seconds="600")).quotes) == 2
    assert tools.carry_out(call("when_about", topic="skiing")) == ToolOutcome("said_nothing", {"topic": "skiing"})


def test_what_was_decided_is_told_by_the_notes_that_are_kept_else_made(tmp_path: Path) -> None:
    path = history(tmp_path, "Okay, then we take the blue one.", "Who paints the ceiling?")
    tools = TerminalTools(path)
    made = tools.carry_out(call("missed", section="decisions"))
    assert (made.kind, [quote.text for quote in made.quotes]) == ("noted", ["Okay, then we take the blue one."])
    store = HistoryStore(path)
    session = store.newest()
    assert session is not None
    store.put_notes(session.id, Notes("meeting", (NotesSection("decisions", "", (NoteLine("Blue.", (1,)),)),)))
    store.close()
    kept = tools.carry_out(call("missed", section="decisions"))
    assert [quote.text for quote in kept.quotes] == ["Blue."]


def test_a_transcript_is_asked_about_in_place_of_the_history(tmp_path: Path) -> None:
    path = history(tmp_path, "The deadline is on Friday.")
    said = Said((caption(1, "Okay, then we take the blue one.", final=True),))
    tools = TerminalTools(path, said=said)
    assert [quote.text for quote in tools.carry_out(call("missed", section="decisions")).quotes] == [
        "Okay, then we take the blue one."
    ]
    assert tools.carry_out(call("missed", section="tasks")) == ToolOutcome("noted_nothing")
    assert tools.carry_out(call("said_about", topic="deadline")).kind == "said_nothing"


def test_without_a_history_nothing_was_said(tmp_path: Path) -> None:
    tools = TerminalTools(tmp_path / "history" / "history.sqlite")
    assert tools.carry_out(call("missed")) == ToolOutcome("nothing_said")
    assert tools.carry_out(call("said_about", topic="lunch")).kind == "said_nothing"
    assert not (tmp_path / "history").exists()


def test_case_a_timer_rings_on_time_after_the_computer_slept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(terminal_tools, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(terminal_tools, "time", SimpleNamespace(time=lambda: clock[0]))
    rung = threading.Event()
    tools = TerminalTools(tmp_path / "none", lambda sentence: rung.set())
    tools.carry_out(call("timer", seconds="3600"))
    assert not rung.is_set()
    clock[0] += 3600.0  # asleep: the clock went on, no thread did
    assert rung.wait(PATIENCE)


def test_a_timer_rings_is_listed_and_is_taken_away(tmp_path: Path) -> None:
    rung, told = threading.Event(), []

    def ring(sentence: str) -> None:
        told.append(sentence)
        rung.set()

    tools = TerminalTools(tmp_path / "none", ring)
    assert tools.carry_out(call("timer", seconds="0.01", label="tea")).kind == "timer_set_named"
    assert rung.wait(PATIENCE)
    assert told[0].startswith("Tea:")
    tools.carry_out(call("timer", seconds="600"))
    assert tools.carry_out(call("timer_left")).kind == "timer_left"
    assert tools.carry_out(call("cancel_timer")) == ToolOutcome("timer_cancelled")
    assert tools.carry_out(call("cancel_timer")) == tools.carry_out(call("timer_left")) == ToolOutcome("no_timer")


def test_what_needs_the_window_is_said_to_be_there(tmp_path: Path) -> None:
    for tools in (TerminalTools(tmp_path / "none"), TerminalTools(tmp_path / "none", print)):
        assert tools.carry_out(call("start_captions")) == ToolOutcome("only_in_window")
        assert tools.carry_out(call("stop")) == ToolOutcome("stopped")
    assert TerminalTools(tmp_path / "none").carry_out(call("timer", seconds="5")) == ToolOutcome("timer_needs_time")


class Session:
    """Records the outcomes of calls."""

    def __init__(self) -> None:
        self.heard: list[ToolOutcome] = []

    def hear_back(self, turn: int, revision: int, language: str, outcome: ToolOutcome) -> None:
        self.heard.append(outcome)


def test_what_a_turn_calls_is_carried_out_and_told_of(tmp_path: Path) -> None:
    session = Session()
    events = [call("stop")]
    assert list(with_tools(session, TerminalTools(tmp_path / "none"), events)) == events  # type: ignore[arg-type]
    assert session.heard == [ToolOutcome("stopped")]


def test_another_time_for_a_timer_takes_the_place_of_the_last_one(tmp_path: Path) -> None:
    tools = TerminalTools(tmp_path / "none", [].append)
    try:
        tools.carry_out(call("timer", seconds="900", label="tea"))
        tools.carry_out(call("timer", seconds="300"))
        tools.carry_out(call("timer", seconds="600", **{INSTEAD: "1"}))
        assert [each.seconds for each in tools._timers] == [900, 600]
        assert tools._changed is not None
        tools._changed[1]()  # taken back
        assert [each.seconds for each in tools._timers] == [900, 300]
    finally:
        tools.close()


def timers(tools: TerminalTools, *events: TurnEvent) -> list[str]:
    """Let tools follow events; return the labels of the timers that run then."""
    list(with_tools(Session(), tools, events))  # type: ignore[arg-type]
    return sorted(each.label for each in tools._timers)


def test_what_was_done_for_a_part_of_a_request_is_taken_back_for_the_whole(tmp_path: Path) -> None:
    with closing(TerminalTools(tmp_path / "none", print)) as tools:
        tea = ToolCall(1, 0, "timer", "en", {"seconds": "600", "label": "tea"})
        assert timers(tools, Heard(1, 0, "", final=True), tea, Sentence(1, 0, 0, "")) == ["tea"]
        assert timers(tools, Sentence(1, 1, 1, "")) == ["tea"], "the answer only went on after a cough"
        both = replace(tea, revision=1, arguments={"seconds": "610", "label": "tea and milk"})
        assert timers(tools, Heard(1, 1, "", final=True), both) == ["tea and milk"]
        assert timers(tools, Heard(2, 0, ""), ToolCall(2, 0, "cancel_timer", "en", {})) == []
        assert timers(tools, Heard(2, 1, ""), Sentence(2, 1, 0, "")) == ["tea and milk"]
        assert timers(tools, Heard(3, 0, ""), Sentence(3, 0, 0, "")) == ["tea and milk"]
