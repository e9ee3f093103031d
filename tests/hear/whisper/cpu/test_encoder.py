"""The encoder in numpy gives the features of the plain one, for any length and any padding."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from engine.hear.whisper.cpu import encoder
from engine.hear.whisper.cpu.encoder import CpuEncoder
from engine.hear.whisper.cpu.layers import ROWS_AT_ONCE
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.padding import make_padding
from engine.machine.byte_products import has_byte_products
from tests.people_clips import people_clips


@pytest.fixture(scope="module")
def starter() -> HearingModel:
    return load_hearing_model("starter")


@pytest.fixture(scope="module")
def in_float32(starter: HearingModel) -> CpuEncoder:
    """Make the encoder of machines that do not multiply bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "has_byte_products", lambda: False)
        return CpuEncoder(starter.model)


def test_the_starter_encodes_with_it_on_a_processor(starter: HearingModel) -> None:
    assert isinstance(starter.model.fast_encoder, CpuEncoder)


@pytest.mark.parametrize("padding", ["none", "hush"])
@pytest.mark.parametrize("frames", [1, 2, 97, 400])
def test_features_are_those_of_the_plain_encoder(
    starter: HearingModel, in_float32: CpuEncoder, frames: int, padding: str
) -> None:
    mel = log_mel(people_clips()[0].samples)[None, :frames]
    around = make_padding(starter, padding).surroundings((frames + 1) // 2).encoder
    plain = np.array(starter.model.encoder(mel, around))
    np.testing.assert_allclose(np.array(in_float32(mel, around)), plain, atol=1e-4 * np.abs(plain).max())


@pytest.mark.skipif(not has_byte_products(), reason="bytes are multiplied on Linux only")
def test_bytes_change_the_features_of_people_by_a_few_hundredths(starter: HearingModel) -> None:
    around = make_padding(starter, "hush").surroundings(200).encoder
    for clip in people_clips()[:3]:
        mel = log_mel(clip.samples)[None, :400]
        plain = np.array(starter.model.encoder(mel, around))
        strays = np.linalg.norm(np.array(starter.model.encode(mel, around)) - plain) / np.linalg.norm(plain)
        assert 0.001 < strays < 0.08


def test_blocks_of_rows_give_what_all_rows_give(starter: HearingModel, in_float32: CpuEncoder) -> None:
    frames = 2 * ROWS_AT_ONCE + 1
    mel = mx.array(np.random.default_rng(0).normal(size=(1, 2 * frames, 80)).astype(np.float32))
    plain = np.array(starter.model.encoder(mel))
    np.testing.assert_allclose(np.array(in_float32(mel)), plain, atol=1e-3 * np.abs(plain).max())
