"""Lists of words and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.preferences.changes import usual_hearing
from app.preferences.preferences import Preferences
from app.preferences.vocabulary import corrected_words, parse_vocabulary, read_vocabulary, with_words
from engine.errors import FileError, OptionError


def test_words_come_in_order_without_comments_and_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\ufeff# people\nAnna  Kowalczyk\n\nKubernetes\r\nkubernetes\n", encoding="utf-8")
    assert read_vocabulary(path) == ("Anna Kowalczyk", "Kubernetes")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n".join(f"word{number}" for number in range(1001)), "1000 entries at most, not 1001"),
        ("x" * 61, "60 characters at most"),
        ("one\n---\n", "words or names on one line, not '---'"),
    ],
)
def test_what_is_wrong_with_a_list_is_a_sentence(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_vocabulary(text)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\n", b"a\0b"])
def test_a_file_that_holds_no_text_is_a_sentence_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "words.txt").write_bytes(content)
    with pytest.raises(FileError, match=r"^--vocabulary .*words\.txt"):
        read_vocabulary(tmp_path / "words.txt")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("I begged Ruggida a long ago.", "I begged Ruggedo long ago.", ("Ruggedo",)),
        ("so cooper netties is slow", "so Kubernetes is slow", ("Kubernetes",)),
        ("ask anna covel check today", "ask Anna Kowalczyk, today", ("Kowalczyk",)),
        ("Any questions?", "any questions", ()),
        ("we go on", "we to on", ()),
        ("one two three four five six", "that is all something else entirely now", ()),
    ],
)
def test_words_that_a_correction_put_in_may_be_names(before: str, after: str, words: tuple[str, ...]) -> None:
    assert corrected_words(before, after) == words


def test_words_are_added_once_and_stay_when_hearing_is_reset() -> None:
    now = with_words(with_words(Preferences(), ["Ruggedo"]), ["ruggedo", "Kaliko"])
    assert usual_hearing(now).captions.decode.vocabulary == ("Ruggedo", "Kaliko")


def test_a_name_is_one_however_its_accents_are_written() -> None:
    assert parse_vocabulary("Zoe\u0308\nZo\u00eb\n") == ("Zo\u00eb",)
