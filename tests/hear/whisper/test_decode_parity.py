"""Whole decodings compared with mlx-whisper's and transformers', on the same random weights and features."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_unflatten

from engine.hear.decode.beam import Beam, Greedy, Search, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.search import Terms, run_search
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer
from engine.hear.whisper.decode import decode, detect_language
from engine.hear.whisper.model import ModelDimensions, Whisper
from engine.hear.whisper.whisper_decoder import WhisperDecoder
from engine.options import DecodeOptions
from tests.hear.reference import TORCH_REASON, mlx_whisper, mlx_whisper_model, transformers_model
from tests.hear.short_decoding import short_decoding
from tests.random_whisper import TINY, random_weights

# One second of context, so that both references take the features as they are.
DIMS = {**TINY, "n_audio_ctx": 50}
EOT = 50257
TOKENS = 12  # fewer than a loop has, which our search would notice and theirs would not
SEEDS = range(3)


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    """Decodings end after as many tokens as are compared, and pass."""
    with short_decoding(TOKENS):
        yield


@cache
def weights(end_scale: float) -> dict[str, np.ndarray]:
    """Random weights; a scaled row for the end of text makes it come sometimes (4), or never (0)."""
    drawn = random_weights(DIMS, seed=11)
    drawn["decoder.token_embedding.weight"][EOT] *= end_scale
    return drawn


@cache
def ours(end_scale: float) -> Whisper:
    model = Whisper(ModelDimensions(**DIMS))
    model.update(tree_unflatten([(name, mx.array(array)) for name, array in weights(end_scale).items()]))
    return model


@cache
def by_mlx_whisper(end_scale: float) -> Any:
    return mlx_whisper_model(DIMS, weights(end_scale))


@cache
def by_transformers(end_scale: float) -> Any:
    torch = pytest.importorskip("torch", reason=TORCH_REASON)
    torch.set_num_threads(1)  # its threads would wait for each other on a busy machine
    return transformers_model(DIMS, weights(end_scale))


def features(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(1, 50, 64)).astype(np.float32)


def searched(search: Search, seed: int, end_scale: float, limit: int = TOKENS) -> TextCandidate:
    """Search without any rules."""
    model = ours(end_scale)
    reader = Reader(WhisperDecoder(model, model.cross_cache(mx.array(features(seed)))))
    prefix = tokenizer().sot_sequence("en")
    logits = reader.read(prefix, [len(prefix) - 1])
    return finish(run_search(reader, search, logits, Terms(EOT, (), limit))).text


def tokenizer() -> Tokenizer:
    return load_tokenizer(99, True)


def ruled_out() -> list[int]:
    """Return the tokens that the rules of a transcription without timestamps forbid everywhere."""
    return sorted({*tokenizer().non_speech_tokens, *range(EOT + 1, DIMS["n_vocab"])})


def decoded_by_mlx_whisper(seed: int, end_scale: float, **options: Any) -> Any:
    decoding = mlx_whisper("decoding")
    settings = decoding.DecodingOptions(
        fp16=False,
        language="en",
        without_timestamps=True,
        sample_len=TOKENS,
        length_penalty=0.0,  # of no effect on one candidate; without it an empty text is divided by its length
        **options,
    )
    (result,) = decoding.decode(by_mlx_whisper(end_scale), mx.array(features(seed)), settings)
    return result


def generated_by_transformers(seed: int, end_scale: float, **settings: Any) -> list[int]:
    """Continue the start sequence by transformers' plain search, without Whisper's own wrapper around it."""
    model = by_transformers(end_scale)
    import torch
    from transformers import GenerationConfig, GenerationMixin
    from transformers.modeling_outputs import BaseModelOutput

    prefix = tokenizer().sot_sequence("en")
    config = GenerationConfig(do_sample=False, eos_token_id=EOT, pad_token_id=EOT, max_new_tokens=TOKENS, **settings)
    with torch.inference_mode():
        sequences = GenerationMixin.generate(
            model,
            encoder_outputs=BaseModelOutput(last_hidden_state=torch.tensor(features(seed))),
            decoder_input_ids=torch.tensor([prefix]),
            generation_config=config,
        )
    tokens: list[int] = sequences[0, len(prefix) :].tolist()
    return tokens[: tokens.index(EOT)] if EOT in tokens else tokens


@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_without_rules_equals_both_references(seed: int) -> None:
    found = searched(Greedy(EOT), seed, 4.0)
    reference = decoded_by_mlx_whisper(seed, 4.0, suppress_tokens=None, suppress_blank=False)
    assert found.tokens == tuple(reference.tokens)
    assert found.average_logprob == pytest.approx(reference.avg_logprob, abs=1e-3)
    assert found.tokens == tuple(generated_by_transformers(seed, 4.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_with_suppressed_tokens_equals_both_references(seed: int) -> None:
    features_ = mx.array(features(seed))
    steps = decode(ours(4.0), tokenizer(), features_, DecodeOptions(), language="en", audio_seconds=1.0)
    found = finish(steps)
    reference = decoded_by_mlx_whisper(seed, 4.0, suppress_tokens=ruled_out(), suppress_blank=True)
    assert found.tokens == tuple(reference.tokens)
    assert found.text == reference.text
    assert found.average_logprob == pytest.approx(reference.avg_logprob, abs=1e-3)
    assert found.no_speech_probability == pytest.approx(reference.no_speech_prob, rel=1e-3)
    assert found.compression_ratio == pytest.approx(reference.compression_ratio)
    settings = {"suppress_tokens": ruled_out(), "begin_suppress_tokens": [*tokenizer().blank_tokens]}
    assert found.tokens == tuple(generated_by_transformers(seed, 4.0, **settings))


def test_a_prompt_is_taken_as_mlx_whisper_takes_it() -> None:
    prompt = "What was said before, by someone else. " * 40  # longer than there is room for
    steps = decode(
        ours(4.0), tokenizer(), mx.array(features(0)), DecodeOptions(), language="en", prompt=prompt, audio_seconds=1.0
    )
    found = finish(steps)
    reference = decoded_by_mlx_whisper(0, 4.0, suppress_tokens=ruled_out(), prompt=prompt)
    assert found.tokens == tuple(reference.tokens)
    assert found.no_speech_probability == pytest.approx(reference.no_speech_prob, rel=1e-3)


# What makes transformers' beam search and ours the same search:
# - No suppressed tokens: it normalises before suppressing, we (as the published search does) after.
# - Rank by the plain sum (alpha 0 here, length_penalty 0.0 there): it divides by a length that counts the end of text.
# - It stops when no live beam can beat the worst of `size` finished ones (early_stopping="never"), we at a number of
#   finished ones: with much patience both go on until nothing can improve, since a sum only falls.
# - It lets a candidate end only among the best `size` continuations of a step; one that ends further down has `size`
#   likelier rivals at its own length. That can still win if all of those end up lower; in these cases it does not.


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("size", [3, 5])
def test_a_beam_without_ends_equals_that_of_transformers(seed: int, size: int) -> None:
    # Nothing ends before the limit, so that all is decided by the sums of sequences of one length.
    found = searched(Beam(EOT, size), seed, 0.0)
    expected = generated_by_transformers(seed, 0.0, num_beams=size, length_penalty=0.0, early_stopping="never")
    assert found.tokens == tuple(expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("size", [3, 5])
def test_a_beam_with_ends_equals_that_of_transformers(seed: int, size: int) -> None:
    found = searched(Beam(EOT, size, patience=10, length_penalty=0.0), seed, 4.0)
    expected = generated_by_transformers(seed, 4.0, num_beams=size, length_penalty=0.0, early_stopping="never")
    assert found.tokens == tuple(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_of_one_equals_greedy_on_a_model(seed: int) -> None:
    assert searched(Beam(EOT, 1), seed, 4.0) == searched(Greedy(EOT), seed, 4.0)


@pytest.mark.parametrize("seed", [0, 1])
def test_language_probabilities_equal_mlx_whispers(seed: int) -> None:
    code, probabilities = detect_language(ours(4.0), tokenizer(), mx.array(features(seed)))
    _, (expected,) = mlx_whisper("decoding").detect_language(by_mlx_whisper(4.0), mx.array(features(seed)))
    assert code == max(expected, key=expected.get)
    assert probabilities == pytest.approx(expected, rel=1e-3)
