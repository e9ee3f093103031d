"""Speech-LLaMA in torch, for training: the starter hearing model's ear, a LLaMA that writes, and heads that look ahead.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148). Parameter names are those of
the shipped layout, where the LLaMA has those of its Hugging Face checkpoints.
Shapes: b examples, s encoder frames (50 a second), a audio embeddings, t tokens, n positions, d states, k heads.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.recipes.starter_model import Encoder, HearingShape

EMBEDDING_SECONDS = 0.06  # one audio embedding: three encoder frames
STARTER_EAR_SHAPE = HearingShape(vocabulary=1, phonemes=1)  # of which only the encoder is built


@dataclass(frozen=True, slots=True)
class SpeechLlamaShape:
    """The dimensions of the model.

    Attributes:
        states, layers, heads, inner: of the LLaMA.
        stacked: encoder frames in one audio embedding.
        ahead: tokens predicted at once, the next one included.
        guided: (layer, head, how many tokens ahead) of the attention that is taught to look where a token is said.
        ear: what the encoder is built by.
    """

    vocabulary: int
    states: int = 256
    layers: int = 5
    heads: int = 8
    inner: int = 640
    stacked: int = 3
    ahead: int = 6
    guided: tuple[tuple[int, int, int], ...] = (
        (1, 0, 1), (1, 1, 2), (2, 0, 1), (2, 1, 2), (2, 2, 3), (2, 3, 4), (3, 1, 2), (3, 2, 3), (3, 3, 4),
    )  # fmt: skip
    ear: HearingShape = STARTER_EAR_SHAPE

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def rotations(length: int, width: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """Cosines and sines (length, width / 2) of rotary positions."""
    rates = base ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(length)[:, None] * rates
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotate the halves of x (b, h, n, width) against each other, as LLaMA does."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], dim=-1).to(x.dtype)


class LlamaAttention(nn.Module):
    """Causal self-attention with rotary positions."""

    def __init__(self, states: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(states, states, bias=False)
        self.k_proj = nn.Linear(states, states, bias=False)
        self.v_proj = nn.Linear(states, states, bias=False)
        self.o_proj = nn.Linear(states, states, bias=False)

    def forward(
        self, x: Tensor, turns: tuple[Tensor, Tensor], writing: Tensor | None, watched: list[int]
    ) -> tuple[Tensor, Tensor | None]:
        """Mix x (b, n, d); also give the attention (b, watched, t, n) of some heads at positions `writing` (b, t)."""
        query, key, value = (
            part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.q_proj, self.k_proj, self.v_proj)
        )
        query, key = rotate(query, *turns), rotate(key, *turns)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        seen = None
        if writing is not None and watched:
            rows = writing[:, None, :, None].expand(-1, len(watched), -1, query.shape[-1])
            scores = query[:, watched].gather(2, rows) @ key[:, watched].transpose(-1, -2) * query.shape[-1] ** -0.5
            future = torch.arange(x.shape[1], device=x.device) > writing[..., None]
            seen = scores.masked_fill(future[:, None], float("-inf")).float().softmax(-1)
        return self.o_proj(mixed.transpose(1, 2).flatten(2)), seen


class GatedUnit(nn.Module):
    """LLaMA's feed-forward layer (SwiGLU)."""

    def __init__(self, states: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(states, inner, bias=False)
        self.up_proj = nn.Linear(states, inner, bias=False)
        self.down_proj = nn.Linear(inner, states, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class LlamaLayer(nn.Module):
    """Attention, then the feed-forward layer, each on what is normalised and added to what came in."""

    def __init__(self, states: int, heads: int, inner: int) -> None:
        super().__init__()
        self.self_attn = LlamaAttention(states, heads)
        self.mlp = GatedUnit(states, inner)
        self.input_layernorm = nn.RMSNorm(states, eps=1e-6)
        self.post_attention_layernorm = nn.RMSNorm(states, eps=1e-6)

    def forward(
        self, x: Tensor, turns: tuple[Tensor, Tensor], writing: Tensor | None, watched: list[int]
    ) -> tuple[Tensor, Tensor | None]:
        """Transform x (b, n, d); see LlamaAttention."""
        mixed, seen = self.self_attn(self.input_layernorm(x), turns, writing, watched)
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x)), seen


