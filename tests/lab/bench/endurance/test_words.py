"""Words that are lost or doubled are counted, and mishearings are not."""

from __future__ import annotations

from lab.commands.endurance.words import (
    LEAST_RUN,
    PART_WORDS,
    Difference,
    compare,
    compare_to_tape,
    plain_words,
)

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


def on_tape(heard: list[str], said: list[str] = SAID) -> Difference:
    return sum((slip.difference for slip in compare_to_tape(said, heard)), Difference())


def test_a_tape_is_heard_as_far_as_it_was_played_again_and_again() -> None:
    assert on_tape((SAID * 3)[:-4]) == Difference()
    assert on_tape(SAID[:2] + SAID[8:] + SAID) == Difference(lost=6)
    assert on_tape(SAID[:9] + SAID[3:] + SAID) == Difference(doubled=6)
    assert on_tape([]) == Difference()


def test_the_first_time_may_be_heard_worse_than_the_second() -> None:
    badly = ["a", "quick", "crown", "fox", "jump", "over", "a", "lazy", "dog", "an", "runs", "into", "a", "wood"]
    assert on_tape([*badly, *SAID, *badly, *badly, *SAID]) == Difference()


def test_a_word_that_is_equal_by_chance_does_not_part_what_is_missing() -> None:
    assert on_tape([*SAID[:4], "the", *SAID[10:], *SAID]) == Difference(lost=5)


def test_a_slip_says_what_is_missing_and_where() -> None:
    (slip,) = compare_to_tape(SAID, SAID[:3] + SAID[8:])
    assert str(slip) == "after “the quick brown”, “fox jumps over the lazy” was heard as “”"


def test_hours_are_compared_in_parts() -> None:
    heard = SAID * 200
    assert len(heard) > 4 * PART_WORDS
    assert on_tape(heard) == Difference()
    del heard[900:907], heard[2000:2006]
    assert on_tape(heard) == Difference(lost=13)
