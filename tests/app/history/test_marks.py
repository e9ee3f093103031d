"""Marks and times of day: set while one listens, kept, read in the history, and exported."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPalette
from pytestqt.qtbot import QtBot

from app.application import Application
from app.history.export.exporting import ENDINGS, TIMED, ExportChoice, write_transcript
from app.history.records import Transcript
from app.preferences.paths import with_value
from engine.notes.records import Notes
from tests.app.conftest import MakeApplication
from tests.app.made_captions import caption

NOON = 1_700_000_000.0
SAID = ("Good morning.", "Nothing leaves this computer.", "Goodbye.")


@pytest.fixture
def recorded(make_application: MakeApplication) -> Iterator[Application]:
    """The app while it keeps a recording of three captions, 10 s apart."""
    application = make_application()
    recorder, model = application.history_wiring.recorder, application.session.captions
    recorder.begin_captions("Microphone", "starter", "en")
    for number, said in enumerate(SAID):
        model.show(caption(number + 1, said, start=10.0 * number, final=True))
    application.captions_page.refresh()
    application.captions_page.stage.captions.refresh()
    yield application


def mark(application: Application, word: str) -> None:
    view = application.captions_page.stage.captions
    view.setTextCursor(view.document().find(word))
    application.actions.mark_place.trigger()


def kept(application: Application, qtbot: QtBot) -> Transcript:
    """Return the only session of the history."""
    answers: list[Transcript] = []
    application.archive.ask(lambda store: store.transcript(store.sessions()[0].id), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    return answers[0]


def open_in_history(application: Application, qtbot: QtBot) -> None:
    application.actions.history_page.trigger()
    page = application.history_page
    qtbot.waitUntil(lambda: page.transcript is not None and page.pane.view.is_complete)


def test_marks_are_kept_while_one_listens_and_afterwards(recorded: Application, qtbot: QtBot) -> None:
    mark(recorded, "leaves")
    assert kept(recorded, qtbot).marks == pytest.approx([10.4])
    recorded.history_wiring.recorder.end_captions()
    mark(recorded, "Good")
    assert kept(recorded, qtbot).marks == pytest.approx([0.0, 10.4])
    marks = recorded.captions_page.stage.captions.marks
    marks.put_back(marks.places[1:])
    assert kept(recorded, qtbot).marks == pytest.approx([0.0])
    recorded.actions.new.trigger()
    assert not marks.places
    assert kept(recorded, qtbot).marks == pytest.approx([0.0]), "a new transcript takes none away"
    recorded.actions.undo_new.trigger()
    assert len(marks.places) == 1


def test_a_mark_in_the_history_is_seen_toggled_and_undone(recorded: Application, qtbot: QtBot) -> None:
    mark(recorded, "leaves")
    recorded.history_wiring.recorder.end_captions()
    open_in_history(recorded, qtbot)
    page, view = recorded.history_page, recorded.history_page.pane.view
    assert [line.marked for line in view.lines] == [False, True, False]
    page.commands.next_mark.trigger()
    assert view.textCursor().blockNumber() == 1
    page.commands.mark.trigger()
    qtbot.waitUntil(lambda: [line.marked for line in view.lines] == [False, False, False])
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: [line.marked for line in view.lines] == [False, True, False])
    page.corrections.mark(2)
    qtbot.waitUntil(lambda: [line.marked for line in view.lines] == [False, True, True])
    assert "Mark" in [each.text().replace("&", "") for each in page.corrections.menu(0).actions()]
    assert "Remove the mark" in [each.text().replace("&", "") for each in page.corrections.menu(1).actions()]


def test_a_mark_of_the_history_stays_when_another_is_set_on_the_captions_page(
    recorded: Application, qtbot: QtBot
) -> None:
    recorded.history_wiring.recorder.end_captions()
    open_in_history(recorded, qtbot)
    recorded.history_page.corrections.mark(2)
    recorded.actions.captions_page.trigger()
    mark(recorded, "Good")
    assert kept(recorded, qtbot).marks == pytest.approx([0.0, 20.0])


def test_case_the_demo_changes_nothing_of_the_recording_before_it(recorded: Application, qtbot: QtBot) -> None:
    page, model = recorded.captions_page, recorded.session.captions
    mark(recorded, "leaves")
    recorded.session.finished.emit()
    page.picker.choose_demo()
    model.clear()
    recorded.session.began.emit()
    model.show(caption(1, "This is the demo.", final=True))
    page.notes.changed.emit(Notes("meeting"))
    page.stage.captions.refresh()
    mark(recorded, "demo")
    recorded.session.finished.emit()
    model.correct({1: "This was the demo."})
    found = kept(recorded, qtbot)
    assert [each.text for each in found.captions] == list(SAID)
    assert (found.notes, found.marks) == (None, pytest.approx([10.4]))


def test_reopened_captions_have_their_marks(recorded: Application, qtbot: QtBot) -> None:
    mark(recorded, "leaves")
    recorded.history_wiring.recorder.end_captions()
    recorded.actions.new.trigger()
    recorded.actions.reopen.trigger()
    marks = recorded.captions_page.stage.captions.marks
    qtbot.waitUntil(lambda: marks.moments == ((2, pytest.approx(10.4)),))


def test_the_ribbon_of_a_mark_is_painted_in_the_history(recorded: Application, qtbot: QtBot) -> None:
    mark(recorded, "leaves")
    recorded.history_wiring.recorder.end_captions()
    open_in_history(recorded, qtbot)
    view = recorded.history_page.pane.view
    accent = view.palette().color(QPalette.ColorRole.Accent)

    def ribbon(place: int) -> int:
        room = view.place_of(place)
        image = view.grab(room.adjusted(-24, 0, -room.width(), 0)).toImage()
        colours = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
        return sum(each == QColor(accent) for each in colours)

    assert ribbon(1) > 20
    assert ribbon(0) == ribbon(2) == 0


TRANSCRIPT = Transcript(
    captions=tuple(caption(number, said, start=10.0 * number, final=True) for number, said in enumerate(SAID)),
    marks=(10.4,),
    clock=((0.0, NOON), (20.0, NOON + 3600.0)),
)


def day_time(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(NOON + seconds))


@pytest.mark.parametrize("ending", [each for each in ENDINGS if each not in TIMED])
def test_every_export_that_is_no_subtitle_has_the_marks_and_if_wanted_times_of_day(ending: str, tmp_path: Path) -> None:
    def written(choice: ExportChoice) -> str:
        from zipfile import ZipFile

        (file,) = write_transcript(tmp_path / f"talk{ending}", TRANSCRIPT, choice)
        if ending == ".docx":
            return ZipFile(file).read("word/document.xml").decode()
        return file.read_text(encoding="utf-8")

    plain, timed = written(ExportChoice(ending)), written(ExportChoice(ending, clock=True))
    if ending == ".json":
        assert json.loads(plain)["marks"] == [10.4]
    else:
        assert plain.count("★") == 1
        line = next(each for each in plain.replace("<w:p>", "\n").splitlines() if "★" in each)
        assert "Nothing leaves" in line
    assert day_time(0.0) not in plain
    for seconds in (0.0, 10.0, 3600.0):
        assert day_time(seconds) in timed, "after a pause of an hour, too"


@pytest.mark.parametrize("ending", TIMED)
def test_subtitles_have_neither(ending: str, tmp_path: Path) -> None:
    written = [
        write_transcript(tmp_path / f"talk{ending}", each, ExportChoice(ending, clock=True))[0].read_text()
        for each in (TRANSCRIPT, Transcript(captions=TRANSCRIPT.captions))
    ]
    assert written[0] == written[1]


def test_times_of_day_are_shown_beside_captions_and_history_if_that_is_wanted(
    recorded: Application, qtbot: QtBot
) -> None:
    recorded.session.clock = ((0.0, NOON),)
    page = recorded.captions_page
    before = page.stage.captions.grab().toImage()
    recorded.actions.clock_times.trigger()
    assert recorded.settings.preferences.appearance.clock_times
    assert page.stage.captions.grab().toImage() != before
    dialog = page.ask_for_export()
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    dialog.show_preview()
    assert dialog.clock.isChecked() and day_time(10.0) in dialog.preview.toPlainText()
    dialog.clock.setChecked(False)
    dialog.show_preview()
    assert "0:00:10" in dialog.preview.toPlainText()
    dialog.close()
    recorded.history_wiring.recorder.end_captions()
    open_in_history(recorded, qtbot)
    view, began = recorded.history_page.pane.view, kept(recorded, qtbot).session
    assert began is not None
    assert view._label_of(view.lines[0]) == time.strftime("%H:%M:%S", time.localtime(began.began))
    recorded.settings.alter(lambda now: with_value(now, "appearance.clock_times", False))
    assert view._label_of(view.lines[0]) == "0:00"


def test_an_export_without_known_times_of_day_offers_none(recorded: Application) -> None:
    recorded.session.clock = ()
    dialog = recorded.captions_page.ask_for_export()
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    assert dialog.clock.isHidden() and not dialog.times.isHidden()
    dialog.close()
