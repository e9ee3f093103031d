"""Whispers written as other programs store them: CTranslate2's model.bin and whisper.cpp's ggml files.

Written from the formats' own descriptions, with CTranslate2's rounding and the `gguf` package's quantisers, so that the
readers are compared with something that was not made from them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import quantize

from engine.hear.whisper.model import ModelDimensions

Arrays = Mapping[str, np.ndarray]
GGML_KINDS = ("f32", "f16", "q8_0", "q5_0", "q5_1", "q4_0", "q4_1")
_TYPE_IDS = {"float32": 0, "int8": 1, "int16": 2, "int32": 3, "float16": 4, "bfloat16": 5}
_GGML_IDS = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8}
_GGML_FILE_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q8_0": 7, "q5_0": 8, "q5_1": 9}


def torch_order(array: np.ndarray) -> np.ndarray:
    """Bring a convolution (out, 3, in), as MLX has it, to (out, in, 3)."""
    return np.ascontiguousarray(array.transpose(0, 2, 1)) if array.ndim == 3 else array


def plain_weights(place: Path) -> tuple[ModelDimensions, dict[str, np.ndarray]]:
    """Read a model of any storage as float32 by our names."""
    import mlx.core as mx

    from engine.hear.whisper.files.stored import open_whisper
    from engine.weights.weights import expanded

    stored = open_whisper(place)
    weights = expanded(stored.weights(), stored.config.quantization, place)
    return stored.config.dims, {name: np.array(array.astype(mx.float32)) for name, array in weights.items()}


# --- CTranslate2 ---


def ctranslate2_variables(weights: Arrays, dims: ModelDimensions) -> dict[str, np.ndarray]:
    """Name and stack our tensors as CTranslate2's converter does."""
    variables: dict[str, np.ndarray] = {
        "encoder/num_heads": np.array(dims.n_audio_head, np.int16),
        "decoder/num_heads": np.array(dims.n_text_head, np.int16),
        "decoder/pre_norm": np.array(1, np.int8),
        "encoder/position_encodings/encodings": np.zeros((dims.n_audio_ctx, dims.n_audio_state), np.float32),
        "decoder/position_encodings/encodings": weights["decoder.positional_embedding"],
        "decoder/embeddings/weight": weights["decoder.token_embedding.weight"],
    }

    def norm(theirs: str, ours: str) -> None:
        variables[f"{theirs}/gamma"], variables[f"{theirs}/beta"] = weights[f"{ours}.weight"], weights[f"{ours}.bias"]

    def linear(theirs: str, ours: str, *parts: str) -> None:
        names = [f"{ours}.{part}" if part else ours for part in parts]
        stacks = [weights[f"{name}.weight"] for name in names]
        variables[f"{theirs}/weight"] = np.concatenate(stacks)
        biases = [
            weights.get(f"{name}.bias", np.zeros(len(stack), np.float32))
            for name, stack in zip(names, stacks, strict=True)
        ]
        variables[f"{theirs}/bias"] = np.concatenate(biases)

    for conv in ("conv1", "conv2"):
        variables[f"encoder/{conv}/weight"] = torch_order(weights[f"encoder.{conv}.weight"])
        variables[f"encoder/{conv}/bias"] = weights[f"encoder.{conv}.bias"]
    norm("encoder/layer_norm", "encoder.ln_post")
    norm("decoder/layer_norm", "decoder.ln")
    for side, layers in (("encoder", dims.n_audio_layer), ("decoder", dims.n_text_layer)):
        for layer in range(layers):
            theirs, ours = f"{side}/layer_{layer}", f"{side}.blocks.{layer}"
            norm(f"{theirs}/self_attention/layer_norm", f"{ours}.attn_ln")
            linear(f"{theirs}/self_attention/linear_0", f"{ours}.attn", "query", "key", "value")
            linear(f"{theirs}/self_attention/linear_1", f"{ours}.attn", "out")
            if side == "decoder":
                norm(f"{theirs}/attention/layer_norm", f"{ours}.cross_attn_ln")
                linear(f"{theirs}/attention/linear_0", f"{ours}.cross_attn", "query")
                linear(f"{theirs}/attention/linear_1", f"{ours}.cross_attn", "key", "value")
                linear(f"{theirs}/attention/linear_2", f"{ours}.cross_attn", "out")
            norm(f"{theirs}/ffn/layer_norm", f"{ours}.mlp_ln")
            linear(f"{theirs}/ffn/linear_0", f"{ours}.mlp1", "")
            linear(f"{theirs}/ffn/linear_1", f"{ours}.mlp2", "")
    return variables


