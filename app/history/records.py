"""What the history gives back: sessions and all that was said in them. Frozen; no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.events import Caption, Translation
from engine.turns import Turn

Kind = Literal["captions", "conversation"]
Shown = Mapping[int, tuple[float | None, ...]]
"""For each caption's id when its words were first shown as committed, on the recording's clock; None: not known."""


@dataclass(frozen=True, slots=True)
class Session:
    """One recording or conversation that is kept.

    Attributes:
        name: as a person has called it; empty where nobody has.
        source: what was listened to, as it was called then.
        model: name or folder of the model that heard or answered.
        language: code of the language that was spoken; empty where that is not known.
        target: code of the language it was translated into; empty where it was not.
        began: seconds since 1970.
        ended: the same; None where it is going on, or nobody knows.
        crashed: it ended because the app or the computer did.
        seconds: how long it is.
        excerpt: its first words.
        recording: the file that was listened to; empty where it was none.
        exported: the file to which it was exported last; empty where it was to none.
        audio: the name of the file with its sound, in the folder of these; empty where that is not kept. Sessions
            that were transcribed from the same sound share it.
        hits: lines in which something that was looked for was found; 0 where nothing was looked for.
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
    hits: int = 0
    found: str = ""

    @property
    def is_running(self) -> bool:
        """Tell whether it is being recorded."""
        return self.ended is None and not self.crashed

    @property
    def title(self) -> str:
        """Return what to call it."""
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
        session: None where it is not from the history.
        shown: see Shown.
        audio_seconds: how much was heard; None: as far as the last caption.
        heard: the captions that a person has corrected, by their ids, as they were heard.
    """

    session: Session | None = None
    captions: tuple[Caption, ...] = ()
    translations: tuple[Translation, ...] = ()
    turns: tuple[KeptTurn, ...] = ()
    shown: Shown = field(default_factory=dict)
    audio_seconds: float | None = None
    heard: Mapping[int, str] = field(default_factory=dict)

    @property
    def translated(self) -> dict[int, Translation]:
        """Translations that say something, by their caption's id."""
        return {each.id: each for each in self.translations if each.text}

    @property
    def end_seconds(self) -> float:
        """Where the last caption ends; 0 where there is none."""
        return max((caption.end for caption in self.captions), default=0.0)

    def delays_of(self, caption: Caption) -> tuple[float | None, ...]:
        """Return how long after its end each word was shown, in seconds; None where that is not known."""
        shown = self.shown.get(caption.id, ())
        times: Iterable[float | None] = (*shown, *[None] * (len(caption.committed) - len(shown)))
        pairs = zip(caption.committed, times, strict=False)
        return tuple(None if time is None else max(0.0, time - word.end) for word, time in pairs)
