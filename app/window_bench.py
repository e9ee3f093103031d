"""How soon the window is there, how soon the first caption is, and whether the window ever stalls. Measured.

The app is started as a process of its own, as a person starts it (`window_probe` watches it from inside), and plays
the demo. Where there is no display it runs on Qt's offscreen platform, which does all but show the picture.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass

from engine.errors import EngineError

QUICK_SECONDS = 4.0
WHOLE_SECONDS = 120.0
PATIENCE_SECONDS = 300.0


class BenchError(EngineError):
    """A measurement that did not come to its end."""


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """What was measured.

    Attributes:
        window_seconds: from the start of the process to the window's first picture.
        model_seconds: from the same start to the engine's being ready to hear.
        first_caption_seconds: from the beginning of the demo's first word to the first caption on the screen.
        longest_work_seconds: the longest that the window's own thread computed between two turns of its event loop.
        longest_stall_seconds: the longest time between two turns, other processes' work included.
        stalls_above_50_ms: how often there was no turn for more than 50 ms.
        turns: how many turns there were.
    """

    window_seconds: float
    model_seconds: float
    first_caption_seconds: float
    longest_work_seconds: float
    longest_stall_seconds: float
    stalls_above_50_ms: int
    turns: int


def measure(model: str = "starter", *, quick: bool = False) -> WindowFigures:
    """Start the window, play the demo (only seconds of it where `quick`), and give the figures.

    Raises:
        BenchError: the window did not start, the model did not load, or no caption came.
    """
    environment = dict(os.environ)
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    seconds = QUICK_SECONDS if quick else WHOLE_SECONDS
    started = time.monotonic()  # the system's clock: the other process reads the same one
    command = [sys.executable, "-m", "app.window_probe", repr(started), str(seconds), model]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise BenchError("The window could not be measured: it did not come to an end.") from error
    lines = run.stdout.splitlines()
    if run.returncode or not lines:
        said = (run.stderr.strip() or "it ended without a word").splitlines()[-1]
        raise BenchError(f"The window could not be measured: {said}")
    return WindowFigures(**json.loads(lines[-1]))
