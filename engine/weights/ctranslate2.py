"""Reader of CTranslate2's model.bin, which faster-whisper uses: a list of named variables, some quantized by rows.

The file, little-endian; a text is its length (uint16), counting the terminating zero, and its bytes:

  uint32 binary version, text specification, uint32 its revision, uint32 count of variables
  variable: text name, uint8 rank, uint32 dimensions, uint8 type, uint32 count of bytes, the bytes
  uint32 count of aliases
  alias: text name, text name of the variable that it stands for

A quantized NAME comes with NAME_scale, of one number or one per row, by which its values were multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from engine.weights.storage import is_ctranslate2

VERSIONS = (4, 5, 6)
"""Binary versions with one layout of variables; the first Whispers that CTranslate2 wrote had the last one."""
MOST_LETTERS = 256  # longest name
_KINDS = (("float32", 4), ("int8", 1), ("int16", 2), ("int32", 4), ("float16", 2), ("bfloat16", 2))
_QUANTISED = ("int8", "int16")
_GLOBAL_INT16_SCALE = 1000.0  # scale of int16 variables that were stored without one


@dataclass(frozen=True, slots=True)
class CTranslate2File:
    """The list of variables in a model.bin.

    Attributes:
        specification: the kind of model, such as WhisperSpec.
        variables: variables by name, aliases included.
    """

    path: Path
    specification: str
    variables: dict[str, StoredTensor]

    def scalar(self, name: str) -> int:
        """Read an integer variable. Raises ModelError if there is none."""
        tensor = self.variables.get(name)
        if tensor is None or tensor.elements != 1 or not tensor.kind.startswith("int"):
            raise ModelError(f"{self.path} holds no whole number called {name}.")
        return int(stored_bytes(self.path, tensor).view(tensor.kind)[0])

    def array(self, name: str, dtype: type[np.floating]) -> NDArray[np.floating]:
        """Read a variable as `dtype`, dequantized if needed.

        Raises:
            ModelError: it lacks its scale, has a type that holds no weights, or holds values that are not finite.
        """
        tensor = self.variables[name]
        data = stored_bytes(self.path, tensor)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below with a sentence
            values: NDArray[Any]
            if tensor.kind in _QUANTISED:
                values = data.view(tensor.kind).reshape(tensor.shape) / self._scale(name, tensor)
            elif tensor.kind == "bfloat16":
                values = (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(tensor.shape)
            elif tensor.kind in ("float16", "float32"):
                values = data.view(tensor.kind).reshape(tensor.shape)
            else:
                raise ModelError(f"{self.path} stores {name} as {tensor.kind}, which Earshot does not compute with.")
            converted: NDArray[np.floating] = values.astype(dtype)
        refuse_non_finite(converted, name, self.path)
        return converted

    def _scale(self, name: str, tensor: StoredTensor) -> NDArray[np.float32]:
        """Return the divisor of a quantized variable, in a shape that broadcasts with it."""
        scale = self.variables.get(f"{name}_scale")
        if scale is None and tensor.kind == "int16":
            return np.array(_GLOBAL_INT16_SCALE, np.float32)
        if scale is None:
            raise ModelError(f"{self.path} stores {name} as {tensor.kind} without its scale.")
        if scale.kind in _QUANTISED or scale.elements not in (1, tensor.shape[0] if tensor.shape else 1):
            raise ModelError(f"{self.path} stores {name} with a scale that does not go with it.")
        numbers = self.array(f"{name}_scale", np.float32).astype(np.float32)
        if not np.all(numbers > 0):
            raise ModelError(f"{self.path} is damaged: the scale of {name} is not above zero.")
        return numbers.reshape(-1, *(1 for _ in tensor.shape[1:])) if numbers.size > 1 else numbers.reshape(())


def read_list(path: Path) -> CTranslate2File:
    """List the variables of a file without reading them. Raises ModelError if it is cut off or has another format."""
    if not is_ctranslate2(path):
        raise ModelError(
            f"{path} is no model of CTranslate2's. Other files of that name can run code and are not read."
        )
    with open_binary(path) as reader:
        (version,) = reader.numbers("I", "its version")
        if version not in VERSIONS:
            raise ModelError(f"{path} has CTranslate2's binary version {version}; Earshot reads {VERSIONS[-1]}.")
        specification = _text(reader, "its specification")
        reader.numbers("I", "its revision")
        variables: dict[str, StoredTensor] = {}
        for number in range(_count(reader, "variables")):
            name = _text(reader, f"the name of variable {number + 1}")
            _add(variables, name, _variable(reader, name), reader)
        for _ in range(_count(reader, "aliases")):
            alias, name = _text(reader, "an alias"), _text(reader, "an alias")
            if name not in variables:
                raise reader.damaged(f"{alias} stands for {name}, which is not there")
            _add(variables, alias, variables[name], reader)
            if f"{name}_scale" in variables:
                variables.setdefault(f"{alias}_scale", variables[f"{name}_scale"])
        if reader.left:
            raise reader.damaged(f"{reader.left:,} bytes follow its end")
    return CTranslate2File(path, specification, variables)


def _count(reader: BinaryReader, what: str) -> int:
    (count,) = reader.numbers("I", f"the count of its {what}")
    if count > MOST_TENSORS:
        raise reader.damaged(f"it speaks of {count:,} {what}")
    return count


def _text(reader: BinaryReader, what: str) -> str:
    (length,) = reader.numbers("H", what)
    if not 2 <= length <= MOST_LETTERS:
        raise reader.damaged(f"{what} has {length} letters")
    text = reader.text(length, what)
    if not text.isprintable() and not (text.endswith("\0") and text[:-1].isprintable()):
        raise reader.damaged(f"{what} is no text")
    return text.removesuffix("\0")


def _variable(reader: BinaryReader, name: str) -> StoredTensor:
    (rank,) = reader.numbers("B", name)
    if rank > MOST_DIMENSIONS:
        raise reader.damaged(f"{name} has {rank} dimensions")
    shape = reader.numbers(f"{rank}I", name)
    kind, size_bytes = reader.numbers("BI", name)
    if kind >= len(_KINDS):
        raise reader.damaged(f"{name} is of kind {kind}, which CTranslate2 does not have")
    called, item_bytes = _KINDS[kind]
    tensor = StoredTensor(called, shape, reader.position, size_bytes)
    if tensor.elements * item_bytes != size_bytes:
        raise reader.damaged(f"{name} should take {tensor.elements * item_bytes:,} bytes and takes {size_bytes:,}")
    reader.skip(size_bytes, name)
    return tensor


def _add(variables: dict[str, StoredTensor], name: str, tensor: StoredTensor, reader: BinaryReader) -> None:
    if name in variables:
        raise reader.damaged(f"it holds {name} twice")
    variables[name] = tensor
