from __future__ import annotations

import numpy as np

from engine.speakers.features import filter_bank


def test_features_are_those_of_kaldi() -> None:
    seconds = np.arange(4000) / 16_000
    chirp = 0.3 * np.sin(2 * np.pi * (200 + 1500 * seconds) * seconds)
    samples = (chirp + 0.05 * np.cos(2 * np.pi * 3000 * seconds)).astype(np.float32)
    features = filter_bank(samples)
    kaldi = [  # kaldi-native-fbank 1.22, 80 bands, no dither, the mean of each band taken off
        [0.757, 5.879, -7.761, -0.271, 0.017, 0.0],
        [-0.054, 2.357, -3.721, -0.271, -0.062, 0.0],
        [1.13, -5.779, 13.088, 1.299, 0.034, 0.0],
    ]
    assert features.shape == (23, 80)
    np.testing.assert_allclose(features[[0, 7, 22]][:, [0, 10, 25, 40, 60, 79]], kaldi, atol=2e-3)


def test_less_than_a_frame_has_no_features() -> None:
    assert filter_bank(np.zeros(399, np.float32)).shape == (0, 80)
