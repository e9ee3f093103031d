"""Binary files read piece by piece, no piece longer than what is left of the file."""

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

MOST_TENSORS = 20_000  # a large Whisper in int8 has 2,600; a file that lists more keeps nobody waiting
MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor as a file lists it; its bytes were compared with the file's size.

    Attributes:
        kind: of number, as the format calls it: "float16", "int8", "q5_0".
        offset: of its first byte in the file.
        size_bytes: all of its bytes.
    """

    kind: str
    shape: tuple[int, ...]
    offset: int
    size_bytes: int

    @property
    def elements(self) -> int:
        """Give the count of its numbers; 1 for a scalar."""
        return math.prod(self.shape)


class BinaryReader:
    """A little-endian file that is read from its beginning.

    Attributes:
        path: of the file.
        size_bytes: when it was opened.
        position: of the next byte.
    """

    def __init__(self, path: Path, file: BinaryIO, size_bytes: int) -> None:
        self.path = path
        self.size_bytes = size_bytes
        self.position = 0
        self._file = file

    @property
    def left(self) -> int:
        """Give the count of bytes that follow."""
        return self.size_bytes - self.position

    def take(self, count: int, what: str) -> bytes:
        """Read `count` bytes of `what`. ModelError where the file ends before."""
        self._reach(count, what)
        data = self._file.read(count)
        if len(data) != count:  # somebody shortens it meanwhile
            raise ModelError(f"{self.path} is cut off in {what}. {ADVICE}")
        self.position += count
        return data

    def skip(self, count: int, what: str) -> int:
        """Leave `count` bytes of `what` unread; give the offset of the first. ModelError where the file ends before."""
        self._reach(count, what)
        start = self.position
        self.position += count
        self._file.seek(self.position)
        return start

    def numbers(self, form: str, what: str) -> tuple[int, ...]:
        """Read integers of a `struct` form, such as "3i". ModelError where the file ends before."""
        return struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}"), what))

    def text(self, length: int, what: str) -> str:
        """Read a name of `length` bytes. ModelError where the file ends before, or it is no UTF-8."""
        try:
            return self.take(length, what).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.damaged(f"{what} is no text") from error

    def damaged(self, problem: str) -> ModelError:
        """Make the error that says what is wrong with the file."""
        return ModelError(f"{self.path} is damaged: {problem}. {ADVICE}")

    def _reach(self, count: int, what: str) -> None:
        if count > self.left:
            raise ModelError(
                f"{self.path} is cut off: {what} ends {count - self.left:,} bytes after the file does. {ADVICE}"
            )


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryReader]:
    """Open a file for reading from its beginning. ModelError where that fails."""
    try:
        with path.open("rb") as file:
            yield BinaryReader(path, file, path.stat().st_size)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error


def stored_bytes(path: Path, tensor: StoredTensor) -> NDArray[np.uint8]:
    """Read all bytes (size_bytes,) of a tensor. ModelError where the file has become shorter."""
    try:
        data = np.fromfile(path, np.uint8, tensor.size_bytes, offset=tensor.offset)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    if data.size != tensor.size_bytes:
        raise ModelError(f"{path} is cut off. {ADVICE}")
    return data


def refuse_what_is_no_number(array: NDArray[np.floating], name: str, path: Path) -> None:
    """Raise ModelError where an array that was read holds a value that is not finite."""
    if not np.isfinite(array).all():
        raise ModelError(f"{path} is damaged: {name} holds values that are not finite in {array.dtype}. {ADVICE}")
