"""Beams that grow by several tokens: one candidate is the plain search, and many read what each would alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hear.decode.beam import Beam, TextCandidate
from engine.hear.decode.decoder import Reader, TokenDecoder
from engine.hear.decode.multitoken import Acceptance, write_ahead
from engine.hear.decode.prefix_beam import write_beam
from engine.hear.decode.rules import log_sum_exp
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import finish
from tests.hear.decode.test_beam import toy_model
from tests.hear.decode.test_decoder import decoder as decoder_with_heads
from tests.hear.decode.test_reference import EOT
from tests.hear.decode.toy_decoder import END, START, ToyDecoder, logits_of, planted

VERIFY = Acceptance("top-m", 4)
SURE = Acceptance("threshold", 4, threshold=0.8)
BOTH = Acceptance("both", 4, threshold=0.8)


def toy_decoder(seed: int, heads: int = 4, skill: float = 0.5) -> ToyDecoder:
    """Make a decoder whose heads are right with probability `skill`, and then sure of it."""
    following = toy_model(seed, vocabulary=9, end_bias=-0.5)

    @cache
    def ahead(text: tuple[int, ...], head: int) -> np.ndarray:
        random = np.random.default_rng([seed, head, *text])
        if random.random() >= skill:
            return random.normal(size=9).astype(np.float32)
        for _ in range(head):
            text = (*text, int(following(text).argmax()))
        return logits_of({text[-1]: 0.9}, 9)

    return ToyDecoder(following, ahead, heads)


def begun(decoder: ToyDecoder, text: tuple[int, ...] = ()) -> tuple[Reader, TextCandidate, np.ndarray]:
    reader = Reader(decoder)
    row = reader.read([START, *text], [-1])[0]
    return reader, TextCandidate(text, (-0.1,) * len(text), -0.1 * len(text), (1,) * len(text)), row


def nbest(
    decoder: TokenDecoder[Any], size: int, acceptance: Acceptance, start: Sequence[int], terms: Terms
) -> list[TextCandidate]:
    """Return the best texts that a beam finds behind the tokens of a start, best first; the last may have no end."""
    reader = Reader(decoder)
    row = reader.read(start, [-1], ahead=acceptance.ahead - 1)[0]
    beam = Beam(terms.eot, size)
    finish(write_beam(reader, beam, TextCandidate(), row, terms, acceptance))
    return beam.ranked()


def terms(**changes: Any) -> Terms:
    return Terms(**{"eot": END, "rules": (), "limit": 30} | changes)


@given(
    seed=st.integers(0, 500),
    threshold=st.sampled_from([0.15, 0.3, 0.5, 0.8, 1.0]),
    heads=st.integers(2, 6),
    limit=st.integers(1, 30),
    text=st.sampled_from([(), (4,), (2, 3)]),
)
@settings(max_examples=60)
@pytest.mark.parametrize("rule", ["top-m", "threshold", "both"])
def test_a_beam_of_one_is_the_plain_search(
    rule: Any, seed: int, threshold: float, heads: int, limit: int, text: tuple[int, ...]
) -> None:
    acceptance = Acceptance(rule, heads, 1, threshold)
    reader, start, row = begun(toy_decoder(seed, heads), text)
    alone = finish(write_ahead(reader, start, row, terms(limit=limit), acceptance))
    other, start, row = begun(toy_decoder(seed, heads), text)
    beam = finish(write_beam(other, Beam(END, 1), start, row, terms(limit=limit), acceptance))
    assert beam.text.tokens == alone.text.tokens and beam.text.heads == alone.text.heads
    assert beam.text.logprobs == pytest.approx(alone.text.logprobs)
    assert beam.text.sum_logprob == pytest.approx(alone.text.sum_logprob)
    assert (other.forwards, beam.steps) == (reader.forwards, alone.steps)


@given(seed=st.integers(0, 300), size=st.integers(2, 5))
@settings(max_examples=40)
def test_heads_that_nobody_believes_leave_the_beam_as_it_is(seed: int, size: int) -> None:
    reader, start, row = begun(toy_decoder(seed))
    found = finish(write_beam(reader, Beam(END, size), start, row, terms(), Acceptance("threshold", 4, threshold=1.0)))
    plain, start, row = begun(toy_decoder(seed))
    search = Beam(END, size)
    search.live = [start]
    expected = finish(run_search(plain, search, row[None], terms()))
    assert found.text.tokens == expected.text.tokens
    assert found.text.sum_logprob == pytest.approx(expected.text.sum_logprob)
    assert (found.steps, found.candidates, reader.forwards) == (expected.steps, expected.candidates, plain.forwards)


@given(seed=st.integers(0, 300), size=st.integers(1, 5), rule=st.sampled_from(["top-m", "threshold", "both"]))
@settings(max_examples=60)
def test_every_token_has_the_probability_that_its_own_head_gives_it(seed: int, size: int, rule: Any) -> None:
    decoder = toy_decoder(seed, skill=0.8)
    acceptance = Acceptance(rule, 4, 2, 0.8)
    found = nbest(decoder, size, acceptance, [START], terms())
    assert 1 <= len(found) <= size and len({one.tokens for one in found}) == len(found)
    for one in found:
        everything = (*one.tokens, END) if one.has_ended else one.tokens
        assert len(one.heads) == len(everything)
        total, first = 0.0, 0
        for place, (token, head) in enumerate(zip(everything, one.heads, strict=True)):
            first = place if head == 1 else first
            assert head == place - first + 1
            said = decoder._following(one.tokens[:first]) if head == 1 else decoder._ahead(one.tokens[:first], head)  # type: ignore[misc]
            logprob = float(said[token]) - log_sum_exp(said)
            total += logprob
            if token != END:
                assert one.logprobs[place] == pytest.approx(logprob, abs=1e-4)
        assert one.sum_logprob == pytest.approx(total, abs=1e-3)
        assert rule != "top-m" or set(one.heads) <= {1}


def test_candidates_of_one_prefix_are_read_together_whatever_they_have_to_read() -> None:
    rows = {(): {2: 0.85, 5: 0.1}, (2, 3): {4: 0.9}, (5,): {6: 0.9}}
    ahead = {(): (3, END, END), (2, 3): (END, 7, 7), (5,): (END, 7, 7)}

    def foresees(text: tuple[int, ...], head: int) -> np.ndarray:
        if text == () and head > 2:
            return logits_of({})
        return logits_of({ahead[text][head - 2]: 0.9} if text in ahead else {})

    decoder = ToyDecoder(planted(rows), foresees)
    found = nbest(decoder, 2, SURE, [START], terms())
    # Both begin behind the start: one forward reads 2 and 3, and 5 with something behind it that nobody looks at.
    assert [block[0] for block in decoder.blocks[1]] == [2, 5]
    assert decoder.blocks[1][0] == [2, 3] and len(decoder.blocks) == 2
    assert [one.tokens for one in found] == [(2, 3, 4), (5, 6)]
    assert found[0].heads == (1, 2, 1, 2) and found[1].heads == (1, 1, 2)
    expected = math.log(0.85) + math.log(0.9) * 3
    assert found[0].sum_logprob == pytest.approx(expected, abs=1e-5)


@given(seed=st.integers(0, 300), size=st.integers(2, 5), rule=st.sampled_from(["top-m", "threshold", "both"]))
@settings(max_examples=40)
def test_one_forward_reads_candidates_of_all_lengths(seed: int, size: int, rule: Any) -> None:
    reader, start, row = begun(toy_decoder(seed, skill=0.7))
    beam = Beam(END, size)
    found = finish(write_beam(reader, beam, start, row, terms(), Acceptance(rule, 4, threshold=0.5)))
    assert reader.forwards in (found.steps, found.steps + 1)  # the last step may end all that was read


def test_an_empty_text_is_found_at_once() -> None:
    decoder = ToyDecoder(planted({}), lambda text, head: logits_of({3: 0.9}))
    found = nbest(decoder, 3, SURE, [START], terms())
    assert found[0].tokens == () and found[0].has_ended


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_a_cancelled_beam_ends_at_the_next_step(acceptance: Acceptance) -> None:
    asked = iter([False, True])
    reader, start, row = begun(
        ToyDecoder(lambda text: logits_of({2 + len(text) % 7: 0.5}), lambda *_: logits_of({9: 0.5}))
    )
    found = finish(write_beam(reader, Beam(END, 3), start, row, terms(cancelled=lambda: next(asked)), acceptance))
    assert (len(found.text.tokens), found.steps, reader.forwards) == (2, 2, 2)


@pytest.mark.parametrize("acceptance", [VERIFY, SURE, BOTH])
def test_a_text_that_is_over_is_left_alone(acceptance: Acceptance) -> None:
    reader, start, row = begun(toy_decoder(0), (2, 3))
    found = finish(write_beam(reader, Beam(END, 3), start, row, terms(limit=2), acceptance))
    assert (found, reader.forwards) == (Written(start), 1)


# With a real decoder, whose rows are batched.


@pytest.mark.parametrize("rule", ["top-m", "threshold", "both"])
def test_many_candidates_read_what_each_would_alone(rule: Any) -> None:
    decoder = decoder_with_heads(seed=2, draft_tokens=range(2000))
    start = [50258, 50259, 50359, 50363]
    acceptance = Acceptance(rule, 4, 400, 0.002)  # so easily pleased that blocks differ in length
    found = nbest(decoder, 4, acceptance, start, Terms(EOT, (), 14))
    assert rule == "top-m" or len({head for one in found for head in one.heads}) > 1
    for one in found:
        alone = Reader(decoder)
        everything = (*one.tokens, EOT) if one.has_ended else one.tokens
        logits = alone.read([*start, *one.tokens], range(len(start) - 1, len(start) + len(one.tokens)))
        first = 0
        for place, (token, head) in enumerate(zip(everything, one.heads, strict=True)):
            first = place if head == 1 else first
            row, column = logits[first], token
            if head > 1:
                row = alone.logits_ahead(len(start) - 1 + first, 3)[head - 2]
                column = [*range(2000)].index(token)
            if token != EOT:
                assert one.logprobs[place] == pytest.approx(float(row[column]) - log_sum_exp(row), abs=2e-3)
