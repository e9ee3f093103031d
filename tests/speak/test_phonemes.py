"""Phonemes of clauses with their marks, and the pieces that are spoken at once."""

from __future__ import annotations

import pytest

from engine.errors import VoiceError
from engine.speak.phonemes import clauses, pieces


def test_each_clause_has_its_mark() -> None:
    found = list(clauses("Well, is it so? Yes. No", "en-us"))
    assert [each[-1] for each in found[:3]] == [",", "?", "."]
    assert len(found) == 4 and found[3][-1].isalpha()


def test_words_of_another_language_leave_no_sign() -> None:
    assert "(" not in "".join(clauses("Das ist ein Computer mit Windows Update.", "de"))


def test_a_language_that_is_not_there_is_an_error_of_the_voice() -> None:
    with pytest.raises(VoiceError, match="cannot be found"):
        list(clauses("Hello", "xx-nowhere"))


def test_the_first_clause_of_a_long_text_stands_alone() -> None:
    parts = ["aaa,", "bbb,", "ccc."]
    assert list(pieces(iter(parts), 100, 100)) == ["aaa, bbb, ccc."]
    assert list(pieces(iter(parts), 10, 100)) == ["aaa,", "bbb, ccc."]
    assert list(pieces(iter(["aaaaaaaaaaaa."]), 10, 100)) == ["aaaaaaaaaaaa."]


def test_no_piece_is_longer_than_it_may_be_and_nothing_is_lost() -> None:
    parts = ["a" * 25, "b" * 7, "c" * 4]
    found = list(pieces(iter(parts), 1000, 10))
    assert all(len(each) <= 10 for each in found)
    assert "".join(found).replace(" ", "") == "".join(parts)
