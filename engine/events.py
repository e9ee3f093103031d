"""The values that travel between rooms: frozen, made of plain Python types, safe to send to another process.

Times are seconds of audio since the stream began; where a session goes on with a transcript, since the transcript did.
A word's `text` keeps the space the tokenizer put before it (" Hello", or "世" without one), so that a line is
`"".join(word.text for word in words).strip()` in every script.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Word:
    """One word as heard.

    Attributes:
        text: the word with its leading space, punctuation and case kept.
        start, end: seconds since the stream began; start <= end.
        probability: mean probability of the word's tokens, 0 to 1.
        tokens: what the decoder wrote it with, so that the next round need not search for it again.
        attended: seconds since the stream began: the latest moment the decoder looked at while it wrote the word;
            None where that is not known.
    """

    text: str
    start: float
    end: float
    probability: float = 1.0
    tokens: tuple[int, ...] = field(default=(), compare=False, repr=False)
    attended: float | None = field(default=None, compare=False, repr=False)

    def delayed(self, seconds: float) -> Word:
        """Return the word that much later; earlier where `seconds` is negative."""
        attended = None if self.attended is None else self.attended + seconds
        return replace(self, start=self.start + seconds, end=self.end + seconds, attended=attended)


def text_of(words: Iterable[Word]) -> str:
    """Join words to the line a person reads."""
    return "".join(word.text for word in words).strip()


@dataclass(frozen=True, slots=True)
class Reference:
    """Words heard before in audio that is about to be heard again, in order of time.

    Attributes:
        committed: words that are certain; they are shown and will not change.
        expected: the newest hypothesis beyond those.
    """

    committed: tuple[Word, ...] = ()
    expected: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The full current guess for one stretch of audio, before any agreement.

    Attributes:
        words: in order of time, absolute seconds.
        language: the code that was given or detected ("en").
        no_speech_probability: probability of `<|nospeech|>` at the start-of-transcript row.
        average_logprob: mean log-probability of the decoded tokens, end-of-text included.
        compression_ratio: length of the text over its zlib length; a loop exceeds about 2.4.
        forwards: decoder forwards spent, prefill counted as one.
        tokens: how many text tokens were decoded.
        reused_tokens: how many of those were taken over from the reference without a step of their own.
        steps: search steps, each the choice of one token for every candidate.
        pruned_steps: how many of those had a single candidate because it followed the reference.
        candidates: candidates at work, summed over the steps.
        encode_seconds, decode_seconds, align_seconds: measured computation.
        draft: what the encoder alone says, where it has a draft network; see engine.hear.whisper.encoder_draft.
    """

    words: tuple[Word, ...]
    language: str
    no_speech_probability: float = 0.0
    average_logprob: float = 0.0
    compression_ratio: float = 1.0
    forwards: int = 0
    tokens: int = 0
    reused_tokens: int = 0
    steps: int = 0
    pruned_steps: int = 0
    candidates: int = 0
    encode_seconds: float = 0.0
    decode_seconds: float = 0.0
    align_seconds: float = 0.0
    draft: tuple[Word, ...] = ()

    @property
    def text(self) -> str:
        return text_of(self.words)


FIRST_CAPTION = 1
"""Number of the first caption of a transcript."""

GAP = "[…]"
"""The only word of a caption that stands for speech that was not heard."""


@dataclass(frozen=True, slots=True)
class Caption:
    """One caption entry (about a sentence) as it stands now.

    The same `id` comes again with a higher `revision` until `final`. Committed words never change nor vanish
    from one revision to the next; pending words may.

    Attributes:
        start, end: seconds of the entry's first word start and last committed word end (of the pending
            words where nothing is committed yet).
        audio_seconds: how much audio had been heard when this was made.
        emitted_seconds: when it was shown, on the session's clock (same origin as audio_seconds), so that
            `emitted_seconds - word.end` is the latency of a word that this revision committed.
        speaker: who said it, by name; empty where that is not known.
    """

    id: int
    revision: int
    start: float
    end: float
    committed: tuple[Word, ...]
    pending: tuple[Word, ...]
    final: bool
    audio_seconds: float
    emitted_seconds: float
    language: str = "en"
    speaker: str = ""

    @property
    def text(self) -> str:
        return text_of(self.committed)

    @property
    def pending_text(self) -> str:
        return text_of(self.pending)

    def delayed(self, seconds: float) -> Caption:
        """Return the caption with all its times that much later; earlier where `seconds` is negative."""
        return replace(
            self,
            start=self.start + seconds,
            end=self.end + seconds,
            committed=tuple(word.delayed(seconds) for word in self.committed),
            pending=tuple(word.delayed(seconds) for word in self.pending),
            audio_seconds=self.audio_seconds + seconds,
            emitted_seconds=self.emitted_seconds + seconds,
        )

    @property
    def is_gap(self) -> bool:
        """Tell whether it stands for speech that was not heard, since the machine was too slow."""
        return len(self.committed) == 1 and self.text == GAP


