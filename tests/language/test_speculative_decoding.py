"""A draft changes how fast an answer comes, and with a bias of 0 never what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.language import speculative_decoding
from engine.language.drafts import FIRST_RESYNC_TOKENS, MOST_MISSES, DraftRest
from engine.language.language_model import LanguageModel, load_language_model
from engine.language.speculative_decoding import (
    PREFILL_TOKENS,
    Speculation,
    SpeculationOptions,
    SpeculativeSession,
    Verdict,
    accepted_tokens,
    bias_margin,
    common_beginning,
)
from tests.language_models import ARCHITECTURES, write_language_model
from tests.plain_decoding import assert_greedy

ENDS = frozenset(range(0, 320, 23))  # so that random models end now and then
every_option = pytest.mark.parametrize(
    "options", [SpeculationOptions(reuse, resync) for reuse in (True, False) for resync in (True, False)], ids=str
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LanguageModel]:
    made = {}
    for name in ARCHITECTURES:
        folder = write_language_model(tmp_path_factory.mktemp(name), name)
        made[name] = load_language_model(folder)
        made[name].end_tokens = ENDS
    return made


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, models: dict[str, LanguageModel]) -> LanguageModel:
    return models[request.param]


@pytest.fixture(scope="module")
def qwen(models: dict[str, LanguageModel]) -> LanguageModel:
    return models["qwen3"]


def assert_adds_up(result: Speculation, prompt: Sequence[int], offered: int) -> None:
    assert 0 <= result.accepted <= result.drafted <= offered
    assert 0 <= result.resync_accepted <= result.resync_drafted
    assert result.verify_forwards == 1
    written = len(result.tokens) + (result.ended == "end")  # the end is written too, and then left out
    if len(result.tokens) > result.accepted or result.ended == "end":
        steps = result.forwards - result.verify_forwards
        assert written == result.accepted + 1 + result.resync_accepted + steps
    assert len(result.tokens) <= result.accepted + result.resync_accepted + result.forwards
    assert 0 <= result.reused_tokens < len(prompt)
    assert all(place < result.accepted for place in result.held)
    assert result.verify_seconds > 0
    assert (result.decode_seconds > 0) == (result.forwards > 1)


@dataclass(frozen=True)
class Update:
    """One of a random sequence: what has changed since the last, and whether it is given up."""

    prompt: tuple[int, ...]
    kept: float
    damage: str
    extra: tuple[int, ...]
    limit: int
    pauses: int | None


tokens = st.integers(0, 319)
updates = st.lists(
    st.builds(
        Update,
        prompt=st.lists(tokens, min_size=1, max_size=12).map(tuple),
        kept=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
        damage=st.sampled_from(["exact", "substituted", "inserted", "deleted", "short", "long", "garbage", "none"]),
        extra=st.lists(st.integers(-2, 330), min_size=1, max_size=12).map(tuple),
        limit=st.integers(1, 24),
        pauses=st.one_of(st.none(), st.none(), st.integers(0, 6)),
    ),
    min_size=1,
    max_size=6,
)


def damaged(draft: Sequence[int], how: str, extra: Sequence[int]) -> list[int]:
    draft, middle = list(draft), len(draft) // 2
    return {
        "exact": draft,
        "substituted": draft[:middle] + list(extra[:1]) + draft[middle + 1 :],
        "inserted": draft[:middle] + list(extra[:2]) + draft[middle:],
        "deleted": draft[:middle] + draft[middle + 1 :],
        "short": draft[:middle],
        "long": draft + list(extra),
        "garbage": list(extra) * 3,
        "none": [],
    }[how]


@every_option
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(sequence=updates)
def test_without_a_bias_every_update_is_plain_greedy_whatever_came_before(
    qwen: LanguageModel, options: SpeculationOptions, sequence: list[Update]
) -> None:
    check_updates(qwen, options, sequence)


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(sequence=updates)
def test_it_is_so_for_every_architecture(model: LanguageModel, sequence: list[Update]) -> None:
    check_updates(model, SpeculationOptions(), sequence)


def check_updates(model: LanguageModel, options: SpeculationOptions, sequence: list[Update]) -> None:
    session = SpeculativeSession(model, options)
    prompt: list[int] = []
    last: tuple[int, ...] = ()
    for update in sequence:
        prompt = prompt[: round(update.kept * len(prompt))] + list(update.prompt)
        draft = damaged(last, update.damage, update.extra)
        steps = session.steps(prompt, draft, max_tokens=update.limit)
        if update.pauses is not None:
            for _ in zip(range(update.pauses), steps, strict=False):
                assert_in_step(model, session)
            steps.close()
            assert_in_step(model, session)
            continue
        result = finish(steps)
        assert_in_step(model, session)
        assert_greedy(model, prompt, result, update.limit)
        assert_adds_up(result, prompt, len(draft))
        last = result.tokens


def finish(steps: Iterator[tuple[int, ...]]) -> Speculation:
    """Run to the end; what was written at a pause must still stand at the end."""
    seen: list[tuple[int, ...]] = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            result: Speculation = end.value
            assert all(result.tokens[: len(written)] == written for written in seen)
            return result


def assert_in_step(model: LanguageModel, session: SpeculativeSession) -> None:
    """Compare what the cache makes of a further token with what a fresh one does of the tokens it should hold."""
    assert session._cache.length == len(session.tokens)
    if not session.tokens:
        return
    expected = model.logits([*session.tokens, 7], model.new_cache(), 1)
    found = model.logits([7], session._cache, 1)
    session._cache.trim_to(len(session.tokens))
    np.testing.assert_allclose(found, expected, atol=1e-3, rtol=1e-3)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    prompt=st.lists(tokens, min_size=1, max_size=10),
    draft=st.lists(tokens.filter(lambda token: token not in ENDS), max_size=12),
    bias=st.sampled_from([0.5, 0.7, 1.0]),
)
def test_a_bias_of_a_half_or_more_keeps_every_draft(
    qwen: LanguageModel, prompt: list[int], draft: list[int], bias: float
) -> None:
    result = SpeculativeSession(qwen).update(prompt, draft, bias=bias, max_tokens=20)
    assert result is not None
    assert result.tokens[: len(draft)] == tuple(draft)
    assert result.accepted == result.drafted == len(draft)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    prompt=st.lists(tokens, min_size=1, max_size=10),
    draft=st.lists(tokens.filter(lambda token: token not in ENDS), min_size=1, max_size=12),
    bias=st.floats(0.01, 0.49),
)
def test_a_bias_keeps_what_the_formula_of_the_paper_keeps(
    qwen: LanguageModel, prompt: list[int], draft: list[int], bias: float
) -> None:
    logits = qwen.logits([*prompt, *draft], qwen.new_cache(), len(draft) + 1).astype(np.float64)
    probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    expected = 0
    for row, token in zip(probabilities, draft, strict=False):
        biased = (1 - bias) * row
        biased[token] += bias
        if biased[token] < biased.max() - 1e-12:
            break
        expected += 1
    result = SpeculativeSession(qwen).update(prompt, draft, bias=bias, max_tokens=20)
    assert result is not None
    assert result.accepted == expected
    assert result.tokens[:expected] == tuple(draft[:expected])


def test_the_margins_are_those_of_the_paper() -> None:
    table = {0.0: 0.0, 0.1: 0.111, 0.2: 0.25, 0.3: 0.429, 0.4: 0.667, 0.5: 1.0, 0.8: 1.0, 1.0: 1.0}
    for bias, margin in table.items():
        assert bias_margin(bias) == pytest.approx(margin, abs=5e-4)


def row_of(**probabilities: float) -> np.ndarray:
    """Return logits of four tokens, a to d, with these probabilities."""
    return np.log([probabilities.get(name, 1e-9) for name in "abcd"]).astype(np.float32)


@pytest.mark.parametrize(("bias", "kept"), [(0.0, 0), (0.1, 0), (0.199, 0), (0.201, 1), (0.3, 1), (0.5, 1)])
def test_a_token_behind_by_a_quarter_is_kept_from_a_bias_of_a_fifth_on(bias: float, kept: int) -> None:
    row = row_of(a=0.5, b=0.25, c=0.25)
    assert accepted_tokens(np.stack([row, row]), [1], [bias]) == kept


def test_each_place_has_its_own_bias_and_the_first_difference_ends_it() -> None:
    row = row_of(a=0.5, b=0.4, c=0.1)
    rows = np.stack([row] * 4)
    assert accepted_tokens(rows, [1, 1, 1], [0.2, 0.2, 0.2]) == 3
    assert accepted_tokens(rows, [1, 1, 1], [0.2, 0.0, 0.2]) == 1
    assert accepted_tokens(rows, [2, 0, 0], [0.2, 0.2, 0.2]) == 0


def test_of_equals_a_bias_keeps_the_draft_and_plain_decoding_the_first() -> None:
    row = row_of(a=0.4, b=0.4, c=0.2)
    assert accepted_tokens(np.stack([row, row]), [1], [0.01]) == 1
    assert accepted_tokens(np.stack([row, row]), [1], [0.0]) == 0
    assert accepted_tokens(np.stack([row, row]), [0]) == 1


def test_the_end_competes_with_the_draft_as_any_token_does(qwen: LanguageModel) -> None:
    prompt = [5, 9, 200]
    row = qwen.logits(prompt, qwen.new_cache(), 1)[0]
    best, second = row.argsort()[::-1][:2].tolist()
    usual, qwen.end_tokens = qwen.end_tokens, frozenset([best])
    try:
        session = SpeculativeSession(qwen)
        ended = session.update(prompt, [second], max_tokens=5)
        kept = session.update(prompt, [second], bias=0.5, max_tokens=5)
    finally:
        qwen.end_tokens = usual
    assert ended is not None and kept is not None
    assert (ended.tokens, ended.ended, ended.accepted, ended.forwards) == ((), "end", 0, 1)
    assert kept.tokens[0] == second


@cache
def answer_of(model: LanguageModel, length: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find a prompt whose answer begins with so many different tokens."""
    session = SpeculativeSession(model, SpeculationOptions(reuse_cache=False))
    for seed in range(200):
        prompt = np.random.default_rng(seed).integers(0, 320, 9).tolist()
        repeated = session.steps(prompt, max_tokens=length, enough=lambda tokens: len(set(tokens)) < len(tokens))
        tokens = finish(repeated).tokens
        if len(set(tokens)) == length:
            return tuple(prompt), tokens
    raise AssertionError("no random prompt has a long answer of different tokens")


