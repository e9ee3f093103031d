"""Bounds-checked reading of binary files: no read goes beyond the end of the file."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.weights.safetensors import ADVICE

MOST_TENSORS = 20_000  # a large Whisper in int8 has 2,600; a damaged file that lists more is refused at once
MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor as listed in a file; its size was compared with the file's.

    Attributes:
        kind: type of its numbers, by the format's name: "float16", "int8", "q5_0".
        offset: position of its first byte in the file.
        size_bytes: size of its data.
    """

    kind: str
    shape: tuple[int, ...]
    offset: int
    size_bytes: int

    @property
    def elements(self) -> int:
        """Number of elements; 1 for a scalar."""
        return math.prod(self.shape)


class BinaryReader:
    """A little-endian file that is read from its start.

    Attributes:
        path: path of the file.
        size_bytes: size of the file when it was opened.
        position: position of the next byte.
    """

    def __init__(self, path: Path, file: BinaryIO, size_bytes: int) -> None:
        self.path = path
        self.size_bytes = size_bytes
        self.position = 0
        self._file = file

    @property
    def left(self) -> int:
        """Number of bytes that follow."""
        return self.size_bytes - self.position

    def read(self, count: int, what: str) -> bytes:
        """Read `count` bytes of `what`. Raises ModelError if the file ends before."""
        self._reach(count, what)
        data = self._file.read(count)
        if len(data) != count:  # the file was shortened meanwhile
            raise ModelError(f"{self.path} is cut off in {what}. {ADVICE}")
        self.position += count
        return data

    def skip(self, count: int, what: str) -> int:
        """Skip `count` bytes of `what`; return the offset of the first. Raises ModelError if the file ends before."""
        self._reach(count, what)
        start = self.position
        self.position += count
        self._file.seek(self.position)
        return start

    def numbers(self, form: str, what: str) -> tuple[int, ...]:
        """Read integers of a `struct` form, such as "3i". Raises ModelError if the file ends before."""
        return struct.unpack(f"<{form}", self.read(struct.calcsize(f"<{form}"), what))

    def text(self, length: int, what: str) -> str:
        """Read a name of `length` bytes. Raises ModelError if the file ends before, or if it is not UTF-8."""
        try:
            return self.read(length, what).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.damaged(f"{what} is no text") from error

    def damaged(self, problem: str) -> ModelError:
        """Return the error that says what is wrong with the file."""
        return ModelError(f"{self.path} is damaged: {problem}. {ADVICE}")

    def _reach(self, count: int, what: str) -> None:
        if count > self.left:
            raise ModelError(
                f"{self.path} is cut off: {what} ends {count - self.left:,} bytes after the file does. {ADVICE}"
            )


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryReader]:
    """Open a file for reading from its start. Raises ModelError on failure."""
    try:
        with path.open("rb") as file:
            yield BinaryReader(path, file, path.stat().st_size)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error


def stored_bytes(path: Path, tensor: StoredTensor) -> NDArray[np.uint8]:
    """Read all bytes (size_bytes,) of a tensor. Raises ModelError if the file has become shorter."""
    try:
        data = np.fromfile(path, np.uint8, tensor.size_bytes, offset=tensor.offset)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    if data.size != tensor.size_bytes:
        raise ModelError(f"{path} is cut off. {ADVICE}")
    return data


def refuse_non_finite(array: NDArray[np.floating], name: str, path: Path) -> None:
    """Raise ModelError if an array holds a value that is not finite."""
    if not np.isfinite(array).all():
        raise ModelError(f"{path} is damaged: {name} holds values that are not finite in {array.dtype}. {ADVICE}")
