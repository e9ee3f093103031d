"""Tables of figures."""

from __future__ import annotations

import pytest

from app.terminal.tables import table
from lab.bench.tables import percent


def test_words_stand_left_and_numbers_right() -> None:
    text = table(("clip", "WER", "seconds"), [("one", "5.0%", 1.5), ("another", "12.5%", None)])
    assert text.splitlines() == [
        "clip       WER  seconds",
        "-------  -----  -------",
        "one       5.0%     1.50",
        "another  12.5%        -",
    ]


def test_a_row_must_fill_all_columns() -> None:
    with pytest.raises(ValueError, match="2 cells"):
        table(("a", "b"), [("only one",)])


def test_a_share_is_written_in_percent() -> None:
    assert (percent(0.1234), percent(None)) == ("12.3%", "-")