def test_an_exact_draft_costs_one_forward(model: LanguageModel) -> None:
    prompt, answer = answer_of(model, 8)
    session = SpeculativeSession(model)
    first, second = (session.update(prompt, draft, max_tokens=len(answer)) for draft in ((), answer))
    assert first is not None and second is not None
    assert first.tokens == second.tokens == answer
    assert (first.forwards, second.forwards) == (len(answer), 1)
    assert (second.accepted, second.reused_tokens) == (len(answer), len(prompt) - 1)


@pytest.mark.parametrize("how", ["substituted", "deleted", "inserted"])
def test_a_draft_with_one_wrong_word_is_found_back_to(qwen: LanguageModel, how: str) -> None:
    prompt, answer = answer_of(qwen, 16)
    stranger = next(token for token in range(1, 320) if token not in answer and token not in ENDS)
    draft = damaged(answer, how, (stranger, stranger))
    plain = SpeculativeSession(qwen, SpeculationOptions(resync=False)).update(prompt, draft, max_tokens=len(answer))
    back = SpeculativeSession(qwen).update(prompt, draft, max_tokens=len(answer))
    assert plain is not None and back is not None
    assert plain.tokens == back.tokens == answer
    assert plain.resync_drafted == 0
    assert back.resync_accepted >= 4
    assert back.forwards <= plain.forwards - 4


