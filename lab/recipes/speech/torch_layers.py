"""Whisper's layers and its encoder in torch alone.

Shapes: b examples, f frames of log-mel (100 a second), t frames of features (50), n tokens, d states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

if TYPE_CHECKING:
    from engine.hear.whisper.model import ModelDimensions

Pair = tuple[Tensor, Tensor]
"""Keys and values (b, h, n, s)."""


def joined(own: Pair, around: Pair) -> Pair:
    """Join keys and values with those around them."""
    return torch.cat([own[0], around[0]], 2), torch.cat([own[1], around[1]], 2)


class Attention(nn.Module):
    """Attention whose keys and values the caller holds."""

    def __init__(self, states: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(states, states)
        self.key = nn.Linear(states, states, bias=False)
        self.value = nn.Linear(states, states)
        self.out = nn.Linear(states, states)

    def split(self, x: Tensor) -> Tensor:
        """Split states into heads: (b, n, d) -> (b, h, n, d / h)."""
        return x.reshape(*x.shape[:-1], self.heads, -1).transpose(1, 2)

    def keys_values(self, x: Tensor) -> Pair:
        """Make keys and values (b, h, n, d / h) of what is attended to (b, n, d)."""
        return self.split(self.key(x)), self.split(self.value(x))

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, causal: bool = False, mask: Tensor | None = None
    ) -> Tensor:
        """Attend from x (b, n, d) to keys and values (b, h, t, d / h), where the mask (b, 1, 1, t) is true."""
        mixed = F.scaled_dot_product_attention(
            self.split(self.query(x)), keys, values, attn_mask=mask, is_causal=causal
        )
        attended: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return attended

    def scores(self, x: Tensor, keys: Tensor) -> Tensor:
        """Return the scaled scores (b, h, n, t) before softmax."""
        query = self.split(self.query(x))
        scores: Tensor = query @ keys.transpose(-1, -2) * query.shape[-1] ** -0.5
        return scores


class Block(nn.Module):
    """A layer of the encoder or, with cross-attention, of the decoder."""

    def __init__(self, states: int, heads: int, crossed: bool) -> None:
        super().__init__()
        self.attn = Attention(states, heads)
        self.attn_ln = nn.LayerNorm(states)
        if crossed:
            self.cross_attn = Attention(states, heads)
            self.cross_attn_ln = nn.LayerNorm(states)
        self.mlp1 = nn.Linear(states, 4 * states)
        self.mlp2 = nn.Linear(4 * states, states)
        self.mlp_ln = nn.LayerNorm(states)

    def feed_forward(self, x: Tensor) -> Tensor:
        """Add the feed-forward layer to x (b, n, d)."""
        added: Tensor = x + self.mlp2(F.gelu(self.mlp1(self.mlp_ln(x))))
        return added


class Encoder(nn.Module):
    """Log-mel frames to features, for any length up to the positions there are."""

    positions: Tensor

    def __init__(self, dims: ModelDimensions, positions: Tensor) -> None:
        super().__init__()
        states = dims.n_audio_state
        self.conv1 = nn.Conv1d(dims.n_mels, states, 3, padding=1)
        self.conv2 = nn.Conv1d(states, states, 3, stride=2, padding=1)
        self.register_buffer("positions", positions, False)
        self.blocks = nn.ModuleList(Block(states, dims.n_audio_head, False) for _ in range(dims.n_audio_layer))
        self.ln_post = nn.LayerNorm(states)

    def forward(self, mel: Tensor, mask: Tensor | None = None, around: Sequence[Pair] | None = None) -> Tensor:
        """Encode mel (b, f, n_mels) as features (b, ceil(f / 2), d).

        Frames attend to each other where the mask is true, and to keys and values (b, h, m, s) around them, by layer.
        """
        x = self.place(mel)
        for index, block in enumerate(self.layers()):
            normed = block.attn_ln(x)
            keys_values = block.attn.keys_values(normed)
            if around is not None:
                keys_values = joined(keys_values, around[index])
            x = block.feed_forward(x + block.attn(normed, *keys_values, mask=mask))
        features: Tensor = self.ln_post(x)
        return features

    def layers(self) -> list[Block]:
        """List the layers, from the audio on."""
        return cast(list[Block], list(self.blocks))

    def place(self, mel: Tensor) -> Tensor:
        """Bring mel (b, f, n_mels) to the states (b, ceil(f / 2), d) that the layers begin with."""
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel.transpose(1, 2))))).transpose(1, 2)
        return x + self.positions[: x.shape[1]]
