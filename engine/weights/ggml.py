"""Reader of whisper.cpp's ggml files: eleven sizes, mel filters, a vocabulary, then tensors until the file ends.

The file, little-endian, int32 unless stated otherwise:

  uint32 "ggml"; n_vocab, n_audio_ctx, …_state, …_head, …_layer, n_text_ctx, …_state, …_head, …_layer, n_mels, type
  mels, bins, float32 filters (mels, bins)
  count of words; word: uint32 length, the bytes
  tensor: count of dimensions, length of the name, type, dimensions (the innermost first), the name, the values

A quantized type stores 32 values of a row as a block: a scale d, for some types a minimum m, both float16, and codes q.
Each value is d * q or d * q + m.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.weights.binary import (
    MOST_DIMENSIONS,
    MOST_TENSORS,
    BinaryReader,
    StoredTensor,
    open_binary,
    refuse_non_finite,
    stored_bytes,
)
from engine.weights.storage import GGML_MAGIC

SIZES = (
    "n_vocab",
    "n_audio_ctx",
    "n_audio_state",
    "n_audio_head",
    "n_audio_layer",
    "n_text_ctx",
    "n_text_state",
    "n_text_head",
    "n_text_layer",
    "n_mels",
)
BLOCK = 32  # values that share a scale
MOST_LETTERS = 128  # longest name of a tensor
_MOST_WORDS, _MOST_WORD_BYTES = 100_000, 1024  # Whisper has 50,257, the longest of 128 bytes
_MOST_FILTERS = 1 << 20
_BLOCKS_AT_A_TIME = 1 << 16  # bounds the extra memory for dequantizing a large matrix
_PLAIN = {0: ("f32", np.float32), 1: ("f16", np.float16)}
_BLOCK_BYTES = {2: ("q4_0", 18), 3: ("q4_1", 20), 6: ("q5_0", 22), 7: ("q5_1", 24), 8: ("q8_0", 34)}
_UNREAD = {9: "q8_1", 10: "q2_k", 11: "q3_k", 12: "q4_k", 13: "q5_k", 14: "q6_k", 15: "q8_k", 20: "iq4_nl", 30: "bf16"}
_VERSION_FACTOR = 1000  # the file's type holds the version of the quantized layouts, times this
_LAYOUT_SINCE = {"q4_0": 2, "q4_1": 2, "q8_0": 2, "q5_0": 1, "q5_1": 1}
"""The version that introduced each type's present layout: q4 and q8 had float32 scales before, all had other orders."""


