"""Values of the history: sessions and all that was said in them. Frozen; no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.transcript.time_of_day import Clock
from engine.events import Caption, Translation
from engine.notes.records import Notes
from engine.turns import Turn

_ROUNDING_SECONDS = 1e-3
Kind = Literal["captions", "conversation"]
Shown = Mapping[int, tuple[float | None, ...]]
"""The times at which the words of each caption (by its id) were first shown as committed, on the recording's clock.
None if not known.
"""


@dataclass(frozen=True, slots=True)
class Session:
    """One kept recording or conversation.

    Attributes:
        name: given by a person; "" if there is none.
        source: what was recorded, by its name then.
        model: name or folder of the model that heard or answered.
        language: code of the spoken language; "" if it is not known.
        target: code of the language of its translation; "" if there is none.
        began: seconds since 1970.
        ended: the same; None if it is running, or its end is not known.
        crashed: it ended because the app or the computer did.
        seconds: its length.
        excerpt: its first words.
        recording: the file that was transcribed; "" if it was none.
        exported: the file of its last export; "" if there was none.
        audio: the name of the file with its sound, in the folder of sound; "" if it is not kept. Sessions that were
            transcribed from the same sound share it.
        resumed: when it went on after each pause: the second of the recording, and seconds since 1970.
        hits: lines in which a search found something; 0 without a search.
        found: the first such line.
    """

    id: int
    kind: Kind
    name: str
    source: str
    model: str
    language: str
    target: str
    began: float
    ended: float | None
    crashed: bool
    seconds: float
    excerpt: str
    recording: str = ""
    exported: str = ""
    audio: str = ""
    resumed: tuple[tuple[float, float], ...] = ()
    hits: int = 0
    found: str = ""

    @property
    def is_running(self) -> bool:
        """Return whether it is being recorded."""
        return self.ended is None and not self.crashed

    @property
    def clock(self) -> Clock:
        """Return its Clock; nobody knows when a file was recorded."""
        return () if self.recording else ((0.0, self.began), *self.resumed)

    @property
    def title(self) -> str:
        """Return its title."""
        return self.name or self.excerpt


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn of a conversation, and when it was answered, in seconds since 1970."""

    turn: Turn
    answered: float


@dataclass(frozen=True, slots=True)
class KeptLine:
    """A caption of a session that is over."""

    session: Session
    caption: Caption


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that was said in one session, in order; captions are final, with their committed words.

    Attributes:
        session: None if it is not from the history.
        shown: see Shown.
        audio_seconds: how much was heard; None: as far as the last caption.
        heard: the corrected captions, by their ids, as they were heard.
        marks: the seconds that a person has marked, in order.
        clock: when its seconds were, if that is known.
        notes: made of it; None if there are none.
    """

    session: Session | None = None
    captions: tuple[Caption, ...] = ()
    translations: tuple[Translation, ...] = ()
    turns: tuple[KeptTurn, ...] = ()
    shown: Shown = field(default_factory=dict)
    audio_seconds: float | None = None
    heard: Mapping[int, str] = field(default_factory=dict)
    marks: tuple[float, ...] = ()
    clock: Clock = ()
    notes: Notes | None = None

    @property
    def starts(self) -> dict[int, float]:
        """The seconds at which captions began, by their ids."""
        return {caption.id: caption.start for caption in self.captions}

    @property
    def marked(self) -> frozenset[int]:
        """The ids of the captions with a mark: those that were being said then."""
        found = []
        for mark in self.marks:
            begun = [each for each in self.captions if each.start <= mark + _ROUNDING_SECONDS]
            found += [max(begun, key=lambda each: each.start).id] if begun else []
        return frozenset(found)

    @property
    def translated(self) -> dict[int, Translation]:
        """Translations that are not empty, by their caption's id."""
        return {each.id: each for each in self.translations if each.text}

    @property
    def outdated(self) -> frozenset[int]:
        """The ids of the captions that were corrected after they had been translated."""
        texts = {each.id: each.text.split() for each in self.captions if each.id in self.heard}
        translated = self.translated
        return frozenset(id for id in texts.keys() & translated.keys() if translated[id].source.split() != texts[id])

    @property
    def end_seconds(self) -> float:
        """The end of the last caption; 0 if there is none."""
        return max((caption.end for caption in self.captions), default=0.0)

    def delays_of(self, caption: Caption) -> tuple[float | None, ...]:
        """Return how long after its end each word was shown, in seconds; None if that is not known."""
        shown = self.shown.get(caption.id, ())
        times: Iterable[float | None] = (*shown, *[None] * (len(caption.committed) - len(shown)))
        pairs = zip(caption.committed, times, strict=False)
        return tuple(None if time is None else max(0.0, time - word.end) for word, time in pairs)
