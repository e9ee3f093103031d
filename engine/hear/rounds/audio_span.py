"""The audio of a round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Reference, Word


@dataclass(frozen=True, slots=True, eq=False)
class AudioSpan:
    """The audio of one round, with everything that its recognition needs.

    Attributes:
        samples: (n,) at 16 kHz, a copy.
        offset_seconds: start of the samples, measured from the start of the stream.
        prompt, language, reference, final: see Recognizer.hear.
        voiced_from: start of the first speech in the samples, if known; words do not begin before it.
        voiced_until: end of the last speech in the samples, if known; words do not end after it.
    """

    samples: Samples
    offset_seconds: float
    prompt: str
    language: str | None
    reference: Reference
    final: bool
    voiced_until: float | None
    voiced_from: float | None = None

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE_HZ

    @property
    def end_seconds(self) -> float:
        return self.offset_seconds + self.seconds


Hear = Callable[[AudioSpan], tuple[Word, ...]]
"""Returns the words of a span that is heard without anything that is known about it."""
