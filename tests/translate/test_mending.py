from __future__ import annotations

from collections.abc import Mapping

from engine.translate.mending import Mender, Steps
from engine.translate.preparation import Preparation


def mended(source: str, translation: str, again: Mapping[str, str], candidate: str | None) -> tuple[str, list[str]]:
    """Return what becomes of a translation, and what was translated once more."""
    asked = []

    def translate(ready: Preparation) -> Steps:
        yield
        asked.append(ready.text)
        return again[ready.text]

    def search(ready: Preparation) -> Steps:
        yield
        asked.append("candidates")
        return candidate or ""

    mender = Mender("de", lambda word: True, translate, None if candidate is None else search)
    steps = mender.mended(Preparation(source), source, translation)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, asked


def test_a_sound_translation_is_not_searched_for() -> None:
    assert mended("It isn't open.", "Es ist nicht offen.", {}, "x") == ("Es ist nicht offen.", [])


def test_a_lost_negation_is_searched_for_with_candidates() -> None:
    assert mended("It isn't open.", "Es ist offen.", {}, "Es ist nicht offen.") == (
        "Es ist nicht offen.",
        ["candidates"],
    )


def test_what_no_candidate_mends_stands_but_is_not_said_twice() -> None:
    assert mended("It isn't open.", "Es ist offen.", {}, "Es ist zu.")[0] == "Es ist offen."
    assert mended("It isn't open.", "Es ist offen.", {}, None)[0] == "Es ist offen."
    twice = "Das ist auf der Arbeit auf der Arbeit."
    assert mended("This is at work.", twice, {}, twice)[0] == "Das ist auf der Arbeit."


def test_a_wrong_number_that_no_candidate_mends_is_shown_in_the_words_of_its_source() -> None:
    source = "We met; it costs 250."
    again = {"We met;": "Wir trafen uns;", "it costs 250.": "es kostet.", "We met; it costs 47.": "Es kostet."}
    found, asked = mended(source, "Wir trafen uns; es kostet.", again, "Es kostet.")
    assert found == "Wir trafen uns; it costs 250."
    assert asked == ["We met; it costs 47.", "candidates", "We met;", "it costs 250."]


def test_numbers_of_what_is_found_again_get_the_marks_of_the_language() -> None:
    found, asked = mended("It isn't 1,234.50.", "Es ist 1.234,50.", {}, "Es ist nicht 1.234.50.")
    assert (found, asked) == ("Es ist nicht 1.234,50.", ["candidates"])
