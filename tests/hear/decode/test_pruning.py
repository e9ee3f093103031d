"""Pruned beams over the toy language model of test_beam, whose tokens are their own text; 0 ends, 9 is a comma."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.hear.decode.attempts import Decoding
from engine.hear.decode.beam import Beam, Greedy
from engine.hear.decode.pruning import PUBLISHED, Follower, PrunedBeam, Pruning, key_of_token
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import load_tokenizer
from engine.hear.whisper.decode import decode
from engine.options import DecodeOptions
from tests.hear.decode.test_beam import END, ToyModel, run, toy_model
from tests.hear.whisper.test_decode import MakeModel, features

Decoded = Callable[..., Decoding]
COMMA = 9
LIMIT = 10


def key(token: int) -> str | None:
    return None if token in (END, COMMA) else str(token)


def pruned(size: int, reference: Sequence[int], *, patience: float = 1.0, **improvements: bool) -> PrunedBeam:
    return PrunedBeam(END, size, patience, reference=reference, key=key, pruning=replace(PUBLISHED, **improvements))


def greedily(model: ToyModel) -> tuple[int, ...]:
    return run(Greedy(END), model, LIMIT).tokens


def scripted(*tokens: int) -> ToyModel:
    """Return a model that says the tokens and ends, whatever was said instead."""

    def logits(sequence: tuple[int, ...]) -> np.ndarray:
        row = np.zeros(12, np.float32)
        row[END] = -5.0
        row[[*tokens, END][min(len(sequence), len(tokens))]] = 5.0
        return row

    return logits


@given(seed=st.integers(0, 10_000), size=st.integers(2, 5), aligned=st.booleans())
def test_a_reference_that_is_right_leaves_one_candidate(seed: int, size: int, aligned: bool) -> None:
    model = toy_model(seed)
    expected = run(Greedy(END), model, LIMIT)
    search = pruned(size, expected.tokens, aligned=aligned)
    assume(aligned or len(set(expected.tokens)) == len(expected.tokens))  # else a search may begin further on
    assert run(search, model, LIMIT) == expected
    assert search.pruned_steps == min(len(expected.tokens) + 1, LIMIT)


@given(seed=st.integers(0, 10_000), size=st.integers(2, 5), aligned=st.booleans(), again=st.booleans())
def test_a_reference_without_a_match_leaves_the_whole_beam(seed: int, size: int, aligned: bool, again: bool) -> None:
    model = toy_model(seed)
    assume(greedily(model))  # the end of text, alone, would be written without a comparison
    search = pruned(size, [77, 78, 79], aligned=aligned, again=again)
    assert run(search, model, LIMIT) == run(Beam(END, size), model, LIMIT)
    assert search.pruned_steps == 0


@given(seed=st.integers(0, 10_000), size=st.integers(2, 5), place=st.integers(0, 9))
def test_after_a_difference_the_search_is_that_of_a_beam(seed: int, size: int, place: int) -> None:
    model = toy_model(seed)
    tokens = greedily(model)
    assume(place < len(tokens))
    search = pruned(size, [*tokens[:place], 77], aligned=True)
    beam, begun = Beam(END, size), Greedy(END)
    for _ in range(place):
        begun.advance(model(begun.live[0].tokens)[None])
    beam.live = begun.live
    assert run(search, model, LIMIT) == run(beam, model, LIMIT)
    assert search.pruned_steps == place


def widths(model: ToyModel, reference: Sequence[int], **improvements: bool) -> list[int]:
    """Return how many of at most 3 candidates were at work in every step, up to the first end."""
    search = pruned(3, reference, patience=0.3, **improvements)
    found = []
    while not search.done:
        before = search.live
        search.advance(np.stack([model(candidate.tokens) for candidate in before]))
        found.append(max(len(before), len(search.live)))
    assert search.pruned_steps == found.count(1)
    return found


def test_the_reference_is_searched_for_the_first_token() -> None:
    assert widths(scripted(1, 2, 3), [4, 5, 1, 2, 3]) == [1, 1, 1, 1]
    assert widths(scripted(1, 2, 3), [4, 5, 1, 2, 3], aligned=True) == [3, 3, 3, 3]


def test_a_search_takes_the_first_match_even_if_it_is_the_wrong_one() -> None:
    # 1 is twice in the reference, and the audio begins with the second.
    assert widths(scripted(1, 4, 5), [1, 2, 3, 1, 4, 5]) == [1, 3, 3, 3]
    assert widths(scripted(1, 4, 5), [1, 4, 5], aligned=True) == [1, 1, 1, 1]


def test_punctuation_is_not_compared_on_either_side() -> None:
    assert widths(scripted(1, 2, COMMA, 3), [1, COMMA, 2, 3]) == [1, 1, 1, 1, 1]
    assert widths(scripted(COMMA, 1, 2), [1, 2]) == [1, 1, 1, 1]


def test_an_exhausted_reference_is_followed_by_the_end_or_the_whole_beam() -> None:
    assert widths(scripted(1, 2), [1, 2]) == [1, 1, 1]
    assert widths(scripted(1, 2, 3), [1, 2]) == [1, 1, 3, 3]
    assert widths(scripted(1, 2, 3), []) == [3, 3, 3, 3]


def test_a_difference_ends_pruning_for_good_unless_asked_otherwise() -> None:
    model, reference = scripted(1, 7, 3, 4, 5, 6), [1, 2, 3, 4, 5, 6]
    assert widths(model, reference) == [1, 3, 3, 3, 3, 3, 3]
    assert widths(model, reference, again=True) == [1, 3, 3, 3, 1, 1, 1]
    search = pruned(3, reference, again=True)
    assert run(search, model, LIMIT).tokens == (1, 7, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("left", "written", "place"),
    [
        (2, "cd", 4),  # nothing lost
        (2, "xcd", 4),  # one more
        (2, "efg", 7),  # two less
        (2, "c", None),  # one is not enough
        (2, "ab", None),  # before the reference was left
        (2, "xxxxxxxxefgh", 8),
        (2, "xxxxxxxxxxxxxcd", None),  # too far
    ],
)
def test_the_reference_is_found_again_near_its_place(left: int, written: str, place: int | None) -> None:
    follower = Follower("abcdefgh", aligned=True)
    for letter in "abcdefgh"[:left]:
        assert follower.follows(letter)
    assert not follower.follows("x")
    assert follower.finds_again(list(written)) is (place is not None)
    assert follower.place == (left if place is None else place)


def test_tokens_are_compared_by_their_text() -> None:
    tokenizer = load_tokenizer(99, True)

    def keys(text: str) -> list[str | None]:
        return [key_of_token(tokenizer, token) for token in tokenizer.encode(text)]

    assert keys(" Hello") == keys("Hello") == keys(" hello") == ["hello"]
    assert keys(" Yes, sir.") == ["yes", None, "sir", None]
    assert keys(" 1-2") == ["1", None, "2"]
    for token in (tokenizer.eot, tokenizer.no_timestamps, tokenizer.timestamp_begin + 3):
        assert key_of_token(tokenizer, token) is None
    parts = keys("𓀀")  # several tokens, none of them a character
    assert len(parts) > 1 and None not in parts
    assert len(set(parts)) == len(set(tokenizer.encode("𓀀"))) > 1


@pytest.fixture(scope="module")
def decoded(tiny_model: MakeModel) -> Decoded:
    """Decode one second: decoded(options, reference=(), pruning=PUBLISHED); remembers all of it."""
    hearing = tiny_model(0, n_audio_ctx=50)

    @cache
    def decoded(options: DecodeOptions, reference: tuple[int, ...] = (), pruning: Pruning = PUBLISHED) -> Decoding:
        settings = {"language": "en", "audio_seconds": 1.0, "reference": reference, "pruning": pruning}
        return finish(decode(hearing.model, hearing.tokenizer, features(), options, **settings))  # type: ignore[arg-type]

    return decoded


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("size", [3, 5])
def test_average_beam_and_pruned_share_belong_together(decoded: Decoded, size: int, again: bool) -> None:
    tokenizer, greedy = load_tokenizer(99, True), decoded(DecodeOptions())
    options, pruning = DecodeOptions(beam_size=size, reuse="prune"), Pruning(aligned=True, again=again)
    for reference in ((), greedy.tokens[:6], greedy.tokens):
        found = decoded(options, reference, pruning)
        assert found.candidates == size * found.steps - (size - 1) * found.pruned_steps
        assert found.pruned_steps >= len([token for token in reference if not tokenizer.is_special(token)])
    assert decoded(options, greedy.tokens, pruning).tokens == greedy.tokens
