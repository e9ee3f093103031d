"""What the app and the engine process say to each other: frozen, plain, cheap to import (no MLX, no numpy).

The app sends commands and gets events. What captions consist of (engine.events) and what conversations do
(engine.turns) travels as it is; every session's events come after its `Started` and before the next one's, so that
late ones can be told from new ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.answer.tools.outcomes import ToolOutcome
from engine.events import Caption, Incident, RoundStats, Shed, Summary, Translation, Word
from engine.machine.threads import ThreadAllocation
from engine.options import AssistantOptions, CaptionOptions, TranslationOptions
from engine.translate.careful import careful
from engine.turns import Language, Turn, TurnEvent


@dataclass(frozen=True, slots=True)
class TranslationChoice:
    """The model and options that captions are translated with.

    Attributes:
        options: into which language, and how.
        model: name or folder of the language model.
    """

    options: TranslationOptions
    model: str = "starter-language"

    def careful(self) -> TranslationChoice:
        """Choose the same for what nobody waits for: it takes longer, and has fewer mistakes."""
        return replace(self, options=careful(self.options))


@dataclass(frozen=True, slots=True)
class Load:
    """Get models ready ahead of their first use: the one that hears, and the one that translates if there is one.

    Each is answered by Ready, or by Failed; that a language model cannot be loaded is an Incident.

    Attributes:
        threads: what hearing may use from now on; None is what `earshot profile` found best.
    """

    model: str
    translation: TranslationChoice | None = None
    threads: ThreadAllocation | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of the streams of audio that a session hears side by side.

    Attributes:
        speaker: whose it is, by name; its captions say so. Empty where there is one stream.
        known: words that were committed before, in audio that will be sent again; they are not to be heard anew.
        begun: how many of the last of those stand in a caption that is not final; it is the side's first one.
    """

    speaker: str = ""
    known: tuple[Word, ...] = ()
    begun: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a session, ending any other without a result; answered by Started (after loading) or Failed.

    Where it is to be translated and cannot be, an Incident says so, and its captions come all the same. Captions of
    all sides are numbered together: first those that were begun before, in the order of the sides.

    Attributes:
        threads: as in Load.
        sides: what it hears, each a stream of its own that begins at the same moment.
        live: the audio passes by, and people read along: see CaptionSession.
    """

    session: int
    model: str
    options: CaptionOptions
    translation: TranslationChoice | None = None
    threads: ThreadAllocation | None = None
    sides: tuple[Side, ...] = (Side(),)
    live: bool = False


@dataclass(frozen=True, slots=True)
class Translate:
    """Translate the session's captions otherwise from now on, or no longer; what is under way is dropped."""

    translation: TranslationChoice | None


@dataclass(frozen=True, slots=True)
class TranslateAlso:
    """Translate these captions too; they are final. Those that are not of this session have ids below 1."""

    captions: tuple[Caption, ...]


@dataclass(frozen=True, slots=True)
class TranscribeFile:
    """Transcribe a recording, ending any other session; answered by Started or Failed.

    Nobody reads along, so it is heard and translated carefully. Progress follows, and Transcribed at the end. A model
    that cannot be loaded is Failed, and so is a recording of which nothing can be decoded.

    Attributes:
        model: name or folder of the hearing model.
        translation: None leaves the captions untranslated.
    """

    session: int
    path: Path
    model: str
    options: CaptionOptions
    translation: TranslationChoice | None = None


@dataclass(frozen=True, slots=True)
class TranslateTranscript:
    """Translate the final captions of a transcript, ending any other session; answered by Started or Failed.

    A Translation follows for each of them that is in a language the model knows, in order, and Ended.
    """

    session: int
    captions: tuple[Caption, ...]
    translation: TranslationChoice


