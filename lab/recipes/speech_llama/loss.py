"""The loss of a Speech-LLaMA's training, in torch alone: that of arXiv:2409.08148 (equation 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from lab.recipes.speech_llama.model import EMBEDDING_SECONDS, SpeechLlama
from lab.recipes.speech_llama.special import BEGIN, BEGINS, END, IGNORE
from lab.recipes.training.run import RunOptions

HEADS_SHARE = 0.4  # of the places, drawn again for each head, that heads after the first learn from
GUIDE_WEIGHT = 0.02
LATENT_RATE = 10.0
Spelled = tuple[Sequence[int], Sequence[tuple[float, float]]]
"""Tokens, and when each is said, in seconds."""


@dataclass(frozen=True, slots=True)
class HeadOptions(RunOptions):
    """Options of a run that teaches heads.

    Attributes:
        ahead: tokens predicted at once.
        head_weight: of the losses of the tokens after the next (alpha of equation 11); half of it beyond the fourth.
        trunk_share: of their gradients that reaches the layers; with all of it from the start the model, which can
            write by then, learns to skip words.
    """

    ahead: int = 4
    head_weight: float = 0.5
    trunk_share: float = 0.1


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples of one step, padded at the end.

    Attributes:
        features: (b, s, d).
        frames: how many of each row's are audio (b,).
        tokens, targets: (b, t); IGNORE where nothing is to be predicted.
        windows: (b, t, 2) in seconds, where each target is said.
    """

    features: Tensor
    frames: Tensor
    tokens: Tensor
    targets: Tensor
    windows: Tensor

    def to(self, device: str) -> Batch:
        """Return the batch on a device."""
        parts = (self.features, self.frames, self.tokens, self.targets, self.windows)
        return Batch(*(part.to(device) for part in parts))


def batch_of(features: Tensor, frames: Tensor, spelled: Sequence[Spelled]) -> Batch:
    """Pad the tokens of examples, whose features (b, s, d) are padded already."""
    most = max(len(tokens) for tokens, _ in spelled) + BEGINS
    tokens, targets = np.full((len(spelled), most), END), np.full((len(spelled), most), IGNORE)
    windows = np.full((len(spelled), most, 2), np.nan, np.float32)
    for row, (ids, times) in enumerate(spelled):
        tokens[row, : len(ids) + BEGINS] = [*[BEGIN] * BEGINS, *ids]
        targets[row, BEGINS - 1 : len(ids) + BEGINS] = [*ids, END]
        if len(ids):
            windows[row, BEGINS - 1 : len(ids) + BEGINS - 1] = times
    return Batch(features, frames, *(torch.from_numpy(part) for part in (tokens, targets, windows)))


def head_weights(options: HeadOptions) -> list[float]:
    """Return what the loss of each head counts, the next token's first."""
    return [1.0] + [options.head_weight * (1.0 if k <= 4 else 0.5) for k in range(2, options.ahead + 1)]


def loss_of(model: SpeechLlama, batch: Batch, options: HeadOptions) -> Tensor:
    """Run the model over a batch: each head's cross-entropy by its weight, and how much the guided attention misses."""
    guided = model.shape.guided
    with torch.autocast(batch.features.device.type, torch.bfloat16, enabled=options.in_bfloat16):
        heard = model.read_audio(model.embed(batch.features), through=False)
        counts = -(-batch.frames // model.shape.stacked)
        looks = {(layer, head): torch.empty(0) for layer, head, _ in guided}
        states = model.write(heard, counts, batch.tokens, looks=looks)
        # Whatever looks ahead must not make the model itself say what comes later, which is how it began to skip words.
        apart = states.detach() + options.trunk_share * (states - states.detach())
        total = torch.zeros((), device=states.device)
        for ahead, weight in enumerate(head_weights(options), 1):
            targets = F.pad(batch.targets[:, ahead - 1 :], (0, ahead - 1), value=IGNORE)
            if ahead > 1:
                targets = model.columns(targets)
            wanted = targets != IGNORE
            if ahead > 1:  # the unembedding is most of what a head costs, and neighbours teach much the same
                wanted &= torch.rand(wanted.shape, device=wanted.device) < HEADS_SHARE
            logits = model.logits((states if ahead == 1 else apart)[wanted], ahead).float()
            missed = F.cross_entropy(logits, targets[wanted], reduction="sum") / max(int(wanted.sum()), 1)
            total = total + weight * missed
    seen = [(looks[layer, head], ahead) for layer, head, ahead in guided]
    return total + GUIDE_WEIGHT * guide_loss(seen, batch.windows)


def guide_loss(seen: list[tuple[Tensor, int]], windows: Tensor) -> Tensor:
    """Ask heads, each with what it looks at (b, t, a), to look where a token ahead is said: windows (b, t, 2)."""
    parts = []
    for looks, ahead in seen:
        ahead_windows = windows[:, ahead - 1 :]
        if not ahead_windows.shape[1]:
            continue
        starts = torch.arange(looks.shape[-1], device=looks.device) * EMBEDDING_SECONDS
        inside = (starts + EMBEDDING_SECONDS >= ahead_windows[..., :1] - 0.06) & (starts <= ahead_windows[..., 1:])
        known = ~ahead_windows[..., 0].isnan()
        mass = (looks[:, : ahead_windows.shape[1]] * inside).sum(-1)[known]
        parts.append(-(mass + 1e-3).log().sum() / max(mass.numel(), 1))
    return torch.stack(parts).mean()


def make_optimiser(model: SpeechLlama, rate: float) -> torch.optim.Optimizer:
    """Return AdamW with a higher rate for the multi-token heads, which begin as nothing."""
    rest = [each for each in model.parameters() if each.requires_grad and each is not model.latent]
    groups = [{"params": rest, "share": 1.0}, {"params": [model.latent], "share": LATENT_RATE}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
