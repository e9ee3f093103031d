"""Whisper's input: samples to a log-mel spectrogram."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import mlx.core as mx
import numpy as np

from engine.audio import SAMPLE_RATE_HZ

N_FFT = 400
HOP_LENGTH = 160
FRAMES_PER_SECOND = SAMPLE_RATE_HZ // HOP_LENGTH
MAX_SECONDS = 30
FLOOR = 1e-10  # least power that is distinguished from silence
DYNAMIC_RANGE = 8.0  # in powers of ten below the loudest frame


def log_mel(samples: mx.array | np.ndarray, n_mels: int = 80) -> mx.array:
    """Convert samples (n,) at 16 kHz to a log-mel spectrogram (n // 160, n_mels), float32.

    Gradients flow through to the samples. Fewer than 160 samples give no frame.
    """
    samples = mx.array(samples, dtype=mx.float32)
    count = samples.shape[0] // HOP_LENGTH
    if count == 0:
        return mx.zeros((0, n_mels))
    frames = mx.as_strided(_reflect(samples), (count, N_FFT), (HOP_LENGTH, 1))
    spectrum = mx.fft.rfft(frames * _window())
    power = mx.square(mx.real(spectrum)) + mx.square(mx.imag(spectrum))
    mel = mx.log10(mx.maximum(power @ mel_filters(n_mels).T, FLOOR))
    return (mx.maximum(mel, mel.max() - DYNAMIC_RANGE) + 4.0) / 4.0


def _reflect(samples: mx.array) -> mx.array:
    """Mirror half a window at both ends (n,) -> (n + 400,), so that frame i is centred on sample 160 * i."""
    count, half = samples.shape[0], N_FFT // 2
    if count > half:
        return mx.concatenate([samples[half:0:-1], samples, samples[-2 : -half - 2 : -1]])
    return samples[mx.array(np.pad(np.arange(count), half, mode="reflect"))]


@cache
def _window() -> mx.array:
    """Return the periodic Hann window (400,)."""
    window = mx.array(np.hanning(N_FFT + 1)[:-1].astype(np.float32))
    mx.eval(window)  # a lazy array could not be used by another thread
    return window


@cache
def mel_filters(n_mels: int) -> mx.array:
    """Return the published mel filters (n_mels, 201), from mlx-whisper's data."""
    spec = importlib.util.find_spec("mlx_whisper")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("The package mlx-whisper is not installed.")
    path = Path(next(iter(spec.submodule_search_locations))) / "assets" / "mel_filters.npz"
    with np.load(path) as filters:
        array = mx.array(filters[f"mel_{n_mels}"])
    mx.eval(array)
    return array
