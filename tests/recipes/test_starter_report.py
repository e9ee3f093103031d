"""What the starter hearing model mishears, by how rare the words are."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the starter recipes train with torch, a development-only dependency")
pytest.importorskip("espeakng_loader", reason="the recipes speak with espeak-ng")

from engine.recipes.starter_report import RARITIES, Rarity, by_rarity


def test_errors_are_counted_where_the_words_are_rare() -> None:
    training = ["The cat sat."] * 40 + ["A saddle, a saddle!"] * 3 + ["the end"] * 400
    pairs = [("The cat ate the saddle.", "the cat hate the sadl"), ("The saddle.", "The saddle, and the end!")]
    found = {each.most: (each.words, each.wrong) for each in by_rarity(pairs, training)}
    assert set(found) == {*RARITIES, None}
    assert found[0] == (1, 1)  # ate
    assert found[3] == (2, 1)  # saddle, twice
    assert found[50] == (1, 0)  # cat
    assert found[None] == (3, 0)  # the
    assert sum(words for words, _ in found.values()) == 7


def test_a_word_that_is_dropped_is_wrong() -> None:
    assert Rarity(0, 1, 1) in by_rarity([("Say saddle.", "Say.")], ["Say it."])
