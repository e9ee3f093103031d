"""Values that travel between stages: frozen, made of plain Python types, safe to send to another process.

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
    """One recognized word.

    Attributes:
        text: the word with its leading space, punctuation and case kept.
        start, end: seconds since the stream began; start <= end.
        probability: mean probability of the word's tokens, 0 to 1.
        tokens: the word's decoder tokens, so that the next round can reuse them without a search.
        attended: latest moment of the audio that the decoder attended to while it wrote the word, in seconds since the
            stream began; None if unknown.
    """

    text: str
    start: float
    end: float
    probability: float = 1.0
    tokens: tuple[int, ...] = field(default=(), compare=False, repr=False)
    attended: float | None = field(default=None, compare=False, repr=False)

    @property
    def middle(self) -> float:
        """Moment halfway between its start and its end, in seconds since the stream began."""
        return (self.start + self.end) / 2

    def delayed(self, seconds: float) -> Word:
        """Return the word that much later; earlier where `seconds` is negative."""
        attended = None if self.attended is None else self.attended + seconds
        return replace(self, start=self.start + seconds, end=self.end + seconds, attended=attended)


def text_of(words: Iterable[Word]) -> str:
    """Join words into a line of text."""
    return "".join(word.text for word in words).strip()


@dataclass(frozen=True, slots=True)
class Reference:
    """Words of an earlier round in audio that is decoded again, in order of time.

    Attributes:
        committed: words that are shown and never change.
        expected: the latest hypothesis beyond the committed words.
        goes_on: the speech goes on behind this audio, which will be heard again: its last word may be cut off.
    """

    committed: tuple[Word, ...] = ()
    expected: tuple[Word, ...] = ()
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The full current guess for the buffered audio, before any agreement.

    Attributes:
        words: in order of time, absolute seconds.
        language: the code that was set or detected ("en").
        language_probability: probability of a detected language; 1 of one that was set.
        no_speech_probability: probability of `<|nospeech|>` at the start-of-transcript row.
        average_logprob: mean log-probability of the decoded tokens, end-of-text included.
        compression_ratio: length of the text over its zlib length; a loop exceeds about 2.4.
        forwards: decoder forwards, prefill counted as one.
        tokens: number of decoded text tokens.
        reused_tokens: tokens copied from the reference without a decoding step of their own.
        steps: search steps, each the choice of one token for every candidate.
        pruned_steps: steps with a single candidate, because it followed the reference.
        candidates: active candidates, summed over the steps.
        encode_seconds, decode_seconds, align_seconds: measured computation time.
        draft: text drafted from the encoder alone, if there is a draft network; see engine.hear.whisper.encoder_draft.
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
    language_probability: float = 1.0

    @property
    def text(self) -> str:
        return text_of(self.words)


VOICE_PRINT_VALUES = 192
"""Number of values of a voice print."""

FIRST_CAPTION = 1
"""Number of the first caption of a transcript."""

GAP = "[…]"
"""The only word of a caption that marks skipped audio."""


@dataclass(frozen=True, slots=True)
class Caption:
    """One caption entry (about a sentence) in its present state.

    The same `id` comes again with a higher `revision` until `final`. Committed words never change nor vanish from one
    revision to the next; pending words may. Where another voice turns out to have begun in an open entry, the last of
    its committed words move to the next one.

    Attributes:
        start, end: seconds of the entry's first word start and last committed word end (of the pending words if nothing
            is committed yet).
        audio_seconds: end of the audio that had been recognized when this revision was made.
        emitted_seconds: time at which it was shown, on the session's clock (same origin as audio_seconds), so that
            `emitted_seconds - word.end` is the latency of a word that this revision committed.
        speaker: the speaker's name; empty if unknown.
        first_text: the text that stood there before a final caption was heard again, with its whole context, and got
            other words (engine.captions.second_look); empty where it was not. This is the only revision that changes
            committed words.
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
    first_text: str = ""
    moved: int = 0

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
        """Return whether the caption marks audio that was skipped because the machine was too slow."""
        return len(self.committed) == 1 and self.text == GAP


