"""Messages between the app and the engine process: frozen, plain, cheap to import (no MLX, no numpy).

The app sends commands and receives events. The values of captions (engine.events) and the events of conversations
(engine.turns) travel as they are. All events of a session come after its `Started` and before the next one's, which
tells late events from new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.answer.tools.outcomes import ToolOutcome
from engine.events import (
    FIRST_CAPTION,
    Caption,
    Incident,
    LoadShed,
    RoundStats,
    Side,
    SpeakerLabel,
    SpokenTranslation,
    Summary,
    Translation,
)
from engine.machine.threads import ThreadAllocation
from engine.notes.records import CHOSEN, Notes, SaidLine
from engine.notes.template import NotesTemplate
from engine.options import AssistantOptions, CaptionOptions, TranslationOptions, VoiceOptions
from engine.speakers.search import SpeakerSearch
from engine.translate.for_files import for_files
from engine.translate.targets import model_for
from engine.turns import Language, Turn, TurnEvent


@dataclass(frozen=True, slots=True)
class TranslationChoice:
    """Model and options of a translation.

    Attributes:
        model: name or folder of the language model.
        by_ear: the model that hears translates instead, into English.
        voice: what speaks live translations, in the voice's own kind but their language; None leaves them written.
    """

    options: TranslationOptions
    model: str = "starter-language"
    by_ear: bool = False
    voice: VoiceOptions | None = None

    @property
    def model_used(self) -> str:
        """Return the model that translates into the language: the chosen one, or a better or another one that can."""
        return model_for(self.model, self.options.target, self.options.source)

    @property
    def live_options(self) -> TranslationOptions:
        """Return the options for live captions: what was said once cannot be taken back."""
        return self.options if self.voice is None else replace(self.options, stable=True)

    def for_files(self) -> TranslationChoice:
        """Return the same choice for text that is not live: slower, with fewer errors."""
        return replace(self, options=for_files(self.options), voice=None)


@dataclass(frozen=True, slots=True)
class Load:
    """Load models ahead of their first use: the one that hears, and the one that translates if there is one.

    Ready answers for each model, or Failed; a language model that cannot be loaded is an Incident.

    Attributes:
        threads: threads of hearing from now on; None are those that `earshot profile` found best.
    """

    model: str
    translation: TranslationChoice | None = None
    threads: ThreadAllocation | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a session of captions, ending any other without a result; answered by Started (after loading) or Failed.

    If its captions cannot be translated, an Incident says so, and they come untranslated.

    Attributes:
        threads: as in Load.
        sides: streams that it hears side by side.
        live: the audio passes by, and people read along: see CaptionSession.
        first_id: number of the first new caption; one counter numbers the captions of all sides.
    """

    session: int
    model: str
    options: CaptionOptions
    translation: TranslationChoice | None = None
    threads: ThreadAllocation | None = None
    sides: tuple[Side, ...] = (Side(),)
    live: bool = False
    first_id: int = FIRST_CAPTION


@dataclass(frozen=True, slots=True)
class Translate:
    """Change or stop the translation of the session's captions; translations under way are dropped."""

    translation: TranslationChoice | None


@dataclass(frozen=True, slots=True)
class TranslateAlso:
    """Translate these final captions too, of this session or an earlier one."""

    captions: tuple[Caption, ...]


@dataclass(frozen=True, slots=True)
class MakeNotes:
    """Make notes of these lines while there is nothing else to do, whatever session runs; answered by NotesMade.

    A newer request about the same subject replaces an earlier one, and starts from its notes.

    Attributes:
        subject: name of the transcript.
        writer: name or folder of a general language model; CHOSEN if lines are only chosen.
    """

    subject: str
    lines: tuple[SaidLine, ...]
    template: NotesTemplate
    writer: str = CHOSEN


@dataclass(frozen=True, slots=True)
class TranscribeFile:
    """Transcribe a recording, ending any other session; answered by Started (after loading) or Failed.

    Nobody reads along, so the recording is heard and translated carefully. Progress follows, and Transcribed at the
    end. Failed answers for a recording of which nothing can be decoded, and for a model that cannot be loaded.

    Attributes:
        model: name or folder of the hearing model.
        translation: None leaves the captions untranslated.
        speakers: tell the speakers apart, first of all; None does not.
    """

    session: int
    path: Path
    model: str
    options: CaptionOptions
    translation: TranslationChoice | None = None
    speakers: SpeakerSearch | None = None


@dataclass(frozen=True, slots=True)
class FindSpeakers:
    """Find the speakers of a recording, ending any other session; answered by Started or Failed.

    Progress follows, and SpeakersFound at the end.

    Attributes:
        captions: what is said in the recording.
    """

    session: int
    path: Path
    captions: tuple[Caption, ...]
    search: SpeakerSearch


