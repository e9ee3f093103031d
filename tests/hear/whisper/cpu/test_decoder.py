"""The decoder in numpy and bytes reads, writes and looks as the plain one does."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.machine.byte_products import has_byte_products, to_bytes
from engine.options import DecodeOptions
from tests.people_clips import people_clips

pytestmark = pytest.mark.skipif(not has_byte_products(), reason="bytes are multiplied on Linux only")

PROMPT = (50257, 50362, 632, 995, 318, 257)


@pytest.fixture(scope="module")
def starter() -> HearingModel:
    return load_hearing_model("starter")


@pytest.fixture(scope="module")
def plain() -> HearingModel:
    """The starter without what is quicker than MLX, its decoder's weights rounded to bytes."""
    hearing = load_hearing_model("starter")
    hearing.model.fast_decoder = None
    for block in hearing.model.decoder.blocks:
        for name, layer in block.named_modules():
            if isinstance(layer, nn.Linear) and name not in ("cross_attn.key", "cross_attn.value"):
                coded, steps = to_bytes(np.array(layer.weight))
                layer.weight = mx.array(coded * steps)
    return hearing


def read(hearing: HearingModel, samples: np.ndarray) -> list[np.ndarray]:
    """Return states and scores of a prompt, then of three rows that follow it less its last token."""
    model = hearing.model
    cross = model.cross_cache(model.encode(log_mel(samples)))
    cache = model.new_cache()
    states, scores = model.read(mx.array([PROMPT]), cross, cache, frozenset((1, 3)))
    cache.advance(len(PROMPT))
    cache.truncate(len(PROMPT) - 1)
    cache.reorder([0, 0, 0])
    stepped, seen = model.read(mx.array([[257], [262], [922]]), cross, cache, frozenset((3,)))
    return [np.array(array) for array in (states, scores[1], scores[3], stepped, seen[3])]


def test_states_and_scores_are_those_of_the_plain_decoder(starter: HearingModel, plain: HearingModel) -> None:
    samples = people_clips()[0].samples[: 4 * 16_000]
    fast = read(starter, samples)
    for found, wanted in zip(fast, read(plain, samples), strict=True):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("options", [DecodeOptions(), DecodeOptions(beam_size=3)], ids=["greedy", "three candidates"])
def test_people_are_heard_as_with_the_plain_decoder(
    starter: HearingModel, plain: HearingModel, options: DecodeOptions
) -> None:
    for clip in people_clips()[:3]:
        found = WhisperRecognizer(starter, options).hear(clip.samples)
        wanted = WhisperRecognizer(plain, options).hear(clip.samples)
        assert found.text == wanted.text
        assert found.average_logprob == pytest.approx(wanted.average_logprob, abs=0.01)
        assert [word.start for word in found.words] == pytest.approx([word.start for word in wanted.words], abs=0.05)
