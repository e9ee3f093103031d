"""Naive Bayes on the words of a question, by its formula: what the question asks for."""

from math import log, sqrt

import numpy as np
import pytest

from engine.answer.intents.words import PRIOR, UNITS, WordScores, counted, keys_of, letters_of, stems_of

QUESTIONS = ("Print the page.", "Printing pages?", "Play a song.", "Sing a song, sing!", "Play it.")
NUMBERS = np.array([0, 0, 1, 1, 1])
SIZES = np.array([2, 3])


def scores_of(text: str, units: str) -> np.ndarray:
    made: np.ndarray = WordScores(counted(QUESTIONS, NUMBERS, units), units, SIZES).scores([text])[0]
    return made


def test_words_are_cut_to_their_stems_whatever_their_case_and_marks() -> None:
    assert stems_of("Don't print PAGES, printing!") == ["dont", "print", "pag", "print"]
    assert stems_of("is as sing bed") == ["is", "as", "sing", "bed"]


def test_letters_are_taken_four_in_a_row_over_the_ends_of_words() -> None:
    assert letters_of("Go on") == ["^go ", "go o", "o on", " on$"]
    assert letters_of("?") == ["^$"]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("text", ["print a song", "sing", "print the page"])
def test_scores_are_those_of_naive_bayes(units: str, text: str) -> None:
    said = {key for key in keys_of(text, units).tolist()}
    bags = [set(keys_of(question, units).tolist()) for question in QUESTIONS]
    wanted = []
    for label, size in enumerate(SIZES):
        total = 0.0
        for key in said:
            share = (sum(key in bag for bag in bags) + 1) / (len(bags) + 2)
            count = sum(key in bag for bag, number in zip(bags, NUMBERS, strict=True) if number == label)
            total += log((count + PRIOR * share) / (size + PRIOR)) - log(share)
        wanted.append(total / sqrt(len(said)))
    np.testing.assert_allclose(scores_of(text, units), wanted, atol=2e-3)


def test_a_word_speaks_for_the_label_that_has_it_and_none_for_any() -> None:
    assert scores_of("printed", "stems").argmax() == 0
    assert scores_of("sings", "stems").argmax() == 1
    np.testing.assert_array_equal(scores_of("", "stems"), [0, 0])