@dataclass(frozen=True, slots=True)
class SpeakerLabel:
    """The speaker of a final caption, told apart by voice.

    It comes once for each caption as soon as it is sure, or as it is sure that it will not be. It comes again at the
    end of the session where all that was heard says otherwise: for the transcript, not for live readers.

    Attributes:
        id: the caption's.
        speaker: name of the speaker; empty if nobody is sure.
        voice: the speaker's voice print at this moment, VOICE_PRINT_VALUES of float32; empty if there is none.
    """

    id: int
    speaker: str
    voice: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class KnownVoice:
    """A voice that is known by name before it speaks.

    Attributes:
        voice_print: as in SpeakerLabel.
    """

    name: str
    voice_print: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the streams of audio that a session hears side by side.

    Attributes:
        speaker: name of the one who speaks; its captions carry it. Empty where there is one stream.
        start_seconds: second of the transcript at which its first sample stands.
        known: words that an earlier session committed; the audio to come may hold them, and they are not shown again.
        begun: caption that an earlier session left open, with committed words only; the side goes on with it.
        voice_name: name of a voice that is told apart on this side, with a place for its number. The first voice of a
            side with a speaker has that name.
        voices: voices that are known already.
    """

    speaker: str = ""
    start_seconds: float = 0.0
    known: tuple[Word, ...] = ()
    begun: Caption | None = None
    voice_name: str = "Speaker {}"
    voices: tuple[KnownVoice, ...] = ()

    def name_of_voice(self, number: int) -> str:
        """Return the name of the nth voice that is told apart on this side, from 1 on."""
        return self.speaker if self.speaker and number == 1 else self.voice_name.format(number)


@dataclass(frozen=True, slots=True)
class TranslationStats:
    """The cost of one update of a translation.

    Attributes:
        drafted: tokens of the last translation that were proposed as a draft.
        accepted: drafted tokens that were kept, counted from the first on.
        output: tokens of the new translation, end-of-text excluded.
        forwards: passes of the model, the one over prompt and draft counted as one.
        resync_drafted, resync_accepted: tokens of the draft proposed again after the first difference, and tokens kept.
        verify_seconds, decode_seconds: measured computation time of the pass over prompt and draft, and of the
            token-by-token decoding after it.
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
    """A caption's translation in its present state.

    It belongs to the caption with the same `id` and was made from its `revision`, which goes up from one translation of
    a caption to the next. The last translation may be of a revision older than the caption's newest, but never if it is
    `final`.

    Attributes:
        text: the text to show.
        hidden: the rest of the newest translation, held back because it is likely to change; empty if final. `text +
            hidden` is the whole translation.
        source: the text that was translated.
        language: code of the target language ("de").
        emitted_seconds: time at which it was shown, on the session's clock.
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
class SpokenTranslation:
    """Sound of a translation that is spoken while it grows, in the order of playing.

    Attributes:
        id: the caption's.
        text: the phrase that begins with this sound; empty for the rest of its sound.
        samples: float32 in native byte order, mono.
        rate_hz: its samples a second.
        heard_seconds: when the original of the phrase's first word had been said.
        start_seconds: when the sound begins, on the session's clock, if all sound is played as soon as it may be.
        speed: how many times as fast as usual the voice speaks.
    """

    id: int
    text: str
    samples: bytes = field(repr=False)
    rate_hz: int
    heard_seconds: float
    start_seconds: float
    speed: float = 1.0

    @property
    def behind_seconds(self) -> float:
        """Return how long after the original it is heard."""
        return max(0.0, self.start_seconds - self.heard_seconds)

    @property
    def seconds(self) -> float:
        return len(self.samples) / 4 / self.rate_hz


Written = Caption | Translation | SpeakerLabel
"""Results of a caption session that are read."""

Shown = Written | SpokenTranslation
"""All results of a caption session."""


@dataclass(frozen=True, slots=True)
class TranslationSummary:
    """The cost of a session's translation; see TranslationStats.

    Attributes:
        language: code of the target language.
        updates: translations that were shown, final ones included.
        seconds: measured computation time, abandoned translations included.
    """

    language: str
    updates: int = 0
    drafted: int = 0
    accepted: int = 0
    output: int = 0
    forwards: int = 0
    seconds: float = 0.0

    def plus(self, stats: TranslationStats) -> TranslationSummary:
        """Return the summary with one more update."""
        return replace(
            self,
            updates=self.updates + 1,
            drafted=self.drafted + stats.drafted,
            accepted=self.accepted + stats.accepted,
            output=self.output + stats.output,
            forwards=self.forwards + stats.forwards,
        )


@dataclass(frozen=True, slots=True)
class SecondLookSummary:
    """The cost of hearing finished captions again.

    Attributes:
        captions: captions that were heard again; `changed` of them got other words.
        drafted: tokens of the first text that were proposed as a draft; `held` of them were kept.
        seconds: measured computation time.
    """

    captions: int = 0
    changed: int = 0
    drafted: int = 0
    held: int = 0
    seconds: float = 0.0

    def plus(self, drafted: int, held: int, *, changed: bool) -> SecondLookSummary:
        """Return the summary with one more caption."""
        return replace(
            self,
            captions=self.captions + 1,
            changed=self.changed + changed,
            drafted=self.drafted + drafted,
            held=self.held + held,
        )


@dataclass(frozen=True, slots=True)
class RoundStats:
    """The cost of one round of recognition; see Hypothesis.

    Attributes:
        audio_seconds: end of the round's audio, in seconds since the stream began.
        side: index of the stream, among those that are recognized side by side.
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


class LoadShed(IntEnum):
    """Work that a caption session leaves out on a machine that is too slow. Each level includes those before it.

    Attributes:
        NOTHING: there is time for everything.
        TRANSLATION: translations wait until nobody speaks.
        CANDIDATES: one candidate is decoded, however many are set.
        CONTEXT: rounds get less of the audio that was recognized before.
        REHEARING: almost no audio is recognized twice; words are committed at once.
        AUDIO: audio that is too old is skipped; a caption with `is_gap` stands for it.
    """

    NOTHING = 0
    TRANSLATION = 1
    CANDIDATES = 2
    CONTEXT = 3
    REHEARING = 4
    AUDIO = 5


@dataclass(frozen=True, slots=True)
class Incident:
    """A problem that was recovered from and that the user should know of, in one or two sentences."""

    message: str


@dataclass(frozen=True, slots=True)
class Latency:
    """Per-word latency: from a word's end in the audio until it is shown as committed, in seconds."""

    mean: float
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a caption session.

    Attributes:
        compute_seconds: computation of all rounds; divided by audio_seconds it is real_time_factor.
        forwards, tokens: decoder forwards and tokens in all rounds; a word that is recognized twice counts twice.
        translation: the cost of translation; None if nothing was translated.
        second_look: the cost of hearing captions again; None if none was.
        label_seconds: computation for telling speakers apart; it is not part of compute_seconds.
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
    second_look: SecondLookSummary | None = None
    label_seconds: float = 0.0
