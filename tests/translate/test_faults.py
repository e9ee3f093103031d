from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.translate.faults import (
    has_echo,
    is_debris,
    lost,
    lost_currencies,
    lost_negation,
    until_echo,
    without_echo,
    wrong_numbers,
)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("It starts at 9:30.", "Es beginnt um 9:30 Uhr."),
        ("It starts at 9:30.", "Ça commence à 9 h 30."),
        ("It starts at 9:30 pm.", "Es beginnt um 21:30 Uhr."),
        ("It ended at 12:15 a.m. today.", "Es endete heute um 0:15 Uhr."),
        ("It ends at 12 am.", "Es endet um 0 Uhr."),
        ("It starts at 9:00.", "Es beginnt um 9 Uhr."),
        ("Pay $1,250.50.", "Zahlen Sie 1.250,50 Dollar."),
        ("Pay $1,250.50.", "Payez 1\u202f250,50 dollars."),
        ("She has 2 cats.", "Sie hat zwei Katzen."),
        ("The 1st of May", "Der erste Mai"),
        ("Two cats", "2 Katzen"),
        ("2 cats and 3 dogs", "3 Hunde und 2 Katzen"),
        ("In 2024", "Im Jahr 2024"),
        ("At 07:05", "Um 7.05 Uhr"),
    ],
)
def test_numbers_that_are_there_are_right_however_they_are_written(source: str, translation: str) -> None:
    language = "fr" if "\u202f" in translation or " h " in translation else "de"
    assert wrong_numbers(source, translation, language) == ([], [])


@pytest.mark.parametrize(
    ("source", "translation", "lacking", "surplus"),
    [
        ("It starts at 9:30.", "Es beginnt um 21:30 Uhr.", ["9:30"], ["21:30"]),
        ("She has 2 cats.", "Sie hat drei Katzen.", ["2"], []),
        ("It costs $20.", "Es kostet zweitausend Dollar.", ["20"], []),
        ("2 cats, 3 dogs", "3 Katzen, 3 Hunde", ["2"], ["3"]),
        ("It costs $250.", "Es kostet 25 Dollar.", ["250"], ["25"]),
        ("Pay 1,250.50 now.", "1250 jetzt und 50 zahlen.", ["1,250.50"], ["1250", "50"]),
    ],
)
def test_a_number_that_is_another_is_found(
    source: str, translation: str, lacking: list[str], surplus: list[str]
) -> None:
    assert wrong_numbers(source, translation, "de") == (lacking, surplus)


NUMBERS = st.lists(st.integers(13, 9999), min_size=1, max_size=5)


@given(NUMBERS)
def test_the_same_numbers_are_never_wrong(numbers: list[int]) -> None:
    text = ", ".join(map(str, numbers))
    assert wrong_numbers(text, text, "de") == ([], [])


@given(NUMBERS, st.integers(0, 4), st.integers(10_000, 99_999))
def test_one_other_number_is_always_found(numbers: list[int], place: int, other: int) -> None:
    changed = [*numbers]
    changed[place % len(numbers)] = other
    source, translation = (" und ".join(map(str, each)) for each in (numbers, changed))
    assert wrong_numbers(source, translation, "de") == ([str(numbers[place % len(numbers)])], [str(other)])


@pytest.mark.parametrize(
    "translation",
    [
        "ATHORIESERENESENESC",
        "Das ist \ufffd gut.",
        "nein nein nein nein",
        "Er hat die ganzenenenenen Tage.",
        "Das sind trois6 Dollar.",
        "x" * 60,
        "",
        "Und dann ging er weg und " * 9,
        "Die Tix-PUTniCKse sind da.",
    ],
)
def test_letters_that_make_no_words_are_found(translation: str) -> None:
    assert is_debris("Please look at this, I mean it.", translation)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Ha ha ha ha!", "Ha ha ha ha!"),
        ("It costs 1,000,000 dollars.", "Es kostet 1.000.000 Dollar."),
        ("NASA said so.", "Die NASA sagte es."),
        ("WATCH OUT NOW!", "PASSEN SIE JETZT AUF!"),
        ("Well...", "Nun ja..."),
        ("The speed limit is important.", "Die Geschwindigkeitsbegrenzung ist wichtig."),
        ("No, no.", "Nein, nein."),
    ],
)
def test_a_language_is_no_debris(source: str, translation: str) -> None:
    assert not is_debris(source, translation)


@pytest.mark.parametrize(
    ("source", "translation", "missing"),
    [
        ("Pay $1,250.50 by Friday.", "Payez 1 250,50 vendredi.", ["$"]),
        ("Pay $1,250.50 by Friday.", "Payez 1 250,50 $ vendredi.", []),
        ("It costs $20.", "Cuesta 20 dólares.", []),
        ("The bill of £2,300 is due.", "Die Rechnung von &2.300 ist fällig.", ["£"]),
        ("£5 or €6", "5 Pfund oder 6 Euro", []),
        ("It is ¥500.", "São 500 ienes.", []),
    ],
)
def test_a_sum_without_its_money_is_found(source: str, translation: str, missing: list[str]) -> None:
    assert lost_currencies(source, translation) == missing


def test_what_was_to_be_copied_is_missed_once_for_each_time() -> None:
    assert lost(["a@b.org", "a@b.org"], "an a@b.org") == ["a@b.org"]
    assert lost(["a@b.org"], "an a@b.org") == []


@pytest.mark.parametrize(
    ("source", "translation", "language", "is_lost"),
    [
        ("It isn't open.", "Es ist offen.", "de", True),
        ("It isn’t open.", "Es ist nicht offen.", "de", False),
        ("Nobody came.", "Es kam der Nachbar.", "de", True),
        ("Nobody came.", "Personne n'est venu.", "fr", False),
        ("I never said that.", "Lo he dicho.", "es", True),
        ("It is not here.", "Não está aqui.", "pt", False),
        ("It is open, notably.", "Es ist offen.", "de", False),
        ("It isn't open.", "È aperto.", "it", False),
        ("You understand that, don't you?", "Du verstehst das, oder?", "de", False),
        ("You aren't coming, are you?", "Du kommst, oder?", "de", True),
        ("Nice day, no?", "Schöner Tag, oder?", "de", False),
        ("Why don't you?", "Warum?", "de", True),
    ],
)
def test_a_negation_that_is_lost_is_found(source: str, translation: str, language: str, is_lost: bool) -> None:
    assert lost_negation(source, translation, language) == is_lost


@pytest.mark.parametrize(
    ("source", "translation", "once"),
    [
        ("In another language.", "In einer anderen Sprache in einer anderen Sprache.", "In einer anderen Sprache."),
        ("This looks real bad.", "Das sieht wirklich wirklich schlecht aus.", "Das sieht wirklich schlecht aus."),
        ("We get up.", "Nous nous levons.", None),
        ("He who sees her sees her.", "Wer sie sieht, sieht sie.", None),
        ("Really really good.", "Wirklich wirklich gut.", None),
    ],
)
def test_words_that_a_source_does_not_say_twice_are_said_once(source: str, translation: str, once: str | None) -> None:
    assert has_echo(source, translation) == (once is not None)
    assert once is None or without_echo(translation) == once


@pytest.mark.parametrize(
    ("source", "translation", "shown"),
    [
        ("past her room", "an der Tür der Tür des", "an der Tür"),
        ("past her room", "an der Tür der", "an der Tür der"),
        ("really really good", "wirklich wirklich", "wirklich wirklich"),
    ],
)
def test_an_unfinished_translation_shows_no_words_twice(source: str, translation: str, shown: str) -> None:
    assert until_echo(source, translation) == shown
