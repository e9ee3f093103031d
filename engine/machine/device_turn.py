"""Threads that compute on different devices in one process.

MLX keeps one default device for the whole process, and an operation takes its device when it is written down, not
when it is computed (both seen with MLX 0.32). So threads on different devices take turns: whoever has the turn writes
operations down, and gives it away while it computes. Where all threads use one device no turns are needed.
"""

from __future__ import annotations

import threading
from types import TracebackType

import mlx.core as mx

_turn = threading.Lock()
_mine = threading.local()


class DeviceTurn:
    """While a thread is inside, what it writes down goes to `device`; after that the default is what it was."""

    def __init__(self, device: mx.Device) -> None:
        self._device = device
        self._usual = mx.default_device()

    def __enter__(self) -> None:
        _turn.acquire()
        mx.set_default_device(self._device)
        _mine.turn = self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _mine.turn = None
        mx.set_default_device(self._usual)
        _turn.release()


def evaluate(*arrays: mx.array) -> None:
    """Compute arrays as mx.eval does, without keeping another device's thread from its turn."""
    turn: DeviceTurn | None = getattr(_mine, "turn", None)
    if turn is None:
        mx.eval(*arrays)
        return
    turn.__exit__(None, None, None)
    try:
        mx.eval(*arrays)
    finally:
        turn.__enter__()
