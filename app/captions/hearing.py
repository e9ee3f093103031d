"""What hears, as a person has chosen it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from engine.machine.threads import ThreadAllocation
from engine.options import CaptionOptions


class Same(Enum):
    """Stands for what is not to be changed."""

    SAME = auto()


SAME = Same.SAME
"""Given in place of threads, of which None means something else."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """The model that hears, and how it does.

    Attributes:
        model: name or folder of the hearing model.
        threads: what it may use; None is what `earshot profile` found best.
    """

    model: str
    options: CaptionOptions
    threads: ThreadAllocation | None = None


class ChosenHearing:
    """The way of hearing now, and the one before the newest change, until that has shown to work.

    Attributes:
        now: what is to hear.
    """

    def __init__(self, hearing: Hearing) -> None:
        self.now = hearing
        self._before: Hearing | None = None

    def change(
        self, model: str | None, options: CaptionOptions | None, threads: ThreadAllocation | Same | None
    ) -> Hearing | None:
        """Change what is given, and give what was before; None where that is the same."""
        before = self.now
        self.now = Hearing(
            before.model if model is None else model,
            before.options if options is None else options,
            before.threads if threads is SAME else threads,
        )
        if self.now == before:
            return None
        self._before = self._before or before
        return before

    def prove(self) -> None:
        """It works: there is no way back any more."""
        self._before = None

    def take_back(self) -> bool:
        """Hear as before the change again; False where there was none that has not shown to work."""
        if self._before is None:
            return False
        self.now, self._before = self._before, None
        return True