@dataclass(frozen=True, slots=True)
class GgmlFile:
    """The list of tensors in a ggml file.

    Attributes:
        sizes: sizes by whisper.cpp's names, as stated in the file.
        words: size of its vocabulary, special tokens not counted.
        tensors: tensors by name, shapes with the outermost dimension first.
    """

    path: Path
    sizes: dict[str, int]
    words: int
    tensors: dict[str, StoredTensor]

    def array(self, name: str, dtype: type[np.floating]) -> NDArray[np.floating]:
        """Read a tensor as `dtype`, dequantized if needed. Raises ModelError if a value is not finite."""
        tensor = self.tensors[name]
        data = stored_bytes(self.path, tensor)
        plain = next((number for kind, number in _PLAIN.values() if kind == tensor.kind), None)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below with a sentence
            if plain is not None:
                values: NDArray[np.floating] = data.view(plain).astype(dtype)
            else:
                values = _expanded(data.reshape(tensor.elements // BLOCK, -1), tensor.kind, dtype)
        refuse_non_finite(values, name, self.path)
        return values.reshape(tensor.shape)


def read_list(path: Path) -> GgmlFile:
    """List the contents of a file without reading its tensors. Raises ModelError if it is cut off or no such file."""
    with open_binary(path) as reader:
        if reader.left < len(GGML_MAGIC) or reader.read(len(GGML_MAGIC), "its beginning") != GGML_MAGIC:
            raise ModelError(f"{path} is no model of whisper.cpp's: it does not begin with ggml.")
        *sizes, kind = reader.numbers(f"{len(SIZES) + 1}i", "its list of sizes")
        _skip_filters(reader)
        words = _skip_words(reader)
        tensors: dict[str, StoredTensor] = {}
        while reader.left:
            name, tensor = _tensor(reader, len(tensors) + 1)
            if name in tensors:
                raise reader.damaged(f"it holds {name} twice")
            if len(tensors) == MOST_TENSORS:
                raise reader.damaged(f"it holds more than {MOST_TENSORS:,} tensors")
            if kind // _VERSION_FACTOR < _LAYOUT_SINCE.get(tensor.kind, 0):
                raise ModelError(
                    f"{path} stores {name} as {tensor.kind} in the layout of an early whisper.cpp. Quantise the model "
                    "again, or download it again."
                )
            tensors[name] = tensor
    return GgmlFile(path, dict(zip(SIZES, sizes, strict=True)), words, tensors)


def _skip_filters(reader: BinaryReader) -> None:
    """Skip the mel filters: Earshot has its own, which are the same."""
    mels, bins = reader.numbers("2i", "its mel filters")
    if mels < 1 or bins < 1 or mels * bins > _MOST_FILTERS:
        raise reader.damaged(f"it speaks of mel filters of shape ({mels}, {bins})")
    reader.skip(4 * mels * bins, "its mel filters")


def _skip_words(reader: BinaryReader) -> int:
    (words,) = reader.numbers("i", "its vocabulary")
    if not 0 <= words <= _MOST_WORDS:
        raise reader.damaged(f"it speaks of {words:,} words")
    for number in range(words):
        (length,) = reader.numbers("I", f"word {number}")
        if length > _MOST_WORD_BYTES:
            raise reader.damaged(f"word {number} has {length:,} bytes")
        reader.read(length, f"word {number}")
    return words


def _tensor(reader: BinaryReader, number: int) -> tuple[str, StoredTensor]:
    what = f"tensor {number}"
    rank, letters, kind = reader.numbers("3i", what)
    if not (1 <= rank <= MOST_DIMENSIONS and 1 <= letters <= MOST_LETTERS):
        raise reader.damaged(f"{what} has {rank} dimensions and a name of {letters} letters")
    shape = tuple(reversed(reader.numbers(f"{rank}i", what)))
    if min(shape) < 1:
        raise reader.damaged(f"{what} has the shape {shape}")
    name = reader.text(letters, f"the name of {what}")
    if not name.isprintable():
        raise reader.damaged(f"the name of {what} is no text")
    called, size_bytes = _stored(reader, name, kind, shape)
    return name, StoredTensor(called, shape, reader.skip(size_bytes, name), size_bytes)


def _stored(reader: BinaryReader, name: str, kind: int, shape: tuple[int, ...]) -> tuple[str, int]:
    """Return the name of a type and the number of bytes of a tensor of it."""
    elements = math.prod(shape)
    if kind in _PLAIN:
        called, number = _PLAIN[kind]
        return called, elements * np.dtype(number).itemsize
    if kind in _BLOCK_BYTES:
        called, block_bytes = _BLOCK_BYTES[kind]
        if shape[-1] % BLOCK:
            raise reader.damaged(f"{name} has rows of {shape[-1]}, which {called} does not store")
        return called, elements // BLOCK * block_bytes
    if kind in _UNREAD:
        raise ModelError(
            f"{reader.path} stores {name} as {_UNREAD[kind]}. Earshot reads f32, f16, q8_0, q5_0, q5_1, q4_0 and q4_1."
        )
    raise reader.damaged(f"{name} is of type {kind}, which ggml does not have")


def _expanded(blocks: NDArray[np.uint8], kind: str, dtype: type[np.floating]) -> NDArray[np.floating]:
    """Dequantize blocks (n, bytes) of a type to values (n * 32,)."""
    values = np.empty((len(blocks), BLOCK), dtype)
    for start in range(0, len(blocks), _BLOCKS_AT_A_TIME):
        part = slice(start, start + _BLOCKS_AT_A_TIME)
        values[part] = _EXPANDERS[kind](blocks[part])
    return values.reshape(-1)


def _half(blocks: NDArray[np.uint8], first: int) -> NDArray[np.float32]:
    """Return the float16 at byte `first` of each block (n, bytes): (n, 1)."""
    return np.ascontiguousarray(blocks[:, first : first + 2]).view(np.float16).astype(np.float32)


def _nibbles(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Split bytes (n, 16) into codes (n, 32): the low halves of all, then the high ones."""
    return np.concatenate([codes & 15, codes >> 4], axis=1)


def _fifth_bits(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Expand bytes (n, 4), lowest bit first, to the fifth bit of each of the codes (n, 32)."""
    return np.unpackbits(bits, axis=1, bitorder="little") * np.uint8(16)


def _q4_0(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    return _half(blocks, 0) * (_nibbles(blocks[:, 2:]).astype(np.float32) - 8)


def _q4_1(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    return _half(blocks, 0) * _nibbles(blocks[:, 4:]) + _half(blocks, 2)


def _q5_0(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    codes = _nibbles(blocks[:, 6:]) | _fifth_bits(blocks[:, 2:6])
    return _half(blocks, 0) * (codes.astype(np.float32) - 16)


def _q5_1(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    codes = _nibbles(blocks[:, 8:]) | _fifth_bits(blocks[:, 4:8])
    return _half(blocks, 0) * codes + _half(blocks, 2)


def _q8_0(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    return _half(blocks, 0) * blocks[:, 2:].view(np.int8)


_EXPANDERS: dict[str, Callable[[NDArray[np.uint8]], NDArray[np.float32]]] = {
    "q4_0": _q4_0,
    "q4_1": _q4_1,
    "q5_0": _q5_0,
    "q5_1": _q5_1,
    "q8_0": _q8_0,
}
