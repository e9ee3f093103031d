"""Lines that roll up and do not jump."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QApplication

from app.look.theme import caption_font
from app.overlay.overlay_lines import Ink, Page, Passage, RollUp

INK = Ink(QColor("white"), QColor("grey"))
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


@pytest.fixture
def page(qapp: QApplication) -> Page:
    """Two lines with room for about eighteen characters: for three of the words, whatever the font."""
    font = caption_font(20)
    return Page(font, QFontMetricsF(font).horizontalAdvance("seven eight nine") + 1, 2)


def said(text: str, number: int = 0, solid: int | None = None) -> Passage:
    return Passage(number, text, len(text) if solid is None else solid)


def test_lines_fill_word_by_word_and_roll_up_when_they_are_full(page: Page) -> None:
    roll = RollUp()
    seen: list[list[str]] = []
    for count in range(1, len(WORDS) + 1):
        shown = roll.lines([said(" ".join(WORDS[:count]))], page, INK).shown
        if not seen or shown != seen[-1]:
            seen.append(shown)
    assert all(len(lines) <= 2 for lines in seen)
    for before, after in pairwise(seen):
        grown = after[: len(before)] == [*before[:-1], after[len(before) - 1]] and after[-1].startswith(before[-1])
        begun = after[:-1] == before
        rolled = after[0] == before[-1]
        assert grown or begun or rolled, f"{before} jumped to {after}"
    assert seen[-1][-1].endswith("twelve")


def test_text_that_has_rolled_up_does_not_come_down_when_words_are_taken_back(page: Page) -> None:
    roll = RollUp()
    roll.lines([said("one two three four five six", solid=18)], page, INK)
    before = roll.lines([said("one two three four five six seven eight", solid=18)], page, INK).shown
    assert before[0].startswith("four")
    after = roll.lines([said("one two three four five", solid=18)], page, INK).shown
    assert after == ["four five"]


def test_words_that_have_rolled_up_do_not_come_down_in_the_line_of_another_voice(page: Page) -> None:
    roll = RollUp()
    before = roll.lines([said(" ".join(WORDS[:11]))], page, INK).shown
    assert before == ["seven eight nine", "ten eleven"]
    first, behind = Passage(0, "one", 3, speaker="Anna"), " ".join(WORDS[1:11])
    line = Passage(1, f"Ben: {behind}", 5 + len(behind), speaker="Ben", moved=(5, 5 + len(behind)))
    assert roll.lines([first, line], page, INK).shown == before
    for _ in range(2):  # the second time counts from the beginning of that line
        grown = Passage(1, f"{line.text} one two three", line.solid, speaker="Ben", moved=line.moved)
        assert roll.lines([first, grown], page, INK).shown == ["ten eleven one", "two three"]


def test_words_that_were_withdrawn_hide_none_of_the_next_line(page: Page) -> None:
    roll = RollUp()
    roll.lines([said(" ".join(WORDS), solid=3)], page, INK)
    assert roll.lines([said("one", solid=3), said("Well then.", 1)], page, INK).shown == ["Well then."]


def test_no_line_begins_within_a_word_that_was_heard_anew(page: Page) -> None:
    roll = RollUp()
    for _ in range(2):
        roll.lines([said(" ".join(WORDS), solid=0)], page, INK)
    lines = roll.lines([said("one two threefold fourfoldly fivefoldness sixfold sevenfold eight", solid=0)], page, INK)
    words = " ".join(lines.shown).split()
    assert words
    assert set(words) <= {"one", "two", "threefold", "fourfoldly", "fivefoldness", "sixfold", "sevenfold", "eight"}


def test_captions_run_on_in_one_line_and_cleared_ones_do_not_come_back(page: Page) -> None:
    roll = RollUp()
    assert roll.lines([said("Yes."), said("No.", 1)], page, INK).shown == ["Yes. No."]
    roll.clear([said("Yes."), said("No.", 1)])
    assert roll.lines([said("Yes."), said("No.", 1)], page, INK).shown == []
    assert roll.lines([said("Yes."), said("No. But", 1), said("then", 2)], page, INK).shown == ["But then"]


def test_wide_scripts_run_on_without_a_space(page: Page) -> None:
    roll = RollUp()
    assert roll.lines([said("はい。"), said("今日", 1)], page, INK).text.text() == "はい。今日"


def test_characters_that_qt_counts_twice_stay_whole(page: Page) -> None:
    roll = RollUp()
    text = " ".join(f"🎧 {word}" for word in WORDS)
    for end in range(len(text) + 1):
        lines = roll.lines([said(text[:end])], page, INK).shown
    assert "".join(lines).replace(" ", "") in text.replace(" ", "")


def test_only_what_is_in_sight_is_laid_out(page: Page) -> None:
    roll = RollUp()
    passages = [said(f"This is sentence number {number}.", number) for number in range(200)]
    roll.lines(passages, page, INK)
    assert roll.start_id >= 196
    assert roll.lines(passages, page, INK).text.lineCount() <= 3


def test_arabic_runs_from_the_right(page: Page) -> None:
    roll = RollUp()
    right = Page(page.font, page.width, page.lines, Qt.LayoutDirection.RightToLeft)
    lines = roll.lines([said("صباح")], right, INK)
    line = lines.text.lineAt(0)
    assert line.naturalTextRect().right() == pytest.approx(page.width, abs=2)
