"""Log-mel filter bank features as Kaldi computes them, which the network for voices was trained on."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples

BANDS = 80
FRAME_SAMPLES = 400
"""Samples of a frame: 25 ms."""

HOP_SAMPLES = 160
"""Samples from one frame to the next: 10 ms."""

FFT_SAMPLES = 512
LOWEST_HZ = 20.0
PRE_EMPHASIS = 0.97
FLOOR = float(np.finfo(np.float32).eps)


def filter_bank(samples: Samples) -> NDArray[np.float32]:
    """Return log-mel energies (frames, 80), each band's mean subtracted; (0, 80) for less than a frame of samples."""
    if len(samples) < FRAME_SAMPLES:
        return np.zeros((0, BANDS), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME_SAMPLES)[::HOP_SAMPLES].astype(np.float32)
    frames = frames - frames.mean(axis=1, keepdims=True)
    emphasized = frames - PRE_EMPHASIS * np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    spectrum = np.fft.rfft(emphasized * _window(), FFT_SAMPLES)
    power = (spectrum.real**2 + spectrum.imag**2)[:, :-1].astype(np.float32)
    energies = np.log(np.maximum(power @ _mel_filters(), FLOOR))
    features: NDArray[np.float32] = energies - energies.mean(axis=0)
    return features


@cache
def _window() -> NDArray[np.float32]:
    """Return Kaldi's "povey" window (400,): a Hann window to the power of 0.85."""
    angles = 2 * np.pi * np.arange(FRAME_SAMPLES) / (FRAME_SAMPLES - 1)
    window: NDArray[np.float32] = ((0.5 - 0.5 * np.cos(angles)) ** 0.85).astype(np.float32)
    return window


@cache
def _mel_filters() -> NDArray[np.float32]:
    """Return triangular filters (256, 80), evenly spaced on the mel scale from 20 Hz to half the sample rate."""
    edges = np.linspace(_mel(np.array(LOWEST_HZ)), _mel(np.array(SAMPLE_RATE_HZ / 2)), BANDS + 2)
    bins = _mel(np.arange(FFT_SAMPLES // 2) * SAMPLE_RATE_HZ / FFT_SAMPLES)[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - left) / (centre - left), (right - bins) / (right - centre)
    filters: NDArray[np.float32] = np.maximum(np.minimum(rising, falling), 0).astype(np.float32)
    return filters


def _mel(hertz: NDArray[np.float64]) -> NDArray[np.float64]:
    mel: NDArray[np.float64] = 1127 * np.log1p(hertz / 700)
    return mel
