from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Word, text_of
from engine.hear.agree import LocalAgreement, ending_of, key_of


def words(text: str, start: float = 0.0, step: float = 0.4) -> list[Word]:
    """The words of a line, one every `step` seconds, each ending where the next one starts."""
    return [Word(f" {part}", start + i * step, start + (i + 1) * step) for i, part in enumerate(text.split())]


def hear(agreement: LocalAgreement, *lines: str) -> list[str]:
    """Insert lines that all begin at 0 s; return what each of them committed."""
    return [text_of(agreement.insert(words(line))) for line in lines]


def test_words_are_committed_when_two_hypotheses_agree_on_them() -> None:
    agreement = LocalAgreement(2)
    assert hear(agreement, "the cat", "the cat sat", "the cat sat down") == ["", "the cat", "sat"]
    assert text_of(agreement.pending) == "down"


def test_nothing_behind_a_disagreement_is_committed() -> None:
    agreement = LocalAgreement(2)
    assert hear(agreement, "the cat sat on", "the hat sat on", "the cat sat on") == ["", "the", ""]


def test_three_must_agree_where_three_are_asked_for() -> None:
    agreement = LocalAgreement(3)
    assert hear(agreement, "a b c", "a b", "a b c", "a x c d", "a b c d") == ["", "", "a b", "", "c"]


def test_case_and_punctuation_do_not_matter_and_the_newest_are_shown() -> None:
    agreement = LocalAgreement(2)
    assert hear(agreement, "the cat sat down", "The cat, sat up") == ["", "The cat, sat"]


def test_a_full_stop_at_the_very_end_must_be_heard_twice() -> None:
    agreement = LocalAgreement(2)
    assert hear(agreement, "it was", "it was.", "it was here.", "it was here.") == ["", "it", "was", "here."]


@pytest.mark.parametrize(
    ("text", "key", "ending"),
    [(" Don't!", "dont", "!"), (" 3.14", "314", ""), (" —", "—", "—"), ("世界。", "世界", "。"), (" ﬁne", "fine", "")],
)
def test_words_are_compared_without_case_and_punctuation(text: str, key: str, ending: str) -> None:
    assert key_of(Word(text, 0, 1)) == key
    assert ending_of(Word(text, 0, 1)) == ending


def test_words_before_the_last_committed_one_are_known() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "one two three", "one two three")
    assert text_of(agreement.insert(words("one too three four"))) == ""
    assert text_of(agreement.pending) == "four"


def test_a_word_may_begin_a_tenth_of_a_second_early() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "one two", "one two")  # until 0.8 s
    agreement.insert([Word(" early", 0.71, 1.0), Word(" next", 1.0, 1.2)])
    assert text_of(agreement.pending) == "early next"
    agreement.insert([Word(" tooearly", 0.69, 1.0), Word(" next", 1.0, 1.2)])
    assert text_of(agreement.pending) == "next"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_up_to_five_committed_words_heard_again_are_left_out(count: int) -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "a b c d e f", "a b c d e f")  # until 2.4 s
    again = list("abcdef")[-count:]
    agreement.insert(words(" ".join([*again, "new", "words"]), start=2.35))
    assert text_of(agreement.pending) == "new words"


def test_the_shortest_overlap_wins() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "so so", "so so")
    agreement.insert(words("so so fine", start=0.75))
    assert text_of(agreement.pending) == "so fine"


def test_words_far_behind_the_last_committed_one_are_new_even_if_equal() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "yes", "yes")  # until 0.4 s
    agreement.insert(words("yes", start=1.5))
    assert text_of(agreement.pending) == "yes"


def test_committed_times_never_run_backwards() -> None:
    agreement = LocalAgreement(2)
    first = [Word(" a", 0.0, 1.0)]
    agreement.insert(first)
    agreement.insert(first)
    for _ in range(2):
        committed = agreement.insert([Word(" b", 0.95, 0.98), Word(" c", 0.97, 1.5)])
    assert [(word.start, word.end) for word in committed] == [(1.0, 1.0), (1.0, 1.5)]


def test_pending_words_can_be_committed_up_to_a_moment() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "one two three")
    assert text_of(agreement.commit_pending(until=0.8)) == "one two"
    assert text_of(agreement.pending) == "three"
    assert hear(agreement, "one two three")[0] == "three"


def test_forgotten_words_take_no_part_in_agreement() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "one two")
    agreement.forget_pending()
    assert agreement.pending == ()
    assert hear(agreement, "one two", "one two") == ["", "one two"]


LINES = st.lists(st.lists(st.sampled_from("abcd"), max_size=8), max_size=12)


@given(LINES, st.integers(2, 4))
def test_whatever_is_heard_times_are_ordered_and_pending_follows_committed(
    lines: Sequence[Sequence[str]], count: int
) -> None:
    agreement = LocalAgreement(count)
    committed: list[Word] = []
    for line in lines:
        committed += agreement.insert(words(" ".join(line)))
        assert all(word.start > agreement.committed_until - 0.1 for word in agreement.pending)
    committed += agreement.commit_pending()
    moments = [moment for word in committed for moment in (word.start, word.end)]
    assert moments == sorted(moments)


@given(LINES, st.integers(2, 4))
def test_a_committed_word_was_in_that_many_hypotheses(lines: Sequence[Sequence[str]], count: int) -> None:
    agreement = LocalAgreement(count)
    for number, line in enumerate(lines):
        for word in agreement.insert(words(" ".join(line))):
            heard = [earlier for earlier in lines[: number + 1] if word.text.strip() in earlier]
            assert len(heard) >= count
