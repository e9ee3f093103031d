"""The speakers of a recording that is there as a whole, for the captions that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.audio import Samples
from engine.errors import OptionError

if TYPE_CHECKING:
    from engine.speakers.words import WordSpeakers

MOST_SPEAKERS = 20
"""Most speakers that can be asked for."""


@dataclass(frozen=True, slots=True)
class SpeakerSearch:
    """A wish to have the speakers of a recording told apart.

    Attributes:
        number: how many people speak; None if nobody knows.
        name: name of a speaker, with a place for the number.

    Raises:
        OptionError: the number is no possible one.
    """

    number: int | None = None
    name: str = "Speaker {}"

    def __post_init__(self) -> None:
        if self.number is not None and not 1 <= self.number <= MOST_SPEAKERS:
            raise OptionError(f"The number of speakers must be between 1 and {MOST_SPEAKERS}, not {self.number}.")


def find_speakers(
    chunks: Iterable[Samples], search: SpeakerSearch, report: Callable[[float], None] = lambda seconds: None
) -> WordSpeakers:
    """Hear a whole recording, and return what tells who says each of its words.

    A single speaker gets no name. `report` is told the second that has been reached.

    Raises:
        AudioError: the recording cannot be decoded.
        ModelError: the weights are missing or damaged.
    """
    from engine.speakers.diarization import Diarizer
    from engine.speakers.words import TurnWords

    turns = Diarizer()(chunks, search.number, report)
    several = len({turn.speaker for turn in turns}) > 1
    return TurnWords(turns, lambda speaker: search.name.format(speaker + 1) if several else "")
