"""Turns of threads that compute on different devices in one process.

MLX keeps one default device for the whole process, and an operation is assigned to it when it is recorded, not when it
is computed (both seen with MLX 0.32). So threads on different devices take turns: the thread that has the turn records
operations, and releases it while it computes. If all threads use one device, no turns are needed.

The usual device was decided by `backend.prepare`. It is never read back from MLX, whose default may be another thread's
at that moment.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import mlx.core as mx
from numpy.typing import NDArray

from engine.machine import backend

_turn = threading.Lock()
_mine = threading.local()


class DeviceTurn:
    """A context in which the operations of a thread are recorded for `device` (default: the usual one)."""

    def __init__(self, device: mx.Device | None = None) -> None:
        self.device = backend.device() if device is None else device

    def __enter__(self) -> None:
        _turn.acquire()
        mx.set_default_device(self.device)
        _mine.turn = self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _mine.turn = None
        mx.set_default_device(backend.device())
        _turn.release()


def writes_for_gpu() -> bool:
    """Return whether this thread's operations are recorded for a GPU: by its turn, or the usual device without one."""
    turn: DeviceTurn | None = getattr(_mine, "turn", None)
    return backend.on_gpu() if turn is None else turn.device == mx.Device(mx.gpu)


def evaluate(*arrays: mx.array | NDArray[Any]) -> None:
    """Compute arrays as mx.eval does, but release the turn meanwhile; numpy arrays are computed already."""
    turn: DeviceTurn | None = getattr(_mine, "turn", None)
    if turn is None:
        mx.eval(*arrays)
        return
    turn.__exit__(None, None, None)
    try:
        mx.eval(*arrays)
    finally:
        turn.__enter__()
