"""A draft block listens where the model's alignment heads say, and drafts as it was taught to follow."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten

from engine.hear.decode.cache import CrossCache
from engine.hear.whisper.draft_block import FRAMES_APART, DraftBlock, _plain, foresee, last_state
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.model import Whisper

MakeModel = Callable[..., HearingModel]
TOKENS = [[50258, 290, 262, 407, 11]]
AHEAD = 4


@pytest.fixture
def model(tiny_model: MakeModel) -> Whisper:
    return tiny_model(0, n_audio_ctx=50).model


def cross_cache(model: Whisper, frames: int = 50, seed: int = 0) -> CrossCache:
    features = np.random.default_rng(seed).normal(size=(1, frames, 64)).astype(np.float32)
    return model.cross_cache(mx.array(features))


def random_block(model: Whisper, seed: int = 0) -> DraftBlock:
    block = DraftBlock(64, 2, 2, (0, 1), AHEAD)
    random = np.random.default_rng(seed)
    drawn = [
        (name, array + mx.array((random.standard_normal(array.shape) / 8).astype(np.float32)))
        for name, array in tree_flatten(block.parameters())
    ]
    block.load_weights(drawn)
    return block


def test_foreseeing_reads_tokens_as_the_decoder_does(model: Whisper) -> None:
    cross, tokens = cross_cache(model), mx.array(TOKENS)
    main, states = foresee(model, tokens, cross, model.new_cache())
    expected, scores = model.decode(tokens, cross, model.new_cache(), with_alignment=True)
    np.testing.assert_allclose(model.embedding.as_linear(main), expected, atol=1e-3)
    assert states.shape == (1, 5, 2 * 64 + 1)
    np.testing.assert_array_equal(last_state(states[0], 64), main[0])
    shares = np.exp(np.array(scores) - np.array(scores).max(axis=-1, keepdims=True))
    shares = (shares / shares.sum(axis=-1, keepdims=True)).mean(axis=1)
    np.testing.assert_allclose(states[0, :, -1], (shares @ np.arange(50))[0], atol=1e-2)


def test_a_block_foresees_as_single_steps_do(model: Whisper) -> None:
    cross = cross_cache(model)
    _, together = foresee(model, mx.array(TOKENS), cross, model.new_cache())
    cache = model.new_cache()
    for place, token in enumerate(TOKENS[0]):
        _, alone = foresee(model, mx.array([[token]]), cross, cache)
        cache.advance(1)
        np.testing.assert_allclose(alone[0, 0], together[0, place], atol=1e-2)


def test_a_draft_is_what_following_it_would_write(model: Whisper) -> None:
    cross, block = cross_cache(model), random_block(model)
    embed, unembed = model.embedding, model.embedding.as_linear
    _, states = foresee(model, mx.array(TOKENS), cross, model.new_cache())
    logits = block.draft(states[0], AHEAD - 1, block.hearing(cross), embed, unembed)
    assert logits.shape == (5, AHEAD - 1, 51865)
    first = mx.argmax(unembed(last_state(states[0], 64)), axis=-1)[:, None]
    known = mx.concatenate([first, mx.argmax(logits, axis=-1)[:, :-1]], axis=1)
    followed, _ = block.follow(states[0], embed(known), [block.hearing(cross, 5)])
    np.testing.assert_allclose(unembed(followed), logits, atol=1e-3)
    fewer = block.draft(states[0], 1, block.hearing(cross), embed, unembed)
    np.testing.assert_allclose(fewer, logits[:, :1], atol=1e-4)


def test_positions_of_several_recordings_are_read_as_each_alone(model: Whisper) -> None:
    block, random = random_block(model), np.random.default_rng(3)
    states, tokens, heard, apart = [], [], [], []
    for seed, frames in ((1, 50), (2, 31), (3, 44)):
        cross = cross_cache(model, frames, seed)
        _, some = foresee(model, mx.array([TOKENS[0][: seed + 1]]), cross, model.new_cache())
        states.append(some[0])
        tokens.append(mx.array(random.normal(size=(seed + 1, 3, 64)).astype(np.float32)))
        heard.append(block.hearing(cross, seed + 1))
        apart.append(block.follow(states[-1], tokens[-1], heard[-1:]))
    together, places = block.follow(mx.concatenate(states), mx.concatenate(tokens), heard)
    np.testing.assert_allclose(together, mx.concatenate([x for x, _ in apart]), atol=1e-4)
    np.testing.assert_allclose(places, mx.concatenate([where for _, where in apart]), atol=1e-3)


def test_a_head_hears_what_is_said_where_it_listens(model: Whisper) -> None:
    block = DraftBlock(64, 2, 2, (0, 1), AHEAD)
    for layer in (block.distance, block.cross_query):
        layer.update({"weight": mx.zeros_like(layer.weight), "bias": mx.zeros_like(layer.bias)})
    block.log_width = mx.zeros((4,))  # one frame, which only its neighbours share
    said = mx.broadcast_to(mx.arange(50).astype(mx.float32)[None, None, :, None], (1, 2, 50, 32))
    silence = mx.zeros((1, 2, 50, 32))
    heard = block.hearing(CrossCache((silence, silence), (said, said)))
    block.cross_out.update({"weight": mx.eye(128)[:64] / 1.0, "bias": mx.zeros((64,))})
    states = mx.zeros((1, 2 * 64 + 1))
    states[0, -1] = 7.0
    _, places = block.follow(states, mx.zeros((1, 3, 64)), [heard])
    np.testing.assert_allclose(places, [[7 + FRAMES_APART * turn for turn in (1, 2, 3)]])
    mixed = block._hear(mx.zeros((1, 3, 128)), mx.broadcast_to(places[..., None], (1, 3, 4)), [heard])
    np.testing.assert_allclose(mixed[0, :, 0], places[0], atol=0.01)


def test_a_block_begins_as_the_last_layer_that_it_listens_by(model: Whisper) -> None:
    block, last = DraftBlock(64, 2, 2, (0, 1), AHEAD), model.decoder.blocks[1]
    block.begin_like(model)
    np.testing.assert_allclose(block.mlp1.weight, last.mlp1.weight, atol=1e-5)
    np.testing.assert_allclose(block.cross_query.weight[64:], last.cross_attn.query.weight, atol=1e-5)
    np.testing.assert_allclose(block.cross_out.weight[:, 64:] * np.sqrt(2), last.cross_attn.out.weight, atol=1e-5)
    assert {array.dtype for _, array in tree_flatten(block.parameters())} == {mx.float32}


def test_a_quantised_layer_is_taken_over_as_what_it_multiplies_with() -> None:
    layer = nn.Linear(64, 32)
    quantised = nn.QuantizedLinear.from_linear(layer, group_size=32, bits=8)
    weight, bias = _plain(quantised)
    whole = mx.dequantize(quantised.weight, quantised.scales, quantised.biases, group_size=32, bits=8)
    np.testing.assert_allclose(weight, whole, atol=1e-4)
    np.testing.assert_array_equal(bias, layer.bias)
