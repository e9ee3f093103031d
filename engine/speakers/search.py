"""The speakers of a recording that is there as a whole, for the captions that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.audio import Samples
from engine.errors import OptionError
from engine.events import KnownVoice

if TYPE_CHECKING:
    from engine.speakers.voice_prints import VoicePrint
    from engine.speakers.words import WordSpeakers

MOST_SPEAKERS = 20
"""Most speakers that can be asked for."""


@dataclass(frozen=True, slots=True)
class SpeakerSearch:
    """A wish to have the speakers of a recording told apart.

    Attributes:
        number: how many people speak; None if nobody knows.
        name: name of a speaker, with a place for the number.
        known: voices that are known by name already.
        spans: seconds between which alone the speakers are looked for; None stands for the whole recording.

    Raises:
        OptionError: the number is no possible one.
    """

    number: int | None = None
    name: str = "Speaker {}"
    known: tuple[KnownVoice, ...] = ()
    spans: tuple[tuple[float, float], ...] | None = None

    def __post_init__(self) -> None:
        if self.number is not None and not 1 <= self.number <= MOST_SPEAKERS:
            raise OptionError(f"The number of speakers must be between 1 and {MOST_SPEAKERS}, not {self.number}.")


def find_speakers(
    chunks: Iterable[Samples], search: SpeakerSearch, report: Callable[[float], None] = lambda seconds: None
) -> WordSpeakers:
    """Hear a whole recording, and return what tells who says each of its words.

    A single speaker whose voice is not known gets no name. `report` is told the second that has been reached.

    Raises:
        AudioError: the recording cannot be decoded.
        ModelError: the weights are missing or damaged.
    """
    from engine.audio.spans import only_within
    from engine.speakers.diarization import Diarizer
    from engine.speakers.words import TurnWords

    if search.spans is not None:
        chunks = only_within(chunks, search.spans)
    found = Diarizer()(chunks, search.number, report)
    names = _names(found.voices, search)
    return TurnWords(found.turns, lambda speaker: names[speaker])


def _names(voices: Sequence[VoicePrint], search: SpeakerSearch) -> list[str]:
    """Return the name of each speaker: that of the known voice that it is, or one with a number."""
    from engine.speakers.voice_book import KNOWN_SECONDS, VoiceBook

    book = VoiceBook(search.name.format, search.known)
    book.add([(voice, KNOWN_SECONDS) for voice in voices])
    names = [name or book.new_name() for name in book.names(voices)]
    known = {each.name for each in search.known}
    return names if len(names) > 1 else [name if name in known else "" for name in names]