@dataclass(frozen=True, slots=True)
class TranslateTranscript:
    """Translate the final captions of a transcript, ending any other session; answered by Started or Failed.

    A Translation follows for each caption whose language the model knows, in order, and Ended.
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
        captions: options of hearing.
        voiced: answers are spoken.
        earlier: turns of an earlier session, oldest first.
        first_turn: number of the first turn of this session.
        region: region of the user (ISO 3166), for the numbers to call in danger.
        translation: name or folder of the language model that translates a few words; None if there is none.
    """

    session: int
    hearing: str | None
    model: str
    options: AssistantOptions
    captions: CaptionOptions
    voiced: bool = True
    earlier: tuple[Turn, ...] = ()
    first_turn: int = 1
    region: str | None = None
    translation: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a typed question; a turn that is being spoken is dropped for it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolDone:
    """The outcome of a ToolCall of this turn and revision: the answer, in the language of the request, reports it."""

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
    """Pause the reply: the user speaks over it. If no words are heard, the reply goes on.

    Attributes:
        spoken_seconds: how much of the reply was played.
        samples: newest sound of the microphone without the reply, if that is known.
    """

    spoken_seconds: float | None = None
    samples: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Played:
    """Report how much of the present reply has been played; infinite if all of its sound so far has."""

    seconds: float


@dataclass(frozen=True, slots=True)
class StopReply:
    """Drop the reply.

    Attributes:
        spoken_seconds: how much of it was played.
    """

    spoken_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ChangeAnswers:
    """Change answers, voice and turn-taking from the next turn on; the conversation so far is kept.

    Attributes:
        voiced: answers are spoken; None leaves that unchanged.
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
    """Hear the newest audio once more and finish the session.

    All captions become final and are translated, and a Summary follows. In a conversation the last turn is answered,
    and Ended follows.
    """


@dataclass(frozen=True, slots=True)
class Stop:
    """Drop the session and all that it has not committed."""


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
    | FindSpeakers
    | TranslateTranscript
    | MakeNotes
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
        device: device that it computes on, in words.
        load_seconds: time of loading; 0 if it was loaded before.
        warnings: sentences about what is slower or worse on this machine than it could be.
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
    """Progress of the session on one of its sides.

    Attributes:
        audio_seconds: second of the transcript up to which audio was added.
        speaking: the newest audio is speech, by the engine's own gate.
        side: number of the side.
        shed: work that is left out, since the machine is too slow.
        total_seconds: length of the recording that is transcribed; 0 if it is unknown, or the audio is live.
        for_speakers: the audio was heard only for who speaks; it is heard again for the words.
    """

    audio_seconds: float
    speaking: bool
    side: int = 0
    shed: LoadShed = LoadShed.NOTHING
    total_seconds: float = 0.0
    for_speakers: bool = False


@dataclass(frozen=True, slots=True)
class Transcribed:
    """The transcript of a recording.

    Attributes:
        captions: all of it, final, in the order of their beginnings.
        translations: final; none if the captions are not translated.
        audio_seconds: length of the audio that could be decoded.
        damage: sentences about parts of the recording that could not be decoded; empty if all of it was heard.
    """

    captions: tuple[Caption, ...]
    translations: tuple[Translation, ...]
    audio_seconds: float
    damage: str = ""


@dataclass(frozen=True, slots=True)
class SpeakersFound:
    """The speaker of each word of each caption, by its id; empty for a single speaker."""

    names: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Ended:
    """The conversation is over and all questions are answered; or a transcript is translated."""

    session: int


@dataclass(frozen=True, slots=True)
class NotesMade:
    """Notes of a subject are made.

    Attributes:
        problem: why there are none, in words that a user can act on; empty if there are.
    """

    subject: str
    notes: Notes
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Beat:
    """The process is alive; it sends this regularly.

    Attributes:
        working_seconds: duration of the present piece of work so far; 0 if there is none.
        loading: the work is the loading of a model, which may take any time.
    """

    working_seconds: float
    loading: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """A command that could not be carried out, in words that a user can act on.

    Attributes:
        session: number of the session that is over because of it; 0 if the command was not a session's.
    """

    message: str
    session: int = 0


Event = (
    Ready
    | Started
    | Progress
    | Caption
    | Translation
    | SpokenTranslation
    | SpeakerLabel
    | RoundStats
    | TurnEvent
    | Transcribed
    | SpeakersFound
    | NotesMade
    | Incident
    | Summary
    | Ended
    | Failed
)
Sent = Event | Beat
