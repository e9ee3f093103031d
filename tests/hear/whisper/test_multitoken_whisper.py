"""Whisper with heads: whatever they say, and whatever was heard before, the words stay those of plain decoding."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx.utils import tree_flatten

from engine.errors import ModelError, OptionError
from engine.hear.decode.attempts import Decoding
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import load_tokenizer
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.decode import decode
from engine.hear.whisper.heads import Heads, Kind, make_heads
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.options import AcceptanceRule, DecodeOptions
from engine.recipes.speech.espeak import Voice, espeak
from tests.hear.decode.test_reference import PLAIN, damages, model
from tests.toy_models import TOY

MULTITOKEN = replace(PLAIN, decoder="multitoken")


def random_heads(kind: Kind, seed: int = 0, ahead: int = 4, **settings: Any) -> Heads:
    """Heads of the tiny random Whisper with random weights, which draft what it would hardly say."""
    heads = make_heads(kind, ahead, model(), **settings)
    random = np.random.default_rng(seed)
    drawn = [
        (name, mx.array((random.standard_normal(array.shape) / math.sqrt(array.shape[-1])).astype(np.float32)))
        for name, array in tree_flatten(heads.parameters())
    ]
    heads.load_weights(drawn)
    mx.eval(heads.parameters(), heads.constants())  # any thread may use them
    return heads


@cache
def features(seed: int) -> mx.array:
    return mx.array(np.random.default_rng(seed).normal(size=(1, 50, 64)).astype(np.float32))


def decoded(seed: int, options: DecodeOptions, **settings: Any) -> Decoding:
    given = {"language": "en", "audio_seconds": 1.0} | settings
    return finish(decode(model(), load_tokenizer(99, True), features(seed), options, **given))


@cache
def plainly(seed: int, timestamps: bool = False) -> Decoding:
    return decoded(seed, replace(PLAIN, timestamps=timestamps))


def same(found: Decoding, plain: Decoding) -> None:
    assert (found.tokens, found.text, found.looped) == (plain.tokens, plain.text, plain.looped)
    assert found.token_probabilities == pytest.approx(plain.token_probabilities, abs=1e-3)
    assert found.average_logprob == pytest.approx(plain.average_logprob, abs=1e-3)


@pytest.mark.parametrize("kind", ["latent", "projection", "residual", "block"])
@pytest.mark.parametrize("seed", range(3))
def test_a_whisper_with_any_heads_writes_what_it_writes_without(kind: Kind, seed: int) -> None:
    plain = plainly(seed)
    knowing = sorted({*plain.tokens, *range(300)})  # a shortlist of what may be right, so that some of it is
    for heads in (random_heads(kind, seed), make_heads(kind, 5, model(), draft_tokens=knowing)):
        found = decoded(seed, replace(MULTITOKEN, tokens_ahead=8), heads=heads)
        same(found, plain)
        assert found.forwards <= plain.forwards


def test_heads_hold_the_rules_of_timestamps() -> None:
    for heads in (random_heads("latent", 1), make_heads("residual", 4, model())):
        same(decoded(1, replace(MULTITOKEN, timestamps=True), heads=heads), plainly(1, True))
        begin = load_tokenizer(99, True).timestamp_begin
        sure = decoded(1, replace(MULTITOKEN, timestamps=True, acceptance="threshold", threshold=0.01), heads=heads)
        times = [token - begin for token in sure.tokens if token >= begin]
        assert times == sorted(times)


@given(seed=st.integers(0, 4), spoil=damages())
@settings(max_examples=10)
def test_a_reference_and_heads_together_write_what_neither_would_change(
    seed: int, spoil: Callable[[Sequence[int]], list[int]]
) -> None:
    plain, heads = plainly(seed), copying_heads()
    alone = decoded(seed, MULTITOKEN, heads=heads)
    found = decoded(seed, replace(MULTITOKEN, reuse="verify"), heads=heads, reference=spoil(plain.tokens))
    same(found, plain)
    assert found.forwards <= alone.forwards + 1  # blocks begin at other places
    if found.reused_tokens == len(plain.tokens):
        assert found.forwards == 1


@cache
def copying_heads() -> Heads:
    """Heads that begin with what head 1 says: right where it says the same twice."""
    return make_heads("block", 4, model())


def test_sampling_knows_no_heads() -> None:
    options = replace(PLAIN, temperatures=(0.7,))
    assert decoded(0, replace(options, decoder="multitoken"), heads=copying_heads()) == decoded(0, options)


def test_without_heads_the_decoder_is_refused() -> None:
    with pytest.raises(OptionError, match="heads"):
        decoded(0, MULTITOKEN)


def test_a_recognizer_says_how_heads_are_made_where_there_are_none(hearing: HearingModel) -> None:
    with pytest.raises(ModelError, match=r"has no heads.*starter-speech-llama"):
        WhisperRecognizer(hearing, MULTITOKEN)


def test_a_trained_model_with_heads_hears_what_it_hears_without() -> None:
    toy = load_hearing_model(TOY)
    heads = make_heads("residual", 4, toy.model, draft_tokens=range(50258))
    plain = WhisperRecognizer(toy, DecodeOptions())
    verified = WhisperRecognizer(toy, DecodeOptions(decoder="multitoken"), heads=heads)
    samples = espeak().speak("We went for a long walk, and then we came home.", Voice("en-us", 175)).samples
    one_by_one = plain.hear(samples, language="en")
    at_once = verified.hear(samples, language="en")
    assert [word.text for word in at_once.words] == [word.text for word in one_by_one.words]
    assert one_by_one.words and at_once.forwards <= one_by_one.forwards


@pytest.mark.parametrize("kind", ["latent", "block"])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("rule", ["top-m", "threshold", "both"])
def test_any_thread_may_go_on_after_a_forward(kind: Kind, size: int, rule: AcceptanceRule) -> None:
    heads = random_heads(kind, 1, draft_tokens=range(2000))
    options = replace(MULTITOKEN, acceptance=rule, top_m=100, threshold=0.002, beam_size=size)
    given = {"language": "en", "audio_seconds": 1.0, "heads": heads}
    steps = decode(model(), load_tokenizer(99, True), features(0), options, **given)  # type: ignore[arg-type]
    ended: list[Decoding] = []

    def go_on() -> None:
        try:
            next(steps)
        except StopIteration as end:
            ended.append(end.value)

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for thread in itertools.cycle((one, other)):
            thread.submit(go_on).result()
            if ended:
                break
    assert ended == [decoded(0, options, heads=heads)]
