"""Whisper's log-mel spectrogram in torch, at the natural length of the audio."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from torch import Tensor

SAMPLE_RATE, N_FFT, HOP, N_MELS = 16_000, 400, 160, 80


def slaney_filters(mels: int = N_MELS) -> np.ndarray:
    """Whisper's mel filter bank (mels, 201), as librosa.filters.mel makes it."""
    bins = np.linspace(0.0, SAMPLE_RATE / 2, N_FFT // 2 + 1)
    edges = _mel_to_hz(np.linspace(0.0, _hz_to_mel(SAMPLE_RATE / 2), mels + 2))
    ramps = edges[:, None] - bins[None, :]
    widths = np.diff(edges)[:, None]
    falling = -ramps[:-2] / widths[:-1]
    rising = ramps[2:] / widths[1:]
    triangles: np.ndarray = np.maximum(0.0, np.minimum(falling, rising))
    filters: np.ndarray = (triangles * (2.0 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)
    return filters


def _hz_to_mel(hz: float) -> float:
    return hz * 3 / 200 if hz < 1000 else 15 + np.log(hz / 1000) / (np.log(6.4) / 27)


def _mel_to_hz(mel: np.ndarray) -> np.ndarray:
    hz: np.ndarray = np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))
    return hz


@cache
def _constants() -> tuple[Tensor, Tensor]:
    return torch.hann_window(N_FFT), torch.from_numpy(slaney_filters())


def log_mel(samples: Tensor) -> Tensor:
    """Turn samples (n,) into a log-mel spectrogram (n // 160, 80)."""
    window, filters = _constants()
    spectrum = torch.stft(samples, N_FFT, HOP, window=window, return_complex=True)
    power = spectrum[:, :-1].abs().square()
    logs = (filters @ power).clamp_min(1e-10).log10()
    logs = torch.maximum(logs, logs.max() - 8.0)
    return ((logs + 4.0) / 4.0).T
