"""One message at a time: what passes is replaced, what lasts comes back until it is not so any more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.look.theme import Theme
from app.widgets.message_bar import MessageBar


@pytest.fixture
def bar(qapp: QApplication) -> Iterator[MessageBar]:
    made = MessageBar(Theme(qapp))
    yield made
    made.deleteLater()


def test_a_message_that_passes_is_replaced_and_gone_once_closed(bar: MessageBar) -> None:
    bar.show_problem("One.")
    bar.show_notice("Two.")
    assert bar.text == "Two."
    bar.close_message()
    assert not bar.isVisible()


def test_what_lasts_comes_back_after_what_was_shown_over_it(bar: MessageBar) -> None:
    bar.show_problem("The disk is full.", lasts=True)
    bar.show_notice("Copied.")
    assert bar.text == "Copied."
    bar.drop_passing()
    assert bar.text == "The disk is full." and bar.isVisible()
    bar.withdraw("The disk is full.")
    assert not bar.isVisible()


def test_what_is_not_so_any_more_is_not_shown_later(bar: MessageBar) -> None:
    bar.show_problem("The disk is full.", lasts=True)
    bar.show_notice("Copied.")
    bar.withdraw("The disk is full.")
    assert bar.text == "Copied." and bar.isVisible()
    bar.close_message()
    assert not bar.isVisible()


def test_a_notice_may_offer_several_actions_in_order(bar: MessageBar) -> None:
    know, undo = QAction("Know"), QAction("Undo")
    bar.show_notice("The line was corrected.", (know, undo))
    assert [button.text() for button in bar.buttons[:-1]] == ["Know", "Undo"]
    bar.show_notice("Copied.")
    assert len(bar.buttons) == 1


def test_two_problems_that_last_are_both_read(bar: MessageBar) -> None:
    bar.show_problem("The settings were damaged.", lasts=True)
    bar.show_problem("The history was damaged.", lasts=True)
    bar.close_message()
    assert bar.text == "The settings were damaged." and bar.isVisible()
    bar.close_message()
    assert not bar.isVisible()


def test_a_long_name_of_a_file_is_read_whole_and_copied_as_it_is(bar: MessageBar) -> None:
    sentence = f"/home/{'a_name_without_spaces_' * 8}.wav is empty."
    bar.show_problem(sentence)
    assert bar.text == sentence
    assert bar.minimumSizeHint().width() < 440, "the window may be as narrow as before"
    bar._text.setSelection(0, len(bar._text.text()))
    QTest.keyClick(bar._text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == sentence
