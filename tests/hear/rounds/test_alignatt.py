from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import OptionError
from engine.events import Word, text_of
from engine.hear.rounds.agree import LocalAgreement
from engine.hear.rounds.alignatt import (
    DOUBT_SECONDS,
    HALF_SECONDS,
    QUIET_SECONDS,
    REWIND_SECONDS,
    STEADY_SECONDS,
    AlignAtt,
)
from engine.hear.rounds.transcriber import make_policy
from engine.options import CaptionOptions

SAID = ("the", "cat", "sat", "on", "the", "mat")


def looked(
    *looks: float, texts: Sequence[str] = SAID, probability: float = 1.0, end: float | None = None
) -> list[Word]:
    """Make words a fifth of a second long that the decoder looked for at these moments; the last lasts to `end`."""
    words = [Word(f" {t}", x - 0.1, x + 0.1, probability, attended=x) for t, x in zip(texts, looks, strict=False)]
    if end is not None:
        words[-1] = Word(words[-1].text, words[-1].start, end, probability, attended=words[-1].attended)
    return words


def test_what_the_decoder_looked_for_far_from_the_end_is_committed_at_once() -> None:
    policy = AlignAtt(0.5)
    assert text_of(policy.insert(looked(1.0, 2.0, 3.0, 3.6), heard_until=4.0)) == "the cat sat"
    assert text_of(policy.pending) == "on"


def test_nothing_behind_a_word_looked_for_near_the_end_is_committed() -> None:
    policy = AlignAtt(0.5)
    assert text_of(policy.insert(looked(1.0, 3.8, 2.0, 3.0), heard_until=4.0)) == "the"
    assert text_of(policy.pending) == "cat sat on"


@pytest.mark.parametrize(("margin", "certain"), [(0.0, "the cat"), (0.3, "the"), (1.5, "")])
def test_the_margin_says_how_far(margin: float, certain: str) -> None:
    assert text_of(AlignAtt(margin).insert(looked(0.5, 0.9, 1.2, end=1.2), heard_until=1.15)) == certain


def test_what_was_looked_for_right_at_the_margin_is_committed() -> None:
    assert text_of(AlignAtt(0.5).insert(looked(1.0, 1.5, 1.9), heard_until=2.0)) == "the cat"


def test_without_a_moment_the_end_of_the_word_counts() -> None:
    words = [Word(" a", 0.0, 0.4), Word(" b", 0.4, 0.8), Word(" c", 0.8, 1.0)]
    assert text_of(AlignAtt(0.5).insert(words, heard_until=1.0)) == "a"


def test_the_last_word_may_go_on_until_the_next_is_written() -> None:
    policy = AlignAtt(0.3)
    first = looked(1.0, 1.5, texts=("I", "am"), end=2.0)
    assert text_of(policy.insert(first, heard_until=2.0)) == "I"
    longer = looked(1.0, 1.5, 2.1, texts=("I", "amble", "on"), end=2.2)
    assert text_of(policy.insert(longer, heard_until=2.2)) == "amble"


def test_however_likely_the_last_word_waits_for_its_punctuation() -> None:
    policy = AlignAtt(0.1)
    assert text_of(policy.insert(looked(1.0, 1.5, texts=("the", "cat")), heard_until=2.5)) == "the"
    full = looked(1.0, 1.5, texts=("the", "cat."))
    assert [text_of(policy.insert(full, heard_until=end)) for end in (2.7, 3.1)] == ["", "cat."]


def test_the_last_word_is_complete_when_it_is_heard_twice() -> None:
    policy = AlignAtt(0.3)
    assert text_of(policy.insert(looked(1.0, 1.5, end=2.0), heard_until=2.0)) == "the"
    assert text_of(policy.insert(looked(1.0, 1.5, end=2.4), heard_until=2.4)) == "cat"


def test_even_a_word_heard_twice_waits_for_the_margin() -> None:
    policy = AlignAtt(0.3)
    for heard_until, certain in [(1.35, "the"), (1.75, ""), (1.85, "cat")]:
        assert text_of(policy.insert(looked(1.0, 1.5, end=heard_until), heard_until)) == certain


