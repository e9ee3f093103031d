"""Voice prints: vectors that are close for the same voice, whatever it says.

The network is CAM++ (Wang et al., Interspeech 2023) as 3D-Speaker published it: a small residual network over the
spectrum, then densely connected layers over time, each masked by its context, and the mean and deviation over time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import VOICE_PRINT_VALUES
from engine.machine.backend import prepare
from engine.speakers.features import filter_bank
from engine.speakers.weights import Tensors, load_tensors

BLOCKS = ((12, 1), (24, 2), (16, 2))
"""Layers and dilation of each densely connected block."""

CONTEXT_FRAMES = 100
"""Frames whose mean is the near context of each of them."""

LONGEST_SECONDS = 3.0
LONGEST_SAMPLES = round(LONGEST_SECONDS * SAMPLE_RATE_HZ)
"""Most samples that are looked at: a longer stretch says no more about its voice. Chosen in LOG 2026-11-28."""

VoicePrint = NDArray[np.float32]

Layer = Callable[[mx.array], mx.array]


class VoicePrints:
    """The network. Raises ModelError if its weights are missing or damaged."""

    def __init__(self, path: Path | None = None) -> None:
        prepare()
        tensors = load_tensors("voice-prints", path)
        self._spectrum = _SpectrumNetwork(tensors)
        self._entry = _Convolution(tensors, "xvector.tdnn.linear", "xvector.tdnn.nonlinear.batchnorm", width=5)
        self._blocks = [_Block(tensors, number, *size) for number, size in enumerate(BLOCKS, start=1)]
        self._exit = _Normalization(tensors, "xvector.out_nonlinear.batchnorm")
        self._dense = _Convolution(tensors, "xvector.dense.linear", "xvector.dense.nonlinear.batchnorm")

    def __call__(self, samples: Samples) -> VoicePrint:
        """Return the voice print (192,) of samples (n,) of one voice, of length 1; zeros where they are too short."""
        features = filter_bank(samples[:LONGEST_SAMPLES])
        if len(features) < 2 * CONTEXT_FRAMES // 10:
            return np.zeros(VOICE_PRINT_VALUES, np.float32)
        frames = self._entry(self._spectrum(mx.array(features)), stride=2)
        frames = mx.maximum(frames, 0)
        for block in self._blocks:
            frames = block(frames)
        frames = mx.maximum(self._exit(frames), 0)
        pooled = mx.concatenate([mx.mean(frames, axis=0), mx.sqrt(mx.var(frames, axis=0, ddof=1))])
        print_ = np.array(self._dense(pooled[None])[0], dtype=np.float32)
        return print_ / max(float(np.linalg.norm(print_)), 1e-6)


def mean_print(prints: Sequence[VoicePrint], seconds: Sequence[float]) -> VoicePrint:
    """Return the voice print (192,) that stands for several of one voice, each made of so many seconds."""
    total = np.average(prints, axis=0, weights=seconds)
    mean: VoicePrint = (total / max(float(np.linalg.norm(total)), 1e-6)).astype(np.float32)
    return mean


class _Normalization:
    """A batch normalization after training: a scale and a shift of each feature."""

    def __init__(self, tensors: Tensors, name: str) -> None:
        scale, shift = _scale_and_shift(tensors, name)
        self._scale, self._shift = mx.array(scale), mx.array(shift)

    def __call__(self, frames: mx.array) -> mx.array:
        return frames * self._scale + self._shift


class _Convolution:
    """A convolution over time as one matrix product, with the normalization behind it or its own bias."""

    def __init__(self, tensors: Tensors, name: str, normalization: str = "", width: int = 1, dilation: int = 1) -> None:
        weight = tensors[f"{name}.weight"]  # (out, in, width)
        shift = tensors.get(f"{name}.bias", np.zeros(len(weight), np.float32))
        if normalization:
            scale, shift = _scale_and_shift(tensors, normalization)
            weight = weight * scale[:, None, None]
        self._rows = mx.array(np.ascontiguousarray(weight.transpose(2, 1, 0).reshape(-1, len(weight))))
        self._shift = mx.array(shift)
        self._width, self._dilation = width, dilation

    def __call__(self, frames: mx.array, stride: int = 1) -> mx.array:
        """Return (ceil(n / stride), out) for frames (n, in)."""
        reach = (self._width - 1) * self._dilation
        if reach:
            padded = mx.pad(frames, [(reach // 2, reach - reach // 2), (0, 0)])
            starts = range(0, reach + 1, self._dilation)
            frames = mx.concatenate([padded[at : at + len(frames) : stride] for at in starts], axis=1)
        return frames @ self._rows + self._shift


class _SpectrumNetwork:
    """Two-dimensional residual convolutions: features (n, 80) become frames (n, 320)."""

    def __init__(self, tensors: Tensors) -> None:
        self._entry = _Convolution2d(tensors, "head.conv1", "head.bn1")
        self._blocks = [
            _Residual(tensors, f"head.layer{layer}.{index}", stride=2 - index) for layer in (1, 2) for index in (0, 1)
        ]
        self._exit = _Convolution2d(tensors, "head.conv2", "head.bn2", stride=2)

    def __call__(self, features: mx.array) -> mx.array:
        image = mx.maximum(self._entry(features[:, :, None]), 0)  # (time, band, channel)
        for block in self._blocks:
            image = block(image)
        image = mx.maximum(self._exit(image), 0)
        return image.transpose(0, 2, 1).reshape(len(image), -1)


class _Convolution2d:
    """A convolution over time and bands, with the normalization behind it; `stride` is that of the bands.

    Neighbouring bands become features, one matrix product serves all steps of time, and their results are added up:
    on CPUs that is faster than MLX's own convolution.
    """

    def __init__(self, tensors: Tensors, name: str, normalization: str, stride: int = 1) -> None:
        scale, shift = _scale_and_shift(tensors, normalization)
        weight = tensors[f"{name}.weight"] * scale[:, None, None, None]  # (out, in, band, time)
        self._width = weight.shape[-1]
        rows = weight.transpose(2, 1, 3, 0).reshape(-1, self._width * len(weight))  # (band * in, time * out)
        self._rows = mx.array(np.ascontiguousarray(rows))
        self._shift = mx.array(shift)
        self._stride = stride

    def __call__(self, image: mx.array) -> mx.array:
        """Return (time, bands / stride, out) for an image (time, bands, in)."""
        times, bands, _ = image.shape
        reach = self._width // 2
        padded = mx.pad(image, [(reach, reach), (reach, reach), (0, 0)])
        near = mx.concatenate([padded[:, at : at + bands : self._stride] for at in range(self._width)], axis=2)
        products = (near @ self._rows).reshape(*near.shape[:2], self._width, -1)
        image = products[:times, :, 0]
        for at in range(1, self._width):
            image = image + products[at : at + times, :, at]
        return image + self._shift


class _Residual:
    """Two convolutions and the way around them."""

    def __init__(self, tensors: Tensors, name: str, stride: int) -> None:
        self._first = _Convolution2d(tensors, f"{name}.conv1", f"{name}.bn1", stride)
        self._second = _Convolution2d(tensors, f"{name}.conv2", f"{name}.bn2")
        self._around: Layer = lambda image: image
        if f"{name}.shortcut.0.weight" in tensors:
            self._around = _Convolution2d(tensors, f"{name}.shortcut.0", f"{name}.shortcut.1", stride)

    def __call__(self, image: mx.array) -> mx.array:
        inner = self._second(mx.maximum(self._first(image), 0))
        return mx.maximum(inner + self._around(image), 0)


class _Block:
    """Densely connected layers: each adds 32 features to those it is given; the transition halves their number."""

    def __init__(self, tensors: Tensors, number: int, layers: int, dilation: int) -> None:
        name = f"xvector.block{number}.tdnnd"
        self._layers = [_MaskedLayer(tensors, f"{name}{layer}", dilation) for layer in range(1, layers + 1)]
        self._normalization = _Normalization(tensors, f"xvector.transit{number}.nonlinear.batchnorm")
        self._transition = _Convolution(tensors, f"xvector.transit{number}.linear")

    def __call__(self, frames: mx.array) -> mx.array:
        for layer in self._layers:
            frames = mx.concatenate([frames, layer(frames)], axis=1)
        return self._transition(mx.maximum(self._normalization(frames), 0))


class _MaskedLayer:
    """A convolution over time whose features are masked by what is around them, near and in the whole stretch."""

    def __init__(self, tensors: Tensors, name: str, dilation: int) -> None:
        self._normalization = _Normalization(tensors, f"{name}.nonlinear1.batchnorm")
        self._narrow = _Convolution(tensors, f"{name}.linear1", f"{name}.nonlinear2.batchnorm")
        self._local = _Convolution(tensors, f"{name}.cam_layer.linear_local", width=3, dilation=dilation)
        self._context = _Convolution(tensors, f"{name}.cam_layer.linear1")
        self._mask = _Convolution(tensors, f"{name}.cam_layer.linear2")

    def __call__(self, frames: mx.array) -> mx.array:
        narrow = mx.maximum(self._narrow(mx.maximum(self._normalization(frames), 0)), 0)
        starts = range(0, len(narrow), CONTEXT_FRAMES)
        near = mx.stack([mx.mean(narrow[at : at + CONTEXT_FRAMES], axis=0) for at in starts])
        mask = mx.sigmoid(self._mask(mx.maximum(self._context(near + mx.mean(narrow, axis=0)), 0)))
        return self._local(narrow) * mx.repeat(mask, CONTEXT_FRAMES, axis=0)[: len(narrow)]


def _scale_and_shift(tensors: Tensors, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return what a batch normalization multiplies by and adds, from its running statistics."""
    scale = 1 / np.sqrt(tensors[f"{name}.running_var"] + 1e-5)
    shift = -tensors[f"{name}.running_mean"] * scale
    if f"{name}.weight" in tensors:
        weight = tensors[f"{name}.weight"]
        scale, shift = scale * weight, shift * weight + tensors[f"{name}.bias"]
    return scale.astype(np.float32), shift.astype(np.float32)
