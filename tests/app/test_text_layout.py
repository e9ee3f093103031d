"""Widths and wrapping of text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.text_layout import cells, printable, wrap


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
