"""The transcript on the screen: what is solid and what is dim, following, and staying quick."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QElapsedTimer, QSignalBlocker, Qt
from PySide6.QtGui import QPalette, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.caption_model import CaptionModel
from app.captions.caption_view import CaptionView, clock_time
from app.theme import caption_font
from tests.app.captions import caption

LONG = "They appear on the screen while we are speaking."


@pytest.fixture
def model() -> CaptionModel:
    return CaptionModel()


@pytest.fixture
def view(model: CaptionModel, qtbot: QtBot) -> CaptionView:
    view = CaptionView(model)
    view.set_caption_font(caption_font(19))
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    qtbot.waitExposed(view)
    return view


def fill(model: CaptionModel, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        model.show(caption(number, LONG, start=number * 5.0, final=True))


def shown(view: CaptionView) -> str:
    view.refresh()
    return view.toPlainText()


def colours(view: CaptionView, row: int) -> list[tuple[str, QPalette.ColorRole | None]]:
    """The stretches of a paragraph with the role their colour has."""
    view.refresh()
    roles = (QPalette.ColorRole.Text, QPalette.ColorRole.PlaceholderText)
    block = view.document().findBlockByNumber(row)
    stretches = []
    place = block.begin()
    while not place.atEnd():
        fragment = place.fragment()
        colour = fragment.charFormat().foreground().color()
        role = next((each for each in roles if view.palette().color(each) == colour), None)
        stretches.append((fragment.text(), role))
        place += 1  # type: ignore[operator,assignment]
    return stretches


def test_committed_words_are_solid_and_pending_ones_dim(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning,", pending="every one"))
    assert colours(view, 0) == [
        ("Good morning,", QPalette.ColorRole.Text),
        (" every one", QPalette.ColorRole.PlaceholderText),
    ]


def test_revisions_rewrite_their_own_paragraph_alone(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "One", pending="too"))
    model.show(caption(1, "", pending="tree"))
    model.show(caption(0, "One two.", revision=1, final=True))
    model.show(caption(1, "Three", pending="fore", revision=1))
    assert shown(view) == "One two.\nThree fore"
    assert colours(view, 0) == [("One two.", QPalette.ColorRole.Text)]


def test_a_removed_row_and_a_reset_are_followed(view: CaptionView, model: CaptionModel) -> None:
    fill(model, 2)
    model.show(caption(2, "", pending="hm"))
    model.settle()
    assert shown(view) == f"{LONG}\n{LONG}"
    model.clear()
    assert shown(view) == ""
    model.show(caption(7, "Anew."))
    assert shown(view) == "Anew."


def test_line_breaks_inside_a_word_do_not_split_a_caption(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "one\u2029two\x07 three"))
    model.show(caption(1, "four"))
    assert shown(view).split("\n") == ["one two three", "four"]


def test_a_selection_of_older_words_survives_new_ones(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Keep this selected.", final=True))
    model.show(caption(1, "", pending="new"))
    view.refresh()
    cursor = view.textCursor()
    cursor.setPosition(5)
    cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, 4)
    view.setTextCursor(cursor)
    model.show(caption(1, "New words.", revision=1, final=True))
    fill(model, 5, first=2)
    view.refresh()
    assert view.textCursor().selectedText() == "this"


def test_the_newest_words_stay_in_sight(view: CaptionView, model: CaptionModel, qtbot: QtBot) -> None:
    fill(model, 40)
    view.refresh()
    bar = view.verticalScrollBar()
    assert bar.maximum() > 0
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    view.resize(500, 200)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_scrolling_up_pauses_following_until_the_reader_comes_back(
    view: CaptionView, model: CaptionModel, qtbot: QtBot
) -> None:
    fill(model, 40)
    view.refresh()
    bar = view.verticalScrollBar()
    with qtbot.waitSignal(view.following_changed, check_params_cb=lambda following: not following):
        qtbot.keyClick(view, Qt.Key.Key_PageUp)
        bar.setValue(bar.maximum() // 2)
    place = bar.value()
    model.show(caption(40, LONG, start=200.0))
    view.refresh()
    assert bar.value() == place
    with qtbot.waitSignal(view.following_changed, check_params_cb=lambda following: following):
        view.jump_to_newest()
    assert bar.value() == bar.maximum()


def test_changes_in_quick_succession_are_painted_together(view: CaptionView, model: CaptionModel, qtbot: QtBot) -> None:
    painted: list[str] = []
    view.document().contentsChanged.connect(lambda: painted.append(view.toPlainText()))
    for revision in range(40):
        model.show(caption(0, "word " * (revision + 1), revision=revision))
    assert len(painted) == 1
    qtbot.waitUntil(lambda: view.toPlainText().count("word") == 40)
    assert len(painted) == 2


def test_an_hour_of_captions_is_as_quick_as_a_minute(view: CaptionView, model: CaptionModel) -> None:
    with QSignalBlocker(model):
        fill(model, 1200)
    view.rebuild()
    QApplication.processEvents()
    stopwatch = QElapsedTimer()
    stopwatch.start()
    for revision in range(20):
        model.show(caption(1200, "word " * (revision + 1), start=6000.0, revision=revision))
        view.refresh()
        view.repaint()
    assert stopwatch.elapsed() / 20 < 50


def test_times_are_written_as_on_a_clock() -> None:
    assert [clock_time(seconds) for seconds in (0, 7.9, 61, 754, 3723)] == ["0:00", "0:07", "1:01", "12:34", "1:02:03"]


def test_the_time_of_a_caption_stands_left_of_its_words(view: CaptionView, model: CaptionModel) -> None:
    blank = view.grab().toImage()
    model.show(caption(0, "One.", final=True))
    view.refresh()
    written = view.grab().toImage()
    left = int(view.document().rootFrame().frameFormat().leftMargin())
    changed = {x for x in range(left) for y in range(80) if blank.pixel(x, y) != written.pixel(x, y)}
    assert changed
