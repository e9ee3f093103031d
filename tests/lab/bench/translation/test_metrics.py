"""Metrics of live translation, against examples that were worked out by hand."""

from __future__ import annotations

import doctest
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.bench.translation import metrics
from lab.bench.translation.metrics import (
    QualityError,
    check_quality,
    common_prefix,
    erasures,
    normalized_erasure,
    quality,
    reading_units,
    translation_lag,
)

TABLE_1 = [
    "C'est",
    "C'est un exemple",
    "C'est un exemple d'auto-spéculation",
    "C'est un exemple de décodage auto-spéculatif.",
]
outputs_of_letters = st.lists(st.lists(st.sampled_from("ab")), min_size=1)


def test_the_examples_in_the_docstrings_are_right() -> None:
    assert doctest.testmod(metrics) == (0, 6)


def test_erasure_of_the_papers_first_table() -> None:
    units = [reading_units(text) for text in TABLE_1]
    assert units[2] == ["C'est", "un", "exemple", "d'auto", "-", "spéculation"]
    assert erasures(units) == [0, 0, 3]  # d'auto, -, spéculation
    assert normalized_erasure(units) == pytest.approx(3 / 9)  # C'est un exemple de décodage auto - spéculatif .


def test_nothing_that_only_grows_is_erased() -> None:
    assert normalized_erasure(["", "a", "ab", "abc"]) == 0


def test_a_translation_that_is_rewritten_from_the_start_every_time_loses_all_of_it() -> None:
    assert erasures(["a", "bc", "def"]) == [1, 2]
    assert normalized_erasure(["a", "bc", "def"]) == 1


def test_what_vanishes_in_the_middle_is_erased_to_the_end() -> None:
    assert erasures(["abcd", "abd"]) == [2]


def test_without_a_last_translation_there_is_nothing_to_divide_by() -> None:
    assert normalized_erasure([]) is None
    assert normalized_erasure(["ab", ""]) is None


@given(outputs_of_letters)
def test_an_erasure_is_at_most_what_was_there_and_zero_only_where_the_next_goes_on(outputs: list[list[str]]) -> None:
    for erased, before, after in zip(erasures(outputs), outputs, outputs[1:], strict=False):
        assert 0 <= erased <= len(before)
        assert (erased == 0) == (after[: len(before)] == before)


@given(outputs_of_letters)
def test_lag_by_its_definition(outputs: list[list[str]]) -> None:
    read = list(range(1, len(outputs) + 1))
    last = outputs[-1]
    for j, lag in enumerate(translation_lag(outputs, read)):
        settled = [all(o[: j + 1] == last[: j + 1] for o in outputs[i:]) for i in range(len(outputs))]
        assert lag == pytest.approx(read[settled.index(True)] - (j + 1) * read[-1] / len(last))


def test_a_perfect_interpreter_has_no_lag_and_one_who_waits_for_the_end_has_half_the_sentence() -> None:
    words = ["abcd"[:n] for n in range(1, 5)]
    assert translation_lag(words, [1, 2, 3, 4]) == [0, 0, 0, 0]
    waiting = translation_lag(["", "", "", "abcd"], [1, 2, 3, 4])
    assert sum(waiting) / 4 == pytest.approx(1.5)
    assert translation_lag(["a", ""], [1, 2]) == []


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Das ist ein Test.", ["Das", "ist", "ein", "Test", "."]),
        ("«l’été», 3,5", ["«", "l’été", "»", ",", "3", ",", "5"]),
        ("'tis the dogs'", ["'", "tis", "the", "dogs", "'"]),
        ("東京へ行く。OK", ["東", "京", "へ", "行", "く", "。", "OK"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("e\u0301te\u0301 🙂", ["e\u0301te\u0301", "🙂"]),
        (" \u200b\n", []),
        ("\u0301", ["\u0301"]),
    ],
)
def test_units_are_words_marks_and_characters_of_scripts_without_spaces(text: str, units: list[str]) -> None:
    assert reading_units(text) == units


@given(st.text())
def test_no_unit_loses_or_invents_a_character_that_can_be_seen(text: str) -> None:
    joined = "".join(reading_units(text))
    assert [c for c in joined if c.isalnum()] == [c for c in text if c.isalnum()]


def test_the_common_prefix_of_anything_and_nothing_is_nothing() -> None:
    assert (common_prefix("abc", "abd"), common_prefix("ab", "abc"), common_prefix("", "a")) == (2, 2, 0)


def test_a_perfect_translation_scores_full_marks_against_any_of_its_references() -> None:
    said = ["Das ist ein kleiner Test.", "Wir gehen jetzt nach Hause."]
    found = quality(said, [("Dies ist eine kleine Probe.", said[0]), (said[1],)])
    assert (found.bleu, found.chrf) == (pytest.approx(100), pytest.approx(100))
    assert "tok:13a" in found.signature and "nrefs:var" in found.signature
    assert quality(said, [("Etwas ganz anderes.",)] * 2).bleu < 10


def test_bleu_by_hand() -> None:
    # 4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples; no brevity penalty.
    found = quality(["a b c d x"], [("a b c d e",)])
    assert found.bleu == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)


def test_chinese_is_scored_by_characters() -> None:
    assert "tok:zh" in quality(["我们走吧。"], [("我们走吧。",)], "zh").signature


@pytest.mark.parametrize("references", [[], [()], [("a",), ("b",)]])
def test_a_translation_without_a_reference_cannot_be_scored(references: list[tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match="reference"):
        quality(["a"], references)


def test_without_sacrebleu_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(QualityError, match="uv sync --extra bleu"):
        check_quality()
