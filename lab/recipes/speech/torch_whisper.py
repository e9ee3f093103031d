"""Whisper in torch, for recipes: training runs several times sooner there on a CPU than in MLX, and on CUDA as well.

Parameters have the names of `engine.hear.whisper.model`, so a loaded model's weights move over as they are.
Shapes: b examples, s samples, f frames of log-mel (100 a second), t frames of features (50), n tokens, d states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import mlx.core as mx
import numpy as np
import torch
from mlx.utils import tree_flatten
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.audio import Samples
from engine.hear.whisper.mel import DYNAMIC_RANGE, FLOOR, HOP_LENGTH, N_FFT, mel_filters
from engine.hear.whisper.model import ModelDimensions, Whisper
from lab.recipes.speech.torch_layers import Block, Encoder, Pair, joined


class LogMel(nn.Module):
    """Samples to log-mel as `engine.hear.whisper.mel` makes it, differentiable."""

    filters: Tensor
    window: Tensor

    def __init__(self, n_mels: int) -> None:
        super().__init__()
        self.register_buffer("filters", torch.from_numpy(np.array(mel_filters(n_mels))).T.contiguous(), False)
        self.register_buffer("window", torch.hann_window(N_FFT), False)

    def forward(self, samples: Tensor) -> Tensor:
        """Turn samples (b, s) into log-mel (b, s // 160, n_mels); each row has its own floor."""
        spectrum = torch.stft(samples, N_FFT, HOP_LENGTH, window=self.window, return_complex=True)[..., :-1]
        power = spectrum.real.square() + spectrum.imag.square()
        mel = (power.transpose(1, 2) @ self.filters).clamp(min=FLOOR).log10()
        floored: Tensor = torch.maximum(mel, mel.amax((1, 2), keepdim=True) - DYNAMIC_RANGE)
        return (floored + 4.0) / 4.0


class Decoder(nn.Module):
    """Tokens and features to logits."""

    def __init__(self, dims: ModelDimensions) -> None:
        super().__init__()
        states = dims.n_text_state
        self.token_embedding = nn.Embedding(dims.n_vocab, states)
        self.positional_embedding = nn.Parameter(torch.zeros(dims.n_text_ctx, states))
        self.blocks = nn.ModuleList(Block(states, dims.n_text_head, True) for _ in range(dims.n_text_layer))
        self.ln = nn.LayerNorm(states)

    def cross(self, features: Tensor, around: Sequence[Pair] | None = None) -> list[Pair]:
        """Make every layer's keys and values of features (b, t, d), followed by those around them, if any."""
        made = [block.cross_attn.keys_values(features) for block in self.layers()]
        return made if around is None else [joined(*pairs) for pairs in zip(made, around, strict=True)]

    def forward(
        self,
        tokens: Tensor,
        cross: list[Pair],
        past: list[Pair] | None = None,
        scores: dict[int, Tensor] | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        """Return final states (b, n, d) of tokens (b, n).

        `past` holds each layer's keys and values of the tokens before, and is extended; without it the tokens are
        the first. `scores` takes each layer's cross-attention scores (b, h, n, t). `mask` (b, 1, 1, t) says which
        frames there are.
        """
        offset = past[0][0].shape[2] if past else 0
        x = self.token_embedding(tokens) + self.positional_embedding[offset : offset + tokens.shape[1]]
        for index, block in enumerate(self.layers()):
            normed = block.attn_ln(x)
            keys, values = block.attn.keys_values(normed)
            if past is not None:
                if len(past) > index:
                    past[index] = keys, values = joined(past[index], (keys, values))
                else:
                    past.append((keys, values))
            x = x + block.attn(normed, keys, values, causal=tokens.shape[1] > 1)
            normed = block.cross_attn_ln(x)
            if scores is not None:
                scores[index] = block.cross_attn.scores(normed, cross[index][0])
            x = block.feed_forward(x + block.cross_attn(normed, *cross[index], mask=mask))
        states: Tensor = self.ln(x)
        return states

    def layers(self) -> list[Block]:
        """List the layers, from the tokens on."""
        return cast(list[Block], list(self.blocks))

    def logits(self, states: Tensor) -> Tensor:
        """Return logits (…, v) of states (…, d)."""
        return states @ self.token_embedding.weight.T


class TorchWhisper(nn.Module):
    """The whole model, with the weights of one that is loaded in MLX."""

    def __init__(self, source: Whisper) -> None:
        super().__init__()
        self.dims = source.dims
        self.alignment_heads: Sequence[tuple[int, int]] = source.alignment_heads
        self.log_mel = LogMel(self.dims.n_mels)
        self.encoder = Encoder(self.dims, torch.from_numpy(np.array(source.encoder._positions, np.float32)))
        self.decoder = Decoder(self.dims)
        weights = {}
        for name, array in cast(list[tuple[str, mx.array]], tree_flatten(source.parameters())):
            tensor = torch.from_numpy(np.array(array, np.float32))
            weights[name] = tensor.transpose(1, 2).contiguous() if tensor.ndim == 3 else tensor  # a convolution's
        embedded = source.embedding(mx.arange(source.dims.n_vocab))  # of all tokens, where many share one row
        weights["decoder.token_embedding.weight"] = torch.from_numpy(np.array(embedded, np.float32))
        self.load_state_dict(weights)
        self.requires_grad_(False)

    def listen(self, samples: Tensor) -> Tensor:
        """Encode samples (b, s) to features (b, t, d)."""
        features: Tensor = self.encoder(self.log_mel(samples))
        return features

    @torch.inference_mode()
    def hear(self, samples: Samples) -> NDArray[np.float32]:
        """Return features (t, d), on the host, of samples (n,)."""
        features: NDArray[np.float32] = self.listen(torch.from_numpy(samples)[None])[0].numpy()
        return features
