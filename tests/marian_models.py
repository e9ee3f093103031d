"""Small random translation models, written as Marian and Hugging Face do, and the published equations in numpy."""

from __future__ import annotations

import io
import json
import math
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

Array = NDArray[np.float64]
Tensors = dict[str, NDArray[np.float32]]

TEXT = """the train leaves at nine
we are here and they are there
the cat sat on the mat with a hat
der zug fährt um neun uhr ab
wir sind hier und sie sind dort
die katze saß auf der matte mit einem hut"""
TOKENS = 50
FLOAT, BYTES, TEXT_BYTES = 0x0404, 0x4101, 0x0101


@dataclass(frozen=True)
class Sizes:
    """Sizes of a small model."""

    encoder: int = 2
    decoder: int = 2
    width: int = 16
    heads: int = 2
    inner: int = 32
    recurrent: bool = True
    swish: bool = False
    tokens: int = TOKENS


@cache
def pieces() -> bytes:
    """Return a vocabulary of SentencePiece as Firefox's models have it: an end, an unknown piece, no padding."""
    from sentencepiece import SentencePieceTrainer

    made = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.splitlines() * 4),
        model_writer=made,
        vocab_size=TOKENS,
        eos_id=0,
        unk_id=1,
        bos_id=-1,
        pad_id=-1,
        minloglevel=2,
    )
    return made.getvalue()


def random_tensors(sizes: Sizes, seed: int = 0) -> Tensors:
    """Return random weights under Marian's names, matrices as (inputs, outputs)."""
    random = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 0.3) -> NDArray[np.float32]:
        return (scale * random.standard_normal(shape)).astype(np.float32)

    d, inner = sizes.width, sizes.inner
    found: Tensors = {
        "Wemb": normal(sizes.tokens, d),
        "decoder_ff_logit_out_b": normal(1, sizes.tokens, scale=1.0),
    }

    def norm(name: str) -> None:
        found[f"{name}_ln_scale"], found[f"{name}_ln_bias"] = 1 + normal(1, d), normal(1, d)

    def attention(name: str) -> None:
        for each in "qkvo":
            found[f"{name}_W{each}"], found[f"{name}_b{each}"] = normal(d, d), normal(1, d)
        norm(f"{name}_Wo")

    def feed_forward(name: str) -> None:
        found[f"{name}_ffn_W1"], found[f"{name}_ffn_b1"] = normal(d, inner), normal(1, inner)
        found[f"{name}_ffn_W2"], found[f"{name}_ffn_b2"] = normal(inner, d), normal(1, d)
        norm(f"{name}_ffn_ffn")

    for layer in range(1, sizes.encoder + 1):
        attention(f"encoder_l{layer}_self")
        feed_forward(f"encoder_l{layer}")
    for layer in range(1, sizes.decoder + 1):
        if sizes.recurrent:
            name = f"decoder_l{layer}_rnn"
            found |= {f"{name}_W": normal(d, d), f"{name}_Wf": normal(d, d), f"{name}_bf": normal(1, d)}
            norm(f"{name}_ffn")
        else:
            attention(f"decoder_l{layer}_self")
        attention(f"decoder_l{layer}_context")
        feed_forward(f"decoder_l{layer}")
    return found


def settings_of(sizes: Sizes) -> str:
    """Return Marian's settings of a model."""
    return "\n".join(
        [
            "type: transformer",
            f"enc-depth: {sizes.encoder}",
            f"dec-depth: {sizes.decoder}",
            f"dim-emb: {sizes.width}",
            f"dim-vocabs:\n  - {TOKENS}\n  - {TOKENS}",
            f"transformer-heads: {sizes.heads}",
            f"transformer-dim-ffn: {sizes.inner}",
            f"transformer-ffn-activation: {'swish' if sizes.swish else 'relu'}",
            f"transformer-decoder-autoreg: {'rnn' if sizes.recurrent else 'self-attention'}",
            f"dec-cell: {'ssru' if sizes.recurrent else 'gru'}",
            'transformer-preprocess: ""',
            "transformer-postprocess: dan",
        ]
    )


