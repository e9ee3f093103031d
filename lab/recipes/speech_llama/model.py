"""Speech-LLaMA in torch, for training: a LLaMA that reads what a Whisper's ear gives, and heads that look ahead.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148). Parameter names are those of
the shipped layout, where the LLaMA has those of its Hugging Face checkpoints.
Shapes: b examples, s encoder frames (50 a second), a audio embeddings, t tokens, m tokens before, h heads, w states of
a head, d states, k heads that look ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lab.recipes.speech_llama.special import IGNORE

EMBEDDING_SECONDS = 0.06  # one audio embedding: three encoder frames
GUIDED = (
    (5, 0, 1), (7, 0, 1), (7, 2, 1),
    (5, 6, 2), (5, 7, 3), (7, 6, 3), (7, 7, 4),
)  # fmt: skip
"""Heads of tiny.en: the first are among those by which it times words, the others are heads that it lacks."""
TEXT_CONTEXT = 448  # the most tokens of a text, as Whisper's
KeysValues = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class SpeechLlamaShape:
    """The dimensions of the model.

    Attributes:
        drafted: how many of the tokens the heads after the first may say.
        states, layers, heads, width, inner: of the LLaMA; width is that of a head.
        rope_theta: base of the rotary positions; the larger, the fewer pairs of a head turn at all.
        ear_states: of the features that it reads.
        stacked: encoder frames in one audio embedding.
        ahead: tokens predicted at once, the next one included.
        guided: (layer, head, how many tokens ahead) of the attention that is taught to look where a token is said.
    """

    vocabulary: int
    drafted: int
    states: int = 384
    layers: int = 8
    heads: int = 8
    width: int = 78
    inner: int = 1536
    rope_theta: float = 1e26
    ear_states: int = 384
    stacked: int = 3
    ahead: int = 5
    guided: tuple[tuple[int, int, int], ...] = GUIDED


def rotations(length: int, width: int, base: float) -> tuple[Tensor, Tensor]:
    """Return cosines and sines (length, width / 2) of rotary positions."""
    rates = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(length)[:, None] * rates
    return angles.cos().float(), angles.sin().float()


def rotate(x: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate the halves of x (b, h, n, w) against each other, as LLaMA does; turns are (b or 1, 1, n, w / 2)."""
    first, second = x.chunk(2, dim=-1)
    cosines, sines = turns
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], dim=-1).to(x.dtype)


