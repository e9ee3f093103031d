"""The values of a conversation that travel between rooms: frozen, made of plain Python types.

Times are seconds on the session's clock, which is that of the audio: 0 is the stream's first sample. Every value names
its `turn`, counted from 1, and its `revision`. The revision goes up whenever the user goes on with a turn that seemed
to have ended; values of an older one are void.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Language = Literal["en", "de", "fr", "es"]
"""Languages of requests."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The user's words in this turn so far; `final` when the turn has ended."""

    turn: int
    revision: int
    text: str
    final: bool = False


@dataclass(frozen=True, slots=True)
class AnswerStats:
    """The cost of one reply, or of one candidate for it.

    Attributes:
        drafted: tokens of the last candidate that were offered.
        accepted: how many of those were kept.
        output: tokens of the reply.
        forwards: of the model, for this prompt.
        verify_seconds, decode_seconds: measured computation: over prompt and candidate, and token by token after it.
    """

    drafted: int = 0
    accepted: int = 0
    output: int = 0
    forwards: int = 0
    verify_seconds: float = 0.0
    decode_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """The answer that the assistant would give if the user stopped now.

    Attributes:
        prompt: the partial question that it answers.
        text: the answer so far.
        ready: its first sentence is complete, and the beginning of its sound is synthesised.
    """

    turn: int
    revision: int
    prompt: str
    text: str
    ready: bool = False
    stats: AnswerStats = field(default=AnswerStats(), compare=False)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The end of the user's turn.

    Attributes:
        speech_end: when the user stopped speaking.
        seconds: when that was taken for the end of the turn.
        probability: that the text is a complete turn, by the model or the request's words; None if neither tells.
    """

    turn: int
    revision: int
    speech_end: float
    seconds: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request that only the app can carry out; the reply waits for the outcome.

    If it comes again for the same turn, under a higher revision, the app undoes first what it did before.

    Attributes:
        tool: its name (engine.answer.tools.table).
        language: of the request.
        arguments: by their names.
    """

    turn: int
    revision: int
    tool: str
    language: Language
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the reply, as it goes to the voice. Joined by their order they are the reply."""

    turn: int
    revision: int
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Speech:
    """Sound of one sentence, in the order of playing.

    Attributes:
        samples: float32 in native byte order, mono.
        rate_hz: its samples a second.
        sentence: the index of the sentence.
    """

    turn: int
    revision: int
    sentence: int
    samples: bytes = field(repr=False)
    rate_hz: int


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The user spoke over the reply: sound that has not been played is to be dropped.

    Attributes:
        seconds: when.
        spoken: the part of the reply that had been played by then.
    """

    turn: int
    revision: int
    seconds: float
    spoken: str


@dataclass(frozen=True, slots=True)
class TurnStats:
    """Times of one turn, in seconds; each after `speech_end` unless it says otherwise.

    Attributes:
        endpoint_seconds: until the turn was taken for finished.
        first_sentence_seconds: until the text of the first sentence was complete (TTFS counted from the end of speech).
        first_sound_seconds: until the first sound could be played. None: no sound.
        forwards_to_first_sentence: of the model, from the final prompt on, its verification counted (NFETFS).
        premade: the first sentence and its sound were made before the turn ended, and used.
        speculative_forwards: of the model before the final prompt.
        wasted_tokens: tokens that were generated ahead and not used.
        answer: the reply's cost from the final prompt on.
    """

    endpoint_seconds: float = 0.0
    first_sentence_seconds: float | None = None
    first_sound_seconds: float | None = None
    forwards_to_first_sentence: int = 0
    premade: bool = False
    speculative_forwards: int = 0
    wasted_tokens: int = 0
    answer: AnswerStats = AnswerStats()


@dataclass(frozen=True, slots=True)
class Turn:
    """A complete turn: the question and the answer.

    It comes when the reply is complete, long before all of it has been played. It comes again if the reply is
    interrupted, and under a higher revision if it resumes after a false alarm or if the user goes on with the turn.

    Attributes:
        reply: the text of the answer, as far as it was written.
        ended: the end of the reply: by itself, at the most tokens, by an interruption, or not begun at all, because
            there was nothing to answer or nothing to say.
        said: the part of an interrupted answer that had been spoken, which the next turn remembers; None: all.
    """

    turn: int
    revision: int
    prompt: str
    reply: str
    ended: Literal["end", "limit", "interrupted", "nothing"] = "end"
    stats: TurnStats = field(default=TurnStats(), compare=False)
    said: str | None = None

    @property
    def heard(self) -> str:
        """Return the spoken part of the answer."""
        return self.reply if self.said is None else self.said


TurnEvent = Heard | Candidate | Endpoint | ToolCall | Sentence | Speech | Interrupted | Turn
"""Every event of a turn, in their possible order."""
