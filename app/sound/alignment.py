"""Alignment of the sides of a recording to one start time, in whatever order their devices open. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples

Deliver = Callable[[Samples], None]


def aligned(deliver: Sequence[Deliver]) -> list[Deliver]:
    """Return a replacement for each side's callback, to be called with its chunks on any thread.

    A side that starts later than the first one begins with silence, so that both count from the same moment.
    """
    lock = threading.Lock()
    zero: list[float] = []  # time.monotonic() of the first sample of all
    begun: set[int] = set()

    def align(number: int, samples: Samples) -> None:
        if number not in begun:
            begun.add(number)
            heard_at = time.monotonic() - len(samples) / SAMPLE_RATE_HZ
            with lock:
                zero[:] = zero or [heard_at]
            late = round((heard_at - zero[0]) * SAMPLE_RATE_HZ)
            if late > 0:
                deliver[number](np.zeros(late, np.float32))
        deliver[number](samples)

    return [partial(align, number) for number in range(len(deliver))]
