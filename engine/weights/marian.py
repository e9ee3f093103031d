"""Marian's binary files: names, shapes and bytes of a translation model, with its settings inside.

Format: two 64-bit numbers (version 1, count), four of them for each tensor (length of its name, type, rank, bytes of
data), all names, all shapes, padding, all data. A matrix in 8 bits (intgemm8) lies transposed, except for embeddings;
the factor that its numbers were multiplied by follows them. The factors of activations (QuantMultA, “alphas”) are not
needed: here each row of activations has its own.
"""

from __future__ import annotations

import math
import sys
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
from engine.weights.storage import MARIAN_VERSION

SETTINGS = "special:model.yml"
_KINDS = {0x0404: "float32", 0x4101: "intgemm8", 0x0101: "int8"}
_MOST_LETTERS = 1000
_MOST_PADDING = 4096
_MOST_SETTINGS_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of weights: bytes (n, k) with scales (n, 1), or float32 (n, k) with no scales."""

    weights: NDArray[np.generic]
    scales: NDArray[np.float32] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.weights.shape

    def values(self) -> NDArray[np.float32]:
        """Return its numbers (n, k) in float32."""
        plain = self.weights.astype(np.float32, copy=False)
        return plain if self.scales is None else plain * self.scales


@dataclass(frozen=True, slots=True)
class MarianFile:
    """The list of tensors in a file of Marian's.

    Attributes:
        settings: Marian's settings of the model by name, as text; lists are left out.
        tensors: by name, without the settings.
    """

    path: Path
    settings: dict[str, str]
    tensors: dict[str, StoredTensor]

    def vector(self, name: str) -> NDArray[np.float32]:
        """Read a float32 tensor as one row of numbers. Raises ModelError if it is in 8 bits or not finite."""
        tensor = self.tensors[name]
        if tensor.kind != "float32":
            raise ModelError(f"{self.path} stores {name} as {tensor.kind}, where float32 belongs.")
        values = stored_bytes(self.path, tensor)[: 4 * tensor.elements].view("<f4").astype(np.float32)
        refuse_non_finite(values, name, self.path)
        return values

    def matrix(self, name: str, *, embeds: bool = False) -> Matrix:
        """Read a matrix with one row for each output; `embeds`: with one row for each token."""
        tensor = self.tensors[name]
        if tensor.kind == "float32":
            values = self.vector(name).reshape(tensor.shape)
            return Matrix(values if embeds else np.ascontiguousarray(values.T))
        data, count = stored_bytes(self.path, tensor), tensor.elements
        factor = data[count : count + 4].view("<f4").astype(np.float32)
        refuse_non_finite(factor, name, self.path)
        if tensor.kind != "intgemm8" or factor[0] <= 0:
            raise ModelError(f"{self.path} is damaged: {name} has no factor that its bytes were multiplied by.")
        codes = data[:count].view(np.int8).reshape(tensor.shape if embeds else tensor.shape[::-1])
        return Matrix(codes, np.full((len(codes), 1), 1 / factor[0], np.float32))


def read_marian(path: Path) -> MarianFile:
    """List the contents of a file. Raises ModelError if it is cut off, damaged, or none of Marian's."""
    with open_binary(path) as reader:
        version, count = reader.numbers("2Q", "its beginning")
        if version != MARIAN_VERSION or not 0 < count <= MOST_TENSORS:
            raise ModelError(f"{path} is no binary file of Marian's, or of another version than {MARIAN_VERSION}.")
        heads = [reader.numbers("4Q", f"the entry of tensor {number}") for number in range(1, count + 1)]
        for number, (letters, _, rank, _) in enumerate(heads, 1):
            if not (1 < letters <= _MOST_LETTERS and 1 <= rank <= MOST_DIMENSIONS):
                raise reader.damaged(f"tensor {number} has {rank} dimensions and a name of {letters} letters")
        names = [reader.text(letters, "the names").rstrip("\0") for letters, *_ in heads]
        shapes = [reader.numbers(f"{rank}i", "the shapes") for _, _, rank, _ in heads]
        (padding,) = reader.numbers("Q", "the place of its data")
        if padding > _MOST_PADDING:
            raise reader.damaged(f"its data begins {padding:,} bytes late")
        reader.skip(padding, "the space before its data")
        tensors: dict[str, StoredTensor] = {}
        settings = b""
        for name, shape, (_, kind, _, size_bytes) in zip(names, shapes, heads, strict=True):
            if not name.isprintable() or name in tensors:
                raise reader.damaged("it names a tensor twice or with no letters")
            if name == SETTINGS:
                if size_bytes > _MOST_SETTINGS_BYTES:
                    raise reader.damaged(f"its settings take {size_bytes:,} bytes")
                settings = reader.read(size_bytes, name)
            else:
                tensors[name] = _stored(reader, name, shape, kind, size_bytes)
        if reader.left:
            raise reader.damaged(f"{reader.left:,} bytes follow its last tensor")
    return MarianFile(path, _settings(settings), tensors)


def _stored(reader: BinaryReader, name: str, shape: tuple[int, ...], kind: int, size_bytes: int) -> StoredTensor:
    called = _KINDS.get(kind)
    if called is None:
        raise ModelError(
            f"{reader.path} stores {name} as type {kind:#06x}, which is made for one kind of processor or another "
            "precision. Earshot reads float32 and intgemm8, as in Mozilla's files for Firefox."
        )
    if min(shape) < 1:
        raise reader.damaged(f"{name} has the shape {shape}")
    needed = 4 * math.prod(shape) if called == "float32" else math.prod(shape) + 4 * (called == "intgemm8")
    if size_bytes < needed:
        raise reader.damaged(f"{name} of shape {shape} has {size_bytes:,} bytes")
    return StoredTensor(called, shape, reader.skip(size_bytes, name), size_bytes)


def _settings(text: bytes) -> dict[str, str]:
    """Return the plain values of Marian's settings; nothing else of YAML is in use there."""
    pairs = (line.split(": ", 1) for line in text.decode("utf-8", "replace").rstrip("\0").splitlines())
    return {pair[0]: sys.intern(pair[1].strip().strip('"')) for pair in pairs if len(pair) == 2 and pair[0][:1] != " "}