class Llama(nn.Module):
    """The layers over embeddings that are given; the embedding is the unembedding too."""

    def __init__(self, shape: SpeechLlamaShape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.states)
        self.layers = nn.ModuleList(LlamaLayer(shape.states, shape.heads, shape.inner) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.states, eps=1e-6)
        self.guided = shape.guided
        self.width = shape.states // shape.heads

    def forward(self, x: Tensor, writing: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Final states (b, n, d) of embeddings, and the guided heads' attention (b, guided, t, n), if asked for."""
        cosines, sines = rotations(x.shape[1], self.width)
        turns = cosines.to(x.device), sines.to(x.device)
        guides = []
        for index, layer in enumerate(self.layers):
            x, seen = layer(x, turns, writing, [head for at, head, _ in self.guided if at == index])
            if seen is not None:
                guides.append(seen)
        return self.norm(x), torch.cat(guides, dim=1) if guides else None


class SpeechLlama(nn.Module):
    """The whole model; `latent` (k - 1, d, d) are the maps of the heads that predict the second token and on."""

    def __init__(self, shape: SpeechLlamaShape) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape.ear)
        self.adapter = nn.Linear(shape.stacked * shape.ear.states, shape.states)
        self.model = Llama(shape)
        self.latent = nn.Parameter(torch.eye(shape.states).repeat(shape.ahead - 1, 1, 1))
        self._initialise()

    def _initialise(self) -> None:
        depth_scale = (2 * self.shape.layers) ** -0.5
        nn.init.normal_(self.model.embed_tokens.weight, std=0.05)
        nn.init.xavier_uniform_(self.adapter.weight)
        nn.init.zeros_(self.adapter.bias)
        for layer in self.model.layers:
            assert isinstance(layer, LlamaLayer)
            nn.init.xavier_uniform_(layer.self_attn.o_proj.weight, gain=depth_scale)
            nn.init.xavier_uniform_(layer.mlp.down_proj.weight, gain=depth_scale)

    def listen(self, mel: Tensor, frames: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Turn log-mel (b, f, 80), of so many frames each, into audio embeddings (b, a, d) and their counts (b,)."""
        encoded = self.encoder(mel, mask)
        encoded = encoded * mask[:, 0, 0, :, None].to(encoded.dtype)
        missing = -encoded.shape[1] % self.shape.stacked
        padded = F.pad(encoded, (0, 0, 0, missing))
        stacked = padded.reshape(padded.shape[0], -1, self.shape.stacked * padded.shape[2])
        counts = ((frames + 1) // 2 + self.shape.stacked - 1) // self.shape.stacked
        return self.adapter(stacked), counts

    def write(
        self, audio: Tensor, counts: Tensor, tokens: Tensor, guided: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Give final states (b, t, d) of tokens (b, t) that follow each row's own audio, and attention (b, g, t, n)."""
        embedded = F.embedding(tokens, self.model.embed_tokens.weight).to(audio.dtype)
        both = torch.cat([audio, embedded], dim=1)
        positions = torch.arange(both.shape[1], device=audio.device)[None]
        later = audio.shape[1] + positions - counts[:, None]
        source = torch.where(positions < counts[:, None], positions, later.clamp(max=both.shape[1] - 1))
        x = both.gather(1, source[..., None].expand(-1, -1, both.shape[2]))
        writing = counts[:, None] + torch.arange(tokens.shape[1], device=audio.device)[None]
        states, seen = self.model(x, writing if guided else None)
        return states.gather(1, writing[..., None].expand(-1, -1, states.shape[2])), seen

    def logits(self, states: Tensor, ahead: int = 1) -> Tensor:
        """Logits (n, vocabulary) of the token that comes so many after each state (n, d)."""
        if ahead > 1:
            states = states @ self.latent[ahead - 2].T.to(states.dtype)
        return states @ self.model.embed_tokens.weight.T.to(states.dtype)