def test_a_draft_that_has_nothing_to_do_with_the_answer_is_given_up(qwen: LanguageModel) -> None:
    prompt, answer = answer_of(qwen, 14)
    strangers = [token for token in range(1, 320) if token not in answer and token not in ENDS]
    result = SpeculativeSession(qwen).update(prompt, strangers[:24], max_tokens=len(answer))
    assert result is not None
    assert result.tokens == answer
    assert result.resync_drafted <= MOST_MISSES * FIRST_RESYNC_TOKENS
    assert result.forwards == len(answer)


def test_the_rest_of_a_draft_is_looked_through_for_two_tokens_then_for_one_then_taken_as_substituted() -> None:
    assert DraftRest([9, 2, 3, 4, 1, 2, 5, 6]).guess([1, 2], 99) == [5, 6]
    assert DraftRest([9, 2, 3, 4]).guess([1, 2], 99) == [3, 4]
    assert DraftRest([9, 8, 3, 4]).guess([1, 2], 99) == [8, 3, 4]
    assert DraftRest([9, 8, 3, 4]).guess([2], 2) == [8, 3]
    assert DraftRest([9]).guess([2], 9) == []
    assert DraftRest([]).guess([2], 9) == []
    assert DraftRest([9, 8, 7, 6, 5, 2, 4]).guess([1, 2], 99) == [8, 7, 6, 5]
    assert DraftRest(range(100, 130)).guess([2], 99) == list(range(101, 101 + FIRST_RESYNC_TOKENS))


