"""The Whisper architecture in torch, with the two extra outputs that teach it sooner.

Parameter names are those of mlx-whisper, so that export is a change of layout only.
Shapes: b examples, f log-mel frames, s encoder frames (f / 2), t tokens, d states.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

TIME_TOKENS = 1501  # <|0.00|> to <|30.00|>


@dataclass(frozen=True, slots=True)
class HearingShape:
    """The dimensions of the model; the vocabulary is the reduced one it trains with."""

    vocabulary: int
    phonemes: int
    states: int = 192
    heads: int = 3
    layers: int = 4
    mels: int = 80
    audio_context: int = 1500
    text_context: int = 448
    guided_heads: tuple[tuple[int, int], ...] = ((2, 0), (3, 0), (3, 1))

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def sinusoids(length: int, channels: int) -> Tensor:
    """Whisper's positions of the encoder (length, channels)."""
    half = channels // 2
    scales = torch.exp(-math.log(10000.0) / (half - 1) * torch.arange(half))
    angles = torch.arange(length)[:, None] * scales[None, :]
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def time_features(count: int = TIME_TOKENS, channels: int = 64) -> Tensor:
    """Smooth features of the time tokens (count, channels): near times look alike."""
    seconds = torch.arange(count)[:, None] * 0.02
    periods = torch.logspace(math.log10(0.12), math.log10(60.0), channels // 2)[None, :]
    angles = 2 * math.pi * seconds / periods
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class Attention(nn.Module):
    """Multi-head attention; `weights` asks for the attention itself as well."""

    def __init__(self, states: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(states, states)
        self.key = nn.Linear(states, states, bias=False)
        self.value = nn.Linear(states, states)
        self.out = nn.Linear(states, states)

    def forward(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor | None = None,
        causal: bool = False,
        weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from x (b, t, d) to source (b, s, d); mask (b, 1, 1, s) is True to see."""
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.query(x), self.key(source), self.value(source))
        )
        if not weights:
            mixed = F.scaled_dot_product_attention(query, key, value, mask, is_causal=causal)
            return self.out(mixed.transpose(1, 2).flatten(2)), None
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attention = scores.float().softmax(-1)
        mixed = attention.to(value.dtype) @ value
        return self.out(mixed.transpose(1, 2).flatten(2)), attention


class Block(nn.Module):
    """One pre-norm layer of the encoder, or of the decoder with cross-attention."""

    def __init__(self, states: int, heads: int, crosses: bool) -> None:
        super().__init__()
        self.attn = Attention(states, heads)
        self.attn_ln = nn.LayerNorm(states)
        if crosses:
            self.cross_attn = Attention(states, heads)
            self.cross_attn_ln = nn.LayerNorm(states)
        self.mlp1 = nn.Linear(states, 4 * states)
        self.mlp2 = nn.Linear(4 * states, states)
        self.mlp_ln = nn.LayerNorm(states)
        self.crosses = crosses

    def forward(
        self, x: Tensor, mask: Tensor | None, audio: Tensor | None = None, weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Transform x (b, t, d); in the decoder the mask is that of the audio."""
        normed = self.attn_ln(x)
        own_mask = None if self.crosses else mask
        x = x + self.attn(normed, normed, own_mask, causal=self.crosses)[0]
        attention = None
        if self.crosses:
            heard, attention = self.cross_attn(self.cross_attn_ln(x), audio, mask, weights=weights)
            x = x + heard
        return x + self.mlp2(F.gelu(self.mlp1(self.mlp_ln(x)))), attention


class Encoder(nn.Module):
    """Log-mel frames to audio states at 50 a second."""

    def __init__(self, shape: HearingShape) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(shape.mels, shape.states, 3, padding=1)
        self.conv2 = nn.Conv1d(shape.states, shape.states, 3, stride=2, padding=1)
        self.positions: Tensor
        self.register_buffer("positions", sinusoids(shape.audio_context, shape.states), persistent=False)
        self.blocks = nn.ModuleList(Block(shape.states, shape.heads, crosses=False) for _ in range(shape.layers))
        self.ln_post = nn.LayerNorm(shape.states)

    def forward(self, mel: Tensor, mask: Tensor | None) -> Tensor:
        """Encode mel (b, f, 80) as audio (b, s, d); mask (b, 1, 1, s)."""
        x = F.gelu(self.conv1(mel.transpose(1, 2)))
        x = F.gelu(self.conv2(x)).transpose(1, 2)
        x = x + self.positions[: x.shape[1]].to(x.dtype)
        for block in self.blocks:
            x, _ = block(x, mask)
        encoded: Tensor = self.ln_post(x)
        return encoded


class Decoder(nn.Module):
    """Tokens and audio states to logits of the next token."""

    def __init__(self, shape: HearingShape) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(shape.vocabulary - TIME_TOKENS, shape.states)
        self.time_map = nn.Linear(64, shape.states, bias=False)
        self.register_buffer("time_basis", time_features(), persistent=False)
        self.positional_embedding = nn.Parameter(0.01 * torch.randn(shape.text_context, shape.states))
        self.blocks = nn.ModuleList(Block(shape.states, shape.heads, crosses=True) for _ in range(shape.layers))
        self.ln = nn.LayerNorm(shape.states)
        self.guided_heads = shape.guided_heads

    def rows(self) -> Tensor:
        """The embedding of all tokens (vocabulary, d): time tokens share a smooth map."""
        return torch.cat([self.token_embedding.weight, self.time_map(self.time_basis)])

    def forward(
        self, tokens: Tensor, audio: Tensor, mask: Tensor | None, guided: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Give final states (b, t, d) and the guided heads' attention (b, heads, t, s)."""
        x = F.embedding(tokens, self.rows())
        x = x + self.positional_embedding[: tokens.shape[1]]
        guides = []
        for index, block in enumerate(self.blocks):
            heads = [head for layer, head in self.guided_heads if layer == index]
            x, attention = block(x, mask, audio, weights=guided and bool(heads))
            if attention is not None:
                guides.append(attention[:, heads])
        return self.ln(x), torch.cat(guides, dim=1) if guides else None


class HearingModel(nn.Module):
    """The whole model; `phoneme_head` exists for training alone."""

    def __init__(self, shape: HearingShape) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape)
        self.decoder = Decoder(shape)
        self.phoneme_head = nn.Linear(shape.states, shape.phonemes)
        self._initialise()

    def _initialise(self) -> None:
        depth_scale = (2 * self.shape.layers) ** -0.5
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif name.endswith("token_embedding.weight"):
                nn.init.normal_(parameter, std=0.05)
            elif name.endswith("time_map.weight"):
                nn.init.normal_(parameter, std=0.05 / 32**0.5)
            elif name.endswith(("out.weight", "mlp2.weight")):
                nn.init.xavier_uniform_(parameter, gain=depth_scale)

    def logits(self, states: Tensor) -> Tensor:
        """Turn final decoder states (n, d) into logits (n, vocabulary)."""
        return states @ self.decoder.rows().T.to(states.dtype)
