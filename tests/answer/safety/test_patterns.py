"""Patterns over words: gaps, sets, words in a row, beginnings and ends, and what is masked."""

import pytest

from engine.answer.safety.patterns import SentenceWords, parse_pattern
from engine.answer.safety.wording import begun, meant, plain_sentences, rewritten

SETS = {"I": {"i"}, "WANT": {"want", "would_like"}, "KILL": {"kill", "harm"}}


def sentence(text: str) -> SentenceWords:
    return SentenceWords([frozenset((word,)) for word in ("^", *text.split(), "$")])


def spans(pattern: str, text: str) -> list[tuple[int, int]]:
    return parse_pattern(pattern, SETS).spans(sentence(text))


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        ("I KILL", "i do not kill", "i do not want kill"),
        ("I .. KILL", "i do not want to kill", "i do not ever want to go and kill"),
        ("KILL+myself", "kill myself", "kill off myself"),
        ("I WANT", "i would like that", "i would that"),
        ("kill|WANT", "want", "wanted"),
        ("suicid*", "suicidal", "asuicidal"),
        ("*gift", "rattengift", "giftig"),
        ("^ KILL", "kill it", "please please please kill it"),
        ("myself+$", "kill myself", "myself killed"),
        ("not_to+KILL", "not to kill", "to kill"),
    ],
)
def test_a_pattern_finds_what_it_says(pattern: str, found: str, missed: str) -> None:
    assert spans(pattern, found)
    assert not spans(pattern, missed)


def test_what_is_masked_is_found_no_more_and_the_rest_stays_where_it_was() -> None:
    masked = sentence("kill time and kill").masked([parse_pattern("kill+time", SETS)])
    assert parse_pattern("kill", SETS).spans(masked) == [(4, 5)]
    assert parse_pattern("time", SETS).spans(masked) == []


def test_a_pattern_names_sets_that_there_are_and_at_least_one_word() -> None:
    with pytest.raises(ValueError, match="THEM"):
        parse_pattern("KILL THEM", SETS)
    with pytest.raises(ValueError, match="without a word"):
        parse_pattern(" .. ", SETS)


def test_sentences_are_cut_at_marks_and_their_words_are_plain() -> None:
    assert plain_sentences("Ich möchte… Straße! J'ai 3.5 — d'œufs") == [
        ("ich", "mochte"),
        ("strasse",),
        ("j", "ai", "3", "5", "d", "oeufs"),
    ]


def test_words_are_rewritten_the_longest_row_first() -> None:
    table = {"i m": "i am", "m": "wrong", "any more": "anymore"}
    assert rewritten(("i", "m", "not", "any", "more"), table) == ("i", "am", "not", "anymore")


@pytest.mark.parametrize("word", ["suicde", "siucide", "suicidee", "suicida"])
def test_a_misspelt_key_word_is_known(word: str) -> None:
    assert meant(word, frozenset({"suicide"})) == {"suicide"}


@pytest.mark.parametrize("word", ["decide", "sui", "suits", "subside"])
def test_another_word_is_no_misspelling(word: str) -> None:
    assert not meant(word, frozenset({"suicide"}))


def test_short_key_words_have_to_be_spelt_rightly_and_are_not_guessed_from_two_letters() -> None:
    assert not meant("dye", frozenset({"die"}))
    assert begun("mys", frozenset({"myself"})) == ["myself"]
    assert begun("my", frozenset({"myself"})) == []
