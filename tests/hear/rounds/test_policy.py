"""Rules that all policies share."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Word, text_of
from engine.hear.rounds.agree import LocalAgreement
from engine.hear.rounds.alignatt import AlignAtt
from engine.hear.rounds.policy import Policy, ending_of

LATER = 99.0
POLICIES: dict[str, Callable[[], Policy]] = {
    "local-agreement": lambda: LocalAgreement(2),
    "three must agree": lambda: LocalAgreement(3),
    "alignatt": lambda: AlignAtt(0.3),
    "alignatt with doubt": lambda: AlignAtt(0.3, 0.8),
}


@pytest.fixture(params=POLICIES)
def policy(request: pytest.FixtureRequest) -> Policy:
    return POLICIES[request.param]()


def words(text: str, start: float = 0.0, step: float = 0.4) -> list[Word]:
    """Make the words of a line, one every `step` seconds, each ending where the next one starts."""
    return [Word(f" {part}", start + i * step, start + (i + 1) * step) for i, part in enumerate(text.split())]


def commit(policy: Policy, line: str) -> None:
    for seconds in range(3):
        policy.insert(words(line), LATER + seconds)
    assert policy.pending == ()


def new_words(policy: Policy, heard: Sequence[Word]) -> str:
    """Return what the policy finds in a hypothesis that it did not know, certain or not."""
    return text_of((*policy.insert(heard, LATER), *policy.pending))


def test_words_before_the_last_committed_one_are_known(policy: Policy) -> None:
    commit(policy, "one two three")
    assert new_words(policy, words("one too three four")) == "four"


def test_a_word_may_begin_a_tenth_of_a_second_early(policy: Policy) -> None:
    commit(policy, "one two")  # until 0.8 s
    assert new_words(policy, [Word(" tooearly", 0.69, 1.0), Word(" next", 1.0, 1.2)]) == "next"
    policy.forget_pending()
    end = policy.committed_until
    assert new_words(policy, [Word(" early", end - 0.09, end + 0.2), Word(" last", end + 0.2, end + 0.4)]) == (
        "early last"
    )


def test_a_word_is_new_that_begins_before_the_last_committed_one_was_taken_to_end(policy: Policy) -> None:
    commit(policy, "what I saw")  # saw: 0.8 to 1.2 s, as long as the audio was
    heard = [Word(" What", 0.0, 0.4), Word(" I", 0.4, 0.8), Word(" saw", 0.8, 1.05), Word(" I", 1.05, 1.3)]
    assert new_words(policy, [*heard, Word(" could", 1.3, 1.6)]) == "I could"


def test_of_equal_words_the_one_that_begins_nearest_is_the_last_committed_one(policy: Policy) -> None:
    commit(policy, "no no")
    assert new_words(policy, words("no no no", step=0.39)) == "no"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_up_to_five_committed_words_heard_again_are_left_out(policy: Policy, count: int) -> None:
    commit(policy, "a b c d e f")  # until 2.4 s
    again = list("abcdef")[-count:]
    assert new_words(policy, words(" ".join([*again, "new", "words"]), start=2.35)) == "new words"


def test_the_shortest_overlap_wins(policy: Policy) -> None:
    commit(policy, "so so")
    assert new_words(policy, words("so so fine", start=0.75)) == "so fine"


def test_a_word_said_again_right_after_the_committed_one_is_new(policy: Policy) -> None:
    commit(policy, "we missed Tom.")
    assert new_words(policy, words("We missed Tom. Tom sat down.")) == "Tom sat down."


def test_words_far_behind_the_last_committed_one_are_new_even_if_equal(policy: Policy) -> None:
    commit(policy, "yes")  # until 0.4 s
    assert new_words(policy, words("yes", start=1.5)) == "yes"


def test_committed_times_never_run_backwards(policy: Policy) -> None:
    for seconds in range(3):
        policy.insert([Word(" a", 0.0, 1.0)], LATER + seconds)
    committed: list[Word] = []
    for seconds in range(3, 6):
        committed += policy.insert([Word(" b", 0.95, 0.98), Word(" c", 0.97, 1.5)], LATER + seconds)
    assert [(word.start, word.end) for word in committed] == [(1.0, 1.0), (1.0, 1.5)]


def test_committed_words_keep_their_tokens_and_where_the_decoder_looked(policy: Policy) -> None:
    heard = [Word(" a", 0.0, 0.4, tokens=(7, 8), attended=0.2), Word(" b", 0.4, 0.8, tokens=(9,), attended=0.5)]
    committed: list[Word] = []
    for seconds in range(3):
        committed += policy.insert(heard, LATER + seconds)
    assert [(word.tokens, word.attended) for word in committed] == [((7, 8), 0.2), ((9,), 0.5)]


def test_pending_words_can_be_committed_up_to_a_moment(policy: Policy) -> None:
    policy.insert(words("one two three"), 0.1)  # too near to the end, and heard once
    assert text_of(policy.commit_pending(until=0.8)) == "one two"
    assert text_of(policy.pending) == "three"
    assert new_words(policy, words("one two three")) == "three"


def test_forgotten_words_are_pending_no_more(policy: Policy) -> None:
    policy.insert(words("one two"), 0.1)
    assert text_of(policy.pending) == "one two"
    policy.forget_pending()
    assert policy.pending == ()
    assert policy.commit_pending() == ()


ROUNDS = st.lists(st.tuples(st.lists(st.sampled_from("abcd"), max_size=8), st.floats(0, 4)), max_size=12)


@pytest.mark.parametrize("name", POLICIES)
@given(rounds=ROUNDS)
def test_whatever_is_heard_times_are_ordered_and_pending_follows_committed(
    name: str, rounds: Sequence[tuple[Sequence[str], float]]
) -> None:
    policy = POLICIES[name]()
    committed: list[Word] = []
    for line, heard_until in rounds:
        committed += policy.insert(words(" ".join(line)), heard_until)
        assert all(word.start > policy.committed_until - 0.1 for word in policy.pending)
    committed += policy.commit_pending()
    moments = [moment for word in committed for moment in (word.start, word.end)]
    assert moments == sorted(moments)


def test_what_starts_exactly_a_tenth_of_a_second_early_is_known_and_a_repetition_after_it_is_new(
    policy: Policy,
) -> None:
    policy.recall([Word(" go", 0.5, 1.0)])
    assert new_words(policy, [Word(" go", 0.9, 1.0), Word(" go", 1.0, 1.2)]) == "go"


def test_a_word_that_starts_a_second_later_is_new_even_if_it_is_the_same(policy: Policy) -> None:
    policy.recall([Word(" go", 0.5, 1.0)])
    assert new_words(policy, [Word(" go", 2.0, 2.4)]) == "go"


def test_six_words_heard_again_are_not_recognised_as_such(policy: Policy) -> None:
    line = "one two three four five six"
    policy.recall(words(line))
    assert new_words(policy, words(line, policy.committed_until)) == line


def test_pending_words_are_committed_up_to_a_moment(policy: Policy) -> None:
    policy.pending = tuple(words("one two three"))
    for until, committed in ((0.3, ""), (0.4, "one"), (0.9, "two"), (None, "three")):
        assert text_of(policy.commit_pending(until)) == committed
    assert policy.pending == ()


def test_words_that_are_recalled_are_committed(policy: Policy) -> None:
    assert text_of(policy.recall(words("one two"))) == "one two"
    assert policy.committed_until == pytest.approx(0.8)


@pytest.mark.parametrize(("text", "ending"), [(" “MAX.”", ".”"), (" x", ""), (" don't", ""), (" so…", "…")])
def test_an_ending_is_the_marks_alone(text: str, ending: str) -> None:
    assert ending_of(Word(text, 0.0, 1.0)) == ending


def test_case_repeated_after_pause_is_new_however_soon(policy: Policy) -> None:
    commit(policy, "Next slide please.")  # until 1.2 s
    policy.begin_utterance()
    assert new_words(policy, words("Next slide please. Go on.", start=1.3)) == "Next slide please. Go on."


def test_words_whose_audio_is_gone_are_not_heard_again(policy: Policy) -> None:
    commit(policy, "one two three four one two three")  # until 2.8 s
    policy.forget_before(2.7)
    assert new_words(policy, words("four one two three four", start=2.75)) == "four one two three four"


def test_the_word_that_was_cut_through_may_be_heard_again(policy: Policy) -> None:
    commit(policy, "one two three")  # until 1.2 s
    policy.forget_before(1.1)
    assert new_words(policy, words("three four", start=1.15)) == "four"
