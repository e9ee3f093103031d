"""What came of a call, as the conversation shows it. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.answer.tools.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a call.

    Attributes:
        outcome: what is told of it.
        undo: takes it back; None where nothing has changed.
    """

    outcome: Outcome
    undo: Callable[[], None] | None = field(default=None, compare=False)
