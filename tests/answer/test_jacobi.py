"""Blocks that are corrected until they stand hold what plain decoding writes, in fewer forwards where guesses hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.answer.jacobi import JacobiBlock, jacobi
from engine.language.language_model import LanguageModel, Message
from engine.language.speculative_decoding import SpeculationOptions, SpeculativeSession
from tests.answer.scripted_model import ScriptedModel
from tests.plain_decoding import assert_greedy

ENDS = frozenset({0, 23})
tokens = st.integers(0, 319)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    seed=st.integers(0, 3),
    updates=st.lists(
        st.tuples(
            st.lists(tokens, min_size=1, max_size=8),
            st.lists(tokens, max_size=12),
            st.integers(1, 16),
            st.one_of(st.none(), st.integers(1, 4)),
        ),
        min_size=1,
        max_size=3,
    ),
    block=st.integers(2, 12),
)
def test_the_fixed_point_is_what_greedy_decoding_writes(
    random_model: Callable[..., LanguageModel],
    seed: int,
    updates: list[tuple[list[int], list[int], int, int | None]],
    block: int,
) -> None:
    model = random_model(seed)
    session = SpeculativeSession(model, SpeculationOptions(), jacobi(block, model.end_tokens))
    prompt: list[int] = []
    last: tuple[int, ...] = ()
    for grown, other, limit, given_up in updates:
        prompt = [*prompt, *grown]
        steps = session.steps(prompt, [*last[: len(last) // 2], *other], max_tokens=limit)
        if given_up is not None:
            for _ in zip(range(given_up), steps, strict=False):
                pass
            steps.close()
        result = session.update(prompt, [*last, *other], max_tokens=limit)
        assert result is not None
        assert_greedy(model, prompt, result, limit)
        assert 0 <= result.resync_accepted <= result.resync_drafted
        assert not model.end_tokens & set(result.tokens)
        last = result.tokens


def test_a_block_becomes_what_the_forward_says_until_it_stands() -> None:
    block = JacobiBlock([5, 6, 7], [10, 11, 12, 13], 4, ENDS)
    assert block.guess([1], 99) == [10, 11, 12, 13]
    block.judge(1, [10, 20, 21, 22, 24])  # the answer goes on with 10 and 20
    assert block.guess([1, 10, 20], 99) == [21, 22, 24]
    block.judge(3, [21, 22, 24, 25])
    assert (block.offered, block.kept) == (7, 4)


def test_a_new_block_is_drawn_from_what_has_been_seen_and_no_end_is_among_it() -> None:
    block = JacobiBlock([5, 6, 0, 23], [], 6, ENDS)
    guess = block.guess([7, 8], 99)
    assert len(guess) == 5  # six with the token before it
    assert set(guess) <= {5, 6, 7, 8}
    assert guess == JacobiBlock([5, 6, 0, 23], [], 6, ENDS).guess([7, 8], 99)
    assert JacobiBlock([5], [], 6, ENDS).guess([7], 2) in ([a, b] for a in (5, 7) for b in (5, 7))


def test_a_block_is_offered_up_to_where_it_ends_the_answer() -> None:
    block = JacobiBlock([5], [10, 11, 23, 12], 4, ENDS)
    assert block.guess([1], 99) == [10, 11]
    assert JacobiBlock([5], [23, 12], 4, ENDS).guess([1], 99) == []


@pytest.fixture(scope="module")
def alphabet(scripted_model: Callable[..., ScriptedModel]) -> ScriptedModel:
    """A model that knows what comes in each place whatever stands before it."""
    return scripted_model(lambda user: "abcdefghijklmnopqrstuvwxyz")


def test_a_model_that_knows_every_place_by_itself_writes_a_block_in_two_forwards(alphabet: ScriptedModel) -> None:
    """One forward corrects all of the block, the next finds nothing to correct."""
    prompt = alphabet.chat(question("abc"))
    plain = SpeculativeSession(alphabet).update(prompt, max_tokens=26)
    blocks = SpeculativeSession(alphabet, guesser=jacobi(10, alphabet.end_tokens)).update(prompt, max_tokens=26)
    assert plain is not None and blocks is not None
    assert plain.tokens == blocks.tokens
    assert blocks.forwards <= plain.forwards // 3


def test_a_candidate_with_a_wrong_word_is_corrected_without_writing_the_rest_anew(alphabet: ScriptedModel) -> None:
    prompt = alphabet.chat(question("abc"))
    written = alphabet.encode("abcdefghijklmnopqrstuvwxyz")
    wrong = [*written[:5], written[0], *written[6:]]
    result = SpeculativeSession(alphabet, guesser=jacobi(10, alphabet.end_tokens)).update(prompt, wrong, max_tokens=99)
    assert result is not None
    assert list(result.tokens) == written
    assert result.forwards == 2
    assert (result.accepted, result.resync_accepted) == (5, len(written) - 6)


def question(text: str) -> Sequence[Message]:
    return [Message("user", text)]
