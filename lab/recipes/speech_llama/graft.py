"""Begins a Speech-LLaMA with what the decoder of a Whisper model knows: how it reads its ear, and its language.

A layer of Whisper's decoder attends to its own text, then to the features, then feeds forward. Two layers of the LLaMA
do that: one begins with Whisper's self-attention and is kept from the audio, the next with its cross-attention, kept
from the text, and what feeds forward. A pair of numbers of each head, beyond Whisper's own 64, tells audio from text,
by the mean of an embedding, which LayerNorm ignores. Some more pairs turn with the position; Whisper's own turn so
slowly that it makes no difference, and its learnt positions are added to the text's embeddings. LayerNorm is RMSNorm
where the mean of everything that is added is zero, and GELU is nearly a SiLU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from engine.hear.whisper.model import ModelDimensions
from lab.recipes.speech.torch_layers import Attention, Block
from lab.recipes.speech.torch_whisper import Decoder
from lab.recipes.speech_llama.model import GUIDED, LlamaLayer, SpeechLlama, SpeechLlamaShape

TURNING_PAIRS = 6
FLAG = TURNING_PAIRS  # the pair of a head that tells audio from text
FLAG_MEAN = 5.0  # of an audio embedding, in the ear's units: so much that the rest makes its size no other
AUDIO_SCALE = 40.0  # so long are audio embeddings that layers hardly change them
EAR_RMS = 1.23  # of tiny.en's features: 1.15 to 1.3
STATE_RMS = 0.57  # of its decoder's last states
LOOKING_AHEAD = 2
"""Heads that each layer has beyond Whisper's. They begin by looking where its first one does, and say nothing yet."""
APART = 50.0  # in scores: what keeps heads to audio or to text
GELU_SLOPE = 1.702


def shape_for(dims: ModelDimensions, vocabulary: int, drafted: int, ahead: int) -> SpeechLlamaShape:
    """Return the shape that a Whisper's decoder goes into."""
    heads, layers = dims.n_text_head + LOOKING_AHEAD, 2 * dims.n_text_layer
    return SpeechLlamaShape(
        vocabulary,
        drafted,
        states=dims.n_text_state,
        layers=layers,
        heads=heads,
        width=dims.n_text_state // dims.n_text_head + 2 * (TURNING_PAIRS + 1),
        inner=4 * dims.n_text_state,
        ear_states=dims.n_audio_state,
        ahead=ahead,
        guided=tuple(guided for guided in GUIDED if guided[0] < layers and guided[1] < heads),
    )


def graft(model: SpeechLlama, decoder: Decoder, embedding: Tensor, opening: Sequence[int]) -> None:
    """Fill a model with a decoder's weights.

    Args:
        embedding: of the model's tokens (v, d); see engine.hear.speech_llama.load.tokens_of.
        opening: the decoder's tokens that become BEGIN, each by its place.
    """
    with torch.no_grad():
        _graft_embeddings(model, decoder, embedding, opening)
        layers: list[Any] = list(model.model.layers)
        blocks: list[Any] = list(decoder.blocks)
        # In units of a normalised audio embedding, whose root mean square is one.
        size = (EAR_RMS**2 + FLAG_MEAN**2) ** 0.5
        for own, crossed, block in zip(layers[::2], layers[1::2], blocks, strict=True):
            _graft_attention(own, block.attn, block.attn_ln, block.attn_ln, -APART)
            nn.init.zeros_(own.mlp.down_proj.weight)
            nn.init.zeros_(own.mlp.down_proj.bias)
            _graft_attention(crossed, block.cross_attn, block.cross_attn_ln, size, APART)
            _graft_feed_forward(crossed, block)
        norm, last = decoder.ln, layers[-1]
        model.model.norm.weight.copy_(norm.weight)
        # What the last norm adds cannot be said behind it: it is added before, at the size that states have there.
        usual = STATE_RMS * norm.bias / norm.weight.where(norm.weight.abs() > 0.1, torch.tensor(torch.inf))
        last.mlp.down_proj.bias.add_(_centred(usual))


def _centred(x: Tensor) -> Tensor:
    """Subtract the mean over the first axis."""
    return x - x.mean(0)


