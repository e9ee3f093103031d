"""The reader's mark and the search: they stay with their words while captions are written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette, QTextCursor
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.actions import Actions
from app.captions.page.caption_stage import CaptionStage
from app.look.theme import Theme, caption_font
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_view import CaptionView
from app.transcript.find_bar import FindBar
from tests.app.made_captions import caption, translation

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen when a menu opens

LONG = "They appear on the screen while we are speaking."


@pytest.fixture
def model() -> CaptionModel:
    return CaptionModel()


@pytest.fixture
def actions(qapp: QApplication) -> Actions:
    return Actions(Theme(qapp), qapp)


@pytest.fixture
def stage(model: CaptionModel, actions: Actions, qtbot: QtBot) -> CaptionStage:
    stage = CaptionStage(model, actions)
    stage.captions.set_caption_font(caption_font(19))
    qtbot.addWidget(stage)
    stage.resize(720, 420)
    stage.show_captions(True)
    stage.show()
    qtbot.waitExposed(stage)
    return stage


@pytest.fixture
def view(stage: CaptionStage) -> CaptionView:
    return stage.captions


@pytest.fixture
def find(stage: CaptionStage, actions: Actions) -> FindBar:
    return stage.find_bar


def fill(model: CaptionModel, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        model.show(caption(number, f"Sentence {number}. {LONG}", start=number * 5.0, final=True))


def marked(view: CaptionView) -> str:
    """Return the word that is coloured as the mark."""
    view.refresh()
    ours = [each for each in view.extraSelections() if each.format.fontUnderline()]
    return "".join(each.cursor.selectedText() for each in ours)


def place_of(view: CaptionView, word: str) -> QPoint:
    """Return the place of a word on the screen."""
    cursor = view.document().find(word)
    return view.cursorRect(cursor).center() - QPoint(6, 0)


def test_the_newest_word_is_marked_while_words_are_followed(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning everyone"))
    view.refresh()
    view.mark_place()
    assert marked(view) == "everyone"
    model.show(caption(0, "Good morning everyone and welcome.", revision=1, final=True))
    fill(model, 30, first=1)
    assert marked(view) == "everyone"


def test_the_topmost_line_is_marked_while_older_words_are_read(view: CaptionView, model: CaptionModel) -> None:
    fill(model, 40)
    view.refresh()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    assert not view.following
    view.mark_place()
    assert marked(view)
    assert view.marks.side == 0
    line = view.cursorRect(view.cursor_at(view.marks.places[-1]))
    assert line.top() < 2 * view.fontMetrics().height()


def test_the_word_under_the_mouse_or_a_selection_is_marked(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning everyone"))
    view.refresh()
    view.mark_place(place_of(view, "morning"))
    assert marked(view) == "morning"
    view.setTextCursor(view.document().find("Good"))
    view.mark_place()
    view.mark_place()
    assert marked(view) == "morningGood", "each once"


def test_a_mark_in_a_translation_stays_there(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "One two"))
    model.translate(translation(0, "Eins zwei"))
    view.refresh()
    view.mark_place(place_of(view, "zwei"))
    model.show(caption(0, "One two three.", revision=1, final=True))
    model.translate(translation(0, "Eins zwei drei.", revision=1, final=True))
    assert marked(view) == "zwei"


def test_the_way_back_leads_to_the_mark_and_new_words_do_not_pull_away(
    view: CaptionView, model: CaptionModel, actions: Actions, stage: CaptionStage, qtbot: QtBot
) -> None:
    assert not actions.return_to_mark.isEnabled()
    fill(model, 12)
    view.refresh()
    actions.mark_place.trigger()
    assert actions.return_to_mark.isEnabled()
    assert stage.back.isHidden()
    fill(model, 30, first=12)
    view.refresh()
    qtbot.waitUntil(lambda: view.marks.side == -1)
    qtbot.waitUntil(stage.back.isVisible)
    assert stage.back.geometry().bottom() < stage.height() / 2, "the newest words are not covered"
    stage.back.click()
    qtbot.waitUntil(lambda: view.marks.side == 0)
    assert stage.back.isHidden()
    assert stage.newest.isVisible()
    fill(model, 5, first=42)
    view.refresh()
    assert view.marks.side == 0
    assert not view.following


def test_several_marks_are_visited_from_the_newest_back_and_round_again(
    view: CaptionView, model: CaptionModel, stage: CaptionStage, actions: Actions, qtbot: QtBot
) -> None:
    fill(model, 60)
    view.refresh()
    for sentence in ("Sentence 3.", "Sentence 30.", "Sentence 55."):
        view.setTextCursor(view.document().find(sentence))
        actions.mark_place.trigger()
    assert [caption for caption, _ in view.marks.moments] == [3, 30, 55]
    assert [second for _, second in view.marks.moments] == [15.0, 150.0, 275.0]
    seen = []
    for _ in range(4):
        actions.return_to_mark.trigger()
        sight = view.viewport().rect()
        seen.append(
            [each.caption for each in view.marks.places if sight.contains(view.cursorRect(view.cursor_at(each)))]
        )
    assert seen == [[55], [30], [3], [55]]


def test_marks_come_back_by_the_seconds_of_their_words(view: CaptionView, model: CaptionModel) -> None:
    model.show(replace(caption(0, "Good morning everyone", start=4.0), speaker="Anna"))
    model.show(caption(1, "Nothing leaves this computer.", start=20.0, final=True))
    view.refresh()
    for word in ("everyone", "leaves"):
        view.setTextCursor(view.document().find(word))
        view.mark_place()
    moments = view.marks.moments
    assert [number for number, _ in moments] == [0, 1]
    view.marks.put_back(())
    assert marked(view) == ""
    view.marks.show_moments(second for _, second in moments)
    assert marked(view) == "everyoneleaves"
    assert view.marks.moments == moments


def test_floating_buttons_stay_in_sight_when_the_search_opens(
    view: CaptionView, model: CaptionModel, actions: Actions, stage: CaptionStage, qtbot: QtBot
) -> None:
    fill(model, 40)
    view.refresh()
    view.mark_place()
    view.verticalScrollBar().setValue(0)
    actions.find.trigger()
    qtbot.waitUntil(lambda: stage.back.isVisible() and stage.newest.isVisible())
    qtbot.waitUntil(lambda: view.rect().contains(stage.newest.geometry()))
    assert view.rect().contains(stage.back.geometry())
    assert not stage.back.geometry().intersects(stage.newest.geometry())


def test_new_colours_and_a_new_size_keep_the_mark(view: CaptionView, model: CaptionModel) -> None:
    fill(model, 3)
    view.refresh()
    view.mark_place(place_of(view, "screen"))
    view.rebuild()
    view.set_caption_font(caption_font(25))
    view.set_stable_only(True)
    assert marked(view) == "screen"


def test_the_mark_falls_back_when_its_caption_goes_and_goes_with_the_transcript(
    view: CaptionView, model: CaptionModel
) -> None:
    model.show(caption(0, "Before.", final=True))
    model.show(caption(1, "", pending="maybe"))
    view.refresh()
    view.mark_place()
    assert marked(view) == "maybe"
    model.show(caption(1, "", revision=1))
    assert marked(view) == "Before"
    model.clear()
    assert marked(view) == ""
    assert not view.marks.places


def test_nothing_is_marked_where_nothing_is_written(view: CaptionView) -> None:
    view.mark_place()
    view.return_to_mark()
    assert not view.marks.places


def test_the_mark_is_seen_beside_its_line(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "One two three.", final=True))
    view.refresh()
    left = int(view.document().rootFrame().frameFormat().leftMargin())
    accent = view.palette().color(QPalette.ColorRole.Accent)

    def ribbon() -> int:
        image = view.grab().toImage()
        return sum(image.pixelColor(x, y) == accent for x in range(left - 16, left - 4) for y in range(4, 100))

    assert ribbon() == 0
    view.mark_place()
    assert ribbon() > 60


def test_the_menu_of_the_mouse_marks_the_word_under_it(
    view: CaptionView, model: CaptionModel, stage: CaptionStage, qtbot: QtBot
) -> None:
    model.show(caption(0, "Good morning everyone"))
    view.refresh()
    for text, expected in (("Mark this place", "morning"), ("Remove the mark", "")):
        view.customContextMenuRequested.emit(place_of(view, "morning"))
        menu = next(each for each in stage.findChildren(QMenu) if each.isVisible())
        next(each for each in menu.actions() if each.text().replace("&", "") == text).trigger()
        menu.close()
        assert marked(view) == expected
        qtbot.waitUntil(lambda: not stage.findChildren(QMenu))


def test_words_are_found_whatever_their_case_and_counted(
    find: FindBar, view: CaptionView, model: CaptionModel, actions: Actions, qtbot: QtBot
) -> None:
    fill(model, 20)
    view.refresh()
    actions.find.trigger()
    assert find.isVisible()
    qtbot.keyClicks(find.field, "SENTENCE 1")
    assert find.search.count == 11
    assert find.count.text().endswith("of 11")
    qtbot.keyClicks(find.field, "7")
    assert find.count.text() == "1 of 1"
    qtbot.keyClicks(find.field, "x")
    assert find.count.text() == "Not found"
    assert not find.forth.isEnabled()


def test_finds_are_visited_in_order_and_round_again(
    find: FindBar, view: CaptionView, model: CaptionModel, actions: Actions, qtbot: QtBot
) -> None:
    fill(model, 40)
    view.refresh()
    view.verticalScrollBar().setValue(0)
    actions.find.trigger()
    qtbot.keyClicks(find.field, "sentence")
    assert find.search.number == 1
    for _ in range(30):
        qtbot.keyClick(find.field, Qt.Key.Key_Return)
    assert find.search.number == 31
    assert not view.following
    height = view.viewport().height()
    current = next(each for each in view.extraSelections() if each.cursor.selectionStart() == current_start(view))
    assert 0 < view.cursorRect(current.cursor).top() < height
    for _ in range(10):
        qtbot.keyClick(find.field, Qt.Key.Key_Return)
    assert find.search.number == 1
    qtbot.keyClick(find.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert find.search.number == 40


def current_start(view: CaptionView) -> int:
    accent = view.palette().color(QPalette.ColorRole.Accent)
    return next(
        each.cursor.selectionStart() for each in view.extraSelections() if each.format.background().color() == accent
    )


def test_captions_that_come_while_searching_are_searched_too(
    find: FindBar, view: CaptionView, model: CaptionModel, actions: Actions, qtbot: QtBot
) -> None:
    fill(model, 3)
    view.refresh()
    actions.find.trigger()
    qtbot.keyClicks(find.field, "sentence")
    number = find.search.number
    fill(model, 2, first=3)
    qtbot.waitUntil(lambda: find.search.count == 5)
    assert find.search.number == number


def test_escape_ends_the_search_and_gives_the_keys_to_the_captions(
    find: FindBar, view: CaptionView, model: CaptionModel, actions: Actions, qtbot: QtBot
) -> None:
    fill(model, 3)
    view.refresh()
    actions.find.trigger()
    qtbot.keyClicks(find.field, "sentence")
    qtbot.keyClick(find.field, Qt.Key.Key_Escape)
    assert find.isHidden()
    assert view.extraSelections() == []
    assert view.hasFocus()


def test_what_is_found_after_characters_that_qt_counts_twice_is_coloured_right(
    find: FindBar, view: CaptionView, model: CaptionModel, actions: Actions, qtbot: QtBot
) -> None:
    model.show(caption(0, "🎧 🎧 One 🙂 two three two"))
    view.refresh()
    actions.find.trigger()
    qtbot.keyClicks(find.field, "two")
    assert [each.cursor.selectedText() for each in view.extraSelections()] == ["two", "two"]
    assert {each.cursor.selectionStart() for each in view.extraSelections()} == {
        found_at(view, "two", 0),
        found_at(view, "two", 1),
    }


def found_at(view: CaptionView, word: str, number: int) -> int:
    cursor = QTextCursor(view.document())
    for _ in range(number + 1):
        cursor = view.document().find(word, cursor)
    return cursor.selectionStart()


def test_the_mark_and_the_finds_are_coloured_side_by_side(
    find: FindBar, view: CaptionView, model: CaptionModel, actions: Actions, qtbot: QtBot
) -> None:
    fill(model, 2)
    view.refresh()
    view.mark_place(place_of(view, "screen"))
    actions.find.trigger()
    qtbot.keyClicks(find.field, "sentence")
    assert marked(view) == "screen"
    find.close_search()
    assert marked(view) == "screen"