def in_bytes(name: str, values: NDArray[np.float32]) -> tuple[bytes, NDArray[np.float32]]:
    """Return a matrix as intgemm8 stores it, and the numbers that it stands for."""
    factor = np.float32(127 / np.abs(values).max())
    codes = np.rint(values * factor).astype(np.int8)
    data = codes.tobytes() if name.endswith("Wemb") else codes.T.tobytes()
    return data + factor.tobytes() + bytes(252), codes.astype(np.float32) / factor


def marian_bytes(tensors: Tensors, settings: str, *, quantized: bool = True) -> tuple[bytes, Tensors]:
    """Return a file of Marian's, and the weights that it stands for."""
    entries: list[tuple[str, int, tuple[int, ...], bytes]] = []
    stands: Tensors = {}
    for name, values in sorted(tensors.items()):
        if quantized and min(values.shape) > 1:
            data, stands[name] = in_bytes(name, values)
            entries.append((name, BYTES, values.shape, data))
            entries.append((f"{name}_QuantMultA", FLOAT, (1, 1), struct.pack("<f", 40.0) + bytes(252)))
        else:
            stands[name] = values
            entries.append((name, FLOAT, values.shape, values.astype("<f4").tobytes()))
    text = settings.encode() + b"\0"
    entries.append(("special:model.yml", TEXT_BYTES, (len(text),), text))
    head = struct.pack("<2Q", 1, len(entries))
    head += b"".join(struct.pack("<4Q", len(n.encode()) + 1, kind, len(s), len(data)) for n, kind, s, data in entries)
    head += b"".join(name.encode() + b"\0" for name, *_ in entries)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in entries)
    padding = -(len(head) + 8) % 256
    return head + struct.pack("<Q", padding) + bytes(padding) + b"".join(data for *_, data in entries), stands


def write_firefox(folder: Path, sizes: Sizes = Sizes(), *, seed: int = 0, quantized: bool = True) -> Tensors:
    """Write a model as Mozilla publishes them, English to German; return the weights that it stands for."""
    folder.mkdir(parents=True, exist_ok=True)
    data, stands = marian_bytes(random_tensors(sizes, seed), settings_of(sizes), quantized=quantized)
    (folder / "model.ende.intgemm.alphas.bin").write_bytes(data)
    (folder / "vocab.ende.spm").write_bytes(pieces())
    return stands


OPUS = Sizes(recurrent=False, swish=True, tokens=TOKENS + 1)
"""Sizes like OPUS-MT's: the last token is padding, which starts a translation too."""


