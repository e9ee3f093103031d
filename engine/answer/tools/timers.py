"""Timers: when they ring, which one is meant, and their outcomes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from engine.answer.tools.clock import in_seconds, next_moment, seconds_until
from engine.answer.tools.dates import write_time
from engine.answer.tools.outcomes import ToolOutcome
from engine.answer.tools.wording import folded
from engine.turns import Language

MOST_LABEL = 60
"""Longest label of a timer, in characters."""


class RunningTimer(Protocol):
    """A timer that a person set: its length in seconds, when it rings by `time.time`, and its name or ""."""

    @property
    def seconds(self) -> float: ...

    @property
    def due(self) -> float: ...

    @property
    def label(self) -> str: ...


T = TypeVar("T", bound=RunningTimer)


def seconds_of(arguments: Mapping[str, str], language: Language, now: datetime) -> float:
    """Return the length of a requested timer that starts now, in seconds."""
    if "seconds" in arguments:
        return float(arguments["seconds"])
    return seconds_until(next_moment(arguments["at"], arguments.get("day", ""), language, now), now)


def timer_set(arguments: Mapping[str, str], language: Language, now: datetime) -> tuple[float, ToolOutcome]:
    """Return the length of a requested timer that starts now, and the outcome that it runs."""
    seconds, label = seconds_of(arguments, language, now), arguments.get("label", "")
    if "at" not in arguments:
        return seconds, _outcome("timer_set", f"{seconds:g}", label)
    outcome = _outcome("alarm_set", f"{max(60, round(seconds / 60) * 60)}", label)
    rings = write_time(in_seconds(seconds, now), language)
    return seconds, replace(outcome, values={**outcome.values, "time": rings})


def timer_over(seconds: float, label: str) -> ToolOutcome:
    """Return the outcome that a timer rings."""
    return _outcome("timer_over", f"{seconds:g}", label[:1].upper() + label[1:])


def timers_left(running: Sequence[RunningTimer], now: float, label: str = "") -> ToolOutcome:
    """Return the outcome with the time left of each timer and its name, the next to ring first, or of the named one."""
    if not running:
        return ToolOutcome("no_timer")
    running = tuple(each for each in running if label and _is_meant(each, {"label": label})) or running
    if len(running) == 1:
        return _outcome("timer_left", f"{running[0].due - now:.0f}", running[0].label)
    return ToolOutcome("timers_left", {"timers": _listed(running, now)})


def cancelled(running: Sequence[T], arguments: Mapping[str, str], now: float) -> tuple[tuple[T, ...], ToolOutcome]:
    """Return the timers that a request cancels, and its outcome.

    It names one by its name or its length, or all; where it names none and several run, it is asked which is meant.
    """
    if not running:
        return (), ToolOutcome("no_timer")
    named = {key: value for key, value in arguments.items() if key in ("label", "seconds", "at")}
    if "all" in arguments or (not named and len(running) == 1):
        return tuple(running), ToolOutcome("timer_cancelled" if len(running) == 1 else "timers_cancelled")
    if not named:
        return (), ToolOutcome("which_timer", {"timers": _listed(running, now)})
    meant = tuple(each for each in running if _is_meant(each, named))
    if not meant:
        return (), ToolOutcome("no_such_timer", {"timers": _listed(running, now)})
    label = meant[0].label if len(meant) == 1 else ""
    return meant, ToolOutcome("timer_cancelled_named", {"label": label}) if label else ToolOutcome("timer_cancelled")


def _is_meant(timer: RunningTimer, named: Mapping[str, str]) -> bool:
    """Return whether a timer has the length, or a name with the words, of a request."""
    if "seconds" in named:
        return timer.seconds == float(named["seconds"])
    if "at" in named:
        rings, (at, doubtful, _) = datetime.fromtimestamp(timer.due), named["at"].partition("?")
        return f"{rings:%H:%M}" == at or (bool(doubtful) and f"{rings - timedelta(hours=12):%H:%M}" == at)
    wanted, label = (set(re.findall(r"\w+", folded(text))) for text in (named["label"], timer.label))
    return bool(wanted) and wanted <= label


def _listed(running: Sequence[RunningTimer], now: float) -> str:
    """Return the time left of each timer in seconds and its name, in lines, the next to ring first."""
    ordered = sorted(running, key=lambda each: each.due)
    return "\n".join(f"{max(0.0, each.due - now):.0f} {each.label}".strip() for each in ordered)


def _outcome(kind: str, seconds: str, label: str) -> ToolOutcome:
    values = {"seconds": seconds}
    return ToolOutcome(f"{kind}_named", values | {"label": label}) if label else ToolOutcome(kind, values)
