"""The outcome of a tool call, as the conversation shows it. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.answer.tools.outcomes import ToolOutcome


@dataclass(frozen=True, slots=True)
class CompletedCall:
    """A tool call that was carried out.

    Attributes:
        outcome: its outcome, which the engine puts into words.
        undo: undoes it; None if nothing has changed.
    """

    outcome: ToolOutcome
    undo: Callable[[], None] | None = field(default=None, compare=False)
