"""Verified references: with one candidate the transcript is that of plain decoding, whatever the reference holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx.utils import tree_unflatten

from engine.errors import OptionError
from engine.events import Hypothesis, Reference, Word
from engine.hear.decode.attempts import Decoding
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.pruning import IMPROVED, PUBLISHED, Pruning
from engine.hear.decode.reference import accepted, tokens_of, usable
from engine.hear.decode.rules import Suppress, loop_begins, repeated_tail
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import load_tokenizer
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.decode import decode
from engine.hear.whisper.load import load_hearing_model
from engine.hear.whisper.model import ModelDimensions, Whisper
from engine.options import DecodeOptions, Reuse
from lab.recipes.speech.espeak import SyntheticVoice, espeak
from tests.hear.short_decoding import short_decoding
from tests.random_whisper import TINY, random_weights
from tests.toy_models import TOY

HearSpeech = Callable[..., Decoding]
PlainlyHeard = Callable[[int], Hypothesis]
EOT = 50257
PLAIN = DecodeOptions()
MOST_TOKENS = 20


@cache
def model() -> Whisper:
    """Random weights, whose end of text comes sometimes."""
    dims = {**TINY, "n_audio_ctx": 50}
    drawn = random_weights(dims, seed=11)
    drawn["decoder.token_embedding.weight"][EOT] *= 4.0
    made = Whisper(ModelDimensions(**dims))
    made.update(tree_unflatten([(name, mx.array(array)) for name, array in drawn.items()]))
    return made


def decoded(seed: int, options: DecodeOptions, **settings: Any) -> Decoding:
    features = mx.array(np.random.default_rng(seed).normal(size=(1, 50, 64)).astype(np.float32))
    settings = {"language": "en", "audio_seconds": 1.0} | settings
    with short_decoding(MOST_TOKENS):
        return finish(decode(model(), load_tokenizer(99, True), features, options, **settings))


@cache
def plainly(seed: int, options: DecodeOptions = PLAIN, prompt: str = "") -> Decoding:
    """Decode without a reference, cached: many tests ask for the same."""
    return decoded(seed, options, prompt=prompt)


def same(found: Decoding, plain: Decoding) -> None:
    """Check that all that is heard is the same, in no more forwards."""
    assert (found.tokens, found.text, found.looped) == (plain.tokens, plain.text, plain.looped)
    assert found.token_probabilities == pytest.approx(plain.token_probabilities, abs=1e-2)
    assert found.average_logprob == pytest.approx(plain.average_logprob, abs=1e-2)
    assert found.no_speech_probability == pytest.approx(plain.no_speech_probability, rel=5e-2)
    assert found.forwards <= plain.forwards


@st.composite
def damages(draw: st.DrawFn) -> Callable[[Sequence[int]], list[int]]:
    """Draw ways to spoil a reference: cut, lengthened, a token changed, lost or put in; or garbage, or no change."""
    token = st.integers(-5, 60_000) | st.sampled_from([EOT, EOT + 1, 50363, 50364, 50500, 220, 2**40])
    kind = draw(st.sampled_from(["exact", "cut", "longer", "changed", "lost", "more", "garbage"]))
    place, tokens = draw(st.floats(0, 1)), draw(st.lists(token, min_size=1, max_size=30))

    def spoil(exact: Sequence[int]) -> list[int]:
        at, held = round(place * max(0, len(exact) - 1)), list(exact)
        return {
            "exact": held,
            "cut": held[:at],
            "longer": held + tokens,
            "changed": [*held[:at], tokens[0], *held[at + 1 :]],
            "lost": held[:at] + held[at + 1 :],
            "more": [*held[:at], tokens[0], *held[at:]],
            "garbage": tokens,
        }[kind]

    return spoil


@given(seed=st.integers(0, 7), spoil=damages(), prompt=st.sampled_from(["", "Said before."]))
@settings(max_examples=60)
def test_one_candidate_with_any_reference_decodes_what_plain_decoding_does(
    seed: int, spoil: Callable[[Sequence[int]], list[int]], prompt: str
) -> None:
    plain = plainly(seed, PLAIN, prompt)
    found = decoded(seed, replace(PLAIN, reuse="verify"), prompt=prompt, reference=spoil(plain.tokens))
    same(found, plain)


@given(seed=st.integers(0, 7))
def test_an_exact_reference_takes_one_forward(seed: int) -> None:
    plain = plainly(seed)
    found = decoded(seed, replace(PLAIN, reuse="verify"), reference=plain.tokens)
    assert (found.forwards, found.reused_tokens) == (1, len(plain.tokens))
    assert found.steps == (0 if len(plain.tokens) == MOST_TOKENS else 1)  # the end of text, if it comes, is chosen


@given(seed=st.integers(0, 7), spoil=damages())
def test_no_forward_is_spent_on_what_is_reused(seed: int, spoil: Callable[[Sequence[int]], list[int]]) -> None:
    plain = plainly(seed)
    found = decoded(seed, replace(PLAIN, reuse="verify"), reference=spoil(plain.tokens))
    forwards = plain.forwards - found.reused_tokens
    assert max(1, forwards) <= found.forwards <= forwards + 1  # the last one may write nothing but what is reused
    assert found.steps == plain.steps - found.reused_tokens


@given(seed=st.integers(0, 7), size=st.integers(2, 4))
def test_a_beam_goes_on_from_what_holds(seed: int, size: int) -> None:
    # The reference is all that one candidate would write, so what is left to a beam is to end.
    greedy = plainly(seed)
    found = decoded(seed, replace(PLAIN, beam_size=size, reuse="verify"), reference=greedy.tokens)
    assert found.tokens[: len(greedy.tokens)] == greedy.tokens
    nothing = decoded(seed, replace(PLAIN, beam_size=size, reuse="verify"), reference=[greedy.tokens[0] + 1])
    plain = plainly(seed, replace(PLAIN, beam_size=size))
    assert (nothing.tokens, nothing.forwards, nothing.candidates) == (plain.tokens, plain.forwards, plain.candidates)


@given(st.lists(st.integers(0, 3), max_size=40))
def test_a_loop_begins_where_a_search_would_be_stopped(tokens: list[int]) -> None:
    stopped = next((end for end in range(len(tokens) + 1) if repeated_tail(tokens[:end])), len(tokens))
    assert loop_begins(tokens) == stopped


def test_a_margin_keeps_what_is_nearly_as_likely() -> None:
    rows = np.log(np.array([[0.5, 0.4, 0.1], [0.6, 0.3, 0.1], [1 / 3, 1 / 3, 1 / 3]], np.float32))

    def kept(margin: float, reference: Sequence[int] = (1, 0, 2), **settings: Any) -> tuple[int, ...]:
        return accepted(rows, reference, (), margin=margin, **settings).tokens

    assert kept(0.0) == () and kept(0.2) == () and kept(0.3) == (1, 0, 2)  # log(0.5 / 0.4) = 0.22
    assert kept(0.3, steady=0) == () and kept(0.3, steady=1) == (1, 0)  # the first of equals is the likeliest
    rule = Suppress(np.array([1]))
    assert accepted(rows, (1,), (rule,), margin=9.0).tokens == ()
    assert rows[0, 1] == pytest.approx(math.log(0.4))  # as it was


@pytest.mark.parametrize("margin", [-0.1, 11.0, math.nan])
def test_a_margin_out_of_range_is_refused(margin: float) -> None:
    with pytest.raises(OptionError, match="verify_margin must be between 0 and 10"):
        DecodeOptions(verify_margin=margin)


def word(text: str, end: float, *tokens: int) -> Word:
    return Word(text, end - 0.3, end, tokens=tokens)


def test_a_reference_holds_the_words_that_last_beyond_the_beginning() -> None:
    committed = (word(" a", 1.0, 1), word(" b", 2.0, 2, 3))
    expected = (word(" c", 3.0, 4), word(" d", 4.0, 5))
    assert tokens_of(Reference(committed, expected), 0.0) == (1, 2, 3, 4, 5)
    assert tokens_of(Reference(committed, expected), 1.0) == (2, 3, 4, 5)
    assert tokens_of(Reference((), expected), 3.5) == (5,)
    assert tokens_of(Reference(), 0.0) == ()


def test_a_word_without_tokens_ends_the_reference() -> None:
    unknown = word(" b", 2.0)
    assert tokens_of(Reference((word(" a", 1.0, 1), unknown), (word(" c", 3.0, 4),)), 0.0) == (1,)
    assert tokens_of(Reference((word(" a", 1.0, 1),), (unknown, word(" c", 3.0, 4))), 0.0) == (1,)


def test_what_no_search_could_have_written_ends_a_reference() -> None:
    tokenizer = load_tokenizer(99, True)
    for unknown in (-1, tokenizer.eot, tokenizer.n_vocab, 2**40):
        assert usable([5, 6, unknown, 7], tokenizer, 9) == (5, 6)
    assert usable(range(50), tokenizer, 9) == tuple(range(9))
    assert usable([5] * 50, tokenizer, 50) == (5,) * loop_begins([5] * 50)


# A trained model, and speech.

SENTENCES = "I have never seen such a thing before. Please tell me when the train arrives. We walked home in the rain."


@pytest.fixture(scope="module")
def speech() -> np.ndarray:
    return espeak().speak(SENTENCES, SyntheticVoice()).samples[: 6 * 16_000]


@pytest.fixture(scope="module")
def recognizer() -> WhisperRecognizer:
    return WhisperRecognizer(load_hearing_model(TOY), DecodeOptions())


@pytest.fixture(scope="module")
def plainly_heard(recognizer: WhisperRecognizer, speech: np.ndarray) -> PlainlyHeard:
    """Hearing of the first seconds without a reference, cached: many tests ask for the same."""
    return cache(lambda seconds: recognizer.hear(speech[: seconds * 16_000], language="en"))


@pytest.fixture(scope="module")
def hear_speech(recognizer: WhisperRecognizer, speech: np.ndarray) -> HearSpeech:
    """Decode so many seconds: hear_speech(seconds, reuse="none", reference=()); remembers all of it."""

    @cache
    def listened(seconds: float) -> CrossCache:
        return recognizer._listen(speech[: round(seconds * 16_000)]).heard

    @cache
    def hear(seconds: float, reuse: Reuse = "none", reference: tuple[int, ...] = ()) -> Decoding:
        steps = decode(
            recognizer._hearing.model,
            recognizer._hearing.tokenizer,
            listened(seconds),
            DecodeOptions(reuse=reuse),
            language="en",
            audio_seconds=seconds,
            forbidden=recognizer._untaught,
            reference=reference,
        )
        return finish(steps)

    return hear


@given(spoil=damages(), seconds=st.sampled_from([2.0, 4.5, 6.0]))
@settings(max_examples=12)
def test_speech_is_heard_the_same_with_any_reference(
    hear_speech: HearSpeech, spoil: Callable[[Sequence[int]], list[int]], seconds: float
) -> None:
    plain = hear_speech(seconds)
    same(hear_speech(seconds, "verify", tuple(spoil(plain.tokens))), plain)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("reuse", ["none", "prune", "verify"])
def test_a_stretch_that_grew_is_heard_with_few_forwards(
    recognizer: WhisperRecognizer,
    plainly_heard: PlainlyHeard,
    speech: np.ndarray,
    reuse: Reuse,
    size: int,
) -> None:
    again = WhisperRecognizer(recognizer._hearing, DecodeOptions(beam_size=size, reuse=reuse))
    first = again.hear(speech[: 4 * 16_000], language="en")
    reference = Reference((), first.words)
    second = again.hear(speech[: 5 * 16_000], language="en", reference=reference)
    plain = plainly_heard(5)
    assert len(first.words) > 5
    if size == 1:
        assert second.text == plain.text
    if reuse == "verify":
        assert second.reused_tokens > second.tokens / 2
        assert second.forwards <= second.tokens - second.reused_tokens + 2
    elif reuse == "prune" and size > 1:
        assert second.pruned_steps > second.steps / 2
    else:
        assert (second.reused_tokens, second.pruned_steps) == (0, 0)


def test_only_published_pruning_searches_words_that_have_left_the_audio(
    recognizer: WhisperRecognizer, plainly_heard: PlainlyHeard, speech: np.ndarray
) -> None:
    samples = speech[: 4 * 16_000]
    reference = Reference((), plainly_heard(4).words)

    def pruned_steps(pruning: Pruning, offset_seconds: float) -> int:
        options = DecodeOptions(beam_size=3, reuse="prune")
        again = WhisperRecognizer(recognizer._hearing, options, pruning=pruning)
        return again.hear(samples, offset_seconds=offset_seconds, language="en", reference=reference).pruned_steps

    assert pruned_steps(IMPROVED, 0.0) == pruned_steps(PUBLISHED, 0.0) == pruned_steps(PUBLISHED, 30.0) > 5
    assert pruned_steps(IMPROVED, 30.0) == 0
