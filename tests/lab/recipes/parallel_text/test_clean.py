"""Pairs that are kept, and their spelling."""

from __future__ import annotations

import pytest

from lab.recipes.parallel_text.clean import clean, is_good
from lab.recipes.sentences.pairs import Pair

GOOD = Pair("The boat is in the harbour.", "Das Boot liegt im Hafen.")


def kept(*pairs: tuple[str, str], code: str = "de") -> list[Pair]:
    return list(clean((Pair(*pair) for pair in pairs), code, set()))


def test_a_sentence_and_its_translation_are_kept_once() -> None:
    assert kept((GOOD.source, GOOD.target), ("the boat is IN the harbour!", "Das Boot ist im Hafen!")) == [GOOD]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Save it", "Sichere es"),
        ("The boat is in the harbour.", "The boat is in the harbour."),
        ("The boat is in the harbour.", "Das Boot liegt im Hafen und soll dort bis zum nächsten Morgen bleiben."),
        ("The boat %s is in the harbour.", "Das Boot %s liegt im Hafen."),
        ("The boat {name} is in the harbour.", "Das Boot {name} liegt im Hafen."),
        ("See https://boats.example for the boat.", "Das Boot liegt bei https://boats.example."),
        ("We have 3 boats in the harbour.", "Wir haben 4 Boote im Hafen."),
        ("The boat is in the harbour.", "Le bateau est dans le port."),
        ("Das Boot liegt nicht im Hafen.", "Das Boot liegt im Hafen."),
        ("The boat is in the harbour.", "Das Boot liegt"),
        ("x = 3; y = 4; z [5]", "x = 3; y = 4; z [5]!"),
    ],
)  # fmt: skip
def test_what_nobody_says_or_what_is_no_translation_is_left_out(source: str, target: str) -> None:
    assert kept((source, target)) == []


def test_markup_numbers_and_marks_of_keys_go() -> None:
    assert kept(("1.2. The <b>boat</b> is in the _harbour.", "1.2. Das <b>Boot</b> liegt\nim &Hafen.")) == [GOOD]


def test_long_paragraphs_are_cut_at_their_sentences_where_both_have_as_many() -> None:
    source = [f"The {word} boat is in the old harbour of the town." for word in ("first", "second", "third", "fourth")]
    target = [f"Das {word} Boot liegt im alten Hafen der Stadt." for word in ("erste", "zweite", "dritte", "vierte")]
    long = (
        [*source, "And so it is with all the others of them."],
        [*target, "Und so ist es mit allen anderen von ihnen."],
    )
    assert [pair.source for pair in kept((" ".join(long[0]), " ".join(long[1])))] == long[0]
    assert kept((" ".join(long[0]), " ".join(long[1][:-1]))) == []


def test_french_and_spanish_are_told_from_each_other() -> None:
    assert is_good(Pair("The boat is in the harbour.", "El barco está en el puerto."), "es")
    assert not is_good(Pair("The boat is in the harbour.", "El barco está en el puerto."), "fr")
