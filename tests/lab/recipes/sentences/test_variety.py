"""Pairs said in other ways: what stands in one sentence stands in the other, and nothing else changes."""

from __future__ import annotations

import re
from random import Random

import pytest

from lab.recipes.sentences.pairs import Pair
from lab.recipes.sentences.spoken import own_pairs
from lab.recipes.sentences.variety import (
    COLUMNS,
    filled,
    invented_name,
    is_pattern,
    phrases,
    places,
    renamed,
    renumbered,
    varied,
)


def test_the_places_of_both_sentences_are_filled_alike() -> None:
    pair = Pair("{name} comes on {day} at {hour}.", "{name} kommt am {day} um {hour} Uhr.")
    days = {english: german for english, german, *_ in places()["days"]}
    for seed in range(30):
        made = filled(pair, "de", Random(seed))
        words = made.source.rstrip(".").split()
        assert made.target == f"{words[0]} kommt am {days[words[3]]} um {words[5]} Uhr."


def test_a_place_that_nothing_is_known_for_is_named() -> None:
    with pytest.raises(ValueError, match=r"\{colour\}"):
        filled(Pair("It is {colour}.", "Es ist {colour}."), "de", Random(1))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("That is Tom's dog.", "Das ist Toms Hund."),  # another form there
        ("Mary sings.", "Maria singt."),
        ("He sings.", "Tom singt."),
        ("Tomorrow Tom sings.", "Tomás canta mañana."),
    ],
)
def test_a_name_that_has_another_form_in_the_translation_stays(source: str, target: str) -> None:
    pair = Pair(source, target)
    assert all(renamed(pair, Random(seed)) == pair for seed in range(20))


def test_a_name_is_replaced_in_both_sentences() -> None:
    made = {renamed(Pair("Tom saw Tom.", "Tom sah Tom."), Random(seed)) for seed in range(40)}
    assert len(made) > 10
    for pair in made:
        name = pair.source.split()[0]
        assert (pair.source, pair.target) == (f"{name} saw {name}.", f"{name} sah {name}.")


def test_numbers_are_replaced_by_others_of_as_many_digits_in_both_sentences() -> None:
    pair = Pair("I paid 250 dollars for 12 books.", "Ich habe 250 Dollar für 12 Bücher bezahlt.")
    made = [renumbered(pair, Random(seed)) for seed in range(20)]
    assert len(set(made)) > 10
    for each in made:
        numbers = [int(word) for word in each.source.split() if word.isdigit()]
        assert [len(str(number)) for number in numbers] == [3, 2]
        assert [int(word) for word in each.target.split() if word.isdigit()] == numbers


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("I have 1 cat.", "Ich habe 1 Katze."),
        ("It is 2:30.", "Es ist 14:30 Uhr."),
        ("I have 3 cats.", "Ich habe drei Katzen."),
        ("It costs 2.50.", "Es kostet 2,50."),
    ],
)
def test_a_number_that_is_written_otherwise_stays(source: str, target: str) -> None:
    assert renumbered(Pair(source, target), Random(1)) == Pair(source, target)


def test_what_is_written_as_it_is_heard_keeps_its_translation() -> None:
    pair = Pair("Well, it's late.", "Nun, es ist spät.")
    made = {varied(pair, "de", Random(seed)) for seed in range(200)}
    assert made == {pair, Pair("well it's late", pair.target)}


def test_invented_names_are_words_with_a_capital() -> None:
    names = {invented_name(Random(seed)) for seed in range(100)}
    assert len(names) > 80
    assert all(name.isalpha() and name.istitle() for name in names)


def test_phrases_stand_in_the_places_of_patterns_and_have_places_themselves() -> None:
    pattern = Pair("{Who} says that {clause}.", "{Who} dit que {clause}.")
    assert is_pattern(pattern)
    assert not is_pattern(Pair("See you on {day}.", "À {day}."))
    made = {filled(pattern, "fr", Random(seed)) for seed in range(4000)}
    assert Pair("Our lawyer says that everybody agrees.", "Notre avocat dit que tout le monde est d'accord.") in made
    assert not any("{" in pair.source + pair.target for pair in made)
    assert any("dit qu'il y a un problème de son" in pair.target for pair in made)
    assert not any(re.search(r"\b(que|de|si) [aeiou]|\bsi il", pair.target) for pair in made)


def test_every_phrase_is_there_in_every_language_with_the_same_places() -> None:
    for place, rows in phrases().items():
        assert place.islower()
        for row in rows:
            assert len(row) == len(COLUMNS), row
            assert len({tuple(sorted(re.findall(r"\{\w+\}", phrase))) for phrase in row}) == 1, row
    used = {place.lower() for pair in own_pairs("de") for place in re.findall(r"\{(\w+)\}", pair.source)}
    assert set(phrases()) <= used
