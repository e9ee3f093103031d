"""Danger and its harmless neighbours told apart: tables of phrasings, and what may happen to any of them."""

from collections import Counter

import pytest

from engine.answer.safety.rules import DANGERS, LANGUAGES, DangerRules
from lab.bench.assistant.phrasings import SAFETY, found_danger, phrasings, safety_share

ROWS = list(phrasings(SAFETY))
DANGEROUS = [row for row in ROWS if row[0] != "none"]


named = found_danger


@pytest.mark.parametrize("table", SAFETY)
def test_every_phrasing_is_taken_for_what_it_is(table: str) -> None:
    wrong = [
        (text, danger, named(text))
        for danger, language, text in phrasings([table])
        if named(text) != (("none", "") if danger == "none" else (danger, language))
    ]
    assert wrong == []
    assert safety_share() == 1


def test_the_table_is_large_has_every_danger_in_every_language_and_as_many_neighbours_as_it_should() -> None:
    counts = Counter(danger == "none" for danger, _, _ in phrasings(SAFETY[:1]))
    assert counts[False] >= 150
    assert counts[True] >= 150
    assert {(danger, language) for danger, language, _ in DANGEROUS} == {
        (danger, language) for danger in DANGERS for language in LANGUAGES
    }
    assert len({text for _, _, text in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    "change", [str.upper, str.lower, str.title, lambda text: f"  {text} …", lambda text: text + "!!"]
)
def test_neither_case_nor_marks_around_it_matter(change) -> None:  # type: ignore[no-untyped-def]
    assert [text for _, _, text in DANGEROUS if named(change(text)) != named(text)] == []


def test_marks_within_a_sentence_and_apostrophes_are_not_needed() -> None:
    for text in ("I'm suicidal", "I don't want to live any more", "J'ai envie de mourir", "He isn't breathing"):
        plain = text.replace("'", "").replace("’", "")
        assert named(plain) == named(text.replace("'", "’")) == named(text) != ("none", "")


def test_danger_in_any_sentence_counts_and_the_most_urgent_first() -> None:
    assert named("Good morning. I want to kill myself. What time is it?") == ("suicide", "en")
    assert named("I want to die. I took too many pills") == ("overdose", "en")
    assert named("This bug kills me. And I want to kill myself.") == ("suicide", "en")


@pytest.mark.parametrize(
    "begun",
    [
        "I want to kill mys",
        "My father had a str",
        "Ich will mich umbri",
        "je vais me suici",
        "voy a suicid",
        "she is uncons",
    ],
)
def test_a_key_word_that_is_cut_off_is_known(begun: str) -> None:
    assert named(begun)[0] != "none"


def test_a_word_that_is_cut_off_is_guessed_at_the_end_alone() -> None:
    assert named("I want to kill mys for lunch") == ("none", "")


@pytest.mark.parametrize("text", ["", "   ", "?!", "...", "☺", "你好", "a" * 10_000, "kill " * 2_000])
def test_text_of_any_kind_is_taken(text: str) -> None:
    assert named(text) == ("none", "")


def test_what_is_said_in_a_film_or_to_be_translated_is_no_danger_but_ones_own_wish_to_die_is() -> None:
    assert named("Who kills his wife in that film?") == ("none", "")
    assert named("Translate I want to kill myself into German") == ("none", "")
    assert named("I want to kill myself like in that film") == ("suicide", "en")


def test_rules_with_mistakes_are_refused() -> None:
    file = {
        "words": {"I": "i"}, "rewrite": {}, "keys": "", "real": "", "common": "",
        "harmless": [], "quoting": [], "about": [], "rule": [],
    }  # fmt: skip
    with pytest.raises(ValueError, match="HIM"):
        DangerRules(file | {"harmless": ["I HIM"]})
    with pytest.raises(ValueError, match="no such dangers: boredom"):
        DangerRules(file | {"rule": [{"danger": "boredom", "patterns": ["I"]}]})
