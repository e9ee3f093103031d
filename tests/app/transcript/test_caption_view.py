"""The transcript on the screen: what is solid and what is dim, following, and staying quick."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QLocale, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look.theme import Theme, caption_font
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_view import CaptionView
from app.transcript.reading_view import clock_time, margin_time
from app.transcript.time_of_day import clock_hand
from tests.app.made_captions import better, caption, translation
from tests.work import lines_run

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
    """Return the stretches of a paragraph, each with the role of its colour."""
    view.refresh()
    roles = (QPalette.ColorRole.Text, QPalette.ColorRole.PlaceholderText, QPalette.ColorRole.LinkVisited)
    block = view.document().findBlockByNumber(row)
    stretches = []
    place = block.begin()
    while not place.atEnd():
        fragment = place.fragment()
        colour = fragment.charFormat().foreground().color()
        role = next((each for each in roles if QApplication.palette().color(each) == colour), None)
        stretches.append((fragment.text(), role))
        place += 1  # type: ignore[operator,assignment]
    return stretches


def test_committed_words_are_solid_and_pending_ones_dim(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning,", pending="every one"))
    assert colours(view, 0) == [
        ("Good morning,", QPalette.ColorRole.Text),
        (" every one", QPalette.ColorRole.PlaceholderText),
    ]


@pytest.mark.parametrize("scheme", [Qt.ColorScheme.Light, Qt.ColorScheme.Dark])
def test_pending_words_have_the_colour_that_the_theme_gives_them(
    qapp: QApplication, qtbot: QtBot, model: CaptionModel, scheme: Qt.ColorScheme
) -> None:
    theme = Theme(qapp)
    theme.follow(scheme)
    view = CaptionView(model)
    qtbot.addWidget(view)
    view.show()
    model.show(caption(0, "Good", pending="morning"))
    view.refresh()
    block = view.document().firstBlock()
    place = block.begin()
    place += 1  # type: ignore[operator,assignment]
    assert place.fragment().charFormat().foreground().color() == QColor(theme.colours.pending)
    theme.follow(Qt.ColorScheme.Light)


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
    model.show(caption(2, "", revision=1))
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


def test_captions_that_are_selected_in_part_are_selected(view: CaptionView, model: CaptionModel) -> None:
    for number in range(1, 5):
        model.show(caption(number, f"This is line {number}.", start=5.0 * number, final=True))
    view.refresh()
    assert view.selected_captions == ()
    cursor = view.textCursor()
    cursor.setPosition(view.document().findBlockByNumber(1).position() + 3)
    cursor.setPosition(view.document().findBlockByNumber(2).position() + 2, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.selected_captions == (2, 3)


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


MINUTES, HOUR = 60, 1200  # captions: more than are ever in sight, and twenty times as many


def work_of(view: CaptionView, change: Callable[[int], None]) -> tuple[int, int]:
    """Count the lines of Python that twenty changes run until painted, and the characters written or erased."""
    rewritten = 0

    def note(position: int, removed: int, added: int) -> None:
        nonlocal rewritten
        rewritten += removed + added

    def work() -> None:
        for revision in range(20):
            change(revision)
            view.refresh()
            view.repaint()

    QApplication.processEvents()
    view.document().contentsChange.connect(note)
    lines = lines_run(work)
    view.document().contentsChange.disconnect(note)
    return lines, rewritten


def test_an_hour_of_captions_is_as_little_work_as_a_few_minutes(view: CaptionView, model: CaptionModel) -> None:
    works = []
    for count in (MINUTES, HOUR):
        with QSignalBlocker(model):
            fill(model, count - model.rowCount(), first=model.rowCount())
        view.rebuild()
        number = model.rowCount()
        works.append(
            work_of(view, lambda n, id=number: model.show(caption(id, "word " * (n + 1), start=6000.0, revision=n)))
        )
    (few_lines, few_characters), (lines, characters) = works
    assert lines < 1.5 * few_lines
    assert characters < 1.5 * few_characters


def test_times_of_day_tell_a_later_day(qapp: QApplication) -> None:
    monday, tuesday = (time.mktime((2026, 11, day, 23, 50, 0, 0, 0, -1)) for day in (23, 24))
    clock = ((0.0, monday), (60.0, tuesday))
    assert [clock_hand(clock, each) for each in (0.0, 61.0)] == ["23:50:00", "2026-11-24 23:50:01"]
    weekday = QLocale().dayName(2, QLocale.FormatType.ShortFormat)
    assert [margin_time(clock, each) for each in (0.0, 61.0)] == ["23:50:00", f"{weekday} 23:50"]
    assert clock_hand(((0.0, monday),), 700.0) == "2026-11-24 00:01:40", "a recording that goes on past midnight"
    assert margin_time((), 61.0) == "1:01"


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


def test_a_translation_stands_beneath_its_caption_in_its_own_colour(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning.", final=True))
    model.show(caption(1, "Can you", pending="here"))
    model.translate(translation(1, "Könnt ihr", hidden=" hier"))
    model.translate(translation(0, "Guten Morgen.", final=True))
    assert shown(view).split("\n") == ["Good morning.", "Guten Morgen.", "Can you here", "Könnt ihr"]
    assert colours(view, 1) == [("Guten Morgen.", QPalette.ColorRole.LinkVisited)]
    assert colours(view, 2)[0] == ("Can you", QPalette.ColorRole.Text)


def test_what_is_held_back_is_never_on_the_screen(view: CaptionView, model: CaptionModel) -> None:
    written: list[str] = []
    view.document().contentsChanged.connect(lambda: written.append(view.toPlainText()))
    model.show(caption(0, "Can", pending="you"))
    for revision, (text, hidden) in enumerate((("", "Dose"), ("Könnt", " secret"), ("Könnt ihr", " secret mich"))):
        model.translate(translation(0, text, hidden=hidden, revision=revision))
        view.refresh()
    assert written[-1] == "Can you\nKönnt ihr"
    assert not any("Dose" in each or "secret" in each for each in written)


def test_room_for_a_translation_is_made_once_and_kept(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Can", pending="you"))
    model.translate(translation(0, "", hidden="Könnt"))
    model.show(caption(1, "", pending="New"))
    view.refresh()
    below = view.document().findBlockByNumber(2)
    layout = view.document().documentLayout()
    place = layout.blockBoundingRect(below).top()
    model.translate(translation(0, "Könnt ihr", revision=1))
    view.refresh()
    assert layout.blockBoundingRect(below).top() == place
    model.translate(translation(0, "", hidden="Kann", revision=2))
    view.refresh()
    assert layout.blockBoundingRect(below).top() == place
    model.translate(translation(0, "", revision=3, final=True))
    assert shown(view) == "Can you\nNew"


def test_punctuation_does_not_begin_a_line(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "What is it?", final=True))
    model.translate(translation(0, "« " + "Quoi " * 20 + "? »", language="fr", final=True))
    view.refresh()
    for width in range(300, 700, 20):
        view.resize(width, 300)
        block = view.document().findBlockByNumber(1)
        view.document().documentLayout().blockBoundingRect(block)
        lines = [block.layout().lineAt(number) for number in range(block.layout().lineCount())]
        starts = {block.text()[line.textStart()] for line in lines}
        assert starts <= {"«", "Q"}


def test_captions_and_translations_go_on_changing_in_their_places(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "One", pending="too"))
    model.translate(translation(0, "Eins auch"))
    model.show(caption(1, "", pending="tree"))
    model.translate(translation(1, "Baum", revision=1))
    model.show(caption(0, "One two.", revision=1, final=True))
    model.translate(translation(0, "Eins zwei.", revision=1, final=True))
    model.show(caption(1, "Three", revision=2))
    model.translate(translation(1, "Drei", revision=2))
    model.show(caption(2, "Four.", final=True))
    assert shown(view).split("\n") == ["One two.", "Eins zwei.", "Three", "Drei", "Four."]


def test_a_dropped_translation_leaves_no_gap(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "One.", final=True))
    model.translate(translation(0, "Eins."))
    model.show(caption(1, "Two.", final=True))
    model.translate(translation(1, "Zwei.", final=True))
    view.refresh()
    model.drop_open_translations()
    model.show(caption(2, "Three."))
    model.translate(translation(2, "Drei."))
    assert shown(view).split("\n") == ["One.", "Two.", "Zwei.", "Three.", "Drei."]


def test_characters_that_qt_counts_twice_stay_whole(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "🎧 One", pending="too"))
    model.translate(translation(0, "🎧 Eins 🙂 auch"))
    view.refresh()
    model.show(caption(0, "🎧 One two.", revision=1, final=True))
    model.translate(translation(0, "🎧 Eins 🙂 zwei.", revision=1, final=True))
    assert shown(view) == "🎧 One two.\n🎧 Eins 🙂 zwei."


def test_a_new_translation_rewrites_no_more_than_what_is_different(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "One two three."))
    model.translate(translation(0, "Eins zwei vier"))
    view.refresh()
    changes: list[tuple[int, int, int]] = []
    view.document().contentsChange.connect(lambda *change: changes.append(change))
    model.translate(translation(0, "Eins zwei drei.", revision=1, final=True))
    view.refresh()
    assert changes == [(len("One two three.\nEins zwei "), 4, 5)]


def test_a_translation_runs_as_its_language_does(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "NASA said so.", final=True))
    model.translate(translation(0, "NASA قالت ذلك.", language="ar", final=True))
    view.refresh()
    view.repaint()
    said, translated = (view.document().findBlockByNumber(number) for number in (0, 1))
    assert said.textDirection() == Qt.LayoutDirection.LeftToRight
    assert translated.textDirection() == Qt.LayoutDirection.RightToLeft
    line = translated.layout().lineAt(0)
    column = view.document().documentLayout().blockBoundingRect(translated)
    assert line.naturalTextRect().right() == pytest.approx(column.width(), abs=2)
    assert line.naturalTextRect().left() > column.width() / 4


def test_a_translation_that_changes_its_language_turns_round(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good morning."))
    model.translate(translation(0, "صباح", language="ar"))
    view.refresh()
    model.translate(translation(0, "Guten Morgen", revision=1))
    view.refresh()
    assert view.document().findBlockByNumber(1).textDirection() == Qt.LayoutDirection.LeftToRight


@pytest.mark.parametrize("later", ["translation above", "translation below", "caption below"])
def test_older_words_stay_where_they_are_while_they_are_read(
    view: CaptionView, model: CaptionModel, qtbot: QtBot, later: str
) -> None:
    fill(model, 40)
    view.refresh()
    bar = view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    block = view.document().findBlockByNumber(20)
    layout = view.document().documentLayout()
    bar.setValue(round(layout.blockBoundingRect(block).top()) - 30)
    before = layout.blockBoundingRect(block).top() - bar.value()
    match later:
        case "translation above":
            model.translate(translation(3, LONG, final=True))
        case "translation below":
            model.translate(translation(39, LONG, final=True))
        case _:
            model.show(caption(40, LONG, start=200.0))
    view.refresh()
    QApplication.processEvents()
    assert layout.blockBoundingRect(block).top() - bar.value() == pytest.approx(before, abs=1)
    assert not view.following


def test_an_hour_of_translated_captions_is_as_little_work_as_a_few_minutes(
    view: CaptionView, model: CaptionModel
) -> None:
    works = []
    for count in (MINUTES, HOUR):
        with QSignalBlocker(model):
            fill(model, count - model.rowCount(), first=model.rowCount())
            for number in range(count):
                model.translate(translation(number, LONG, final=True))
        view.rebuild()
        number = model.rowCount()
        model.show(caption(number, "word", start=6000.0))
        works.append(
            work_of(view, lambda n, id=number: model.translate(translation(id, "Wort " * (n + 1), revision=n)))
        )
    (few_lines, few_characters), (lines, characters) = works
    assert lines < 1.5 * few_lines
    assert characters < 1.5 * few_characters


def test_words_that_may_still_change_can_be_left_out(view: CaptionView, model: CaptionModel) -> None:
    model.show(caption(0, "Good", pending="mourning"))
    view.set_stable_only(True)
    assert shown(view) == "Good"
    model.show(caption(0, "Good morning,", pending="ever", revision=1))
    assert shown(view) == "Good morning,"
    view.set_stable_only(False)
    assert shown(view) == "Good morning, ever"


@pytest.mark.parametrize("translated", [False, True])
@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_caption_that_goes_takes_its_paragraphs_alone(
    view: CaptionView, model: CaptionModel, gone: int, translated: bool
) -> None:
    for number in range(3):
        model.show(caption(number, "", pending=f"word{number}"))
        if translated:
            model.translate(translation(number, f"Wort{number}"))
    view.refresh()
    model.show(caption(1, "", pending="late", revision=1))  # not written yet
    model.show(caption(gone, "", revision=2))
    model.show(caption(3, "New."))
    model.show(caption(2 if gone != 2 else 0, "Kept.", revision=3))
    rows = range(model.rowCount())
    texts = [(str(model.data(model.index(row))), model.translation_at(row)) for row in rows]
    expected = [line for text, made in texts for line in ((text, made.text) if made else (text,))]
    assert shown(view).split("\n") == expected
    assert len(expected) == (5 if translated else 3)
    formats = [view.document().findBlockByNumber(number).blockFormat() for number in range(len(expected))]
    view.rebuild()
    assert [view.document().findBlockByNumber(number).blockFormat() for number in range(len(expected))] == formats


def test_a_caption_that_goes_costs_no_more_after_an_hour(view: CaptionView, model: CaptionModel) -> None:
    def come_and_go(number: int) -> None:
        model.show(caption(number, "", pending="hm", start=6000.0))
        view.refresh()
        model.show(caption(number, "", revision=1))

    works = []
    for count in (MINUTES, HOUR):
        with QSignalBlocker(model):
            fill(model, count - model.rowCount(), first=model.rowCount())
        view.rebuild()
        works.append(work_of(view, lambda n, first=count: come_and_go(first + n)))
    (few_lines, few_characters), (lines, characters) = works
    assert lines < 1.5 * few_lines
    assert characters < 1.5 * few_characters


def test_better_words_are_underlined_with_dots_and_say_what_stood_there(view: CaptionView, model: CaptionModel) -> None:
    first = caption(0, "The king is flooded today.", final=True)
    model.show(first)
    model.show(caption(1, "And then?", start=3.0, final=True))
    model.show(better(first, "The king has fled today."))
    assert shown(view).splitlines() == ["The king has fled today.", "And then?"]
    place, marked = view.document().findBlockByNumber(0).begin(), []
    while not place.atEnd():
        style = place.fragment().charFormat()
        if style.underlineStyle() == QTextCharFormat.UnderlineStyle.DotLine:
            marked.append((place.fragment().text(), style.toolTip()))
        place += 1  # type: ignore[operator,assignment]
    assert marked == [("has fled", "First shown as: “The king is flooded today.”")]


def test_a_translation_into_the_language_that_is_spoken_is_not_repeated_below(
    view: CaptionView, model: CaptionModel
) -> None:
    model.show(replace(caption(0, "Guten Morgen.", final=True), language="de"))
    model.translate(translation(0, "Guten Morgen.", final=True))
    model.show(caption(1, "Good morning.", start=4.0, final=True))
    model.translate(translation(1, "Guten Morgen.", final=True))
    view.refresh()
    assert view.toPlainText().split("\n") == ["Guten Morgen.", "Good morning.", "Guten Morgen."]
