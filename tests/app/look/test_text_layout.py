"""Widths and wrapping of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.look.text_layout import breakable, cells, printable, unbreakable, unbroken, words_of, wrap


@given(st.text(alphabet=st.sampled_from("ab ,.世界。é\u0301"), max_size=80), st.integers(2, 30))
def test_wrapped_lines_fit_and_lose_only_spaces(text: str, width: int) -> None:
    lines = [text[start:end] for start, end in wrap(text, width)]
    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_lines_break_at_spaces() -> None:
    text = "the quick brown fox"
    assert [text[start:end] for start, end in wrap(text, 10)] == ["the quick", "brown fox"]


def test_a_word_longer_than_the_line_is_cut() -> None:
    text = "ab abcdefgh"
    assert [text[start:end] for start, end in wrap(text, 5)] == ["ab", "abcde", "fgh"]


def test_wide_characters_count_twice_and_punctuation_starts_no_line() -> None:
    text = "世界世界。"
    assert cells(text) == 10
    assert [text[start:end] for start, end in wrap(text, 8)] == ["世界世", "界。"]


def test_what_steers_a_terminal_is_left_out() -> None:
    assert printable("a\x1b[31mb\x07\tc\n") == "a[31mb c "


def test_french_punctuation_stays_with_its_word() -> None:
    text = "« Quoi ? » dit-il : rien ! Et : 5 ; 6"
    held = unbroken(text)
    assert held.replace("\N{NO-BREAK SPACE}", " ") == text
    assert held.replace("\N{NO-BREAK SPACE}", "_") == "«_Quoi_?_» dit-il_: rien_! Et_: 5_; 6"
    assert unbroken("Really? Yes: fine; all.") == "Really? Yes: fine; all."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("one  two\nthree", ["one", " two", " three"]),
        ("今天，好。", ["今", "天，", "好。"]),
        ("Das 世界 ist", ["Das", " 世", "界", " ist"]),
    ],
)
def test_words_are_cut_where_lines_may_break(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_only_very_long_words_get_breaks_that_nobody_sees() -> None:
    assert breakable("An ordinary sentence, with an-ordinary-long word.") == (
        "An ordinary sentence, with an-ordinary-long word."
    )
    long = "a_name_without_spaces_" * 4
    assert max(len(each) for each in breakable(f"See {long}.").replace("\N{ZERO WIDTH SPACE}", " ").split()) <= 24
    assert unbreakable(breakable(f"See {long}.")) == f"See {long}."
