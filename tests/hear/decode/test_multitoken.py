"""Texts written several tokens at a time: what is verified is what plain decoding writes, what is believed was sure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import OptionError
from engine.hear.decode.beam import Greedy, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.multitoken import Acceptance, make_acceptance, write_ahead
from engine.hear.decode.resync import DraftRemainder, TokenSpelling
from engine.hear.decode.rules import Suppress
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import finish
from tests.hear.decode.test_beam import ToyModel, toy_model
from tests.hear.decode.test_reference import PLAIN
from tests.hear.decode.toy_decoder import END, START, ToyDecoder, logits_of, planted

VERIFY = Acceptance("top-m", 4)
SURE = Acceptance("threshold", 4, threshold=0.8)
BOTH = Acceptance("both", 4, threshold=0.8)
MULTITOKEN = replace(PLAIN, decoder="multitoken")
SPELLING = TokenSpelling(lambda token: bytes([97 + token]), lambda token: True, END)
"""Each token is a word of one letter."""

Probabilities = Mapping[int, float]


def written(
    decoder: ToyDecoder, acceptance: Acceptance, *, draft: Sequence[int] | None = None, **terms: Any
) -> tuple[Written, int]:
    """Return the text that is written behind the start, with a draft or without, and in how many forwards."""
    reader = Reader(decoder)
    row = reader.read([START], [-1])[0]
    kept = Terms(**{"eot": END, "rules": (), "limit": 50} | terms)
    rest = None if draft is None else DraftRemainder(draft, (), SPELLING)
    return finish(write_ahead(reader, TextCandidate(), row, kept, acceptance, rest)), reader.forwards


def says(*tokens: int, certainty: float = 0.9) -> dict[tuple[int, ...], Probabilities]:
    """Head 1 says these tokens one after the other, then ends."""
    return {tokens[:count]: {token: certainty} for count, token in enumerate(tokens)}


def foresees(table: Mapping[tuple[int, ...], Sequence[Probabilities]]) -> Callable[[tuple[int, ...], int], np.ndarray]:
    """Make heads 2 and on that say this behind some texts, and know nothing elsewhere."""
    return lambda text, head: logits_of(table[text][head - 2] if text in table else {})


def one(token: int, certainty: float = 0.9) -> Probabilities:
    return {token: certainty}


# By hand.


def test_a_right_draft_is_read_in_one_forward() -> None:
    decoder = ToyDecoder(planted(says(2, 3, 4, 5)), foresees({(): [one(3), one(4), one(5)]}))
    found, forwards = written(decoder, VERIFY)
    assert found.text.tokens == (2, 3, 4, 5) and found.text.has_ended
    assert decoder.blocks == [[[START]], [[2, 3, 4, 5]]]
    assert (forwards, found.steps) == (2, 2)
    assert found.text.logprobs == pytest.approx([math.log(0.9)] * 4)
    assert found.text.sum_logprob == pytest.approx(4 * math.log(0.9) + math.log(0.99))


def test_a_draft_is_kept_up_to_its_first_mistake() -> None:
    heads = foresees({(): [one(3), one(9), one(5)], (2, 3): [one(5), one(0), one(0)]})
    decoder = ToyDecoder(planted(says(2, 3, 4, 5)), heads)
    found, forwards = written(decoder, VERIFY)
    assert found.text.tokens == (2, 3, 4, 5) and found.text.has_ended
    # The forward that refuses 9 also says what comes in its place, and what the heads see from there.
    assert decoder.blocks == [[[START]], [[2, 3, 9, 5]], [[4, 5]]]
    assert forwards == 3


def test_a_token_among_the_likeliest_is_accepted_with_its_own_probability() -> None:
    rows = {(): {2: 0.9}, (2,): {3: 0.5, 4: 0.3, 5: 0.1}, (2, 4): {6: 0.9}, (2, 4, 6): {END: 0.9, 8: 0.09}}
    heads = foresees({(): [one(4), one(6), one(7)]})
    two, forwards = written(ToyDecoder(planted(rows), heads), replace(VERIFY, top_m=2))
    assert two.text.tokens == (2, 4, 6) and two.text.has_ended
    assert two.text.logprobs == pytest.approx([math.log(0.9), math.log(0.3), math.log(0.9)])
    assert forwards == 2
    best, _ = written(ToyDecoder(planted(rows), heads), VERIFY)
    assert best.text.tokens == (2, 3)


def test_what_may_not_be_said_is_never_accepted() -> None:
    rule = Suppress(np.array([4]))
    heads = foresees({(): [one(4), one(6), one(7)]})
    for acceptance in (replace(VERIFY, top_m=10), replace(SURE, threshold=0.05)):
        found, _ = written(ToyDecoder(planted({(): {2: 0.9}, (2,): {3: 0.9}}), heads), acceptance, rules=(rule,))
        assert 4 not in found.text.tokens


def test_heads_are_believed_while_all_of_them_are_sure() -> None:
    heads = foresees({(): [one(3, 0.85), one(4, 0.79), one(5, 0.99)], (2, 3): [one(5), one(6), one(END)]})
    decoder = ToyDecoder(planted({(): {2: 0.9}, (2, 3): {4: 0.95}}), heads)
    found, forwards = written(decoder, SURE)
    assert found.text.tokens == (2, 3, 4, 5, 6) and found.text.has_ended
    assert decoder.blocks == [[[START]], [[2, 3]]]
    assert forwards == 2
    assert found.text.heads == (1, 2, 1, 2, 3, 4)
    assert np.exp(found.text.logprobs) == pytest.approx([0.9, 0.85, 0.95, 0.9, 0.9])
    assert found.text.sum_logprob == pytest.approx(sum(found.text.logprobs) + math.log(0.9))


@pytest.mark.parametrize(
    ("draft", "heads"),
    [((2, 3, 7), (1, 2, 1)), ((2, 3, 4, 5, 6), (1, 2, 3, 4)), ((3, 4, 5), (1, 2, 3, 4)), ((2, 9, 4), (1,)), ((), (1,))],
    ids=["as far as it goes", "all of it", "not at its place", "from the first on", "no words"],
)
def test_heads_are_believed_only_where_a_draft_agrees(draft: tuple[int, ...], heads: tuple[int, ...]) -> None:
    sure = foresees({(): [one(3), one(4), one(5)]})
    found, _ = written(ToyDecoder(planted(says(2, 3, 7)), sure), SURE, draft=draft)
    believed = (2, 3, 4, 5)[: len(heads)] if heads != (1, 2, 1) else (2, 3, 7)
    assert found.text.tokens[: len(heads)] == believed and found.text.heads[: len(heads)] == heads
    assert len(heads) == 4 or found.text.tokens == (2, 3, 7)


@pytest.mark.parametrize(("draft", "text"), [((2, 3), (2, 3)), ((2, 3, 4), (2, 3, 4))])
def test_a_text_ends_unread_only_where_its_draft_ends(draft: tuple[int, ...], text: tuple[int, ...]) -> None:
    sure = foresees({(): [one(3), one(END), one(END)]})
    found, _ = written(ToyDecoder(planted(says(2, 3, 4)), sure), SURE, draft=draft)
    assert found.text.tokens == text and found.text.has_ended


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH], ids=lambda each: each.rule)
def test_a_draft_is_verified_whatever_the_rule(acceptance: Acceptance) -> None:
    decoder = ToyDecoder(planted(says(2, 3, 4, 5)), foresees({}))
    found, forwards = written(decoder, acceptance, draft=(2, 3, 4, 5))
    assert found.text.tokens == (2, 3, 4, 5) and set(found.text.heads) == {1}
    assert forwards == 2


def test_nobody_is_believed_behind_a_first_token_that_is_in_doubt() -> None:
    heads = foresees({(): [one(3), one(4), one(5)]})
    decoder = ToyDecoder(planted({(): {2: 0.7}, (2,): {3: 0.7}}), heads)
    found, forwards = written(decoder, SURE)
    assert found.text.tokens == (2, 3)
    assert forwards == 3
    sure, forwards = written(decoder, replace(SURE, threshold=0.7))
    assert (sure.text.tokens, forwards) == ((2, 3, 4, 5), 2)


def test_what_is_not_sure_can_still_be_right() -> None:
    heads = foresees({(): [one(3, 0.85), one(4, 0.5), one(9, 0.99)], (2, 3, 4): [one(END), one(7), one(7)]})
    decoder = ToyDecoder(planted(says(2, 3, 4, 5)), heads)
    found, forwards = written(decoder, BOTH)
    assert found.text.tokens == (2, 3, 4, 5) and found.text.has_ended
    assert decoder.blocks == [[[START]], [[2, 3, 4, 9]]]  # 3 is believed, 4 is verified, 9 is refused
    assert forwards == 2
    assert found.text.heads == (1, 2, 1, 1, 2)
    assert np.exp(found.text.logprobs) == pytest.approx([0.9, 0.85, 0.9, 0.9])


def test_a_threshold_of_one_believes_nobody() -> None:
    heads = foresees({(): [one(3), one(4), one(5)]})
    found, forwards = written(ToyDecoder(planted(says(2, 3)), heads), replace(SURE, threshold=1.0))
    assert (found.text.tokens, forwards) == ((2, 3), 3)


# The end of text, wherever it comes.


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_an_end_by_the_first_head_is_the_empty_text(acceptance: Acceptance) -> None:
    decoder = ToyDecoder(planted({}), foresees({(): [one(3), one(4), one(5)]}))
    found, forwards = written(decoder, acceptance)
    assert found.text.tokens == () and found.text.has_ended
    assert found.text.sum_logprob == pytest.approx(math.log(0.99), abs=1e-6)
    assert (forwards, found.steps) == (1, 1)


@pytest.mark.parametrize("end", [2, 3, 4])
@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_an_end_inside_a_block_ends_the_text_there(acceptance: Acceptance, end: int) -> None:
    text = (2, 3, 4)[: end - 1]
    ahead = [one(token) for token in (*text[1:], END, 7, 8)][:3]
    decoder = ToyDecoder(planted(says(*text)), foresees({(): ahead}))
    found, forwards = written(decoder, acceptance)
    assert found.text.tokens == text and found.text.has_ended
    assert forwards == (1 if acceptance.believes else 2)
    assert decoder.blocks[1:] == ([] if acceptance.believes else [[list(text)]])  # what follows the end is not read
    assert len(found.text.heads) == len(text) + 1


def test_an_end_that_is_too_early_is_refused() -> None:
    decoder = ToyDecoder(planted(says(2, 3, 4)), foresees({(): [one(END), one(9), one(9)]}))
    found, _ = written(decoder, VERIFY)
    assert found.text.tokens == (2, 3, 4)
    assert decoder.blocks[1] == [[2]]
    doubtful, _ = written(ToyDecoder(planted(says(2, 3, 4)), foresees({(): [one(END, 0.7)] * 3})), SURE)
    assert doubtful.text.tokens == (2, 3, 4)


# What stops a search stops this one at the same place.


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
@pytest.mark.parametrize("limit", range(1, 8))
def test_a_text_has_no_more_tokens_than_its_limit(acceptance: Acceptance, limit: int) -> None:
    endless = ToyDecoder(lambda text: logits_of({2 + len(text) % 7: 0.9}), lambda text, head: logits_of(
        {2 + (len(text) + head - 1) % 7: 0.9}
    ))  # fmt: skip
    found, _ = written(endless, acceptance, limit=limit)
    assert found.text.tokens == tuple(2 + place % 7 for place in range(limit))
    assert not found.text.has_ended
    assert max(len(block[0]) for block in endless.blocks) <= 4


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_a_loop_stops_where_plain_decoding_stops(acceptance: Acceptance) -> None:
    def following(text: tuple[int, ...]) -> np.ndarray:
        return logits_of({2 + len(text) % 3: 0.9})

    looping = ToyDecoder(following, lambda text, head: following((*text, *[0] * (head - 1))))
    found, forwards = written(looping, acceptance, limit=400)
    plain = greedily(following, limit=400)
    assert found.text.tokens == plain.text.tokens
    assert 12 <= len(found.text.tokens) < 30
    assert forwards <= len(found.text.tokens) / 4 + 2


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_a_cancelled_text_ends_at_the_next_step(acceptance: Acceptance) -> None:
    asked = iter([False, True, True])
    endless = ToyDecoder(lambda text: logits_of({2 + len(text) % 7: 0.5}), lambda text, head: logits_of({9: 0.5}))
    found, forwards = written(endless, acceptance, cancelled=lambda: next(asked))
    assert (found.text.tokens, forwards) == ((2, 3), 2)


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_a_text_that_is_over_is_left_alone(acceptance: Acceptance) -> None:
    decoder = ToyDecoder(planted(says(2, 3)), foresees({}))
    reader = Reader(decoder)
    row = reader.read([START, 2, 3], [-1])[0]
    over = TextCandidate((2, 3), (0.0, 0.0), 0.0, (1, 1))
    found = finish(write_ahead(reader, over, row, Terms(END, (), 2), acceptance))
    assert (found, reader.forwards) == (Written(over), 1)


# Against plain decoding, whatever the heads say.


def greedily(following: ToyModel, **terms: Any) -> Written:
    reader = Reader(ToyDecoder(following))
    row = reader.read([START], [-1])
    return finish(run_search(reader, Greedy(END), row, Terms(**{"eot": END, "rules": (), "limit": 50} | terms)))


@given(
    seed=st.integers(0, 500),
    skill=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    heads=st.integers(2, 8),
    shortlist=st.booleans(),
    limit=st.integers(1, 40),
)
@settings(max_examples=80)
def test_what_is_verified_is_what_plain_decoding_writes(
    seed: int, skill: float, heads: int, shortlist: bool, limit: int
) -> None:
    following = toy_model(seed, vocabulary=9, end_bias=-1.5)
    drafted = [0, 2, 3, 5, 7] if shortlist else list(range(9))

    def ahead(text: tuple[int, ...], head: int) -> np.ndarray:
        """Right with this skill: heads that look where plain decoding goes."""
        random = np.random.default_rng([seed, head, *text])
        if random.random() < skill:
            for _ in range(head):
                text = (*text, int(following(text).argmax()))
            return np.array([10.0 * (token == text[-1]) for token in drafted], np.float32)
        return random.normal(size=len(drafted)).astype(np.float32)

    decoder = ToyDecoder(following, ahead, heads, drafted if shortlist else None)
    found, forwards = written(decoder, replace(VERIFY, ahead=heads), limit=limit)
    plain = greedily(following, limit=limit)
    assert (found.text.tokens, found.text.has_ended) == (plain.text.tokens, plain.text.has_ended)
    assert found.text.logprobs == pytest.approx(plain.text.logprobs)
    assert forwards <= max(1, plain.steps)
    if skill == 1.0 and not shortlist:
        assert forwards == 1 + (plain.steps - 1 + heads - 1) // heads


@given(seed=st.integers(0, 200), heads=st.integers(2, 6))
@settings(max_examples=25)
def test_believing_nobody_leaves_everything_to_verification(seed: int, heads: int) -> None:
    following = toy_model(seed, vocabulary=9, end_bias=-1.5)

    def ahead(text: tuple[int, ...], head: int) -> np.ndarray:
        return following((*text, *[2] * (head - 1)))

    doubting = Acceptance("both", heads, threshold=1.0)
    both = written(ToyDecoder(following, ahead, heads), doubting, limit=25)
    assert both == written(ToyDecoder(following, ahead, heads), replace(VERIFY, ahead=heads), limit=25)
    assert both[0].text.tokens == greedily(following, limit=25).text.tokens


@settings(max_examples=50)
@given(seed=st.integers(0, 300), threshold=st.sampled_from([0.2, 0.4, 0.6, 0.9, 1.0]))
def test_what_is_believed_was_sure_enough(seed: int, threshold: float) -> None:
    following = toy_model(seed, vocabulary=9, end_bias=-1.5)
    heads = toy_model(seed + 1, vocabulary=9, end_bias=-1.0)
    decoder = ToyDecoder(following, lambda text, head: heads((*text, 50 + head)))
    found, _ = written(decoder, replace(SURE, threshold=threshold), limit=30)
    text, first = found.text, 0
    everything = (*text.logprobs, text.sum_logprob - sum(text.logprobs)) if text.has_ended else text.logprobs
    assert len(everything) == len(text.heads)
    for place, (head, logprob) in enumerate(zip(text.heads, everything, strict=True)):
        first = place if head == 1 else first
        assert head == place - first + 1
        said = following(text.tokens[:first]) if head == 1 else heads((*text.tokens[:first], 50 + head))
        token = text.tokens[place] if place < len(text.tokens) else END
        assert token == said.argmax()
        assert logprob == pytest.approx(float(said[token]) - math.log(np.exp(said.astype(np.float64)).sum()), abs=1e-4)
        if head > 1:
            assert logprob >= math.log(threshold)
            assert everything[first] >= math.log(threshold)


def test_a_decoder_without_heads_is_refused() -> None:
    with pytest.raises(OptionError, match="heads"):
        make_acceptance(MULTITOKEN, ToyDecoder(planted({})))


def test_heads_that_are_fewer_than_asked_for_are_all_used() -> None:
    decoder = ToyDecoder(planted({}), foresees({}), heads=3)
    assert make_acceptance(replace(MULTITOKEN, tokens_ahead=6), decoder).ahead == 3
    assert make_acceptance(replace(MULTITOKEN, tokens_ahead=2), decoder).ahead == 2
