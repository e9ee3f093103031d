"""The page before there are captions, which leaves parts out where there is little room."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.actions import Actions
from app.captions.page.empty_stage import EmptyStage
from app.look.theme import Theme
from tests.app.scenes import settle


@pytest.mark.parametrize("height", [140, 200, 280, 600])
def test_what_there_is_no_room_for_is_left_out_before_anything_is_cut(
    qapp: QApplication, qtbot: QtBot, height: int
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    stage = EmptyStage(Actions(Theme(qapp), window), window)
    stage.offer_language("German")
    stage.resize(420, height)
    window.show()
    settle()
    parts = [*stage.findChildren(QLabel), stage.start, *stage.findChildren(QPushButton)]
    shown = sorted({part for part in parts if part.isVisible()} - {stage.demo}, key=lambda part: part.y())
    assert {stage.start, stage.other_language} <= set(shown)
    assert stage.height() == height
    assert all(upper.geometry().bottom() < lower.y() for upper, lower in pairwise(shown))
    for part in shown:
        needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else part.sizeHint().height()
        assert part.height() >= needed, part
