"""Search in the history: what is found, and where it stands."""

from __future__ import annotations

import pytest

from app.history.search import hits_in, indexed, terms_of


def found(text: str, search: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in hits_in(text, terms_of(search))]


@pytest.mark.parametrize(
    ("text", "search", "words"),
    [
        ("The budget for October", "bud oct", ["budget", "October"]),
        ("Schöne Grüße", "schon grusse", ["Schöne", "Grüße"]),
        ("one two, two one", '"two one"', ["two", "one"]),
        ("Don't wait", "don't", ["Don", "t"]),
        ("会議は東京です", "東京", ["東", "京"]),
        ("会議は京東です", "東京", []),
        ("ภาษาไทย", "ไทย", ["ไ", "ท", "ย"]),
        ("안녕하세요 여러분", "안녕", ["안녕하세요"]),
        ("मैं हिन्दी बोलता हूँ", "हिन्", ["हिन्दी"]),
        ("3.5 percent", "3", ["3"]),
        ("nothing of it", "zebra", []),
    ],
)
def test_words_are_found_by_how_they_begin(text: str, search: str, words: list[str]) -> None:
    assert found(text, search) == words


def test_nothing_but_punctuation_looks_for_nothing() -> None:
    assert terms_of(' … "" *') == ()


def test_what_fts_takes_for_its_own_language_is_looked_for_as_words() -> None:
    assert [term.words for term in terms_of('NEAR(a b) col:x -y "q')] == [
        ("near", "a"),
        ("b",),
        ("col", "x"),
        ("y",),
        ("q",),
    ]


def test_the_index_holds_words_as_they_are_compared() -> None:
    assert indexed("Größe: 東京, Ärger!") == "grosse 東 京 arger"