class LlamaAttention(nn.Module):
    """Self-attention with rotary positions and biases."""

    def __init__(self, shape: SpeechLlamaShape) -> None:
        super().__init__()
        self.heads = shape.heads
        inner = shape.heads * shape.width
        self.q_proj = nn.Linear(shape.states, inner)
        self.k_proj = nn.Linear(shape.states, inner)
        self.v_proj = nn.Linear(shape.states, inner)
        self.o_proj = nn.Linear(inner, shape.states)

    def split(self, x: Tensor) -> Tensor:
        """Split states into heads: (b, n, h w) -> (b, h, n, w)."""
        return x.reshape(*x.shape[:-1], self.heads, -1).transpose(1, 2)

    def keys_values(self, x: Tensor, turns: tuple[Tensor, Tensor]) -> KeysValues:
        """Make keys, turned, and values (b, h, n, w) of x (b, n, d)."""
        return rotate(self.split(self.k_proj(x)), turns), self.split(self.v_proj(x))

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, turns: tuple[Tensor, Tensor], seen: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Attend from x (b, n, d) to keys and values that are seen (b, 1, n, m); also give the turned queries."""
        query = rotate(self.split(self.q_proj(x)), turns)
        mixed = F.scaled_dot_product_attention(query, keys, values, attn_mask=seen)
        return self.o_proj(mixed.transpose(1, 2).flatten(2)), query


class GatedUnit(nn.Module):
    """LLaMA's feed-forward layer (SwiGLU)."""

    def __init__(self, states: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(states, inner)
        self.up_proj = nn.Linear(states, inner)
        self.down_proj = nn.Linear(inner, states)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class LlamaLayer(nn.Module):
    """Attention, then the feed-forward layer, each on what is normalised and added to what came in."""

    def __init__(self, shape: SpeechLlamaShape) -> None:
        super().__init__()
        self.self_attn = LlamaAttention(shape)
        self.mlp = GatedUnit(shape.states, shape.inner)
        self.input_layernorm = nn.RMSNorm(shape.states, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(shape.states, eps=1e-5)


class Llama(nn.Module):
    """The layers over embeddings that are given; the embedding is the unembedding too."""

    def __init__(self, shape: SpeechLlamaShape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.states)
        self.layers = nn.ModuleList(LlamaLayer(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.states, eps=1e-5)


class SpeechLlama(nn.Module):
    """The model without its ear.

    `positions` (448, d) are added to the embeddings of a text's tokens; `latent` (k - 1, d, d) are the maps of the
    heads that predict the second token and on, and `drafted` (u,) the tokens that these may say. The embedding is
    Whisper's own and stays as it is.

    Attributes:
        dropout: share of what the layers add that is left out in training.
    """

    def __init__(self, shape: SpeechLlamaShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.dropout = dropout
        self.adapter = nn.Linear(shape.stacked * shape.ear_states, shape.states)
        self.model = Llama(shape)
        self.positions = nn.Parameter(torch.zeros(TEXT_CONTEXT, shape.states))
        self.latent = nn.Parameter(torch.eye(shape.states).repeat(shape.ahead - 1, 1, 1))
        self.model.embed_tokens.weight.requires_grad_(False)
        self.drafted: Tensor
        self.register_buffer("drafted", torch.arange(shape.drafted))

    def embed(self, features: Tensor) -> Tensor:
        """Stack features (b, s, d) and map them to audio embeddings (b, a, d); what is missing is zero."""
        padded = F.pad(features, (0, 0, 0, -features.shape[1] % self.shape.stacked))
        embedded: Tensor = self.adapter(padded.reshape(len(padded), -1, self.shape.stacked * padded.shape[2]))
        return embedded

    def read_audio(self, audio: Tensor, through: bool = True) -> list[KeysValues]:
        """Return every layer's keys and values of audio embeddings (b, a, d).

        Not `through` the layers, it is as if these left the embeddings as they are: an approximation for training,
        for embeddings that are long beside what the layers add.
        """
        count = audio.shape[1]
        turns = self._turns(torch.arange(count, device=audio.device)[None])
        before = torch.ones(count, count, dtype=torch.bool, device=audio.device).tril()[None, None]
        x, read = audio, []
        for layer in cast(list[LlamaLayer], list(self.model.layers)):
            normed = layer.input_layernorm(x)
            keys, values = layer.self_attn.keys_values(normed, turns)
            read.append((keys, values))
            if through:
                x = x + layer.self_attn(normed, keys, values, turns, before)[0]
                x = x + layer.mlp(layer.post_attention_layernorm(x))
        return read

    def write(
        self,
        heard: list[KeysValues],
        counts: Tensor,
        tokens: Tensor,
        looks: dict[tuple[int, int], Tensor] | None = None,
    ) -> Tensor:
        """Return final states (b, t, d) of the first tokens (b, t) of a text, which follow each row's own audio.

        Args:
            heard: of the audio (b, h, a, w), padded at the end.
            counts: audio embeddings of each row (b,).
            looks: (layer, head) to its attention (b, t, a), which is filled in.
        """
        count, frames = tokens.shape[1], heard[0][0].shape[2]
        places = counts[:, None] + torch.arange(count, device=tokens.device)
        turns = self._turns(places)
        audible = (torch.arange(frames, device=tokens.device) < counts[:, None])[:, None, None].expand(-1, 1, count, -1)
        earlier = torch.ones(count, count, dtype=torch.bool, device=tokens.device).tril()
        seen = torch.cat([audible, earlier.expand(tokens.shape[0], 1, -1, -1)], -1)
        x = self.model.embed_tokens(tokens) + self.positions[:count]
        for index, layer in enumerate(cast(list[LlamaLayer], list(self.model.layers))):
            normed = layer.input_layernorm(x)
            own = layer.self_attn.keys_values(normed, turns)
            keys, values = (torch.cat(pair, 2) for pair in zip(heard[index], own, strict=True))
            mixed, query = layer.self_attn(normed, keys, values, turns, seen)
            for at, head in looks or ():
                if at == index and looks is not None:
                    scores = query[:, head] @ keys[:, head].transpose(-1, -2) * self.shape.width**-0.5
                    looks[at, head] = scores.masked_fill(~seen[:, 0], -torch.inf).float().softmax(-1)[..., :frames]
            x = x + F.dropout(mixed, self.dropout, self.training)
            added = layer.mlp(layer.post_attention_layernorm(x))
            x = x + F.dropout(added, self.dropout, self.training)
        states: Tensor = self.model.norm(x)
        return states

    def logits(self, states: Tensor, ahead: int = 1) -> Tensor:
        """Return logits of the token that comes this far after each state (n, d): (n, vocabulary), beyond the next (n,
        u)."""
        rows = self.model.embed_tokens.weight
        if ahead > 1:
            states, rows = states @ self.latent[ahead - 2].T.to(states.dtype), rows[self.drafted]
        return states @ rows.T.to(states.dtype)

    def columns(self, tokens: Tensor) -> Tensor:
        """Return the place of tokens (...) among the drafted ones, IGNORE where they are not."""
        places = torch.full((self.shape.vocabulary,), IGNORE, device=tokens.device)
        places[self.drafted] = torch.arange(self.shape.drafted, device=tokens.device)
        return torch.where(tokens == IGNORE, IGNORE, places[tokens.clamp(min=0)])

    def _turns(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosines and sines (b, 1, n, w / 2) of places (b, n)."""
        cosines, sines = rotations(int(places.max()) + 1, self.shape.width, self.shape.rope_theta)
        return cosines.to(places.device)[places][:, None], sines.to(places.device)[places][:, None]
