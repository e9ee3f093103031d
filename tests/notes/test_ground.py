"""The check of notes: a line stays if the lines that it rests on support it."""

from __future__ import annotations

import pytest

from engine.notes.ground import holds, supported
from engine.notes.records import NoteLine, Notes, NotesSection
from tests.notes.said import said

LINES = said("Ruth: We buy a new pump for 600 euros.", "Omar: I'll order the pump tonight.")
SAID = {line.number: line for line in LINES}


@pytest.mark.parametrize(
    "line",
    [
        NoteLine("A new pump is bought for 600 euros.", (1,)),
        NoteLine("Omar orders the pump tonight.", (2,), "Omar", "tonight"),
        NoteLine("The pump is ordered.", (1, 2)),
    ],
)
def test_what_the_lines_support_holds(line: NoteLine) -> None:
    assert holds(line, SAID)


@pytest.mark.parametrize(
    "line",
    [
        NoteLine("A new pump is bought for 900 euros.", (1,)),
        NoteLine("The greenhouse gets another roof in winter.", (1,)),
        NoteLine("Omar orders the pump tonight.", (2,), "Lena"),
        NoteLine("The new pump is bought by Lena.", (1,)),
        NoteLine("A new pump is bought for 600 euros.", ()),
        NoteLine("A new pump is bought for 600 euros.", (1, 9)),
    ],
)
def test_other_numbers_words_people_and_lines_do_not_hold(line: NoteLine) -> None:
    assert not holds(line, SAID)


def test_lines_that_do_not_hold_are_left_out_and_counted() -> None:
    good, bad, own = NoteLine("We buy a pump.", (1,)), NoteLine("We sell cars.", (1,)), NoteLine("Mine.", by_hand=True)
    notes = supported(Notes("meeting", (NotesSection("summary", "Summary", (good, bad, own)),)), LINES)
    assert notes.lines == (good, own)
    assert notes.dropped == 1