def test_an_end_of_sentence_at_the_end_of_the_audio_must_be_heard_twice() -> None:
    policy = AlignAtt(0.1)
    ending = looked(1.0, 1.5, texts=("the", "cat."))
    assert text_of(policy.insert(ending, heard_until=3.0)) == "the"
    assert text_of(policy.insert(ending, heard_until=3.4)) == "cat."
    policy = AlignAtt(0.1)
    policy.insert(ending, heard_until=3.0)
    assert text_of(policy.insert(looked(1.0, 1.5, 2.5, texts=("the", "cat", "sat")), heard_until=3.2)) == "cat"


def test_an_unlikely_word_is_committed_when_it_is_heard_twice() -> None:
    policy = AlignAtt(0.3, certain_probability=0.8)
    unlikely = looked(1.0, 1.5, 2.0, probability=0.7)
    assert policy.insert(unlikely, heard_until=3.0) == ()
    assert text_of(policy.insert(unlikely, heard_until=3.4)) == "the cat sat"
    likely = looked(3.0, 3.5, 4.0, texts=("on", "the", "mat"), probability=0.8)
    assert text_of(policy.insert(likely, heard_until=5.0)) == "on the"


def test_half_a_word_is_not_committed_however_often_it_is_heard() -> None:
    policy = AlignAtt(0.3, certain_probability=0.8)
    half = looked(1.0, 1.5, texts=("he", "some"), probability=0.7)
    assert [text_of(policy.insert(half, heard_until=1.7 + 0.2 * i)) for i in range(4)] == ["", "", "he", ""]
    whole = looked(1.0, 1.5, 2.5, texts=("he", "sometimes", "sings"), probability=0.7)
    assert [text_of(policy.insert(whole, heard_until=2.9 + 0.4 * i)) for i in range(2)] == ["", "sometimes"]
    assert text_of(policy.insert(whole, heard_until=2.9 + HALF_SECONDS)) == "sings"


def test_a_last_word_as_likely_as_is_asked_for_is_no_half() -> None:
    policy = AlignAtt(0.3, certain_probability=0.8)
    words = looked(1.0, 1.5, texts=("he", "sings"), probability=0.8)
    assert [text_of(policy.insert(words, heard_until=end)) for end in (1.9, 2.3)] == ["he", "sings"]


def test_a_word_that_ended_long_enough_ago_is_no_half_from_that_moment_on() -> None:
    policy = AlignAtt(0.3, certain_probability=0.8)
    words = looked(1.0, end=1.5, probability=0.5)
    ends = 2.0, 1.5 + HALF_SECONDS
    assert [text_of(policy.insert(words, heard_until=end)) for end in ends] == ["", "the"]


def test_without_a_probability_nothing_is_doubted() -> None:
    policy = AlignAtt(0.5)
    assert text_of(policy.insert(looked(1.0, 2.0, 3.0, probability=0.1), heard_until=4.0)) == "the cat"


def test_as_many_must_agree_on_an_unlikely_word_as_are_asked_for() -> None:
    policy = AlignAtt(0.3, certain_probability=0.8, agreement=3)
    unlikely = looked(1.0, probability=0.5)
    assert [text_of(policy.insert(unlikely, heard_until=3.0 + second)) for second in range(3)] == ["", "", "the"]


@pytest.mark.parametrize(("step", "rounds"), [(0.1, 4), (0.15, 3), (0.21, 2), (0.25, 2), (0.3, 2), (1.0, 2)])
def test_agreement_is_over_so_much_audio_however_many_rounds_hear_it(step: float, rounds: int) -> None:
    policy = AlignAtt(0.3, certain_probability=0.8)
    unlikely = looked(1.0, 1.2, 1.4, probability=0.5)
    heard = [text_of(policy.insert(unlikely, heard_until=2.6 + step * number)) for number in range(rounds)]
    assert heard == [""] * (rounds - 1) + ["the cat sat"]


