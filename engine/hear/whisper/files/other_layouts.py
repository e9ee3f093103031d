"""Layouts of Whisper in files other than safetensors, converted to the names and shapes of our model.

Known layouts are CTranslate2's model.bin (faster-whisper's) and whisper.cpp's ggml files. All tensors of a file are
read in one type, so that a GPU computes in one: float32 if the token embedding is stored in it, else float16, which
loses nothing compared with 8 bits or fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine.errors import ModelError
from engine.hear.whisper.files.layout import checked_dimensions, our_name
from engine.hear.whisper.model import ModelDimensions
from engine.weights.ctranslate2 import CTranslate2File
from engine.weights.ggml import GgmlFile
from engine.weights.weights import Weights

WHISPER_SPECIFICATION = "WhisperSpec"
_ATTENTIONS = (
    # ours, CTranslate2's, its layers with the parts that each of them stacks
    ("attn", "self_attention", (("linear_0", ("query", "key", "value")), ("linear_1", ("out",)))),
    ("cross_attn", "attention", (("linear_0", ("query",)), ("linear_1", ("key", "value")), ("linear_2", ("out",)))),
)


@dataclass(frozen=True, slots=True)
class TensorPart:
    """The location of one of our tensors: the `index`-th of `count` equal stacks of rows in the variable `source`."""

    source: str
    index: int = 0
    count: int = 1


def ctranslate2_dimensions(file: CTranslate2File) -> ModelDimensions:
    """Return the shape given by a file's variables. Raises ModelError if they are no Whisper's."""
    if file.specification != WHISPER_SPECIFICATION:
        raise ModelError(
            f"{file.path} holds a {file.specification} of CTranslate2's; Earshot hears with Whisper models."
        )

    def size(name: str, rank: int, axis: int) -> int:
        found = file.variables.get(name)
        if found is None or len(found.shape) != rank:
            raise ModelError(f"{file.path} describes no Whisper model: it lacks {name}, or that has another form.")
        return found.shape[axis]

    sizes = {
        "n_mels": size("encoder/conv1/weight", 3, 1),
        "n_audio_ctx": size("encoder/position_encodings/encodings", 2, 0),
        "n_audio_state": size("encoder/conv1/weight", 3, 0),
        "n_audio_head": file.scalar("encoder/num_heads"),
        "n_audio_layer": _layers(file, "encoder"),
        "n_vocab": size("decoder/embeddings/weight", 2, 0),
        "n_text_ctx": size("decoder/position_encodings/encodings", 2, 0),
        "n_text_state": size("decoder/embeddings/weight", 2, 1),
        "n_text_head": file.scalar("decoder/num_heads"),
        "n_text_layer": _layers(file, "decoder"),
    }
    return checked_dimensions(sizes, file.path)


def _layers(file: CTranslate2File, side: str) -> int:
    count = 0
    while f"{side}/layer_{count}/ffn/linear_0/weight" in file.variables:
        count += 1
    return count


def ctranslate2_weights(file: CTranslate2File, dims: ModelDimensions, wanted: Callable[[str], bool]) -> Weights:
    """Read our wanted tensors; those that the file lacks are left out.

    Raises:
        ModelError: a variable is damaged, or its rows are not a stack of the expected parts.
    """
    dtype = _common_type(file.variables["decoder/embeddings/weight"].kind, "float32")
    sources: dict[str, list[tuple[str, TensorPart]]] = {}
    for ours, part in _parts(dims):
        if part.source in file.variables and wanted(ours):
            sources.setdefault(part.source, []).append((ours, part))
    weights = {}
    for source, parts in sources.items():
        array = file.array(source, dtype)
        for ours, part in parts:
            if array.ndim == 0 or array.shape[0] % part.count:
                raise ModelError(f"{source} in {file.path} has the shape {array.shape}, not one of {part.count} parts.")
            rows = array.shape[0] // part.count
            weights[ours] = mx.array(array[part.index * rows : (part.index + 1) * rows])
    return weights


def _parts(dims: ModelDimensions) -> Iterator[tuple[str, TensorPart]]:
    """Yield the name of each of our tensors, and its location in CTranslate2's file."""
    for conv in ("conv1", "conv2"):
        for what in ("weight", "bias"):
            yield f"encoder.{conv}.{what}", TensorPart(f"encoder/{conv}/{what}")
    yield "decoder.token_embedding.weight", TensorPart("decoder/embeddings/weight")
    yield "decoder.positional_embedding", TensorPart("decoder/position_encodings/encodings")
    yield from _norm("encoder.ln_post", "encoder/layer_norm")
    yield from _norm("decoder.ln", "decoder/layer_norm")
    for side, layers in (("encoder", dims.n_audio_layer), ("decoder", dims.n_text_layer)):
        for layer in range(layers):
            yield from _block(f"{side}.blocks.{layer}", f"{side}/layer_{layer}", side == "decoder")


def _block(ours: str, theirs: str, with_cross_attention: bool) -> Iterator[tuple[str, TensorPart]]:
    for attention, source, linears in _ATTENTIONS[: 1 + with_cross_attention]:
        yield from _norm(f"{ours}.{attention}_ln", f"{theirs}/{source}/layer_norm")
        for linear, parts in linears:
            for index, part in enumerate(parts):
                stack = f"{theirs}/{source}/{linear}"
                yield f"{ours}.{attention}.{part}.weight", TensorPart(f"{stack}/weight", index, len(parts))
                if part != "key":  # its bias is zero, and we have none
                    yield f"{ours}.{attention}.{part}.bias", TensorPart(f"{stack}/bias", index, len(parts))
    yield from _norm(f"{ours}.mlp_ln", f"{theirs}/ffn/layer_norm")
    for number in (1, 2):
        for what in ("weight", "bias"):
            yield f"{ours}.mlp{number}.{what}", TensorPart(f"{theirs}/ffn/linear_{number - 1}/{what}")


def _norm(ours: str, theirs: str) -> Iterator[tuple[str, TensorPart]]:
    yield f"{ours}.weight", TensorPart(f"{theirs}/gamma")
    yield f"{ours}.bias", TensorPart(f"{theirs}/beta")


def ggml_dimensions(file: GgmlFile) -> ModelDimensions:
    """Return the shape that a file states. Raises ModelError if it is no Whisper's."""
    dims = checked_dimensions(file.sizes, file.path)
    if file.words > dims.n_vocab:
        raise ModelError(f"{file.path} describes no Whisper model: it lists {file.words} words of {dims.n_vocab}.")
    return dims


def ggml_weights(file: GgmlFile, wanted: Callable[[str], bool]) -> Weights:
    """Read our wanted tensors. Raises ModelError if one is damaged."""
    embedding = file.tensors.get("decoder.token_embedding.weight")
    dtype = _common_type(embedding.kind if embedding else "", "f32")
    weights = {}
    for name in file.tensors:
        ours = our_name(name)
        if ours is None or not wanted(ours):
            continue
        array = file.array(name, dtype)
        if ours.startswith("encoder.conv") and ours.endswith(".bias"):
            array = array.reshape(-1)  # stored as a column
        weights[ours] = mx.array(array)
    return weights


def _common_type(embedding: str, single: str) -> type[np.floating]:
    return np.float32 if embedding == single else np.float16