def quantised_variables(variables: Arrays, kind: str) -> dict[str, tuple[str, np.ndarray]]:
    """Store variables as CTranslate2 does for one of its types: by name, the kind of number and the array."""
    rest = "float16" if kind in ("float16", "int8_float16") else "bfloat16" if kind == "bfloat16" else "float32"
    stored: dict[str, tuple[str, np.ndarray]] = {}
    for name, array in variables.items():
        if array.ndim == 0:
            stored[name] = (str(array.dtype), array)
        elif name.endswith("weight") and kind.startswith("int8"):
            rows = array.reshape(len(array), -1)
            most = np.abs(rows).max(axis=1)
            scale = (127 / np.where(most == 0, 127, most)).astype(np.float32)
            stored[name] = ("int8", np.rint(rows * scale[:, None]).astype(np.int8).reshape(array.shape))
            stored[f"{name}_scale"] = ("float32", scale)
        elif name.endswith("weight") and kind == "int16":
            scale = np.float32(2**10 / np.abs(array).max())
            stored[name] = ("int16", np.rint(array * scale).astype(np.int16))
            stored[f"{name}_scale"] = ("float32", np.array(scale))
        elif rest == "bfloat16":
            stored[name] = (rest, (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
        else:
            stored[name] = (rest, array.astype(rest))
    return stored


def ctranslate2_bytes(
    stored: Mapping[str, tuple[str, np.ndarray]],
    aliases: Mapping[str, str] | None = None,
    specification: str = "WhisperSpec",
    version: int = 6,
) -> bytes:
    """Return the bytes of a model.bin."""

    def text(letters: str) -> bytes:
        return struct.pack("<H", len(letters.encode()) + 1) + letters.encode() + b"\0"

    parts = [struct.pack("<I", version), text(specification), struct.pack("<II", 3, len(stored))]
    for name, (kind, array) in stored.items():
        data = array.tobytes()
        shape = struct.pack(f"<B{array.ndim}I", array.ndim, *array.shape)
        parts += [text(name), shape, struct.pack("<BI", _TYPE_IDS[kind], len(data)), data]
    aliases = {"decoder/projection/weight": "decoder/embeddings/weight"} if aliases is None else aliases
    parts.append(struct.pack("<I", len(aliases)))
    parts += [text(alias) + text(name) for alias, name in aliases.items()]
    return b"".join(parts)


def write_ctranslate2(
    folder: Path, weights: Arrays, dims: ModelDimensions, kind: str = "float16", **config: object
) -> Path:
    """Write a folder as faster-whisper has it, with `config` in its config.json; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = quantised_variables(ctranslate2_variables(weights, dims), kind)
    (folder / "model.bin").write_bytes(ctranslate2_bytes(stored))
    (folder / "config.json").write_text(json.dumps({"lang_ids": [50259], "suppress_ids": [], **config}))
    return folder


# --- whisper.cpp ---


def ggml_tensors(weights: Arrays) -> dict[str, np.ndarray]:
    """Name and arrange our tensors as OpenAI's checkpoints do, of which whisper.cpp's are made."""
    tensors = {}
    for name, array in weights.items():
        theirs = name.replace(".mlp1.", ".mlp.0.").replace(".mlp2.", ".mlp.2.")
        column = name.startswith("encoder.conv") and name.endswith(".bias")
        tensors[theirs] = array.reshape(-1, 1) if column else torch_order(array)
    width = weights["encoder.ln_post.weight"].shape[0]
    return {"encoder.positional_embedding": np.zeros((4, width), np.float32), **tensors}


def ggml_tensor(name: str, array: np.ndarray, kind: str) -> bytes:
    """Return the bytes of one tensor; `kind` is that of matrices alone, as whisper.cpp has it."""
    if array.ndim == 1 or "positional_embedding" in name or array.shape[-1] == 1:
        kind = "f32"
    elif array.ndim != 2 and kind != "f32":
        kind = "f16"
    if kind in ("f32", "f16"):
        data = array.astype(np.float32 if kind == "f32" else np.float16).tobytes()
    else:
        data = quantize(array.astype(np.float32), GGMLQuantizationType[kind.upper()]).tobytes()
    letters = name.encode()
    sizes = struct.pack(f"<{3 + array.ndim}i", array.ndim, len(letters), _GGML_IDS[kind], *reversed(array.shape))
    return sizes + letters + data


def ggml_header(dims: ModelDimensions, kind: str = "f16", words: int = 50257, version: int = 2) -> bytes:
    """Return the bytes before the tensors: sizes, mel filters, vocabulary."""
    sizes = asdict(dims)
    order = ("n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer")
    order += ("n_text_ctx", "n_text_state", "n_text_head", "n_text_layer", "n_mels")
    file_type = _GGML_FILE_TYPES[kind] + (1000 * version if kind not in ("f32", "f16") else 0)
    numbers = struct.pack("<I11i", 0x67676D6C, *(sizes[name] for name in order), file_type)
    filters = struct.pack("<2i", dims.n_mels, 201) + bytes(4 * dims.n_mels * 201)
    return numbers + filters + struct.pack("<i", words) + (struct.pack("<I", 1) + b"a") * words


def write_ggml(path: Path, weights: Arrays, dims: ModelDimensions, kind: str = "f16") -> Path:
    """Write a file as whisper.cpp's converter and its quantiser do; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = (ggml_tensor(name, array, kind) for name, array in ggml_tensors(weights).items())
    path.write_bytes(ggml_header(dims, kind) + b"".join(tensors))
    return path