@given(st.lists(st.tuples(st.floats(0.02, 1.0), st.sampled_from(["cat", "cut"])), min_size=1, max_size=30))
def test_a_doubtful_word_is_committed_when_it_was_steady_for_long_enough(rounds: list[tuple[float, str]]) -> None:
    policy = AlignAtt(0.0, certain_probability=0.8)
    heard_until, since, steady, before = 5.0, 5.0, 0, ""
    for step, text in rounds:
        heard_until += step
        since, steady = (since, steady + 1) if text == before else (heard_until, 1)
        before = text
        committed = policy.insert([Word(f" {text}", 1.0, 1.2, probability=0.5, attended=1.1)], heard_until)
        late = heard_until - since
        if late >= STEADY_SECONDS and steady > 1:
            assert committed
        if late < STEADY_SECONDS * 2 / 3 or steady == 1:  # half a step may lack, and there were at least two
            assert not committed
        if committed:
            return


def test_what_is_written_after_attention_went_far_back_is_neither_certain_nor_shown() -> None:
    policy = AlignAtt(0.5)
    back = 9.0 - REWIND_SECONDS
    assert text_of(policy.insert(looked(8.0, 9.0, back - 0.1, 9.2), heard_until=10.0)) == "the"
    assert text_of(policy.pending) == "cat"
    policy = AlignAtt(0.5)
    assert text_of(policy.insert(looked(8.0, 9.0, back, 9.2), heard_until=10.0)) == "the cat sat"
    behind = Word(" again", 9.4, 9.6, attended=policy.committed_until - REWIND_SECONDS - 0.1)
    assert policy.insert([behind], heard_until=12.0) == ()
    assert policy.pending == ()


def test_what_is_committed_is_not_committed_again_when_its_times_move() -> None:
    policy = AlignAtt(0.5)
    policy.insert(looked(1.0, 2.0, 3.0), heard_until=2.6)  # "the cat"
    moved = [Word(w.text, w.start + 0.15, w.end + 0.15, attended=w.attended) for w in looked(2.0, 3.0, texts=SAID[1:])]
    assert text_of(policy.insert(moved, heard_until=4.0)) == "sat"


ROUNDS = st.lists(
    st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0.1, 1.0), st.floats(0, 1)), max_size=8), max_size=12
)


@given(ROUNDS, st.floats(0, 1), st.floats(0, 1))
def test_no_word_is_committed_from_within_the_margin(
    rounds: Sequence[Sequence[tuple[str, float, float]]], margin: float, probability: float
) -> None:
    policy = AlignAtt(margin, probability)
    for number, line in enumerate(rounds):
        moment, heard = 0.0, []
        for text, length, likely in line:
            heard.append(Word(f" {text}", moment, moment + length, likely, attended=moment + length / 2))
            moment += length
        heard_until = 0.5 * number
        for word in policy.insert(heard, heard_until):
            assert word.attended is not None and word.attended <= heard_until - margin


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"policy": "hold-n"}, "policy must be one of local-agreement, alignatt, not 'hold-n'"),
        ({"attention_margin_seconds": -0.1}, "attention_margin_seconds must be between 0 and 2"),
        ({"certain_probability": 1.1}, "certain_probability must be between 0 and 1"),
    ],
)
def test_options_without_sense_are_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        CaptionOptions(**options)  # type: ignore[arg-type]


def test_the_options_choose_the_policy() -> None:
    assert isinstance(make_policy(CaptionOptions(policy="alignatt")), AlignAtt)
    assert isinstance(make_policy(CaptionOptions(policy="local-agreement")), LocalAgreement)


def drafted(*ends: float, texts: Sequence[str] = SAID) -> list[Word]:
    """Make words a fifth of a second long that the encoder alone says."""
    return [Word(f" {text}", end - 0.2, end) for text, end in zip(texts, ends, strict=False)]


