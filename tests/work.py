"""Work counted in lines of Python, since the time that it takes is the machine's as much as the code's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def lines_run(work: Callable[[], object]) -> int:
    """Count the lines of Python that `work` runs, with those of all that it calls in this thread."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
