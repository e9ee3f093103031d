"""Answers with code in a kept conversation."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.history.records import KeptTurn, Transcript
from app.history.transcript.transcript_lines import lines_of
from app.history.transcript.transcript_view import TranscriptView
from app.look.theme import Theme
from engine.turns import Turn

CODE = "```python\ndef twice(x):\n    return x * 2\n```"


def test_code_in_an_answer_keeps_its_lines_and_is_copied_with_them(theme: Theme, qtbot: QtBot) -> None:
    view = TranscriptView()
    qtbot.addWidget(view)
    talk = Transcript(None, turns=(KeptTurn(Turn(1, 0, "How?", f"Like this:\n\n{CODE}"), 5.0),))
    view.show_lines(lines_of(talk))
    qtbot.waitUntil(lambda: view.is_complete)
    assert view.document().blockCount() == 2, "one for each line, which times and hits are found by"
    view.selectAll()
    assert view.selected_text == f"How?\nLike this:\n{CODE}"
