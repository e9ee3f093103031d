"""Words that are lost or doubled are counted, and mishearings are not."""

from __future__ import annotations

from app.terminal.commands.bench.endurance.words import LEAST_RUN, Difference, compare, compare_to_tape, plain_words

SAID = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "and", "runs", "into", "the", "wood"]


def test_equal_words_differ_in_nothing() -> None:
    assert compare(SAID, SAID) == Difference()


def test_a_gap_is_lost_and_a_repetition_doubled() -> None:
    assert compare(SAID, SAID[:3] + SAID[8:]) == Difference(lost=5)
    assert compare(SAID, SAID[:6] + SAID[2:]) == Difference(doubled=4)


def test_the_order_counts() -> None:
    found = compare(SAID, SAID[7:] + SAID[:7])
    assert found.lost >= 7
    assert found.doubled >= 7


def test_another_word_is_a_mishearing_where_short_runs_count_as_nothing() -> None:
    heard = [*SAID[:4], "jumped", "around", *SAID[5:]]
    assert compare(SAID, heard, LEAST_RUN) == Difference()
    assert compare(SAID, heard) == Difference(doubled=1)


def test_case_and_marks_are_no_part_of_words() -> None:
    assert plain_words(["Don't go,", " Anna!"]) == ["don't", "go", "anna"]


def test_a_tape_is_heard_as_far_as_it_was_played_again_and_again() -> None:
    assert compare_to_tape(SAID, (SAID * 3)[:-4]) == Difference()
    assert compare_to_tape(SAID, SAID[:2] + SAID[8:] + SAID) == Difference(lost=6)
    assert compare_to_tape(SAID, SAID[:9] + SAID[3:] + SAID) == Difference(doubled=6)
    assert compare_to_tape(SAID, []) == Difference()
