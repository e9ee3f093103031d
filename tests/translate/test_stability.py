from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.speculative_decoding import Chance
from engine.translate import stability
from engine.translate.stability import Lately, known, odds_of, stops

NEVER = -20.0


def chances(*probabilities: float, end: float = NEVER) -> list[Chance]:
    """Return chances of tokens with these probabilities, and of an end behind them."""
    return [Chance(math.log(each), end) for each in (*probabilities, 1.0)]


def spelt(text: str) -> int:
    """Count the tokens of a text, each of them a word or a mark."""
    return len(text.replace(",", " ,").replace(".", " .").split())


def likely(text: str, found: list[Chance], counted: Callable[[str], int], least: float, shown: int = 0) -> str:
    """Return what is likely to stay, without whether the next word is not."""
    return stability.likely(text, found, counted, least, shown)[0]


def test_a_text_may_be_cut_behind_words_and_behind_their_marks() -> None:
    text = "Ja, gut 世界."
    assert [text[:stop] for stop in stops(text)] == [
        "Ja",
        "Ja,",
        "Ja, gut",
        "Ja, gut 世",
        "Ja, gut 世界",
        "Ja, gut 世界.",
    ]


def test_words_are_shown_up_to_the_first_that_may_not_stay() -> None:
    assert likely("Das ist gut", chances(0.9, 0.3, 0.9), spelt, 6.0) == "Das"
    assert likely("Das ist gut", chances(0.9, 0.9, 0.9), spelt, 6.0) == "Das ist gut"
    assert likely("Das ist gut", chances(0.2, 0.9, 0.9), spelt, 6.0) == ""


def test_a_mark_may_be_less_certain_than_its_word() -> None:
    assert likely("Ja, gut.", chances(0.9, 0.2, 0.9, 0.9), spelt, 6.0) == "Ja"


def test_a_word_behind_which_the_model_might_end_is_less_certain() -> None:
    sure, near = chances(0.9, 0.9), chances(0.9, 0.9, end=math.log(0.5))
    assert likely("Das ist", sure, spelt, 3.0) == "Das ist"
    assert likely("Das ist", near, spelt, 3.0) == ""


def test_a_word_that_translates_the_newest_words_is_less_certain() -> None:
    found = [Chance(math.log(0.9), NEVER, ahead) for ahead in (3, 2, 0, 1)]
    assert likely("Das ist gut so", found, spelt, 1.5) == "Das ist"
    assert likely("Das ist gut", [chance._replace(ahead=0) for chance in found], spelt, 1.5) == ""
    assert likely("Das ist gut so", [chance._replace(ahead=4) for chance in found], spelt, 1.5) == "Das ist gut"


def test_a_word_is_doubted_only_once_enough_is_known_of_it() -> None:
    written = [Chance(math.log(0.9), NEVER), Chance(math.log(0.3), NEVER), Chance(math.log(0.9), math.log(0.5))]
    assert stability.likely("Das ist", written[:1], spelt, 3.0) == ("", False)
    assert stability.likely("Das ist", written[:2], spelt, 3.0) == ("Das", False)
    assert stability.likely("Das ist gut", written, spelt, 3.0) == ("Das", True)
    assert stability.likely("Das ist", written[:2], spelt, 6.0) == ("Das", True)
    assert stability.likely("Das ist", written, spelt, -2.0) == ("Das ist", False)


def test_what_is_on_the_screen_stays_and_says_nothing_of_the_words_behind_it() -> None:
    doubted = chances(0.1, 0.9, 0.9)
    assert likely("Das ist gut", doubted, spelt, 6.0) == ""
    assert likely("Das ist gut", doubted, spelt, 6.0, shown=3) == "Das ist gut"


def test_an_answer_that_broke_off_shows_no_word_without_a_look_behind_it() -> None:
    assert likely("Das ist", chances(0.9, 0.9)[:-1], spelt, 0.0) == "Das"


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "Das"), (0.4, "Das ist"), (0.7, "Das ist gut"), (0.99, "Das ist gut"), (1.0, "Das ist gut.")],
)
def test_words_are_shown_as_far_as_the_source_is_known_and_its_end_with_all_of_it(share: float, shown: str) -> None:
    assert known("Das ist gut.", share).rstrip() == shown


@pytest.mark.parametrize(("probability", "odds"), [(0.5, 0.0), (0.9, math.log(9)), (0.1, -math.log(9))])
def test_odds_are_those_of_the_probability(probability: float, odds: float) -> None:
    assert odds_of(math.log(probability)) == pytest.approx(odds)


PROBABILITIES = st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3)


@given(PROBABILITIES, st.floats(-6, 8), st.floats(0, 6), st.integers(0, 11))
def test_the_more_certain_words_must_be_the_fewer_are_shown(
    probabilities: list[float], least: float, more: float, shown: int
) -> None:
    text, found = "Das ist gut", chances(*probabilities)
    fewer, others = (likely(text, found, spelt, each, shown) for each in (least + more, least))
    assert text.startswith(others) and others.startswith(fewer) and len(fewer) >= shown


def grown(*texts: str, apart: int = 2) -> str:
    """Return what translations of a source that grows by a word each agree on."""
    found = Lately()
    for words, text in enumerate(texts, 1):
        found = found.with_another(words, text, apart)
    return found.agreed(apart)


def test_words_that_stayed_while_the_source_grew_are_agreed_on_without_the_last() -> None:
    assert grown("Er hat", "Er hat ein Buch", "Er hat ein Haus gekauft") == "Er"
    assert grown("Sie", "Er hat ein Buch", "Er hat ein Haus", "Er hat ein Haus gekauft.") == "Er hat"
    assert grown("Er hat ein Buch", "Sie hatte ein Buch", "Er hat ein Buch") == ""


def test_nothing_is_agreed_on_before_the_source_has_grown() -> None:
    assert grown() == grown("Er hat ein Buch") == grown("Er hat ein Buch", "Er hat ein Buch") == ""
    assert grown("Er hat ein Buch", "Er hat ein Buch", apart=1) == "Er hat ein"
