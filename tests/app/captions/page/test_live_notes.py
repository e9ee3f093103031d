"""Notes beside the captions: what a person writes there outlives new notes and a transcript that was cleared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.captions.page.live_notes import LiveNotes
from app.captions.session import LiveSession
from app.notes.maker import NotesMaker
from app.notes.notes_pane import NotesPane
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from engine.notes.records import NoteLine, Notes, NotesSection
from engine.options import CaptionOptions
from engine.process.messages import MakeNotes, NotesMade
from tests.app.made_captions import caption
from tests.app.silent_client import SilentClient

OWN = NoteLine("Mine.", by_hand=True)


def notes(*lines: NoteLine) -> Notes:
    return Notes("meeting", (NotesSection("tasks", "Tasks", lines),))


@dataclass(frozen=True)
class Talk:
    """Captions and their notes, with an engine that a test speaks for.

    Attributes:
        selected: the numbers of the captions that a person has selected.
    """

    client: SilentClient
    session: LiveSession
    pane: NotesPane
    live: LiveNotes
    selected: list[int] = field(default_factory=list)

    def say(self, number: int) -> None:
        self.session.captions.show(caption(number, f"This is line {number}.", start=5.0 * number, final=True))

    def update(self, *lines: NoteLine) -> None:
        """Ask for notes of what was said so far, and answer with these lines."""
        self.live.refresh()
        assert isinstance(self.client.sent[-1], MakeNotes)
        self.client.notes_made.emit(NotesMade("live", notes(*lines)))

    @property
    def shown(self) -> tuple[NoteLine, ...]:
        return self.pane.model.notes.lines if self.pane.model.notes is not None else ()


@pytest.fixture
def talk(qtbot: QtBot, tmp_path: Path) -> Iterator[Talk]:
    owner, client, pane = QObject(), SilentClient(), NotesPane()
    qtbot.addWidget(pane)
    settings = Settings(PreferencesFile(tmp_path), owner)
    session = LiveSession(client, "m", CaptionOptions(), owner)
    selected: list[int] = []
    maker = NotesMaker(client, settings, owner)
    live = LiveNotes(session, maker, pane, settings, owner, lambda: selected)
    made = Talk(client, session, pane, live, selected)
    made.say(1)
    made.update(NoteLine("One.", (1,)))
    pane.model.add_line(pane.model.index(1), OWN.text)
    assert made.shown == (NoteLine("One.", (1,)), OWN)
    yield made
    owner.deleteLater()


def test_a_line_of_a_person_stays_when_more_is_said(talk: Talk) -> None:
    talk.say(2)
    talk.update(NoteLine("Both.", (1, 2)))
    assert talk.shown == (NoteLine("Both.", (1, 2)), OWN)


def test_what_is_being_written_outlives_new_notes(talk: Talk, qtbot: QtBot) -> None:
    talk.pane.show()
    talk.pane.list.setCurrentIndex(talk.pane.model.index(2))
    talk.pane._edit()
    editor = talk.pane.list.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, "Still")
    talk.say(2)
    talk.update(NoteLine("Both.", (1, 2)))
    QTest.keyClicks(editor, " mine.")
    QTest.keyClick(editor, "\r")
    QApplication.processEvents()
    still = NoteLine("Still mine.", by_hand=True)
    assert still in talk.shown
    talk.say(3)
    talk.update(NoteLine("All.", (1, 2, 3)))
    assert talk.shown == (NoteLine("All.", (1, 2, 3)), still)


def test_a_new_transcript_has_no_notes_and_the_way_back_has_them_again(talk: Talk) -> None:
    cleared = talk.session.captions.clear()
    assert talk.shown == ()
    talk.session.captions.reset_to(*cleared)
    assert talk.shown == (NoteLine("One.", (1,)), OWN)


def test_another_transcript_does_not_get_them(talk: Talk) -> None:
    talk.session.captions.clear()
    talk.say(2)
    assert talk.shown == ()


def test_another_transcript_gets_none_either_while_they_are_asked_for_again(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SilentClient, "is_running", False)  # it starts again
    talk.live.make_again()
    talk.session.captions.clear()
    talk.say(2)
    assert talk.shown == ()


def test_captions_from_before_the_start_come_with_their_notes(talk: Talk) -> None:
    before = [caption(number, f"Earlier {number}.", start=5.0 * number, final=True) for number in (1, 2)]
    talk.session.captions.clear()
    talk.live.put_aside(before, notes(OWN))
    talk.session.captions.reset_to(before)
    assert talk.shown == (OWN,)


def test_of_selected_lines_alone_notes_are_made_again_and_stay_so(talk: Talk) -> None:
    talk.say(2)
    talk.say(3)
    talk.update(NoteLine("One.", (1,)), NoteLine("Two.", (2,)), NoteLine("Three.", (3,)))
    talk.selected.extend((2, 3))
    talk.live.make_again()
    request = talk.client.sent[-1]
    assert isinstance(request, MakeNotes)
    assert [line.number for line in request.lines] == [2, 3]
    talk.client.notes_made.emit(NotesMade(request.subject, notes(NoteLine("Both.", (2, 3)))))
    again = (NoteLine("One.", (1,)), NoteLine("Both.", (2, 3)))
    assert talk.shown == (*again, OWN)
    talk.say(4)
    talk.update(*(NoteLine(f"{number}.", (number,)) for number in range(1, 5)))
    assert talk.shown == (NoteLine("1.", (1,)), NoteLine("Both.", (2, 3)), NoteLine("4.", (4,)), OWN)


def test_a_part_that_is_asked_for_while_another_is_made_changes_nothing_of_that(talk: Talk) -> None:
    for number in range(2, 6):
        talk.say(number)
    talk.update(*(NoteLine(f"{number}.", (number,)) for number in range(1, 6)))
    for part in ((2, 3), (4, 5)):
        talk.selected[:] = part
        talk.live.make_again()
    for line in (NoteLine("Early.", (2, 3)), NoteLine("Late.", (4, 5))):
        talk.client.notes_made.emit(NotesMade("live part", notes(line)))
    assert talk.shown == (NoteLine("1.", (1,)), NoteLine("Early.", (2, 3)), NoteLine("Late.", (4, 5)), OWN)


def test_a_part_of_a_transcript_that_was_cleared_is_none_of_the_next(talk: Talk) -> None:
    talk.say(2)
    talk.update(NoteLine("One.", (1,)), NoteLine("Two.", (2,)))
    talk.selected.extend((1, 2))
    talk.live.make_again()
    talk.session.captions.clear()
    talk.say(1)
    talk.update(NoteLine("New.", (1,)))
    talk.client.notes_made.emit(NotesMade("live part", notes(NoteLine("Old.", (1, 2)))))
    assert talk.shown == (NoteLine("New.", (1,)),)


def test_without_a_selection_all_of_them_are_made_again(talk: Talk) -> None:
    talk.say(2)
    talk.say(3)
    talk.update(NoteLine("One.", (1,)))
    talk.selected.extend((2, 3))
    talk.live.make_again()
    talk.client.notes_made.emit(NotesMade("live part", notes(NoteLine("Both.", (2, 3)))))
    talk.selected.clear()
    talk.live.make_again()
    request = talk.client.sent[-1]
    assert isinstance(request, MakeNotes)
    assert (request.subject, len(request.lines)) == ("live", 3)
    talk.client.notes_made.emit(NotesMade("live", notes(NoteLine("Three.", (3,)))))
    assert talk.shown == (NoteLine("Three.", (3,)), OWN)


def test_another_template_is_for_all_that_was_said(talk: Talk) -> None:
    talk.say(2)
    talk.update(NoteLine("One.", (1,)), NoteLine("Two.", (2,)))
    talk.selected.extend((1, 2))
    talk.pane.choose_template("lecture")
    talk.live.make_again()
    request = talk.client.sent[-1]
    assert isinstance(request, MakeNotes)
    assert request.subject == "live"
