"""The encoder in numpy gives the features of the plain one, whatever the length and whatever is around."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from engine.hear.whisper.cpu.encoder import BLOCK_SCORES, CpuEncoder
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.padding import make_padding
from tests.people_clips import people_clips


@pytest.fixture(scope="module")
def starter() -> HearingModel:
    return load_hearing_model("starter")


def test_the_starter_encodes_with_it_on_a_processor(starter: HearingModel) -> None:
    assert isinstance(starter.model.fast_encoder, CpuEncoder)


@pytest.mark.parametrize("padding", ["none", "hush"])
@pytest.mark.parametrize("frames", [1, 2, 97, 400])
def test_features_are_those_of_the_plain_encoder(starter: HearingModel, frames: int, padding: str) -> None:
    model = starter.model
    mel = log_mel(people_clips()[0].samples)[None, :frames]
    around = make_padding(starter, padding).surroundings((frames + 1) // 2).encoder
    plain = np.array(model.encoder(mel, around))
    np.testing.assert_allclose(np.array(model.encode(mel, around)), plain, atol=1e-4 * np.abs(plain).max())


def test_blocks_of_rows_give_what_all_rows_give(starter: HearingModel) -> None:
    frames = 1 + 2 * int(BLOCK_SCORES**0.5)
    mel = mx.array(np.random.default_rng(0).normal(size=(1, 2 * frames, 80)).astype(np.float32))
    plain = np.array(starter.model.encoder(mel))
    np.testing.assert_allclose(np.array(starter.model.encode(mel)), plain, atol=1e-3 * np.abs(plain).max())
