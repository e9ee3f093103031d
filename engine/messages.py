"""What the app and the engine process say to each other: frozen, plain, cheap to import (no MLX, no numpy).

The app sends commands and gets events. `Caption`, `Translation`, `RoundStats` and `Summary` travel as they are; every
session's events come after its `Started` and before the next one's, so that late ones can be told from new ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.events import Caption, Incident, RoundStats, Summary, Translation
from engine.options import CaptionOptions, TranslationOptions


@dataclass(frozen=True, slots=True)
class TranslationChoice:
    """What captions are translated with.

    Attributes:
        options: into which language, and how.
        model: name or folder of the language model.
    """

    options: TranslationOptions
    model: str = "starter-language"


@dataclass(frozen=True, slots=True)
class Load:
    """Get models ready ahead of their first use: the one that hears, and the one that translates if there is one.

    Each is answered by Ready, or by Failed; that a language model cannot be loaded is an Incident.
    """

    model: str
    translation: TranslationChoice | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a session, ending any other without a result; answered by Started (after loading) or Failed.

    Where it is to be translated and cannot be, an Incident says so, and its captions come all the same.
    """

    session: int
    model: str
    options: CaptionOptions
    translation: TranslationChoice | None = None


@dataclass(frozen=True, slots=True)
class Translate:
    """Translate the session's captions otherwise from now on, or no longer; what is under way is dropped."""

    translation: TranslationChoice | None


@dataclass(frozen=True, slots=True)
class TranslateAlso:
    """Translate these captions too; they are final. Those that are not of this session have ids below 0."""

    captions: tuple[Caption, ...]


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """The next samples of the session: float32 in native byte order, mono, 16 kHz."""

    samples: bytes


@dataclass(frozen=True, slots=True)
class Finish:
    """Hear the newest audio once more, make every caption final, translate all, and answer with a Summary."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Drop the session with what it has not committed."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Leave the process."""


Command = Load | Start | Translate | TranslateAlso | AudioChunk | Finish | Stop | Shutdown


@dataclass(frozen=True, slots=True)
class Ready:
    """A model is loaded and has run once.

    Attributes:
        model: its name as people know it.
        device: what it computes on, in words.
        load_seconds: how long loading took; 0 where it was loaded before.
        warnings: what will be slower or worse here than it could be, each one sentence.
        kind: what it does: "hearing" or "language".
    """

    model: str
    device: str
    load_seconds: float
    warnings: tuple[str, ...] = ()
    kind: Literal["hearing", "language"] = "hearing"


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


Event = Ready | Started | Progress | Caption | Translation | RoundStats | Incident | Summary | Failed
