"""Speech of up to three people at each moment of ten seconds, two at once included.

The network is pyannote's segmentation 3.0 (Plaquet and Bredin, Interspeech 2023): learned band-passes, convolutions,
bidirectional LSTM layers, and a choice of seven classes, one for each set of people ("powerset"). It is written in
numpy, since an LSTM goes step by step, and each step is too small for a GPU.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ
from engine.speakers.weights import Tensors, load_tensors

WINDOW_SECONDS = 10.0
WINDOW_SAMPLES = round(WINDOW_SECONDS * SAMPLE_RATE_HZ)
LOCAL_SPEAKERS = 3
"""Most people that one window tells apart. Their order differs from window to window."""

FRAME_SECONDS = 0.016875
"""Time from one frame to the next."""

WINDOW_FRAMES = 589
"""Frames of a window."""

FRAME_CENTRE_SECONDS = 0.03096875
"""Time of the centre of a window's first frame."""

FILTER_STRIDE = 10
HIDDEN = 128
LAYERS = 4
SETS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32)
"""The people of each class (7, 3)."""

Frames = NDArray[np.float32]


class Segmentation:
    """The network. Raises ModelError if its weights are missing or damaged."""

    def __init__(self, path: Path | None = None) -> None:
        tensors = load_tensors("segmentation", path)
        self._tensors = tensors
        self._filters = np.ascontiguousarray(_band_passes(tensors).T)
        self._convolutions = [
            _rows(tensors["sincnet.conv1d.1.weight"]),
            _rows(tensors["sincnet.conv1d.2.weight"]),
        ]
        self._layers = [_LstmLayer(tensors, layer) for layer in range(LAYERS)]

    def __call__(self, windows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probability that each person speaks (windows, frames, 3), for windows of as many samples each."""
        tensors = self._tensors
        frames = np.stack([self._filtered(window) for window in windows])
        for layer in self._layers:
            frames = layer(frames)
        for index in (0, 1):
            frames = _leaky(frames @ tensors[f"linear.{index}.weight"].T + tensors[f"linear.{index}.bias"])
        scores = frames @ tensors["classifier.weight"].T + tensors["classifier.bias"]
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        speaking: NDArray[np.float32] = (shares / shares.sum(axis=-1, keepdims=True)) @ SETS
        return speaking

    def _filtered(self, window: NDArray[np.float32]) -> Frames:
        """Return the features (frames, 60) of one window's samples (n,)."""
        tensors = self._tensors
        level = _normalized(window[:, None], tensors, "sincnet.wav_norm1d")[:, 0]
        strided = np.lib.stride_tricks.sliding_window_view(level, len(self._filters))[::FILTER_STRIDE]
        frames = np.abs(strided @ self._filters)
        frames = _leaky(_normalized(_pooled(frames), tensors, "sincnet.norm1d.0"))
        for index, rows in enumerate(self._convolutions, start=1):
            width = len(rows) // frames.shape[1]
            unrolled = np.concatenate([frames[i : len(frames) - width + 1 + i] for i in range(width)], axis=1)
            frames = _pooled(unrolled @ rows + tensors[f"sincnet.conv1d.{index}.bias"])
            frames = _leaky(_normalized(frames, tensors, f"sincnet.norm1d.{index}"))
        return frames


def _band_passes(tensors: Tensors) -> NDArray[np.float32]:
    """Return the filters (80, 251): band-passes of learned edges, once with a cosine and once with a sine."""
    name = "sincnet.conv1d.0.filterbank"
    low = 50 + np.abs(tensors[f"{name}.low_hz_"])
    high = np.clip(low + 50 + np.abs(tensors[f"{name}.band_hz_"]), 50, SAMPLE_RATE_HZ / 2)
    width = high - low
    times, window = tensors[f"{name}.n_"], tensors[f"{name}.window_"]
    even = (np.sin(high @ times) - np.sin(low @ times)) / (times / 2) * window / (2 * width)
    odd = (np.cos(low @ times) - np.cos(high @ times)) / (times / 2) * window / (2 * width)
    middle = np.ones_like(width)
    cosines = np.concatenate([even, middle, even[:, ::-1]], axis=1)
    sines = np.concatenate([odd, 0 * middle, -odd[:, ::-1]], axis=1)
    return np.concatenate([cosines, sines]).astype(np.float32)


class _LstmLayer:
    """A bidirectional LSTM layer. Both directions and all windows take each step together.

    The sigmoid is computed as a hyperbolic tangent of half its argument, so that one call serves all four gates: the
    weights of the three sigmoid gates, which come first, are halved. Each step writes into the same arrays.
    """

    def __init__(self, tensors: Tensors, layer: int) -> None:
        names = (f"l{layer}", f"l{layer}_reverse")
        order = np.r_[: 2 * HIDDEN, 3 * HIDDEN : 4 * HIDDEN, 2 * HIDDEN : 3 * HIDDEN]  # the candidate comes last
        halved = np.repeat(np.array([0.5, 0.5, 0.5, 1.0], np.float32), HIDDEN)  # input, forget, output, candidate
        self._entry = np.stack([tensors[f"lstm.weight_ih_{name}"][order].T * halved for name in names])
        self._recurrent = np.stack([tensors[f"lstm.weight_hh_{name}"][order].T * halved for name in names])
        biases = [tensors[f"lstm.bias_ih_{name}"] + tensors[f"lstm.bias_hh_{name}"] for name in names]
        self._bias = np.stack([bias[order] * halved for bias in biases])

    def __call__(self, frames: Frames) -> Frames:
        """Return (windows, frames, 2 * 128): what both directions know at each frame."""
        windows, count, _ = frames.shape
        both = np.stack([frames, frames[:, ::-1]]).transpose(2, 0, 1, 3)  # frame, direction, window, feature
        entries = both @ self._entry + self._bias[:, None]
        known = np.zeros((count + 1, 2, windows, HIDDEN), np.float32)  # each behind the one that it follows
        gates = np.empty((2, windows, 4 * HIDDEN), np.float32)
        sigmoids, candidate = gates[..., : 3 * HIDDEN], gates[..., 3 * HIDDEN :]
        keep, forget, expose = (sigmoids[..., at * HIDDEN : (at + 1) * HIDDEN] for at in range(3))
        cell, new = np.zeros_like(known[0]), np.empty_like(known[0])
        half = np.float32(0.5)
        for frame in range(count):
            np.matmul(known[frame], self._recurrent, out=gates)
            gates += entries[frame]
            np.tanh(gates, out=gates)
            sigmoids *= half
            sigmoids += half
            cell *= forget
            cell += np.multiply(keep, candidate, out=new)
            np.multiply(expose, np.tanh(cell, out=new), out=known[frame + 1])
        ahead, back = known[1:, 0], known[:0:-1, 1]
        return np.ascontiguousarray(np.concatenate([ahead, back], axis=-1).transpose(1, 0, 2))


def _rows(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Reshape convolution weights (out, in, width) to the matrix (width * in, out) that unrolled frames multiply."""
    rows: NDArray[np.float32] = np.ascontiguousarray(weight.transpose(2, 1, 0).reshape(-1, len(weight)))
    return rows


def _normalized(frames: Frames, tensors: Tensors, name: str) -> Frames:
    """Return frames (n, features) with mean 0 and deviation 1 in each feature, then scaled and shifted as learned."""
    centred = frames - frames.mean(axis=0)
    scale = tensors[f"{name}.weight"] / np.sqrt(np.mean(centred**2, axis=0) + np.float32(1e-5))
    normalized: Frames = centred * scale + tensors[f"{name}.bias"]
    return normalized


def _pooled(frames: Frames) -> Frames:
    """Return the maximum of every three frames (n // 3, features)."""
    kept = len(frames) // 3
    pooled: Frames = frames[: 3 * kept].reshape(kept, 3, -1).max(axis=1)
    return pooled


def _leaky(values: Frames) -> Frames:
    leaky: Frames = np.maximum(values, np.float32(0.01) * values)
    return leaky