def test_a_guess_goes_on_where_the_last_one_held() -> None:
    rest = DraftRest(range(100, 130))
    assert rest.guess([1], 99) == [101, 102, 103, 104]
    rest.judge(4)
    assert rest.guess([104, 105], 99) == list(range(106, 114))
    rest.judge(3)  # 109 became something else
    assert rest.guess([108, 5], 99) == [110, 111, 112, 113]
    assert (rest.offered, rest.kept) == (16, 7)


def test_after_a_miss_each_further_token_may_have_replaced_one() -> None:
    rest = DraftRest(range(100, 130))
    assert rest.guess([1], 99)[0] == 101
    rest.judge(0)
    assert rest.guess([1, 2], 99)[0] == 102
    rest = DraftRest(range(100, 130))
    assert rest.guess([1], 99)[0] == 101
    rest.judge(0)
    assert rest.guess([1, 100], 99)[0] == 101  # a token had only come between


def test_after_two_misses_nothing_is_guessed_any_more() -> None:
    rest = DraftRest(range(100, 130))
    for _ in range(MOST_MISSES):
        assert rest.guess([1], 99)
        rest.judge(0)
    assert rest.guess([1], 99) == []


def test_a_prompt_that_grows_is_read_from_its_first_new_token(qwen: LanguageModel) -> None:
    session = SpeculativeSession(qwen)
    session.update(list(range(1, 30)), max_tokens=4)
    grown = session.update([*range(1, 20), 99, 98], max_tokens=4)
    anew = SpeculativeSession(qwen, SpeculationOptions(reuse_cache=False))
    anew.update(list(range(1, 30)), max_tokens=4)
    whole = anew.update([*range(1, 20), 99, 98], max_tokens=4)
    assert grown is not None and whole is not None
    assert (grown.reused_tokens, whole.reused_tokens) == (19, 0)
    assert grown.tokens == whole.tokens


def test_a_long_prompt_is_read_in_blocks_with_a_pause_after_each(qwen: LanguageModel) -> None:
    prompt = np.random.default_rng(0).integers(0, 320, 2 * PREFILL_TOKENS + 5).tolist()
    session = SpeculativeSession(qwen)
    steps = session.steps(prompt, max_tokens=3)
    assert [next(steps), next(steps)] == [(), ()]
    assert len(session.tokens) == 2 * PREFILL_TOKENS
    steps.close()
    result = session.update(prompt, max_tokens=3)
    fresh = SpeculativeSession(qwen).update(prompt, max_tokens=3)
    assert result is not None and fresh is not None
    assert result.tokens == fresh.tokens
    assert (result.verify_forwards, fresh.verify_forwards) == (1, 3)
    assert result.reused_tokens == 2 * PREFILL_TOKENS


