"""Our log-mel spectrogram and two independent ones."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from engine.hear.whisper.mel import log_mel
from tests.hear.reference import mlx_whisper
from tests.people_clips import people_clips


@pytest.fixture(scope="module", params=(0, -1))
def clip(request: pytest.FixtureRequest) -> np.ndarray:
    return people_clips()[request.param].samples


@pytest.mark.parametrize("n_mels", [80, 128])
def test_real_speech_looks_as_it_does_to_mlx_whisper(clip: np.ndarray, n_mels: int) -> None:
    reference = mlx_whisper("audio").log_mel_spectrogram(clip, n_mels=n_mels)
    np.testing.assert_allclose(np.array(log_mel(clip, n_mels)), np.array(reference), atol=1e-4)


@pytest.mark.parametrize("n_mels", [80, 128])
def test_real_speech_looks_as_it_does_to_transformers(clip: np.ndarray, n_mels: int) -> None:
    extraction = pytest.importorskip("transformers").WhisperFeatureExtractor(feature_size=n_mels)
    length = len(clip) // 160 * 160
    reference = extraction(clip[:length], sampling_rate=16_000, padding=False, return_tensors="np").input_features[0].T
    np.testing.assert_allclose(np.array(log_mel(clip[:length], n_mels)), reference, atol=1e-3)


@pytest.mark.parametrize("count", [0, 1, 159, 160, 200, 201, 319, 320, 4000])
def test_every_160_samples_give_a_frame(count: int) -> None:
    samples = np.random.default_rng(0).normal(0, 0.1, count).astype(np.float32)
    mel = log_mel(samples)
    assert mel.shape == (count // 160, 80)
    assert mel.dtype == mx.float32
    assert np.isfinite(np.array(mel)).all()


def test_silence_is_the_floor_everywhere() -> None:
    assert np.unique(np.array(log_mel(np.zeros(1600, np.float32)))).tolist() == [-1.5]


def test_quiet_frames_stop_eight_powers_of_ten_below_the_loudest() -> None:
    samples = np.zeros(16_000, np.float32)
    samples[:1600] = np.sin(np.arange(1600) * 0.3)
    mel = np.array(log_mel(samples))
    assert mel.max() - mel.min() == pytest.approx(2.0)


def test_whole_numbers_and_mlx_arrays_are_taken_too() -> None:
    samples = np.random.default_rng(0).integers(-1, 2, 1600)
    expected = log_mel(samples.astype(np.float32))
    assert mx.array_equal(log_mel(samples), expected)
    assert mx.array_equal(log_mel(mx.array(samples)), expected)


def test_gradients_reach_the_samples() -> None:
    samples = mx.random.normal((3200,), key=mx.random.key(0)) * 0.1
    step = mx.random.normal((3200,), key=mx.random.key(1)) * 1e-4

    def total(samples: mx.array) -> mx.array:
        return log_mel(samples)[5:9].sum()

    slope = (total(samples + step) - total(samples - step)).item() / 2
    assert mx.sum(mx.grad(total)(samples) * step).item() == pytest.approx(slope, rel=0.05)
