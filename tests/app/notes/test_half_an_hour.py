"""Notes beside half an hour of captions in the window: kept up to date, led by, changed, and exported."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.application import Application
from app.history.export.exporting import ExportChoice
from engine.events import Caption
from engine.notes.records import NoteLine, Notes
from lab.bench.notes.meetings import captions_of, joined, meetings
from lab.screenshots.staged_engine import StagedClient
from tests.app.conftest import MakeApplication

SECONDS = 1800.0
OWN = "We wrote this ourselves."


@pytest.fixture
def captions() -> list[Caption]:
    return list(captions_of(joined(meetings(), SECONDS)))


@pytest.fixture
def application(make_application: MakeApplication) -> Application:
    """The app with notes beside the captions, which are made at once."""
    client = StagedClient()
    client.make_notes_here()
    made = make_application(client)
    made.actions.notes.setChecked(True)
    return made


def say(application: Application, captions: list[Caption]) -> Notes:
    """Show captions, and return the notes of all so far."""
    for caption in captions:
        application.session.captions.show(caption)
    application.captions_page.notes.refresh()
    notes = application.captions_page.notes_pane.model.notes
    assert notes is not None
    return notes


def latest(notes: Notes) -> int:
    return max(number for line in notes.lines for number in line.rests_on)


def test_notes_live_beside_half_an_hour(
    application: Application, captions: list[Caption], qtbot: QtBot, tmp_path: Path
) -> None:
    page, pane = application.captions_page, application.captions_page.notes_pane
    half = len(captions) // 2
    assert captions[-1].end >= SECONDS
    first = say(application, captions[:half])
    assert latest(first) <= captions[half - 1].id

    row = next(row for row in range(pane.model.rowCount()) if pane.model.line_at(pane.model.index(row)))
    changed = pane.model.line_at(pane.model.index(row))
    assert changed is not None
    pane.model.setData(pane.model.index(row), OWN)
    notes = say(application, captions[half:])
    assert NoteLine(OWN, changed.rests_on, changed.who, changed.when, by_hand=True) in notes.lines
    assert latest(notes) > captions[half].id

    row = next(row for row in reversed(range(pane.model.rowCount())) if pane.model.line_at(pane.model.index(row)))
    line = pane.model.line_at(pane.model.index(row))
    assert line is not None
    pane.list.scrollTo(pane.model.index(row))
    qtbot.mouseClick(
        pane.list.viewport(), Qt.MouseButton.LeftButton, pos=pane.list.visualRect(pane.model.index(row)).center()
    )
    view = page.stage.captions
    selected = view.textCursor()
    assert view.selected_captions == line.rests_on[:1]
    assert view.viewport().rect().intersects(view.cursorRect(selected))

    dialog = page.ask_for_export()
    path = tmp_path / "talk.md"
    dialog.chosen.emit(path, ExportChoice(".md"))
    qtbot.waitUntil(lambda: path.is_file() and OWN in path.read_text(encoding="utf-8"), timeout=60_000)
    dialog.reject()
    assert line.text in path.read_text(encoding="utf-8")