@dataclass(frozen=True, slots=True)
class Side:
    """One of the streams of audio that a session hears side by side.

    Attributes:
        speaker: name of the one who speaks; its captions carry it. Empty where there is one stream.
        start_seconds: second of the transcript at which its first sample stands.
        known: words that an earlier session committed; the audio to come may hold them, and they are not shown again.
        begun: caption that an earlier session left open, with committed words only; the side goes on with it.
    """

    speaker: str = ""
    start_seconds: float = 0.0
    known: tuple[Word, ...] = ()
    begun: Caption | None = None


@dataclass(frozen=True, slots=True)
class TranslationStats:
    """The cost of one update of a translation.

    Attributes:
        drafted: tokens of the last translation that were offered as draft.
        accepted: how many of those were kept, counted from the first on.
        output: tokens of the new translation, its end not counted.
        forwards: passes of the model, the one over prompt and draft counted as one.
        resync_drafted, resync_accepted: tokens of the draft offered again after the first difference, and kept.
        verify_seconds, decode_seconds: measured computation: over prompt and draft, and token by token after it.
    """

    drafted: int = 0
    accepted: int = 0
    output: int = 0
    forwards: int = 0
    resync_drafted: int = 0
    resync_accepted: int = 0
    verify_seconds: float = 0.0
    decode_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Translation:
    """A caption's translation as it stands now.

    It belongs to the caption with the same `id` and was made from its `revision`, which goes up from one translation
    of a caption to the next (the last one may be of a revision that is older than the caption's newest, but never
    where `final`).

    Attributes:
        text: what is to be shown.
        hidden: what follows it in the newest translation and is held back, since it is likely to change; empty
            where final. Joined to `text` as it stands it is the whole translation.
        source: what was translated.
        language: code of the language it is in ("de").
        emitted_seconds: when it was shown, on the session's clock.
    """

    id: int
    revision: int
    text: str
    hidden: str
    source: str
    language: str
    final: bool
    emitted_seconds: float = 0.0
    stats: TranslationStats = field(default=TranslationStats(), compare=False)


@dataclass(frozen=True, slots=True)
class TranslationSummary:
    """The cost of a session's translation; see TranslationStats.

    Attributes:
        language: code of the language that was translated into.
        updates: translations that were shown, final ones included.
        seconds: measured computation, that of translations which were given up included.
    """

    language: str
    updates: int = 0
    drafted: int = 0
    accepted: int = 0
    output: int = 0
    forwards: int = 0
    seconds: float = 0.0

    def plus(self, stats: TranslationStats) -> TranslationSummary:
        """With one update more."""
        return replace(
            self,
            updates=self.updates + 1,
            drafted=self.drafted + stats.drafted,
            accepted=self.accepted + stats.accepted,
            output=self.output + stats.output,
            forwards=self.forwards + stats.forwards,
        )


@dataclass(frozen=True, slots=True)
class RoundStats:
    """The cost of one round of hearing; see Hypothesis.

    Attributes:
        audio_seconds: where the audio that it heard ends, since the stream began.
        side: which of the streams it heard that are heard side by side.
    """

    round: int
    buffer_seconds: float
    encode_seconds: float
    decode_seconds: float
    align_seconds: float
    forwards: int
    tokens: int
    committed_words: int
    reused_tokens: int = 0
    steps: int = 0
    pruned_steps: int = 0
    candidates: int = 0
    audio_seconds: float = 0.0
    side: int = 0


class Shed(IntEnum):
    """Work that a session of captions leaves out on a machine that is too slow, each with all that stands before it.

    Attributes:
        NOTHING: there is time for everything.
        TRANSLATION: translations wait until nobody speaks.
        CANDIDATES: one candidate is decoded, however many were asked for.
        CONTEXT: rounds hear less of what they have heard before.
        REHEARING: next to nothing is heard twice; words are certain at once.
        AUDIO: sound that is too old is not heard; a caption that `is_gap` stands for it.
    """

    NOTHING = 0
    TRANSLATION = 1
    CANDIDATES = 2
    CONTEXT = 3
    REHEARING = 4
    AUDIO = 5


@dataclass(frozen=True, slots=True)
class Incident:
    """Something went wrong and was made good; people should know all the same, in one or two sentences."""

    message: str


@dataclass(frozen=True, slots=True)
class Latency:
    """Per-word latency: from a word's end in the audio to its being shown as committed, in seconds."""

    mean: float
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The end of a caption session.

    Attributes:
        compute_seconds: computation of all rounds; divided by audio_seconds it is real_time_factor.
        forwards, tokens: of the decoder in all rounds; a round that hears a word again counts its tokens again.
        translation: what translation cost; None where there was none.
    """

    text: str
    audio_seconds: float
    rounds: int
    compute_seconds: float
    real_time_factor: float
    word_latency_seconds: Latency | None
    language: str | None
    translation: TranslationSummary | None = None
    forwards: int = 0
    tokens: int = 0
