from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Word, text_of
from engine.hear.rounds.agree import LocalAgreement
from engine.hear.rounds.policy import ending_of, key_of
from tests.hear.rounds.test_policy import LATER, words


def hear(agreement: LocalAgreement, *lines: str) -> list[str]:
    """Insert lines that all begin at 0 s; return what each of them committed."""
    return [text_of(agreement.insert(words(line), LATER)) for line in lines]


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


def test_of_hypotheses_that_differ_in_their_last_ending_all_but_the_last_word_is_certain() -> None:
    agreement = LocalAgreement()
    assert hear(agreement, "it was here", "it was here.", "it was here.") == ["", "it was", "here."]


def test_forgotten_words_take_no_part_in_agreement() -> None:
    agreement = LocalAgreement(2)
    hear(agreement, "one two")
    agreement.forget_pending()
    assert agreement.pending == ()
    assert hear(agreement, "one two", "one two") == ["", "one two"]


LINES = st.lists(st.lists(st.sampled_from("abcd"), max_size=8), max_size=12)


@given(LINES, st.integers(2, 4))
def test_a_committed_word_was_in_that_many_hypotheses(lines: Sequence[Sequence[str]], count: int) -> None:
    agreement = LocalAgreement(count)
    for number, line in enumerate(lines):
        for word in agreement.insert(words(" ".join(line)), LATER):
            heard = [earlier for earlier in lines[: number + 1] if word.text.strip() in earlier]
            assert len(heard) >= count
