"""Requests for notes: one at a time for each transcript, the newest next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.notes.maker import NotesMaker
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from engine.errors import FileError
from engine.notes.records import Notes
from engine.process.messages import MakeNotes, NotesMade
from tests.app.silent_client import SilentClient
from tests.notes.said import said

LINES = said("Anna: Good morning.", "Ben: Good morning, Anna.")


@pytest.fixture
def client(qtbot: QtBot) -> SilentClient:
    return SilentClient()


@pytest.fixture
def maker(client: SilentClient, tmp_path: Path) -> Iterator[NotesMaker]:
    parent = QObject()
    yield NotesMaker(client, Settings(PreferencesFile(tmp_path), parent), parent)
    parent.deleteLater()


def asked(client: SilentClient) -> list[int]:
    return [len(each.lines) for each in client.sent if isinstance(each, MakeNotes)]


def test_while_notes_are_made_only_the_newest_request_waits(
    maker: NotesMaker, client: SilentClient, qtbot: QtBot
) -> None:
    for count in (1, 1, 2):
        maker.make("live", LINES[:count], "meeting", "en")
    maker.make("session 7", LINES[:1], "meeting", "en")
    assert asked(client) == [1, 1]
    with qtbot.waitSignal(maker.made) as made:
        client.notes_made.emit(NotesMade("live", Notes("meeting")))
    assert made.args == ["live", Notes("meeting"), ()]
    assert asked(client) == [1, 1, 2]
    assert maker.is_busy("live")
    client.notes_made.emit(NotesMade("live", Notes("meeting")))
    assert not maker.is_busy("live")


def test_every_part_that_is_asked_for_meanwhile_follows_once(maker: NotesMaker, client: SilentClient) -> None:
    made = []
    maker.made.connect(lambda subject, notes, part: made.append(part))
    for part in ((1,), (2,), (3, 4), (2,)):
        maker.make("session 7", LINES[:1], "meeting", "en", part)
    for _ in range(4):
        client.notes_made.emit(NotesMade("session 7", Notes("meeting")))
    assert made[:3] == [(1,), (3, 4), (2,)]
    assert not maker.is_busy("session 7") and len(asked(client)) == 3


def test_notes_of_all_are_made_in_place_of_parts_that_wait(maker: NotesMaker, client: SilentClient) -> None:
    for part in ((1,), (2,), ()):
        maker.make("session 7", LINES, "meeting", "en", part)
    client.notes_made.emit(NotesMade("session 7", Notes("meeting")))
    assert maker._under_way == {"session 7": ()} and len(asked(client)) == 2


def test_a_problem_is_told(maker: NotesMaker, client: SilentClient, qtbot: QtBot) -> None:
    maker.make("live", LINES, "meeting", "en")
    with qtbot.waitSignal(maker.failed) as failed:
        client.notes_made.emit(NotesMade("live", Notes(), "There is no such model."))
    assert failed.args == ["live", "There is no such model."]


def test_an_engine_that_stops_makes_no_notes(maker: NotesMaker, client: SilentClient, qtbot: QtBot) -> None:
    maker.make("live", LINES, "meeting", "en")
    with qtbot.waitSignal(maker.failed):
        client.crashed.emit()
    maker.make("live", LINES, "meeting", "en")
    assert len(asked(client)) == 2


def test_a_template_that_is_not_there_is_refused(maker: NotesMaker, client: SilentClient) -> None:
    with pytest.raises(FileError):
        maker.make("live", LINES, "none", "en")
    assert not maker.is_busy("live")


@pytest.mark.parametrize(
    ("written", "model", "writer"),
    [(False, "qwen3-1.7b", ""), (True, "starter-assistant", ""), (True, "qwen3-1.7b", "qwen3-1.7b")],
)
def test_a_general_model_of_the_assistant_writes_if_that_is_wanted(
    written: bool, model: str, writer: str, maker: NotesMaker, client: SilentClient
) -> None:
    maker._settings.alter(
        lambda now: replace(
            now,
            models=replace(now.models, assistant=model),
            history=replace(now.history, written_notes=written),
        )
    )
    maker.make("live", LINES, "meeting", "en")
    (request,) = [each for each in client.sent if isinstance(each, MakeNotes)]
    assert request.writer == writer
