"""The app's tools on the real window: what each does, what is told of it, and that undoing it leaves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths
from pytestqt.qtbot import QtBot

from app.application import Application
from app.assistant.completed_call import CompletedCall
from app.preferences.preferences import LEAST_POINTS, MOST_POINTS
from app.sound.audio_sources import AudioFile
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.answer.tools.table import LANGUAGES, TOOLS
from engine.process.messages import TranslationChoice
from engine.turns import Heard, ToolCall, Turn
from tests.app.made_captions import caption

PATIENCE = 120_000  # milliseconds


def carry_out(application: Application, tool: str, turn: int = 1, **arguments: str) -> CompletedCall:
    """Carry out a tool that completes at once, and return the completed call."""
    told: list[CompletedCall] = []
    application.toolbox.carry_out(ToolCall(turn, 0, tool, "en", arguments), told.append)
    (done,) = told
    for each in LANGUAGES:
        assert words_of(done.outcome, each), "it can be told"
    return done


def undo(done: CompletedCall) -> None:
    assert done.undo is not None
    done.undo()


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in place of the person's documents."""
    folder = tmp_path / "documents"
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda location: str(folder))
    yield folder


def test_every_tool_of_the_app_is_carried_out_by_it(application: Application) -> None:
    toolbox = application.toolbox
    assert {*toolbox._tools, *toolbox._searches} == {tool.name for tool in TOOLS.values() if tool.where == "app"}


def test_the_text_grows_and_shrinks_to_its_limits_and_is_put_back(application: Application) -> None:
    def points() -> float:
        return application.settings.preferences.appearance.points

    usual = points()
    larger = carry_out(application, "text_larger")
    assert larger.outcome == ToolOutcome("text_larger")
    assert points() > usual
    carry_out(application, "text_smaller")
    assert points() == pytest.approx(usual)
    undo(larger)
    assert points() == usual
    for tool, limit, kind in (("text_larger", MOST_POINTS, "largest"), ("text_smaller", LEAST_POINTS, "smallest")):
        application.settings.alter(lambda now, at=limit: replace(now, appearance=replace(now.appearance, points=at)))
        done = carry_out(application, tool)
        assert (done.outcome, done.undo, points()) == (ToolOutcome(f"text_{kind}"), None, limit)
    assert carry_out(application, "text_usual").outcome == ToolOutcome("text_usual")
    assert points() == usual


def test_captions_are_translated_into_what_the_model_knows_and_as_before_when_that_is_undone(
    make_application,  # type: ignore[no-untyped-def]
) -> None:
    application = make_application(translation_model="starter-language")
    done = carry_out(application, "translate_captions", language="fr")
    assert done.outcome == ToolOutcome("translating", {"language": "fr"})
    choice = application.session.translation
    assert isinstance(choice, TranslationChoice)
    assert choice.options.target == "fr"
    ended = carry_out(application, "stop_translating")
    assert application.session.translation is None
    undo(ended)
    assert application.session.translation == choice
    undo(done)
    assert application.session.translation is None
    assert application.settings.preferences.translation.target == "de"
    assert carry_out(application, "stop_translating").outcome == ToolOutcome("not_translating")
    unknown = carry_out(application, "translate_captions", language="ja")
    assert (unknown.outcome.kind, unknown.undo) == ("no_caption_translation", None)


def test_a_model_that_is_not_there_is_told(application: Application) -> None:
    done = carry_out(application, "translate_captions", language="fr")
    assert done.outcome.kind == "failed"
    assert "scripted" in done.outcome.values["reason"]


def test_captions_start_and_stop_and_each_undoes_the_other(live: Application, speech_file: Path, qtbot: QtBot) -> None:
    assert carry_out(live, "stop_captions").outcome == ToolOutcome("captions_not_running")
    live.captions_page.picker.choose_file(speech_file)
    started = carry_out(live, "start_captions")
    assert started.outcome == ToolOutcome("captions_started")
    assert live.session.is_busy
    assert carry_out(live, "start_captions").outcome == ToolOutcome("captions_running")
    with qtbot.waitSignal(live.session.finished, timeout=PATIENCE):
        undo(started)
    carry_out(live, "start_captions")
    with qtbot.waitSignal(live.session.finished, timeout=PATIENCE):
        assert carry_out(live, "stop_captions").outcome == ToolOutcome("captions_stopped")


def test_without_a_microphone_captions_do_not_start(application: Application) -> None:
    application.captions_page.show_microphones(())
    assert carry_out(application, "start_captions").outcome == ToolOutcome("no_microphone")


def test_stop_ends_captions_only_where_nothing_was_being_said(live: Application, speech_file: Path) -> None:
    assert carry_out(live, "stop").outcome == ToolOutcome("nothing_to_stop")
    live.session.start(AudioFile(speech_file, "speech"))
    client = live.assistant._client
    for event in (Heard(1, 0, "Tell me a story.", final=True), Turn(1, 0, "Tell me a story.", "Once", "interrupted")):
        client.turn_event_came.emit(event)
    client.turn_event_came.emit(Heard(2, 0, "Stop", final=True))
    assert carry_out(live, "stop", turn=2).outcome == ToolOutcome("stopped")
    assert live.session.is_busy
    client.turn_event_came.emit(Turn(2, 0, "Stop", "All right."))
    client.turn_event_came.emit(Heard(3, 0, "Stop", final=True))
    assert carry_out(live, "stop", turn=3).outcome == ToolOutcome("captions_stopped")