@dataclass(frozen=True, slots=True)
class Converse:
    """Begin a conversation, ending any other session without a result; answered by Started or Failed.

    A voice that cannot be used is an Incident: then answers are written only.

    Attributes:
        hearing: name or folder of the hearing model; None where questions are typed only.
        model: name or folder of the language model that answers.
        captions: how what is said is heard.
        voiced: answers are spoken.
        earlier: what was asked and answered before, oldest first; turns are counted on from the last one.
        region: where the user is (ISO 3166), for the numbers to call in danger.
        translation: name or folder of the language model that translates a few words; None where none does.
    """

    session: int
    hearing: str | None
    model: str
    options: AssistantOptions
    captions: CaptionOptions
    voiced: bool = True
    earlier: tuple[Turn, ...] = ()
    region: str | None = None
    translation: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer this, which was typed; a turn that is being spoken is given up for it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolDone:
    """The outcome of a ToolCall of this turn and revision: it is answered with that, in the language of the request."""

    turn: int
    revision: int
    language: Language
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True)
class Press:
    """The key of push-to-talk is held from here on."""


@dataclass(frozen=True, slots=True)
class Release:
    """The key was let go: the turn has ended here."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """The user speaks over the reply, of which so much was played; should nothing be heard, the reply goes on.

    Attributes:
        samples: the newest sound of the microphone's with the reply taken out of it, if that is known.
    """

    spoken_seconds: float | None = None
    samples: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Played:
    """So much sound of the present reply has been played; infinite where all of it has that came so far."""

    seconds: float


@dataclass(frozen=True, slots=True)
class StopReply:
    """Give the reply up for good, of which so much was played."""

    spoken_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ChangeAnswers:
    """Answer, sound and take turns otherwise from the next turn on; what was said is kept.

    Attributes:
        voiced: answers are spoken; None is as before.
    """

    options: AssistantOptions
    voiced: bool | None = None


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """The next samples of one of the session's sides: float32 in native byte order, mono, 16 kHz."""

    samples: bytes = field(repr=False)
    side: int = 0


@dataclass(frozen=True, slots=True)
class Finish:
    """Hear the newest audio once more and bring everything to its end.

    Captions all become final, are translated, and a Summary follows; a conversation's last turn is answered, and
    Ended follows.
    """


@dataclass(frozen=True, slots=True)
class Stop:
    """Drop the session with what it has not committed."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Leave the process."""


Conversing = Ask | ToolDone | Press | Release | Interrupt | Played | StopReply | ChangeAnswers
Command = (
    Load
    | Start
    | Translate
    | TranslateAlso
    | TranscribeFile
    | TranslateTranscript
    | Converse
    | Conversing
    | AudioChunk
    | Finish
    | Stop
    | Shutdown
)


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
    """The progress of the engine.

    Attributes:
        audio_seconds: audio of this session that has been taken in.
        speaking: whether its newest part is speech, as the engine's own gate tells it.
        side: which of its streams this is about.
        shed: what is left out, since the machine is too slow.
        total_seconds: length of the recording that is transcribed; 0 where it is unknown, or the audio is live.
    """

    audio_seconds: float
    speaking: bool
    side: int = 0
    shed: Shed = Shed.NOTHING
    total_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Transcribed:
    """The transcript of a recording.

    Attributes:
        captions: final, in the order of their beginnings.
        translations: final; none where the captions are not translated.
        audio_seconds: how much audio was decoded.
        damage: what is wrong with the recording, in sentences; empty where all of it was heard.
    """

    captions: tuple[Caption, ...]
    translations: tuple[Translation, ...]
    audio_seconds: float
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """The conversation is over, and all that was asked is answered; or a transcript is translated."""

    session: int


@dataclass(frozen=True, slots=True)
class Beat:
    """The process is alive; it says so again and again by itself.

    Attributes:
        working_seconds: for how long it has been at what it computes now; 0 where it waits for something to do.
        loading: that is the loading of a model, which may take its time.
    """

    working_seconds: float
    loading: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """A command that could not be carried out, in words a user can act on.

    Attributes:
        session: the one that is over because of it; 0 where it was not a session's command.
    """

    message: str
    session: int = 0


Event = (
    Ready
    | Started
    | Progress
    | Caption
    | Translation
    | RoundStats
    | TurnEvent
    | Transcribed
    | Incident
    | Summary
    | Ended
    | Failed
)
Sent = Event | Beat