def _graft_embeddings(model: SpeechLlama, decoder: Decoder, embedding: Tensor, opening: Sequence[int]) -> None:
    model.model.embed_tokens.weight.copy_(embedding)
    embedded, places, stacked = decoder.token_embedding.weight, decoder.positional_embedding, model.shape.stacked
    ours = places.clone()
    ours[: len(opening)] += embedded[list(opening)] - embedded[list(opening)].mean(0)  # so each begin is its own
    model.positions.copy_(_centred(ours.T).T)
    states = model.shape.states
    average = _centred(torch.eye(states)) * AUDIO_SCALE / stacked
    model.adapter.weight.copy_(average.repeat(1, stacked))
    model.adapter.bias.fill_(AUDIO_SCALE * FLAG_MEAN)


def _graft_attention(
    layer: LlamaLayer, source: Attention, asking: nn.LayerNorm, asked: nn.LayerNorm | float, apart: float
) -> None:
    """Make a layer's attention of one of Whisper's: `asked` is the norm of what keys are made of, or audio's size."""
    attention = layer.self_attn
    for part in (attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj):
        part.weight.zero_()
        part.bias.zero_()
    for head in range(attention.heads):
        _graft_head(layer, source, head, asking, asked, apart)
    attention.o_proj.bias.copy_(_centred(source.out.bias))


def _graft_head(
    layer: LlamaLayer, source: Attention, head: int, asking: nn.LayerNorm, asked: nn.LayerNorm | float, apart: float
) -> None:
    attention = layer.self_attn
    width = attention.q_proj.weight.shape[0] // attention.heads
    theirs = source.query.weight.shape[0] // source.heads
    known = head if head < source.heads else 0
    places, rows = head * width + content(width, theirs), slice(known * theirs, (known + 1) * theirs)
    gain = asked.weight if isinstance(asked, nn.LayerNorm) else torch.tensor(asked)
    shift = asked.bias if isinstance(asked, nn.LayerNorm) else torch.zeros(source.key.weight.shape[1])
    louder = (width / theirs) ** 0.5
    attention.q_proj.weight[places] = source.query.weight[rows] * asking.weight * louder
    attention.q_proj.bias[places] = (source.query.bias[rows] + source.query.weight[rows] @ asking.bias) * louder
    # The mean of an audio embedding is a sign, which must not be read as sound.
    attention.k_proj.weight[places] = _centred((source.key.weight[rows] * gain).T).T
    attention.k_proj.bias[places] = source.key.weight[rows] @ shift
    attention.v_proj.weight[places] = _centred((source.value.weight[rows] * gain).T).T
    attention.v_proj.bias[places] = source.value.bias[rows] + source.value.weight[rows] @ shift
    if head < source.heads:
        attention.o_proj.weight[:, places] = _centred(source.out.weight[:, rows])
    flag = head * width + FLAG
    states = attention.q_proj.weight.shape[1]
    mean = FLAG_MEAN / (EAR_RMS**2 + FLAG_MEAN**2) ** 0.5  # of a normalised audio embedding
    attention.q_proj.bias[flag] = apart * width**0.5 / 10
    attention.k_proj.weight[flag] = 10 / (mean * states)
    turning = torch.cat([torch.arange(TURNING_PAIRS), width // 2 + torch.arange(TURNING_PAIRS)]) + head * width
    if apart < 0:  # a head of the text: where it looks by position begins with little
        for part in (attention.q_proj, attention.k_proj):
            part.bias[turning] = torch.randn(len(turning)) * 0.2
    spare = torch.cat([turning, torch.tensor([flag, flag + width // 2])])
    attention.v_proj.weight[spare] = torch.randn(len(spare), states) * 0.02


def content(width: int, theirs: int) -> Tensor:
    """Return the places of a head that Whisper's numbers go to: the last pairs, which turn least."""
    half = theirs // 2
    return torch.cat([torch.arange(width // 2 - half, width // 2), torch.arange(width - half, width)])


def _graft_feed_forward(layer: LlamaLayer, block: Block) -> None:
    norm, mlp = block.mlp_ln, layer.mlp
    mlp.gate_proj.weight.copy_(block.mlp1.weight * norm.weight * GELU_SLOPE)
    mlp.gate_proj.bias.copy_((block.mlp1.bias + block.mlp1.weight @ norm.bias) * GELU_SLOPE)
    mlp.up_proj.weight.zero_()
    mlp.up_proj.bias.fill_(1 / GELU_SLOPE)
    mlp.down_proj.weight.copy_(_centred(block.mlp2.weight))
    mlp.down_proj.bias.copy_(_centred(block.mlp2.bias))
