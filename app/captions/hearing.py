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


@dataclass(frozen=True, slots=True)
class Hearing:
    """What hears, and how.

    Attributes:
        model: name or folder of the hearing model.
        threads: what it may use; None is what `earshot profile` found best.
    """

    model: str
    options: CaptionOptions
    threads: ThreadAllocation | None = None
