"""Questions in boxes of their own: their titles can be read."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.question import TITLE_BAR_PIXELS, Question


@pytest.mark.parametrize("title", ["Quit", "A title that is far longer than the question itself and its buttons"])
def test_a_box_is_wide_enough_for_its_title_and_the_buttons_beside_it(title: str, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    question = Question(title, window)
    question.setText("Really?")
    question.setInformativeText("Nothing is kept.")
    question.setDefaultButton(question.addButton(QMessageBox.StandardButton.Cancel))
    question.show()
    qtbot.waitExposed(question)
    needed = QFontMetrics(question.font()).horizontalAdvance(title) + TITLE_BAR_PIXELS
    available = question.screen().availableGeometry().width()
    assert min(needed, available) <= question.width() <= available
