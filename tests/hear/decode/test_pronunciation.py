"""Words that sound alike."""

from __future__ import annotations

import pytest

from engine.hear.decode.pronunciation import Pronunciations, sounds

NAMES = ("Shimerda", "Kubernetes", "Quilter", "Anna Kowalczyk", "Saoirse")


@pytest.mark.parametrize(
    ("written", "name"),
    [(["Schmerda"], "Shimerda"), (["cooper", "netties"], "Kubernetes"), (["Anna", "Cove", "all", "chick"], NAMES[3])],
)
def test_what_a_model_writes_in_place_of_a_name_sounds_like_it(written: list[str], name: str) -> None:
    assert [entry for entry, _ in Pronunciations(NAMES, "en", 0.45).near(written)] == [name]


@pytest.mark.parametrize("written", [["weather"], ["the"], ["Kubernetes", "and", "the", "weather"], ["…"]])
def test_other_words_sound_like_none(written: list[str]) -> None:
    assert Pronunciations(NAMES, "en", 0.3).near(written) == []


def test_the_same_sound_has_no_distance_and_a_related_one_a_small_distance() -> None:
    known = Pronunciations(("Kat", "cad", "dog"), "en", 0.3)
    assert known.near(["cat"]) == [("Kat", 0.0), ("cad", pytest.approx(0.35 / 3))]


@pytest.mark.parametrize(
    ("language", "entry", "written"),
    [("de", "Schäfer", "Schäffer"), ("zh", "北京", "背景"), ("ru", "Пушкин", "Пушкен")],
)
def test_every_language_has_its_own_sounds(language: str, entry: str, written: str) -> None:
    assert [each for each, _ in Pronunciations((entry,), language, 0.3).near([written])] == [entry]


def test_letters_take_the_place_of_sounds_that_nobody_knows() -> None:
    assert sounds("Fulmärz", "xx") == "fulmärz"
    assert Pronunciations(("Fulmarz", "Beta"), "xx", 0.3).near(["fulmars"]) == [("Fulmarz", pytest.approx(0.35 / 7))]


def test_no_entry_sounds_like_anything() -> None:
    assert Pronunciations((), "en", 0.3).near(["word"]) == []