def test_what_the_draft_says_as_well_is_committed_at_once_however_doubtful() -> None:
    doubtful = looked(1.0, 1.5, 1.9, probability=0.6)
    assert text_of(AlignAtt(0.3, 0.9).insert(doubtful, 2.0)) == ""
    assert text_of(AlignAtt(0.3, 0.9).insert(doubtful, 2.0, drafted(1.1, 1.6))) == "the cat"
    very = looked(1.0, 1.5, 1.9, probability=0.4)
    assert text_of(AlignAtt(0.3, 0.9).insert(very, 2.0, drafted(1.1, 1.6))) == ""
    other = drafted(1.1, 1.6, texts=("the", "bat"))
    assert text_of(AlignAtt(0.3, 0.9).insert(doubtful, 2.0, other)) == "the"


def test_the_last_word_of_a_draft_has_ended_when_nothing_follows_it() -> None:
    words = looked(1.0, 1.5, probability=0.95)
    for end, certain in ((2.0 - QUIET_SECONDS, "the cat"), (2.0 - QUIET_SECONDS / 2, "the")):
        assert text_of(AlignAtt(0.3, 0.9).insert(words, 2.0, drafted(1.1, end))) == certain
    doubtful = looked(1.0, 1.5, probability=0.6)
    assert text_of(AlignAtt(0.3, 0.9).insert(doubtful, 2.0, drafted(1.1, 1.6))) == "the"  # half a word, maybe
    followed = drafted(1.1, 1.7, 1.95)
    assert text_of(AlignAtt(0.3, 0.9).insert(words, 2.0, followed)) == "the cat"


def test_the_last_word_needs_the_drafts_punctuation_too() -> None:
    words = looked(1.0, 1.5, texts=("the", "cat."), probability=0.95)
    assert text_of(AlignAtt(0.3, 0.9).insert(words, 2.0, drafted(1.1, 1.6))) == "the"
    full = drafted(1.1, 1.6, texts=("the", "cat."))
    assert text_of(AlignAtt(0.3, 0.9).insert(words, 2.0, full)) == "the cat."


def test_a_draft_of_all_the_audio_begins_before_what_is_new() -> None:
    policy = AlignAtt(0.3, 0.9)
    words = looked(1.0, 1.5, 2.0, 2.5, probability=0.95)
    assert text_of(policy.insert(words[:2], 2.0, drafted(1.1, 1.6))) == "the cat"
    all_of_it = drafted(1.1, 1.6, 2.1, 2.6)
    assert text_of(policy.insert(words, 3.0, all_of_it)) == "sat on"


@pytest.mark.parametrize(("probability", "seconds"), [(0.6, 0.5), (0.4, 1.0), (0.1, 1.75)])
def test_the_less_likely_a_word_the_more_audio_after_it_is_awaited(probability: float, seconds: float) -> None:
    policy = AlignAtt(0.25, certain_probability=0.8)
    words = looked(1.0, 1.2, 1.4)
    words[1] = replace(words[1], probability=probability)
    waited = words[1].end + seconds
    before = [text_of(policy.insert(words, heard_until)) for heard_until in (waited - 0.4, waited - 0.01)]
    assert before == ["the", ""]
    assert text_of(policy.insert(words, waited + 0.01)).startswith("cat")
    assert seconds == pytest.approx((1 - probability / 0.8) * DOUBT_SECONDS)


def test_a_doubtful_word_that_the_draft_has_too_does_not_wait() -> None:
    words = looked(1.0, 1.2, 1.4, probability=0.6)
    alone, seconded = AlignAtt(0.25, certain_probability=0.8), AlignAtt(0.25, certain_probability=0.8)
    assert alone.insert(words, heard_until=1.7) == ()
    assert text_of(seconded.insert(words, 1.7, drafted(1.1, 1.3, 1.5))) == "the cat"


def test_without_a_margin_agreement_alone_commits_doubtful_words() -> None:
    policy = AlignAtt(0.0, certain_probability=0.8)
    words = looked(1.0, 1.2, 1.4, probability=0.4)
    assert policy.insert(words, heard_until=1.5) == ()
    assert text_of(policy.insert(words, heard_until=1.8)) == "the cat"
