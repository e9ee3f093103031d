"""Threads that compute on different devices in one process.

MLX keeps one default device for the whole process, and an operation takes its device when it is written down, not
when it is computed (both seen with MLX 0.32). So threads on different devices take turns: whoever has the turn writes
operations down, and gives it away while it computes. Where all threads use one device no turns are needed.

Which device is the usual one was decided by `backend.prepare`, and is never read back from MLX, whose default may be
another thread's just then.
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
    """While a thread is inside, what it writes down goes to `device`, by default the usual one."""

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
    """Tell whether what this thread writes down goes to a GPU: by its turn, or the usual device without one."""
    turn: DeviceTurn | None = getattr(_mine, "turn", None)
    return backend.on_gpu() if turn is None else turn.device == mx.Device(mx.gpu)


def evaluate(*arrays: mx.array | NDArray[Any]) -> None:
    """Compute arrays as mx.eval does, without keeping another device's thread from its turn; numpy's are computed."""
    turn: DeviceTurn | None = getattr(_mine, "turn", None)
    if turn is None:
        mx.eval(*arrays)
        return
    turn.__exit__(None, None, None)
    try:
        mx.eval(*arrays)
    finally:
        turn.__enter__()
