"""The row of a session in the list: where the line that was found bears marks."""

from __future__ import annotations

from PySide6.QtGui import QTextCharFormat

from app.history.search import terms_of
from app.history.session_row import around_first_hit, marks_of


def test_a_hit_is_marked_where_it_stands_behind_a_picture_too() -> None:
    text, hits = around_first_hit("🙂🙂 roast beef 🙂 with beef", terms_of("beef"))
    marks = marks_of(text, hits, QTextCharFormat())
    written = text.encode("utf-16-le")
    assert [written[2 * each.start : 2 * (each.start + each.length)].decode("utf-16-le") for each in marks] == [
        "beef"
    ] * 2
    cut = marks_of(text[:12], hits, QTextCharFormat())
    assert [each.length for each in cut] == [3, 0]
