"""What the app and the engine process say to each other: frozen, plain, cheap to import (no MLX, no numpy).

The app sends commands and gets events. `Caption`, `RoundStats` and `Summary` travel as they are; every session's
events come after its `Started` and before the next one's, so that late ones can be told from new ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Caption, Incident, RoundStats, Summary
from engine.options import CaptionOptions


@dataclass(frozen=True, slots=True)
class Load:
    """Get a hearing model ready ahead of its first use; answered by Ready or Failed."""

    model: str


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a session, ending any other without a result; answered by Started (after loading) or Failed."""

    session: int
    model: str
    options: CaptionOptions


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """The next samples of the session: float32 in native byte order, mono, 16 kHz."""

    samples: bytes


@dataclass(frozen=True, slots=True)
class Finish:
    """Hear the newest audio once more, make every caption final, and answer with a Summary."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Drop the session with what it has not committed."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Leave the process."""


Command = Load | Start | AudioChunk | Finish | Stop | Shutdown


@dataclass(frozen=True, slots=True)
class Ready:
    """A model is loaded and has run once.

    Attributes:
        model: its name as people know it.
        device: what it computes on, in words.
        load_seconds: how long loading took; 0 where it was loaded before.
        warnings: what will be slower or worse here than it could be, each one sentence.
    """

    model: str
    device: str
    load_seconds: float
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """The session is ready to hear."""

    session: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the engine is.

    Attributes:
        audio_seconds: audio of this session that has been taken in.
        speaking: whether its newest part is speech, as the engine's own gate tells it.
    """

    audio_seconds: float
    speaking: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """A command that could not be carried out, in words a user can act on.

    Attributes:
        session: the one that is over because of it; 0 where it was not a session's command.
    """

    message: str
    session: int = 0


Event = Ready | Started | Progress | Caption | RoundStats | Incident | Summary | Failed
