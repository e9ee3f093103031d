"""Labels that say what they can where there is little room."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.widgets.labels import ElidedLabel

SAID = "The microphone is being opened"


def test_what_there_is_no_room_for_is_left_out_visibly_and_is_in_the_tool_tip(qtbot: QtBot) -> None:
    label = ElidedLabel(SAID)
    qtbot.addWidget(label)
    for pixels, tip in ((70, SAID), (900, "")):
        label.resize(pixels, 30)
        assert (label.shown == SAID) == (tip == "")
        assert label.shown.endswith("…") == bool(tip)
        assert SAID.startswith(label.shown.rstrip("…"))
        QApplication.sendEvent(label, QHelpEvent(QHelpEvent.Type.ToolTip, QPoint(1, 1), QPoint(1, 1)))
        assert label.toolTip() == tip
        assert label.text() == SAID, "for screen readers"
        assert not label.grab().isNull()
