"""Lines of text as sentences that grow."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.terminal.growing_text import TextError, captions_of, goes_on, text_lines


def sentences(*lines: str, whole: bool = False) -> list[str]:
    """Return the finished sentences that lines make."""
    return [caption.text for caption in captions_of(lines, whole=whole, language="en") if caption.final]


def read(data: bytes) -> list[str]:
    return list(text_lines(io.BytesIO(data), "notes.txt"))


@pytest.mark.parametrize(
    ("last", "text"),
    [
        ("Good", "Good morning"),
        ("Good morning", "good morning, every"),
        ("Hello there.", "Hello there, how are you?"),
        ("I want to talk about the new cap", "I want to talk about the new caption"),
        ("I want to talk about the new captain", "I want to talk about the new captions"),
        ("今天天气", "今天天气很好"),
        ("今天天气很号", "今天天气很好"),
        ("…", "Well"),
    ],
)
def test_a_line_that_begins_with_the_last_one_goes_on_with_it(last: str, text: str) -> None:
    assert goes_on(last, text)


@pytest.mark.parametrize(
    ("last", "text"),
    [
        ("The cat sat.", "The dog ran."),
        ("I like tea.", "I like coffee."),
        ("Good morning", "Where are you"),
        ("I think that we should go", "I think"),
        ("Yes", "No"),
    ],
)
def test_any_other_line_begins_a_new_sentence(last: str, text: str) -> None:
    assert not goes_on(last, text)


def test_growing_lines_become_revisions_of_one_caption() -> None:
    made = list(captions_of(["Good", "Good morn\n", "Good morning.\n", "Bye"], whole=False, language="en"))
    assert [(each.id, each.revision, each.final) for each in made] == [
        (1, 1, False), (1, 2, False), (1, 3, False), (1, 4, True), (2, 1, False), (2, 2, True),
    ]  # fmt: skip
    assert [each.pending_text or each.text for each in made[:4]] == [
        "Good",
        "Good morn",
        "Good morning.",
        "Good morning.",
    ]


def test_an_empty_line_ends_a_sentence() -> None:
    assert sentences("One", "", "One two", "   ", "", "Three") == ["One", "One two", "Three"]


def test_a_line_that_comes_twice_is_one() -> None:
    made = list(captions_of(["One two", "One two"], whole=False, language="en"))
    assert [(each.revision, each.final) for each in made] == [(1, False), (2, True)]


def test_whole_lines_are_sentences_each() -> None:
    assert sentences("One.", "One.", "", "One. Two.", whole=True) == ["One.", "One.", "One. Two."]


@given(st.lists(st.text(max_size=30), max_size=12), st.booleans())
def test_any_lines_make_captions_that_are_final_once_and_in_order(lines: list[str], whole: bool) -> None:
    made = list(captions_of(lines, whole=whole, language="en"))
    finals = [each.id for each in made if each.final]
    assert finals == list(range(1, len(finals) + 1))
    assert {each.id for each in made} == set(finals)
    assert all(each.text or each.pending_text for each in made)
    revisions = [(each.id, each.revision) for each in made]
    assert revisions == sorted(set(revisions))


def test_text_is_read_as_utf8_with_any_line_ends() -> None:
    assert [line.strip() for line in read("\ufeffGrüße\r\n世界\n🙂".encode())] == ["Grüße", "世界", "🙂"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "there is no text."),
        (b"\n \n", "there is no text."),
        (b"Good.\nB\xe4d.\n", "line 2: this is not UTF-8 text"),
        (b"\x7fELF\0\0", "line 1: binary data"),
        ("Gut".encode("utf-16"), "line 1: "),
        (b"a" * 1_000_001, "line 1: longer than 1 MB"),
    ],
)
def test_what_is_no_text_is_a_sentence_with_the_line(data: bytes, message: str) -> None:
    with pytest.raises(TextError, match=rf"^notes\.txt.*{message}"):
        read(data)
