"""Measurements of the window: how soon it is there, how soon words are shown, whether it stalls, and what it costs.

The app is started as a process of its own, as a person starts it (`probe` watches it from inside), rests for a while,
and plays the demo; `hour` then shows an hour of captions in another process. Where there is no display it runs on Qt's
offscreen platform, which does all but show the picture.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from lab.bench.errors import BenchError
from lab.commands.window.process_load import environment

QUICK_SECONDS, WHOLE_SECONDS = 4.0, 120.0
"""Seconds of the demo after its first caption."""

QUICK_REST_SECONDS, WHOLE_REST_SECONDS = 4.0, 15.0
QUICK_MINUTES, WHOLE_MINUTES = 9, 60
"""Minutes of captions that are shown to measure memory, which is counted from the end of the first sixth."""

PATIENCE_SECONDS = 420.0


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """Figures of the window.

    Attributes:
        window_seconds: from the start of the process to the window's first picture.
        window_work_seconds: what the process computed until then: how long it takes where nothing else computes.
        model_seconds: from the same start to the engine's being ready to hear.
        idle_cpu_share: of one core, while nothing goes on: all processes of the app.
        first_caption_seconds: from the beginning of the demo's first word to the first caption on the screen.
        overlay_seconds: from a caption's coming out of the engine's pipe to its being painted in the overlay, the
            middle of all.
        longest_overlay_seconds: the longest of those.
        longest_work_seconds: the longest that the window's own thread computed between two turns of its event loop.
        longest_stall_seconds: the longest time between two turns, other processes' work included.
        own_stalls_above_50_ms: how often it computed for longer than that between two turns.
        stalls_above_50_ms: how often there was no turn for longer than that, whoever computed.
        turns: how many turns there were.
    """

    window_seconds: float
    window_work_seconds: float
    model_seconds: float
    idle_cpu_share: float
    first_caption_seconds: float
    overlay_seconds: float
    longest_overlay_seconds: float
    longest_work_seconds: float
    longest_stall_seconds: float
    own_stalls_above_50_ms: int
    stalls_above_50_ms: int
    turns: int


@dataclass(frozen=True, slots=True)
class HourFigures:
    """Memory and work that some time of captions takes.

    Attributes:
        caption_minutes: time in which the captions would be spoken.
        memory_growth_megabytes: resident memory at the end less that after the first sixth.
        transcript_megabytes: memory that the same captions and translations take when they are shown again.
        other_growth_megabytes: the difference.
        caption_work_seconds: mean computation of the window for a revision of a caption, recorder and overlay included,
            in the last sixth.
        first_caption_work_seconds: the same in the first sixth.
        longest_caption_work_seconds: the longest of all.
        longest_collection_seconds: the longest pause of Python's memory collector.
    """

    caption_minutes: int
    memory_growth_megabytes: float
    transcript_megabytes: float
    other_growth_megabytes: float
    caption_work_seconds: float
    first_caption_work_seconds: float
    longest_caption_work_seconds: float
    longest_collection_seconds: float


def measure(model: str = "starter", *, quick: bool = False) -> WindowFigures:
    """Start the window, let it rest, play the demo (only seconds of it where `quick`), and return the figures.

    Where not `quick`, the assistant's engine runs too while it rests.

    Raises:
        BenchError: the window did not start, the model did not load, or no caption came.
    """
    seconds, rest = (QUICK_SECONDS, QUICK_REST_SECONDS) if quick else (WHOLE_SECONDS, WHOLE_REST_SECONDS)
    started = time.monotonic()  # the system's clock: the other process reads the same one
    both = () if quick else ("both",)
    return WindowFigures(**_run("lab.commands.window.probe", repr(started), str(seconds), str(rest), model, *both))


def measure_hour(*, quick: bool = False) -> HourFigures:
    """Show an hour of captions as fast as it goes, or some minutes where `quick`, and return the figures.

    Raises:
        BenchError: it did not come to its end.
    """
    return HourFigures(**_run("lab.commands.window.hour", str(QUICK_MINUTES if quick else WHOLE_MINUTES)))


def _run(module: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", module, *arguments]
    try:
        run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise BenchError("The window could not be measured: it did not come to an end.") from error
    lines = run.stdout.splitlines()
    if run.returncode or not lines:
        said = (run.stderr.strip() or "it ended without a word").splitlines()[-1]
        raise BenchError(f"The window could not be measured: {said}")
    figures: dict[str, Any] = json.loads(lines[-1])
    return figures
