from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from engine.speakers.features import filter_bank
from engine.speakers.voice_prints import BLOCKS, CONTEXT_FRAMES, LONGEST_SAMPLES, VoicePrints
from engine.speakers.weights import load_tensors
from tests.people_clips import people_clips


def test_halves_of_a_sentence_are_more_alike_than_two_people() -> None:
    prints = VoicePrints()
    halves = []
    for clip in people_clips()[:6]:
        middle = len(clip.samples) // 2
        halves.append((prints(clip.samples[:middle]), prints(clip.samples[middle:])))
    same = [float(first @ second) for first, second in halves]
    other = [float(a[0] @ b[1]) for a, b in combinations(halves, 2)]
    assert min(same) > max(other)
    assert all(abs(float(np.linalg.norm(each)) - 1) < 1e-5 for pair in halves for each in pair)


def test_too_little_sound_has_no_print() -> None:
    assert not VoicePrints()(np.zeros(1000, np.float32)).any()


def test_the_network_is_the_published_one() -> None:
    torch = pytest.importorskip("torch")
    samples = people_clips()[0].samples[:LONGEST_SAMPLES]
    expected = _plain(torch, filter_bank(samples))
    found = VoicePrints()(samples)
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-4)


def _plain(torch: Any, features: np.ndarray) -> np.ndarray:
    """Compute CAM++ layer by layer in torch's own operations."""
    weights = {name: torch.tensor(values) for name, values in load_tensors("voice-prints").items()}
    functional = torch.nn.functional

    def normalized(values: Any, name: str) -> Any:
        learned = weights.get(f"{name}.weight"), weights.get(f"{name}.bias")
        return functional.batch_norm(
            values, weights[f"{name}.running_mean"], weights[f"{name}.running_var"], *learned, eps=1e-5
        )

    def convolved(values: Any, name: str, **how: Any) -> Any:
        convolve = functional.conv2d if weights[f"{name}.weight"].ndim == 4 else functional.conv1d
        return convolve(values, weights[f"{name}.weight"], weights.get(f"{name}.bias"), **how)

    with torch.no_grad():
        image = torch.tensor(features.T)[None, None]
        image = normalized(convolved(image, "head.conv1", padding=1), "head.bn1").relu()
        for name, stride in [(f"head.layer{layer}.{index}", 2 - index) for layer in (1, 2) for index in (0, 1)]:
            inner = normalized(convolved(image, f"{name}.conv1", stride=(stride, 1), padding=1), f"{name}.bn1").relu()
            inner = normalized(convolved(inner, f"{name}.conv2", padding=1), f"{name}.bn2")
            if f"{name}.shortcut.0.weight" in weights:
                image = normalized(convolved(image, f"{name}.shortcut.0", stride=(stride, 1)), f"{name}.shortcut.1")
            image = (inner + image).relu()
        image = normalized(convolved(image, "head.conv2", stride=(2, 1), padding=1), "head.bn2").relu()
        frames = convolved(image.flatten(1, 2), "xvector.tdnn.linear", stride=2, padding=2)
        frames = normalized(frames, "xvector.tdnn.nonlinear.batchnorm").relu()
        for block, (layers, dilation) in enumerate(BLOCKS, start=1):
            for name in [f"xvector.block{block}.tdnnd{layer}" for layer in range(1, layers + 1)]:
                narrow = convolved(normalized(frames, f"{name}.nonlinear1.batchnorm").relu(), f"{name}.linear1")
                narrow = normalized(narrow, f"{name}.nonlinear2.batchnorm").relu()
                near = functional.avg_pool1d(narrow, CONTEXT_FRAMES, CONTEXT_FRAMES, ceil_mode=True)
                near = near.repeat_interleave(CONTEXT_FRAMES, dim=-1)[..., : narrow.shape[-1]]
                context = convolved(narrow.mean(-1, keepdim=True) + near, f"{name}.cam_layer.linear1").relu()
                mask = convolved(context, f"{name}.cam_layer.linear2").sigmoid()
                local = convolved(narrow, f"{name}.cam_layer.linear_local", padding=dilation, dilation=dilation)
                frames = torch.cat([frames, local * mask], dim=1)
            name = f"xvector.transit{block}"
            frames = convolved(normalized(frames, f"{name}.nonlinear.batchnorm").relu(), f"{name}.linear")
        frames = normalized(frames, "xvector.out_nonlinear.batchnorm").relu()
        pooled = torch.cat([frames.mean(-1), frames.std(-1, unbiased=True)], dim=1)[..., None]
        found = normalized(convolved(pooled, "xvector.dense.linear"), "xvector.dense.nonlinear.batchnorm")
        return np.asarray(found[0, :, 0])