def test_the_place_that_is_read_is_marked_and_the_mark_before_comes_back(application: Application) -> None:
    assert carry_out(application, "mark_place").outcome == ToolOutcome("no_captions")
    view = application.captions_page.stage.captions
    for number in (1, 2):
        application.session.captions.show(caption(number, "Here is something.", final=True))
        view.refresh()
        done = carry_out(application, "mark_place")
        assert done.outcome == ToolOutcome("marked")
        assert [place.caption for place in view.marks.places] == list(range(1, number + 1))
    undo(done)
    assert [place.caption for place in view.marks.places] == [1]


def test_captions_are_saved_as_subtitles_among_the_documents(application: Application, documents: Path) -> None:
    assert carry_out(application, "export_subtitles").outcome == ToolOutcome("no_captions")
    application.session.captions.show(caption(1, "Here is something.", final=True))
    dones = [carry_out(application, "export_subtitles") for _ in range(2)]
    files = sorted(documents.iterdir())
    assert sorted(done.outcome.values["file"] for done in dones) == [file.name for file in files]
    assert all("Here is something." in file.read_text(encoding="utf-8") for file in files)
    for done in dones:
        undo(done)
    assert not any(documents.iterdir())


def test_a_file_that_cannot_be_written_is_told(application: Application, documents: Path) -> None:
    application.session.captions.show(caption(1, "Here is something.", final=True))
    documents.write_text("not a folder")
    done = carry_out(application, "export_subtitles")
    assert (done.outcome.kind, done.undo) == ("failed", None)


def test_a_timer_rings_and_one_that_was_taken_away_does_not(application: Application, qtbot: QtBot) -> None:
    timers = application.toolbox.timers
    assert carry_out(application, "timer_left").outcome == ToolOutcome("no_timer")
    undo(carry_out(application, "timer", seconds="0.01"))
    assert timers.running == ()
    with qtbot.waitSignal(timers.rang, timeout=PATIENCE):
        assert carry_out(application, "timer", seconds="0.01").outcome == ToolOutcome("timer_set", {"seconds": "0.01"})
    assert "timer is over" in application.window.message.text
    carry_out(application, "timer", seconds="3000")
    left = carry_out(application, "timer_left")
    assert 0 < float(left.outcome.values["seconds"]) <= 3000
    cancelled = carry_out(application, "cancel_timer")
    assert timers.running == ()
    undo(cancelled)
    assert len(timers.running) == 1
    carry_out(application, "cancel_timer")
    assert carry_out(application, "cancel_timer").outcome == ToolOutcome("no_timer")


def test_a_timer_takes_the_place_of_the_one_set_last_and_gives_it_back(application: Application) -> None:
    timers = application.toolbox.timers
    for seconds in ("9000", "300"):
        carry_out(application, "timer", seconds=seconds)
    done = carry_out(application, "timer", seconds="600", instead="1")
    assert sorted(each.seconds for each in timers.running) == [600, 9000]
    undo(done)
    assert sorted(each.seconds for each in timers.running) == [300, 9000]
    carry_out(application, "cancel_timer")


def test_a_timer_has_a_name_and_what_runs_is_told(
    application: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    monkeypatch.setattr(application.announcer, "say", lambda *what: said.append(what))
    carry_out(application, "timer", seconds="3000")
    done = carry_out(application, "timer", seconds="600", label="pasta")
    assert done.outcome == ToolOutcome("timer_set_named", {"seconds": "600", "label": "pasta"})
    told = carry_out(application, "timer_left").outcome
    assert told.kind == "timers_left"
    assert "10 minutes (pasta), 50 minutes" in " ".join(words_of(told, "en"))
    carry_out(application, "cancel_timer")
    with qtbot.waitSignal(application.toolbox.timers.rang, timeout=PATIENCE):
        carry_out(application, "timer", seconds="0.01", label="pasta")
    assert application.window.message.text.startswith("Pasta:")
    assert said == [(application.window.message.text, "en")]


def test_a_timer_for_a_time_of_day_rings_within_a_day(application: Application) -> None:
    carry_out(application, "timer", at="07:00")
    (running,) = application.toolbox.timers.running
    assert 0 < running.seconds <= 24 * 3600
    carry_out(application, "cancel_timer")


def test_what_was_done_last_is_undone_when_that_is_asked(application: Application) -> None:
    conversation = application.assistant.conversation
    assert carry_out(application, "undo").outcome == ToolOutcome("nothing_to_undo")
    conversation.handle(Heard(1, 0, "Make the text bigger", final=True))
    conversation.note_done(ToolCall(1, 0, "text_larger", "en"), carry_out(application, "text_larger"))
    assert carry_out(application, "undo", turn=2).outcome == ToolOutcome("undone")
    assert application.settings.preferences.appearance.points == pytest.approx(19)
    assert carry_out(application, "undo", turn=3).outcome == ToolOutcome("nothing_to_undo")
