"""A beam that reads ahead by a draft: it finds what a beam finds, whatever the draft, with fewer forwards."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hear.decode.beam import Beam, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.drafted_beam import ReadDraft, longest, write_drafted_beam
from engine.hear.decode.resync import TokenSpelling
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import finish
from tests.hear.decode.test_beam import toy_model
from tests.hear.decode.toy_decoder import END, START, ToyDecoder

SPELLING = TokenSpelling(lambda token: b" %d" % token, lambda token: True, END)


def terms(limit: int = 30) -> Terms:
    return Terms(eot=END, rules=(), limit=limit)


def plain(decoder: ToyDecoder, size: int, limit: int, text: TextCandidate) -> tuple[Written, Beam, int]:
    reader = Reader(decoder)
    row = reader.read([START, *text.tokens], [-1])
    beam = Beam(END, size)
    beam.live = [text]
    return finish(run_search(reader, beam, row, terms(limit))), beam, reader.forwards


def drafted(
    decoder: ToyDecoder, size: int, limit: int, text: TextCandidate, draft: tuple[int, ...]
) -> tuple[Written, Beam, int]:
    reader = Reader(decoder)
    read = (*text.tokens, *draft)
    rows = list(reader.read([START, *read], range(len(read) + 1)))
    beam = Beam(END, size)
    found = finish(write_drafted_beam(reader, beam, text, ReadDraft(read, rows, SPELLING), terms(limit)))
    return found, beam, reader.forwards


@given(
    seed=st.integers(0, 500),
    size=st.integers(2, 5),
    limit=st.integers(1, 24),
    begun=st.sampled_from([(), (4,), (2, 3)]),
    draft=st.lists(st.integers(1, 8), max_size=20),
)
@settings(max_examples=80)
def test_any_draft_leaves_the_beams_texts_as_they_are(
    seed: int, size: int, limit: int, begun: tuple[int, ...], draft: list[int]
) -> None:
    decoder = ToyDecoder(toy_model(seed, vocabulary=9, end_bias=-0.5))
    text = TextCandidate(begun, (-0.1,) * len(begun), -0.1 * len(begun), (1,) * len(begun))
    alone, beam, forwards = plain(decoder, size, limit, text)
    ahead, other, fewer = drafted(decoder, size, limit, text, tuple(draft))
    assert ahead == alone
    assert other.ranked() == beam.ranked()
    assert fewer <= forwards


def misheard(tokens: tuple[int, ...]) -> tuple[int, ...]:
    """Change a token in one place, and lose one in another."""
    return (*tokens[:3], 10 - tokens[3], *tokens[4:9], *tokens[10:])


def test_a_draft_with_mistakes_saves_most_forwards() -> None:
    likely = toy_model(7, vocabulary=9)
    truth = tuple(1 + place * 5 % 8 for place in range(20))

    def following(text: tuple[int, ...]) -> np.ndarray:
        """Return logits that favour the next token of the truth after any text; the rest is left to chance."""
        row = likely(text[-1:]).copy()
        row[truth[len(text)] if len(text) < len(truth) else END] += 6
        return row

    decoder = ToyDecoder(following)
    _, _, forwards = plain(decoder, 4, 30, TextCandidate())
    alone = plain(decoder, 4, 30, TextCandidate())[0]
    ahead, _, fewer = drafted(decoder, 4, 30, TextCandidate(), misheard(truth))
    assert ahead == alone
    assert ahead.text.tokens == truth
    assert fewer <= forwards / 2


def test_only_the_longest_texts_are_read() -> None:
    assert longest([(1,), (1, 2), (1, 2, 3), (2,), (1, 3)]) == [(1, 2, 3), (1, 3), (2,)]
    assert longest([]) == []


def test_candidates_that_lose_anyway_are_not_waited_for() -> None:
    beam = Beam(END, 2)
    beam.live = [TextCandidate((1,), (-0.1,), -0.1, (1,)), TextCandidate((2,), (-5.0,), -5.0, (1,))]
    assert beam.is_decided([((3, -0.5), (4, -1.0), (END, -2.0)), None])
    assert not beam.is_decided([((3, -0.5), (END, -1.0), (4, -5.0)), None])  # the second may still be in
    assert not beam.is_decided([None, ((3, -0.5), (4, -1.0), (5, -2.0))])
