"""The draft network in torch, where it is trained; its parameters have the names of engine.hear.whisper.encoder_draft.

Shapes: b examples, t frames, s strides, d states, p pieces.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.hear.whisper.encoder_draft import STRIDE, DraftShape

HALFWAY_WEIGHT = 0.3  # of what the layers halfway write (InterCTC, arXiv:2102.03216)


class Layer(nn.Module):
    """One layer: neighbouring frames are mixed, then the states of each."""

    def __init__(self, states: int, width: int, dropout: float) -> None:
        super().__init__()
        self.mix_ln, self.mlp_ln = nn.LayerNorm(states), nn.LayerNorm(states)
        self.mix_in, self.mix_out = nn.Linear(states, 2 * states), nn.Linear(states, states)
        self.mix = nn.Parameter(torch.randn(width, states) * width**-0.5)
        self.mlp1, self.mlp2 = nn.Linear(states, 2 * states), nn.Linear(2 * states, states)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, audio: Tensor) -> Tensor:
        """Mix x (b, s, d) where there is audio (b, s, 1), which is 1 or 0."""
        gated = F.glu(self.mix_in(self.mix_ln(x))) * audio
        weights = self.mix.T[:, None].to(gated.dtype)
        mixed = F.conv1d(gated.transpose(1, 2), weights, padding=len(self.mix) // 2, groups=x.shape[-1])
        x = x + self.dropout(self.mix_out(F.silu(mixed.transpose(1, 2))))
        added: Tensor = x + self.dropout(self.mlp2(self.dropout(F.silu(self.mlp1(self.mlp_ln(x))))))
        return added


class Network(nn.Module):
    """The draft network."""

    def __init__(self, shape: DraftShape, dropout: float) -> None:
        super().__init__()
        self.enter = nn.Linear(STRIDE * shape.features, shape.states)
        self.layers = nn.ModuleList(Layer(shape.states, shape.width, dropout) for _ in range(shape.layers))
        self.ln = nn.LayerNorm(shape.states)
        self.leave = nn.Linear(shape.states, shape.pieces + 1)

    def forward(self, features: Tensor, strides: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits (b, s, p + 1) of features (b, t, d), of which the given number of strides (b,) are audio.

        Those after half of the layers come second.
        """
        rows, frames, width = features.shape
        x = self.enter(features.reshape(rows, frames // STRIDE, STRIDE * width))
        audio = (torch.arange(x.shape[1], device=x.device) < strides[:, None])[..., None].to(x.dtype)
        halfway = x
        for number, layer in enumerate(self.layers):
            if number == len(self.layers) // 2:
                halfway = x
            x = layer(x, audio)
        return self.leave(self.ln(x)), self.leave(self.ln(halfway))

    def loss(self, features: Tensor, strides: Tensor, targets: Sequence[Tensor], bfloat16: bool) -> Tensor:
        """Return the mean loss of pieces by what the network writes, and by what the layers halfway do."""
        with torch.autocast(features.device.type, torch.bfloat16, enabled=bfloat16):
            written = self(features, strides)
        wanted, lengths = torch.cat(list(targets)), torch.tensor([len(target) for target in targets])
        last, halfway = (
            F.ctc_loss(
                logits.float().log_softmax(-1).transpose(0, 1), wanted.to(features.device), strides,
                lengths.to(features.device), logits.shape[-1] - 1, "sum", zero_infinity=True,
            ) / int(lengths.sum())
            for logits in written
        )  # fmt: skip
        return (1 - HALFWAY_WEIGHT) * last + HALFWAY_WEIGHT * halfway

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return its parameters as arrays."""
        return {name: tensor.detach().cpu().float().numpy() for name, tensor in self.state_dict().items()}
