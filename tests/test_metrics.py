from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Caption, Word
from engine.metrics import (
    WordErrors,
    align,
    committed_words,
    latency_of,
    normalized_words,
    real_time_factor,
    shown_before_next,
    word_errors,
    word_latencies,
)
from tests.work import lines_run


def test_errors_are_told_apart() -> None:
    errors = word_errors("the quick brown fox jumps", "the quack brown jumps high")
    assert errors == WordErrors(substitutions=1, deletions=1, insertions=1, reference_words=5)
    assert errors.rate == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("MISTER QUILTER ISN'T HERE", "Mr. Quilter isn't here."),
        ("It is not.", "It isn't!"),
        ("twenty-one apples", "21 apples"),
        ("well, um, it's fine", "Well it is fine"),
        ("We don’t know", "we don't know"),
        ("two hundred and five", "205"),
        ("hello [noise] there", "hello there"),
        ("THE COLOUR OF HIS NEIGHBOUR'S GREY HONOUR", "The color of his neighbor's gray honor."),
        ("THE TWENTY FIRST OF MAY EIGHTEEN HUNDRED", "The 21st of May, 1800."),
    ],
)
def test_spelling_that_sounds_the_same_is_no_error(reference: str, hypothesis: str) -> None:
    assert word_errors(reference, hypothesis).rate == 0


def test_other_languages_keep_their_letters() -> None:
    assert normalized_words("Größe, bitte!", "de") == ["größe", "bitte"]
    assert normalized_words("L'été", "fr") == ["l", "été"]
    assert normalized_words("世界。", "zh") == ["世", "界"]
    assert word_errors("世界", "世间", "zh").rate == 0.5


@pytest.mark.parametrize(
    ("reference", "hypothesis", "rate"), [("", "", 0), ("", "a b", 2), ("a", "", 1), ("a", "b c d", 3)]
)
def test_empty_texts_have_a_rate(reference: str, hypothesis: str, rate: float) -> None:
    assert word_errors(reference, hypothesis, "de").rate == rate


def test_a_corpus_is_the_sum_of_its_texts() -> None:
    total = word_errors("a b c", "a b") + word_errors("d", "e")
    assert (total.deletions, total.substitutions, total.reference_words) == (1, 1, 4)


WORDS = st.lists(st.sampled_from("abc"), max_size=12)


def plain_distance(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


@given(WORDS, WORDS)
def test_the_alignment_is_in_order_and_no_edit_too_many(reference: list[str], hypothesis: list[str]) -> None:
    pairs = align(reference, hypothesis)
    assert [i for i, _ in pairs if i is not None] == list(range(len(reference)))
    assert [j for _, j in pairs if j is not None] == list(range(len(hypothesis)))
    edits = sum(i is None or j is None or reference[i] != hypothesis[j] for i, j in pairs)
    assert edits == plain_distance(reference, hypothesis)


def test_the_work_in_python_grows_with_the_length_of_a_chapter_and_not_with_its_square() -> None:
    rng = np.random.default_rng(0)
    chapter = [str(number) for number in rng.integers(0, 500, 2_000)]
    pairs: list[object] = []
    assert lines_run(lambda: pairs.extend(align(chapter, chapter[100:]))) < 40 * len(chapter)
    assert len(pairs) == 2_000


def caption(number: int, revision: int, committed: list[Word], emitted: float) -> Caption:
    return Caption(number, revision, 0, 1, tuple(committed), (), False, emitted, emitted)


A, B, C = Word(" A", 0.0, 0.5), Word(" b,", 0.5, 1.0), Word(" c.", 1.0, 1.5)


def test_a_word_counts_from_the_revision_that_committed_it() -> None:
    captions = [caption(1, 0, [A], 1.0), caption(1, 1, [A, B], 2.0), caption(2, 0, [C], 2.5)]
    assert committed_words(captions) == [(A, 1.0), (B, 2.0), (C, 2.5)]
    assert word_latencies(captions) == pytest.approx([0.5, 1.0, 1.0])


def test_latency_against_known_times_leaves_out_what_was_misheard() -> None:
    truth = [replace(A, text="a", end=0.4), replace(B, text="x", end=0.9), replace(C, text="c", end=1.3)]
    captions = [caption(1, 0, [A, B, C], 2.0)]
    assert word_latencies(captions, truth) == pytest.approx([1.6, 0.7])


def test_latency_has_a_mean_a_median_and_a_tail() -> None:
    latency = latency_of([1.0] * 19 + [5.0])
    assert latency is not None
    assert (latency.mean, latency.p50) == (pytest.approx(1.2), 1.0)
    assert 1.0 <= latency.p95 < 5.0
    assert latency_of([]) is None


def test_real_time_factor_is_computation_over_audio() -> None:
    assert real_time_factor(3.0, 10.0) == pytest.approx(0.3)
    assert real_time_factor(3.0, 0.0) == 0.0


def test_a_word_is_shown_before_the_next_one_ends_or_later() -> None:
    reference = [Word(" one", 0.0, 0.4), Word(" two", 0.4, 0.8), Word(" three", 0.8, 1.2), Word(" four", 1.2, 1.6)]
    soon, late, wrong, last = 0.7, 1.3, 1.5, 9.0  # "one" comes in time, "two" too late, and nothing follows "four"
    heard = [" one", " two", " tree", " four"]
    captions = [
        Caption(number, 0, word.start, word.end, (replace(word, text=text),), (), True, shown, shown)
        for number, (word, text, shown) in enumerate(zip(reference, heard, (soon, late, wrong, last), strict=True), 1)
    ]
    assert shown_before_next(captions, reference) == 1
    assert shown_before_next(captions) == 2  # by its own words "tree" is one of those