def write_opus(folder: Path, seed: int = 0) -> Tensors:
    """Write a model as Hugging Face's OPUS-MT are; return its weights under Marian's names."""
    from sentencepiece import SentencePieceProcessor

    folder.mkdir(parents=True, exist_ok=True)
    tensors = random_tensors(OPUS, seed)
    theirs: Tensors = {
        "model.shared.weight": tensors["Wemb"],
        "final_logits_bias": tensors["decoder_ff_logit_out_b"],
        "model.encoder.embed_positions.weight": np.zeros((512, OPUS.width), np.float32),
    }
    layers = {"self_W": "self_attn", "context_W": "encoder_attn"}
    for name, values in tensors.items():
        side, layer, rest = [*name.split("_", 2), "", ""][:3]
        if not layer.startswith("l") or not layer[1:].isdecimal():
            continue
        place = f"model.{side}.layers.{int(layer[1:]) - 1}"
        if rest.startswith("ffn_ffn_ln"):
            theirs[f"{place}.final_layer_norm.{'weight' if rest.endswith('scale') else 'bias'}"] = values[0]
        elif rest.startswith("ffn"):
            theirs[f"{place}.fc{rest[-1]}.{'weight' if 'W' in rest else 'bias'}"] = (
                values.T.copy() if "W" in rest else values[0]
            )
        else:
            block = layers[rest.split("_")[0] + "_W"]
            if "_Wo_ln" in rest:
                theirs[f"{place}.{block}_layer_norm.{'weight' if rest.endswith('scale') else 'bias'}"] = values[0]
            else:
                letter = "out" if rest[-1] == "o" else rest[-1]
                matrix = "_W" in rest
                theirs[f"{place}.{block}.{letter}_proj.{'weight' if matrix else 'bias'}"] = (
                    values.T.copy() if matrix else values[0]
                )
    save_file(theirs, folder / "model.safetensors")
    config = {
        "model_type": "marian",
        "_name_or_path": "Helsinki-NLP/opus-mt-en-de",
        "d_model": OPUS.width,
        "encoder_layers": OPUS.encoder,
        "decoder_layers": OPUS.decoder,
        "encoder_attention_heads": OPUS.heads,
        "decoder_attention_heads": OPUS.heads,
        "encoder_ffn_dim": OPUS.inner,
        "decoder_ffn_dim": OPUS.inner,
        "activation_function": "swish",
        "scale_embedding": True,
        "vocab_size": OPUS.tokens,
        "pad_token_id": OPUS.tokens - 1,
        "decoder_start_token_id": OPUS.tokens - 1,
        "eos_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    spelling = SentencePieceProcessor(model_proto=pieces())
    known = {spelling.id_to_piece(token): token for token in range(TOKENS)} | {"<pad>": TOKENS}
    (folder / "vocab.json").write_text(json.dumps(known), encoding="utf-8")
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(pieces())
    return tensors


def plain_logits(w: Tensors, sizes: Sizes, source: list[int], written: list[int], *, opus: bool = False) -> Array:
    """Return the logits (n + 1, tokens) behind a translation's beginning (n,), one token after the other.

    Vaswani et al. 2017 and, for the recurrent decoder, Kim et al. 2019, in float64 and with nothing kept. OPUS-MT's
    begin with the padding's embedding, and have Hugging Face's positions; Marian's own begin with nothing.
    """
    d = sizes.width

    def embedded(tokens: list[int | None]) -> Array:
        rows = np.array([np.zeros(d) if token is None else w["Wemb"][token] for token in tokens], np.float64)
        half = d // 2
        rates = 10000.0 ** (-np.arange(half) / (half if opus else half - 1))
        angles = np.arange(len(tokens))[:, None] * rates
        return rows * math.sqrt(d) + np.concatenate([np.sin(angles), np.cos(angles)], axis=1)

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-6)
        return centred / deviation * w[f"{name}_ln_scale"] + w[f"{name}_ln_bias"]

    def attention(x: Array, y: Array, name: str, *, causal: bool = False) -> Array:
        q, k, v = (
            rows @ w[f"{name}_W{each}"] + w[f"{name}_b{each}"] for rows, each in zip((x, y, y), "qkv", strict=True)
        )
        size = d // sizes.heads
        mixed = []
        for head in range(sizes.heads):
            part = slice(head * size, (head + 1) * size)
            scores = q[:, part] @ k[:, part].T / math.sqrt(size)
            if causal:
                scores[np.triu_indices(len(x), 1)] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            mixed.append(weights / weights.sum(axis=1, keepdims=True) @ v[:, part])
        return norm(x + np.concatenate(mixed, axis=1) @ w[f"{name}_Wo"] + w[f"{name}_bo"], f"{name}_Wo")

    def feed_forward(x: Array, name: str) -> Array:
        inner = x @ w[f"{name}_ffn_W1"] + w[f"{name}_ffn_b1"]
        inner = inner / (1 + np.exp(-inner)) if sizes.swish else np.maximum(inner, 0)
        return norm(x + inner @ w[f"{name}_ffn_W2"] + w[f"{name}_ffn_b2"], f"{name}_ffn_ffn")

    def recurrence(x: Array, name: str) -> Array:
        cell, cells = np.zeros(d), []
        for row in x:
            gate = 1 / (1 + np.exp(-(row @ w[f"{name}_Wf"] + w[f"{name}_bf"][0])))
            cell = gate * cell + (1 - gate) * (row @ w[f"{name}_W"])
            cells.append(np.maximum(cell, 0))
        return norm(x + np.array(cells), f"{name}_ffn")

    memory = embedded(list(source))
    for layer in range(1, sizes.encoder + 1):
        memory = attention(memory, memory, f"encoder_l{layer}_self")
        memory = feed_forward(memory, f"encoder_l{layer}")
    x = embedded([sizes.tokens - 1 if opus else None, *written])
    for layer in range(1, sizes.decoder + 1):
        if sizes.recurrent:
            x = recurrence(x, f"decoder_l{layer}_rnn")
        else:
            x = attention(x, x, f"decoder_l{layer}_self", causal=True)
        x = attention(x, memory, f"decoder_l{layer}_context")
        x = feed_forward(x, f"decoder_l{layer}")
    logits: Array = x @ w["Wemb"].T + w["decoder_ff_logit_out_b"]
    return logits
