"""People of a packed folder on the device, and the frozen encoder that hears them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from lab.recipes.packed.folder import read_about, read_arrays
from lab.recipes.packed.sounds import FRAMES_PER_SECOND, decoded, stacked
from lab.recipes.speech.torch_layers import Encoder

ENCODER = "encoder."
SORTED_BATCHES = 20  # that are sorted by length together


class People:
    """Clips of people.

    Attributes:
        about: what the folder says of the model.
        mels: log-mel (f, m) of each clip.
        pieces: of a draft network, of each clip.
        tokens, times: of a Speech-LLaMA, and when the word of each is said (n, 2), in seconds.
        known, held_out: clips of speakers to learn from, and to measure with.
    """

    def __init__(self, folder: Path, device: str, bfloat16: bool) -> None:
        self.about, arrays = read_about(folder), read_arrays(folder)
        self.mels = [
            torch.from_numpy(decoded(part, float(loudest))).to(device)
            for part, loudest in zip(_parts(arrays, "mel", "frames"), arrays["loudest"], strict=True)
        ]
        self.pieces = [torch.from_numpy(part.astype(np.int64)) for part in _parts(arrays, "pieces", "counts")]
        self.tokens = _parts(arrays, "tokens", "token_counts")
        self.times = [part / FRAMES_PER_SECOND for part in _parts(arrays, "times", "token_counts")]
        apart = arrays["held_out"].astype(bool)
        self.known, self.held_out = np.flatnonzero(~apart), np.flatnonzero(apart)
        self.encoder = _encoder(arrays, self.about).to(device)
        self._bfloat16 = bfloat16

    def described(self) -> str:
        """Return how many clips there are, and how long all are."""
        seconds = sum(map(len, self.mels)) / FRAMES_PER_SECOND
        return f"{len(self.known)} clips, {len(self.held_out)} held out, {seconds:,.0f} s of speech"

    def batches(self, seed: int, step: int, size: int) -> list[list[int]]:
        """Draw clips to learn from, in batches of about one length."""
        chance = np.random.default_rng([seed, step])
        drawn = chance.choice(self.known, min(SORTED_BATCHES * size, len(self.known)), replace=False)
        ranked = sorted(drawn.tolist(), key=lambda clip: len(self.mels[clip]))
        batches = [ranked[first : first + size] for first in range(0, len(ranked), size)]
        return [batches[place] for place in chance.permutation(len(batches))]

    @torch.no_grad()
    def features(self, mels: Sequence[Tensor], stride: int = 1) -> tuple[Tensor, Tensor]:
        """Return features (b, t, d) of log-mel, padded to whole strides, and how many each has (b,)."""
        mel, frames = stacked(list(mels))
        counts = -(-frames // 2)
        mask = (torch.arange(-(-mel.shape[1] // 2), device=mel.device) < counts[:, None])[:, None, None]
        with torch.autocast(mel.device.type, torch.bfloat16, enabled=self._bfloat16):
            features = self.encoder(mel, mask).float() * mask[:, 0, 0, :, None]
        return F.pad(features, (0, 0, 0, -features.shape[1] % stride)), counts


def _parts(arrays: dict[str, NDArray[Any]], name: str, counts: str) -> list[NDArray[Any]]:
    return np.split(arrays[name], np.cumsum(arrays[counts])[:-1])


def _encoder(arrays: dict[str, NDArray[Any]], about: dict[str, str]) -> Encoder:
    """Build the frozen encoder of what was packed."""
    weights = {
        name.removeprefix(ENCODER): torch.from_numpy(array.astype(np.float32))
        for name, array in arrays.items()
        if name.startswith(ENCODER)
    }
    dims: Any = SimpleNamespace(**json.loads(about["dims"]))
    encoder = Encoder(dims, weights.pop("positions"))
    encoder.load_state_dict(weights)
    return encoder.eval().requires_grad_(False)
