"""Messages: passing ones are replaced, lasting ones stay beside them until they are over, and nothing else moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.look.theme import Theme
from app.widgets.message_bar import NOTICE_SECONDS, MessageBar


@pytest.fixture
def bar(qapp: QApplication) -> Iterator[MessageBar]:
    page = QWidget()
    page.resize(900, 600)
    page.show()
    yield MessageBar(Theme(qapp), page)
    page.hide()
    page.deleteLater()


def test_a_message_that_passes_is_replaced_and_gone_once_closed(bar: MessageBar) -> None:
    bar.show_problem("One.")
    bar.show_notice("Two.")
    assert bar.text == "Two."
    bar.close_message()
    assert not bar.isVisible()


def test_what_lasts_stays_in_sight_beside_what_passes(bar: MessageBar) -> None:
    bar.show_problem("The disk is full.", lasts=True)
    bar.show_problem("This computer is too slow.")
    assert [card.message.text for card in bar._cards] == ["The disk is full.", "This computer is too slow."]
    assert all(card.isVisible() for card in bar._cards)
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
    assert [card.message.text for card in bar._cards] == ["The settings were damaged.", "The history was damaged."]
    bar.close_message()
    assert bar.text == "The settings were damaged." and bar.isVisible()
    bar.close_message()
    assert not bar.isVisible()


def test_a_long_name_of_a_file_is_read_whole_and_copied_as_it_is(bar: MessageBar) -> None:
    sentence = f"/home/{'a_name_without_spaces_' * 8}.wav is empty."
    bar.show_problem(sentence)
    assert bar.text == sentence
    assert bar.minimumSizeHint().width() < 440, "the window may be as narrow as before"
    label = bar._cards[-1].sentence
    label.setSelection(0, len(label.text()))
    QTest.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == sentence


def test_a_message_floats_at_the_foot_and_says_how_much_it_covers(bar: MessageBar) -> None:
    covered: list[int] = []
    bar.placed.connect(covered.append)
    bar.show_problem("One.")
    page = bar.parentWidget()
    assert page.rect().contains(bar.geometry())
    assert covered[-1] >= page.height() - bar.geometry().top() > 0
    page.resize(500, 400)
    assert page.rect().contains(bar.geometry())
    bar.close_message()
    assert covered[-1] == 0


def test_a_notice_passes_once_it_was_seen_long_enough_and_a_problem_does_not(bar: MessageBar) -> None:
    bar.window().activateWindow()
    bar.show_notice("Copied.")
    for _ in range(NOTICE_SECONDS - 1):
        bar.pass_a_second()
    assert bar.isVisible()
    bar.pass_a_second()
    assert not bar.isVisible()
    bar.show_notice("It is so.", lasts=True)
    bar.show_problem("One.")
    for _ in range(10 * NOTICE_SECONDS):
        bar.pass_a_second()
    assert len(bar._cards) == 2


def test_a_notice_waits_while_nobody_can_have_read_it(bar: MessageBar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MessageBar, "isActiveWindow", lambda self: False)
    bar.show_notice("The timer is over.")
    for _ in range(10 * NOTICE_SECONDS):
        bar.pass_a_second()
    assert bar.isVisible()
