"""A loaded Whisper as the folder that faster-whisper reads: the same weights, in CTranslate2's format.

CTranslate2's own description of the model writes model.bin, and checks that nothing is missing; the vocabulary is the
one that the model is used with here, so that nothing is fetched.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.tokenizer import SECONDS_PER_TIMESTAMP, Tokenizer
from engine.hear.whisper.embedding import SharedRowEmbedding
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.model import MultiHeadAttention, Whisper
from lab.recipes.speech.byte_pairs import byte_pair_tokenizer, visible

NO_SPEECH = ("<|nospeech|>", "<|nocaptions|>")  # OpenAI's name of the token, and the one that CTranslate2 looks for


def write_peer_model(hearing: HearingModel, folder: Path) -> Path:
    """Write model.bin, config.json, vocabulary.json and tokenizer.json into an empty folder, float16."""
    from ctranslate2.specs import WhisperSpec

    dims = hearing.model.dims
    spec = WhisperSpec(dims.n_audio_layer, dims.n_audio_head, dims.n_text_layer, dims.n_text_head)
    _set_encoder(spec.encoder, hearing.model)
    _set_decoder(spec.decoder, hearing.model)
    names = token_names(hearing.tokenizer)
    spec.register_vocabulary(names)
    tokenizer = hearing.tokenizer
    spec.config.suppress_ids = list(tokenizer.suppressed_tokens)
    spec.config.suppress_ids_begin = list(tokenizer.blank_tokens)
    spec.config.lang_ids = list(tokenizer.all_language_tokens)
    spec.config.alignment_heads = [list(pair) for pair in hearing.model.alignment_heads]
    spec.validate()
    spec.optimize(quantization="float16")
    spec.save(str(folder))
    (folder / "tokenizer.json").write_text(tokenizer_json(tokenizer, names), encoding="utf-8")
    mels = {"feature_size": dims.n_mels}
    (folder / "preprocessor_config.json").write_text(json.dumps(mels), encoding="utf-8")
    return folder


def token_names(tokenizer: Tokenizer) -> list[str]:
    """Return every token's name in the order of the vocabulary, bytes as GPT-2's visible characters."""
    names = []
    for token in range(tokenizer.n_vocab):
        if tokenizer.is_timestamp(token):
            names.append(f"<|{(token - tokenizer.timestamp_begin) * SECONDS_PER_TIMESTAMP:.2f}|>")
        elif tokenizer.is_special(token):
            name = tokenizer.token_bytes(token).decode()
            names.append(NO_SPEECH[1] if name == NO_SPEECH[0] else name)
        else:
            names.append(visible(tokenizer.token_bytes(token)))
    return names


def tokenizer_json(tokenizer: Tokenizer, names: Sequence[str]) -> str:
    """Return the vocabulary in the format of Hugging Face's tokenizers; `names` are those of token_names."""
    from tokenizers import AddedToken

    text = range(tokenizer.eot)
    ranks = {tokenizer.token_bytes(token): token for token in text}
    made = byte_pair_tokenizer(ranks, {names[token]: token for token in text})
    special = [names[token] for token in range(tokenizer.eot, tokenizer.timestamp_begin)]
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in special])
    return str(made.to_str())


def _set_encoder(spec: Any, model: Whisper) -> None:
    encoder = model.encoder
    for name in ("conv1", "conv2"):
        conv, layer = getattr(spec, name), getattr(encoder, name)
        conv.weight = _numbers(layer.weight).transpose(0, 2, 1)
        conv.bias = _numbers(layer.bias)
    spec.position_encodings.encodings = _numbers(encoder._positions)
    _set_norm(spec.layer_norm, encoder.ln_post)
    for layer_spec, block in zip(spec.layer, encoder.blocks, strict=True):
        _set_block(layer_spec, block)


def _set_decoder(spec: Any, model: Whisper) -> None:
    decoder = model.decoder
    spec.embeddings.weight = _embedding(decoder.token_embedding, model.dims.n_vocab)
    spec.projection.weight = spec.embeddings.weight
    spec.position_encodings.encodings = _numbers(decoder.positional_embedding)
    _set_norm(spec.layer_norm, decoder.ln)
    for layer_spec, block in zip(spec.layer, decoder.blocks, strict=True):
        _set_block(layer_spec, block)
        attention = block.cross_attn
        _join(layer_spec.attention.linear[0], [attention.query])
        _join(layer_spec.attention.linear[1], [attention.key, attention.value])
        _join(layer_spec.attention.linear[2], [attention.out])
        _set_norm(layer_spec.attention.layer_norm, block.cross_attn_ln)


def _set_block(spec: Any, block: Any) -> None:
    """Self-attention and the feed-forward layer, which blocks of both kinds have."""
    attention: MultiHeadAttention = block.attn
    _join(spec.self_attention.linear[0], [attention.query, attention.key, attention.value])
    _join(spec.self_attention.linear[1], [attention.out])
    _set_norm(spec.self_attention.layer_norm, block.attn_ln)
    _join(spec.ffn.linear_0, [block.mlp1])
    _join(spec.ffn.linear_1, [block.mlp2])
    _set_norm(spec.ffn.layer_norm, block.mlp_ln)


def _join(spec: Any, layers: Sequence[nn.Module]) -> None:
    """Return one matrix and one bias of several layers' rows; a layer without a bias has zeros."""
    weights = [_weight(layer) for layer in layers]
    spec.weight = np.concatenate(weights)
    biases = [
        _numbers(layer.bias) if "bias" in layer else np.zeros(len(weight), np.float32)
        for layer, weight in zip(layers, weights, strict=True)
    ]
    spec.bias = np.concatenate(biases)


def _set_norm(spec: Any, layer: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _numbers(layer.weight), _numbers(layer.bias)


def _embedding(layer: nn.Module, n_vocab: int) -> NDArray[np.float32]:
    if isinstance(layer, SharedRowEmbedding):
        return _numbers(layer(mx.arange(n_vocab)))
    return _weight(layer)


def _weight(layer: nn.Module) -> NDArray[np.float32]:
    """Return a layer's matrix; that of a quantised one is expanded, as a processor multiplies it."""
    if "scales" in layer:
        expanded = mx.dequantize(
            layer.weight, layer.scales, layer.get("biases"), layer.group_size, layer.bits, mode=layer.mode
        )
        return _numbers(expanded)
    return _numbers(layer.weight)


def _numbers(array: mx.array) -> NDArray[np.float32]:
    return np.ascontiguousarray(np.array(array.astype(mx.float32)))
