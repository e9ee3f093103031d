"""Qwen3 in torch alone, with the names of its published weights.

Shapes: b rows, n tokens, h heads, w numbers of a head, d states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class _Attention(nn.Module):
    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        states, width = config["hidden_size"], config["head_dim"]
        inner, keys = config["num_attention_heads"] * width, config["num_key_value_heads"] * width
        self.width = width
        self.q_proj, self.o_proj = nn.Linear(states, inner, bias=False), nn.Linear(inner, states, bias=False)
        self.k_proj, self.v_proj = nn.Linear(states, keys, bias=False), nn.Linear(states, keys, bias=False)
        self.q_norm, self.k_norm = (nn.RMSNorm(width, eps=config["rms_norm_eps"]) for _ in range(2))

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """Let each of x (b, n, d) attend to itself and to what comes before it."""
        split = (*x.shape[:-1], -1, self.width)
        value = self.v_proj(x).view(split).transpose(1, 2)
        query, key = (
            _turned(norm(made.view(split).float()).transpose(1, 2), cosines, sines).to(value.dtype)
            for norm, made in ((self.q_norm, self.q_proj(x)), (self.k_norm, self.k_proj(x)))
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        out: Tensor = self.o_proj(mixed.transpose(1, 2).flatten(2))
        return out


class _Gated(nn.Module):
    def __init__(self, states: int, inner: int) -> None:
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(states, inner, bias=False), nn.Linear(states, inner, bias=False)
        self.down_proj = nn.Linear(inner, states, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class _Layer(nn.Module):
    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        states, eps = config["hidden_size"], config["rms_norm_eps"]
        self.self_attn, self.mlp = _Attention(config), _Gated(states, config["intermediate_size"])
        self.input_layernorm, self.post_attention_layernorm = (nn.RMSNorm(states, eps=eps) for _ in range(2))

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cosines, sines)
        return x + cast(Tensor, self.mlp(self.post_attention_layernorm(x)))


class Trunk(nn.Module):
    """The network up to its last states."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.layers = nn.ModuleList(_Layer(config) for _ in range(config["num_hidden_layers"]))
        self.norm = nn.RMSNorm(config["hidden_size"], eps=config["rms_norm_eps"])
        self.width, self.base = config["head_dim"], config["rope_parameters"]["rope_theta"]

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the states (b, n, d) behind tokens (b, n)."""
        rates = self.base ** (-torch.arange(0, self.width, 2, device=tokens.device) / self.width)
        angles = torch.arange(tokens.shape[1], device=tokens.device)[:, None] * rates
        cosines, sines = (torch.cat([part, part], -1) for part in (angles.cos(), angles.sin()))
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x, cosines, sines)
        states: Tensor = self.norm(x)
        return states


class Network(nn.Module):
    """The network; its embedding is its output too."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.model = Trunk(config)
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=config["initializer_range"])

    def head(self, states: Tensor) -> Tensor:
        """Return the logits (m, vocabulary) of states (m, d)."""
        return F.linear(states, self.model.embed_tokens.weight)


def _turned(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Turn the halves of x (b, h, n, w) against each other by their places."""
    first, second = x.chunk(2, dim=-1)
    return x * cosines + torch.cat([-second, first], -1) * sines