def test_cancelling_gives_nothing_and_harms_nothing(qwen: LanguageModel) -> None:
    prompt, answer = answer_of(qwen, 8)
    session = SpeculativeSession(qwen)
    assert session.update(prompt, max_tokens=8, cancel=lambda: True) is None
    assert session.tokens == ()
    calls = iter([False, False, False, True])
    assert session.update(prompt, max_tokens=8, cancel=lambda: next(calls)) is None
    assert len(session.tokens) == len(prompt) + 2
    result = session.update(prompt, max_tokens=len(answer))
    assert result is not None and result.tokens == answer


def test_an_update_that_breaks_in_the_middle_of_a_forward_leaves_an_empty_session(
    qwen: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt, answer = answer_of(qwen, 8)
    session = SpeculativeSession(qwen)
    steps = session.steps(prompt, max_tokens=8)
    next(steps)

    def broken(given: Sequence[int], cache: object, rows: int) -> None:
        usual(given, cache, rows)
        raise EngineError("the power went out")

    usual = qwen.logits
    with monkeypatch.context() as patch:
        patch.setattr(qwen, "logits", broken)
        with pytest.raises(EngineError, match="power"):
            next(steps)
    assert session.tokens == ()
    result = session.update(prompt, max_tokens=len(answer))
    assert result is not None and result.tokens == answer


def test_a_session_that_was_reset_reads_everything_again(qwen: LanguageModel) -> None:
    session = SpeculativeSession(qwen)
    session.update([1, 2, 3, 4], max_tokens=2)
    session.reset()
    assert session.tokens == ()
    result = session.update([1, 2, 3, 4], max_tokens=2)
    assert result is not None and result.reused_tokens == 0


def test_what_is_no_token_or_an_end_cuts_a_draft_short(qwen: LanguageModel) -> None:
    session = SpeculativeSession(qwen)
    for draft, usable in (([5, 6, 320, 7], 2), ([5, -1], 1), ([5, 23, 6], 1), ([5] * 9, 4)):
        result = session.update([1, 2, 3], draft, bias=1.0, max_tokens=4)
        assert result is not None
        assert result.drafted == result.accepted == usable


def test_bad_arguments_are_named(qwen: LanguageModel) -> None:
    session = SpeculativeSession(qwen)
    with pytest.raises(ValueError, match="at least one token"):
        session.steps([], max_tokens=3)
    with pytest.raises(ValueError, match="2 biases for a draft of 3"):
        session.steps([1], [1, 2, 3], bias=[0.1, 0.2], max_tokens=3)
    for watch in (-1, 2):
        with pytest.raises(ValueError, match=f"no token {watch} in a prompt of 2"):
            session.steps([1, 2], watch=watch, max_tokens=3)


def test_a_verifier_of_another_kind_says_what_of_the_draft_holds(qwen: LanguageModel) -> None:
    prompt, draft = [5, 9, 200], [31, 7, 64, 90]
    seen: list[tuple[tuple[int, ...], list[int]]] = []

    def verify(logits: np.ndarray, offered: Sequence[int]) -> Verdict:
        seen.append((logits.shape, list(offered)))
        yield from ()
        return 3

    result = finish(SpeculativeSession(qwen).steps(prompt, draft, verify=verify, max_tokens=9))
    assert seen == [((5, 320), draft)]
    assert (result.accepted, result.tokens[:3]) == (3, (31, 7, 64))
    assert_greedy(qwen, [*prompt, 31, 7, 64], replace(result, tokens=result.tokens[3:]), 6)


def test_the_forwards_of_a_verifier_are_counted_and_each_has_a_pause_before_it(qwen: LanguageModel) -> None:
    session, draft = SpeculativeSession(qwen), [31, 7, 64]

    def verify(logits: np.ndarray, offered: Sequence[int]) -> Verdict:
        for _ in range(2):
            yield
            assert session.tokens == (5, 9, *draft)  # given up here, the session would know what it holds
        return 1

    steps = session.steps([5, 9], draft, verify=verify, max_tokens=3)
    assert [next(steps), next(steps)] == [(), ()]
    assert_in_step(qwen, session)
    result = finish(steps)
    assert result.verify_forwards == 3
    assert result.forwards == 3 + len(result.tokens) - 2 + (result.ended == "end")


def test_an_answer_that_is_enough_ends_with_its_statistics(qwen: LanguageModel) -> None:
    prompt, answer = answer_of(qwen, 8)
    session = SpeculativeSession(qwen)
    first = finish(session.steps(prompt, max_tokens=24, enough=lambda tokens: len(tokens) >= 5))
    assert (first.tokens, first.ended, first.forwards) == (answer[:5], "enough", 5)
    again = finish(session.steps(prompt, answer, max_tokens=24, enough=lambda tokens: len(tokens) >= 5))
    assert (again.tokens[:8], again.ended, again.forwards, again.accepted) == (answer, "enough", 1, 8)


@pytest.mark.parametrize("length", [3, 40, PREFILL_TOKENS - 1, PREFILL_TOKENS, PREFILL_TOKENS + 1, PREFILL_TOKENS + 9])
@pytest.mark.parametrize("behind", [0, 2])
def test_the_row_behind_a_watched_token_comes_with_the_forward_that_reads_the_draft(
    qwen: LanguageModel, length: int, behind: int
) -> None:
    prompt = np.random.default_rng(length).integers(0, 320, length).tolist()
    watch = length - 1 - behind
    session, plain = SpeculativeSession(qwen), SpeculativeSession(qwen)
    for draft in ((), (7, 9, 11)):  # the second time all of the prompt is in the cache
        result = finish(session.steps(prompt, draft, max_tokens=4, watch=watch))
        assert session.watched is not None
        expected = qwen.logits(prompt[: watch + 1], qwen.new_cache(), 1)[0]
        np.testing.assert_allclose(session.watched, expected, atol=1e-3)
        other = finish(plain.steps(prompt, draft, max_tokens=4))
        assert result.tokens == other.tokens
        assert result.forwards <= other.forwards  # a block of the prompt fewer, where the last one is small
        assert plain.watched is None
        assert_in_step(qwen, session)


def test_rows_alone_are_those_of_a_fresh_forward(qwen: LanguageModel) -> None:
    session = SpeculativeSession(qwen)
    for tokens, count in (([5, 9, 200], 1), ([5, 9, 200, 31], 3), ([5, 9], 2), ([7], 1), ([7], 1)):
        expected = qwen.logits(tokens, qwen.new_cache(), count)
        np.testing.assert_allclose(session.rows(tokens, count), expected, atol=1e-3)
        assert session.tokens == tuple(tokens)


@pytest.mark.parametrize("first", [0, 1, 5, 8, 99])
@pytest.mark.parametrize("how", ["exact", "substituted", "long", "garbage"])
def test_a_draft_that_is_read_in_two_blocks_changes_no_answer(qwen: LanguageModel, first: int, how: str) -> None:
    prompt, answer = answer_of(qwen, 8)
    draft = damaged(answer, how, (7, 8, 9))
    session, whole = SpeculativeSession(qwen), SpeculativeSession(qwen)
    steps = session.steps(prompt, draft, max_tokens=12, first=first)
    written = next(steps)
    held = common_beginning(draft, answer)
    if first <= min(held, len(draft) - 1):
        assert written == tuple(draft[:first])
        assert session.tokens == (*prompt, *draft[:first])
    result = finish(steps)
    expected = whole.update(prompt, draft, max_tokens=12)
    assert expected is not None
    assert (result.tokens, result.ended, result.accepted) == (expected.tokens, expected.ended, expected.accepted)
    assert_greedy(qwen, prompt, result, 12)
    assert_in_step(qwen, session)


@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize("how", ["exact", "substituted", "long", "garbage"])
def test_blocks_that_take_no_long_time_change_no_answer(
    qwen: LanguageModel, how: str, rated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speculative_decoding, "LEAST_BLOCK_TOKENS", 3)
    prompt, answer = answer_of(qwen, 8)
    draft = damaged(answer, how, (7, 8, 9))
    session = SpeculativeSession(qwen, SpeculationOptions(block_seconds=0.0))
    result = finish(session.steps(prompt, draft, max_tokens=12, rated=rated))
    expected = finish(SpeculativeSession(qwen).steps(prompt, draft, max_tokens=12, rated=rated))
    assert (result.tokens, result.ended, result.accepted) == (expected.tokens, expected.ended, expected.accepted)
    found, wanted = ([chance[:2] for chance in each.chances] for each in (result, expected))
    np.testing.assert_allclose(found, wanted, atol=1e-3)
    assert_in_step(qwen, session)


@pytest.mark.parametrize("known", [1, 5, 8, 99])
def test_what_is_known_of_a_draft_is_not_verified_and_changes_no_answer(qwen: LanguageModel, known: int) -> None:
    prompt, answer = answer_of(qwen, 8)
    session, fresh = SpeculativeSession(qwen), SpeculativeSession(qwen)
    expected = session.update(prompt, (), max_tokens=12)
    assert expected is not None
    for each in (session, fresh):  # the second has to read the prompt
        draft = (*answer[:known], *damaged(answer, "garbage", (7, 8, 9))[known:])
        result = finish(each.steps(prompt, draft, max_tokens=12, watch=len(prompt) - 1, known=known))
        assert (result.tokens, result.ended) == (expected.tokens, expected.ended)
        assert result.accepted >= min(known, len(draft))
        assert each.watched is None
        assert_in_step(qwen, each)


def test_an_answer_of_no_tokens_is_no_answer(qwen: LanguageModel) -> None:
    result = SpeculativeSession(qwen).update([1, 2], [3], max_tokens=0)
    assert result is not None
    assert (result.tokens, result.ended, result.drafted) == ((), "limit", 0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_plain_decoding_is_that_of_mlx_lm(model: LanguageModel) -> None:
    import mlx.core as mx
    from mlx_lm.generate import generate_step

    for seed in range(3):
        prompt = np.random.default_rng(seed).integers(0, 320, 12).tolist()
        generated = generate_step(mx.array(prompt), model._model, max_tokens=12)
        expected = [int(token) for token, _ in generated]
        usual, model.end_tokens = model.end_tokens, frozenset()
        try:
            result = SpeculativeSession(model).update(prompt, max_tokens=12)
        finally:
            model.end_tokens = usual
        assert result is not None
        assert list(result.tokens) == expected


def test_a_model_may_be_run_by_another_thread(qwen: LanguageModel, tmp_path: Path) -> None:
    import threading

    import mlx.core as mx

    prompt, answer = answer_of(qwen, 8)
    found: list[Speculation | None] = []
    session = SpeculativeSession(qwen)
    session.update(prompt, max_tokens=2)

    def work() -> None:
        found.append(session.update(prompt, max_tokens=len(answer)))
        mx.clear_streams()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found[0] is not None and found[0].tokens == answer


@pytest.mark.parametrize("first", [None, 2])
def test_the_chances_of_an_answer_are_those_of_reading_it_token_by_token(
    qwen: LanguageModel, first: int | None
) -> None:
    prompt = [5, 9, 11, 40]
    session = SpeculativeSession(qwen)
    plain = session.update(prompt, max_tokens=12)
    assert plain is not None and plain.chances == ()
    steps = session.steps(prompt, plain.tokens[:5], max_tokens=12, first=first, rated=True)
    result = plain
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result = end.value
            break
    assert result.tokens == plain.tokens
    assert len(result.chances) == len(result.tokens) + (result.ended == "end")
    for place, chance in enumerate(result.chances):
        row = qwen.logits([*prompt, *result.tokens[:place]], qwen.new_cache(), 1)[0].astype(np.float64)
        logs = row - row.max() - np.log(np.exp(row - row.max()).sum())
        ended = max(logs[list(ENDS)])
        written = logs[result.tokens[place]] if place < len(result.tokens) else ended
        assert (chance.written, chance.ended) == pytest.approx((written, ended), abs=1e-3)
