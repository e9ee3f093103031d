"""Hours at a stretch: what grows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.terminal.tables import Cell
from lab.commands.endurance.campaign import Moment, Tally, Tell, Trials
from lab.commands.endurance.trial import Plan

SETTLED_SECONDS = 600.0
"""Memory is counted from here on, in speech, or from the end of the first sixth where that is sooner."""


def measure(plan: Plan, folder: Path, tell: Tell, note: Callable[[Moment], None], stop: threading.Event) -> Tally:
    """Caption, translate and answer for as long as the plan says or until `stop` is set, without a fault.

    `note` is given every minute's counts as they come.
    """
    trials = Trials(folder, tell, note, stop)
    trials.run(plan)
    return trials.tally


def in_words(moment: Moment, speed: float) -> str:
    """Return a line with a minute's counts."""
    held = ", ".join(f"{name} {megabytes:.1f}" for name, megabytes in moment["private_megabytes"].items())
    delay = moment["delay_seconds"]
    late = "no words" if delay is None else f"words after {delay:.2f} s"
    return (
        f"minute {moment['seconds'] * speed / 60:.1f}: {held} MB; {late}, {moment['behind_seconds']:g} s behind; "
        f"{moment['answers']} answers, {moment['translations']} translations; "
        f"{moment['threads']} threads, {moment['handles']} files"
    )


def figures(tally: Tally, speed: float) -> dict[str, Cell]:
    """Return the headline numbers; None where there were too few minutes for one.

    `growth_mb_per_hour` is of the memory that belongs to the processes alone, `transcript_mb_per_hour` what of it the
    captions on the screen account for.
    """
    moments = [{**each, "own_megabytes": sum(each["private_megabytes"].values())} for each in tally.moments]
    whole = moments[-1]["seconds"] if moments else 0.0
    hours = whole * speed / 3600
    settled = [each for each in moments if each["seconds"] >= min(SETTLED_SECONDS / speed, whole / 6)]
    delays = [each["delay_seconds"] for each in settled if each["delay_seconds"] is not None]
    sixth = max(1, len(delays) // 6)
    return {
        "hours": round(hours, 3),
        "growth_mb_per_hour": _slope(settled, "own_megabytes", 3600 / speed),
        "transcript_mb_per_hour": round(tally.transcript_megabytes / hours, 2) if hours else None,
        "history_mb_per_hour": _slope(settled, "history_megabytes", 3600 / speed),
        "threads_growth": _growth(settled, "threads"),
        "handles_growth": _growth(settled, "handles"),
        "delay_last_over_first": round(_mean(delays[-sixth:]) / _mean(delays[:sixth]), 3) if len(delays) > 1 else None,
        "longest_behind_seconds": max((each["behind_seconds"] for each in moments), default=None),
        **tally.word_figures(),
    }


def _slope(moments: list[Moment], name: str, per_seconds: float) -> float | None:
    """Return how fast something grows, by the line of least squares: one high reading is no growth."""
    if len(moments) < 3:
        return None
    seconds = [each["seconds"] for each in moments]
    return round(float(np.polyfit(seconds, [each[name] for each in moments], 1)[0]) * per_seconds, 2)


def _growth(moments: list[Moment], name: str) -> int | None:
    """Return how many more there are at the end than there were at most in the first third."""
    if len(moments) < 3:
        return None
    return int(moments[-1][name] - max(each[name] for each in moments[: max(1, len(moments) // 3)]))


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
