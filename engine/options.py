"""Options of captions, translation and the assistant, checked when they are made.

An invalid value raises OptionError.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from engine.errors import OptionError

Policy = Literal["local-agreement", "alignatt"]
Reuse = Literal["none", "prune", "verify"]
Decoder = Literal["beam", "multitoken"]
AcceptanceRule = Literal["top-m", "threshold", "both"]
Display = Literal["live", "mask-k"]
Verifier = Literal["greedy", "top-k", "biased", "reflection"]
Generation = Literal["autoregressive", "jacobi"]
PLAIN_PADDINGS = ("full", "none", "hush", "silence_cache")
TIMED_PADDINGS = ("zeros", "noise")
"""Paddings with a duration, such as "zeros:0.5"."""

MOST_PADDING_SECONDS = 30.0
"""Longest padding, in seconds."""

MIN_STEP_SECONDS = 0.1
"""Shortest step between two rounds, in seconds."""

MAX_BUFFER_SECONDS = 28.0
"""Longest buffer of a stream, in seconds."""

MOST_TOKENS_AHEAD = 8
"""Largest number of tokens predicted at once."""

MOST_ENTRIES, MOST_ENTRY_CHARACTERS = 1000, 60
"""Largest vocabulary, and its longest entry, in characters."""


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Check that a value is within a range, both ends included.

    Raises:
        OptionError: it is not.
    """
    if not low <= value <= high:  # also rejects NaN
        raise OptionError(f"{name} must be between {low:g} and {high:g}, not {value!r}.")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Check that a value is one of the choices.

    Raises:
        OptionError: it is not.
    """
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


@dataclass(frozen=True, slots=True)
class PaddingChoice:
    """A checked padding option: the strategy and, if it has one, the duration in seconds."""

    strategy: str
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.strategy}:{self.seconds:g}" if self.strategy in TIMED_PADDINGS else self.strategy


def parse_padding(value: str) -> PaddingChoice:
    """Parse a padding option such as "hush" or "zeros:0.5".

    Raises:
        OptionError: the value is no padding option.
    """
    strategy, colon, amount = value.partition(":")
    if strategy in PLAIN_PADDINGS and not colon:
        return PaddingChoice(strategy)
    if strategy in TIMED_PADDINGS and colon:
        try:
            seconds = float(amount)
        except ValueError:
            seconds = math.nan
        if 0 <= seconds <= MOST_PADDING_SECONDS:
            return PaddingChoice(strategy, seconds)
    raise OptionError(
        f"padding must be one of full, none, zeros:S, noise:S (S from 0 to {MOST_PADDING_SECONDS:g} seconds), hush, "
        f"silence_cache, not {value!r}."
    )


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """Options of decoding: from audio features to tokens.

    Attributes:
        decoder: "beam" writes one token per decoder pass; "multitoken" writes several, which needs a model with heads
            (engine.hear.speech_llama.heads).
        beam_size: candidates of the beam search; 1 decodes greedily.
        reuse: use of the last hypothesis of the same audio. "none" searches for every token again. "prune" searches
            with one candidate while it agrees with the last hypothesis (WhisperFlow); it has no effect on the
            multi-token decoder. "verify" reads the last hypothesis as one block, keeps the tokens that the model
            accepts, and searches on.
        draft: verify the text that a draft network proposes from the audio features, if the model has one
            (engine.hear.whisper.encoder_draft). This does not change the text. A beam with a draft asks no multi-token
            heads, and a pruned one uses none.
        verify_margin: largest difference from the best log-probability (natural) at which verification still accepts a
            token. 0 accepts what greedy decoding would write; larger values make captions steadier.
        tokens_ahead: tokens that the multi-token decoder predicts at once, the next one included.
        acceptance: rule for accepting predicted tokens. "top-m": the head of the next token, which verifies them, ranks
            them among its `top_m` best; "threshold": their own head gives them at least the probability `threshold`;
            "both": either of these. Where there is a draft, it has to say the same as a head that is not verified.
        top_m: 1 accepts what greedy decoding would write; larger values accept more tokens.
        threshold: lowest accepted probability; smaller values accept more tokens.
        into_english: translate speech into English; multilingual Whisper models only.
        vocabulary: words and names that are likely to be said (engine.hear.decode.vocabulary). An empty one changes
            nothing.
    """

    decoder: Decoder = "beam"
    beam_size: int = 1
    reuse: Reuse = "none"
    draft: bool = True
    verify_margin: float = 0.0
    tokens_ahead: int = 4
    acceptance: AcceptanceRule = "top-m"
    top_m: int = 1
    threshold: float = 0.8
    into_english: bool = False
    vocabulary: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("decoder", self.decoder, get_args(Decoder))
        check_range("beam_size", self.beam_size, 1, 16)
        check_choice("reuse", self.reuse, get_args(Reuse))
        check_range("verify_margin", self.verify_margin, 0, 10)
        check_range("tokens_ahead", self.tokens_ahead, 2, MOST_TOKENS_AHEAD)
        check_choice("acceptance", self.acceptance, get_args(AcceptanceRule))
        check_range("top_m", self.top_m, 1, 100)
        if not 0 < self.threshold <= 1:  # also rejects NaN
            raise OptionError(f"threshold must be above 0 and at most 1, not {self.threshold!r}.")
        _check_vocabulary(self.vocabulary)

    @property
    def uses_draft(self) -> bool:
        """Return whether a draft of the text can be used: by one candidate, or by a beam that is not pruned."""
        return self.draft and (self.beam_size == 1 or self.reuse != "prune")


def _check_vocabulary(entries: tuple[str, ...]) -> None:
    """Check that entries are short single lines with a letter or digit, and not too many."""
    if len(entries) > MOST_ENTRIES:
        raise OptionError(f"vocabulary may have {MOST_ENTRIES} entries at most, not {len(entries)}.")
    for entry in entries:
        if entry != " ".join(entry.split()) or not any(character.isalnum() for character in entry):
            raise OptionError(f"vocabulary entries must be words or names on one line, not {entry!r:.80}.")
        if len(entry) > MOST_ENTRY_CHARACTERS:
            raise OptionError(f"vocabulary entries may have {MOST_ENTRY_CHARACTERS} characters at most: {entry!r:.80}.")


@dataclass(frozen=True, slots=True)
class CaptionOptions:
    """Options of captions: from a stream of audio to words. Defaults were chosen in LOG 2026-11-23.

    Attributes:
        language: spoken language, such as "en"; None detects it.
        allowed_languages: languages that detection chooses from; empty allows all of the model.
        step_seconds: shortest new audio between two rounds, in seconds.
        step_follows_cost: lengthen the step if rounds are slow, so that captions keep up with any model
            (engine.hear.rounds.schedule). Otherwise a round only waits for the one before, as published.
        policy: commitment rule for words. "local-agreement": when consecutive hypotheses agree (LocalAgreement).
            "alignatt": at once if the word is probable and the decoder's attention was far enough from the end of the
            audio, else when hypotheses agree (AlignAtt).
        agreement: number of consecutive hypotheses that must agree.
        attention_margin_seconds: required distance of the decoder's attention from the end of the audio (AlignAtt), in
            seconds. Larger values commit words later, with fewer errors.
        certain_probability: probability below which a word waits for agreement (AlignAtt). 0 lets no word wait.
        padding: audio appended before encoding (engine.hear.whisper.padding); None selects the model's default.
        pipeline: encode a round while the previous one is decoded. None follows `earshot profile`; without a profile,
            rounds do not overlap.
        buffer_seconds: length of the audio that each round recognizes again, in seconds; a longer buffer is cut after a
            committed segment. None selects the model's default.
        voice_gate: skip silence.
        second_look: hear finished captions again, with more context and more candidates, and correct them once, in the
            time that is left (engine.captions.second_look).
        second_model: the model of the second look, by name or folder; empty is the one that hears live.
        speakers: tell the speakers of live captions apart by voice (engine.speakers.live_labels).
        decode: options of the decoder.
    """

    language: str | None = None
    allowed_languages: tuple[str, ...] = ()
    step_seconds: float = 0.3
    step_follows_cost: bool = True
    policy: Policy = "alignatt"
    agreement: int = 2
    attention_margin_seconds: float = 0.25
    certain_probability: float = 0.95
    padding: str | None = None
    pipeline: bool | None = None
    buffer_seconds: float | None = None
    voice_gate: bool = True
    second_look: bool = True
    second_model: str = ""
    speakers: bool = False
    decode: DecodeOptions = DecodeOptions(reuse="verify")

    def __post_init__(self) -> None:
        check_range("step_seconds", self.step_seconds, MIN_STEP_SECONDS, 30)
        check_choice("policy", self.policy, get_args(Policy))
        check_range("agreement", self.agreement, 2, 10)
        check_range("attention_margin_seconds", self.attention_margin_seconds, 0, 2)
        if self.padding is not None:
            parse_padding(self.padding)
        check_range("certain_probability", self.certain_probability, 0, 1)
        if self.buffer_seconds is not None:
            check_range("buffer_seconds", self.buffer_seconds, 5, MAX_BUFFER_SECONDS)
        if self.language and self.allowed_languages and self.language not in self.allowed_languages:
            raise OptionError(
                f"language {self.language!r} is not among the allowed {', '.join(self.allowed_languages)}."
            )


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """Options of live translation by self-speculative biased decoding (SSBD).

    Attributes:
        target: language to translate into, such as "de".
        source: spoken language; None uses the language of the captions.
        bias: preference for the last translation, 0 to 1. 0 writes what the model alone would write; from 0.5 on, no
            word changes before the caption is final.
        display: words of an unfinished translation that are shown: "live", those that are likely to stay, or "mask-k",
            all but the last `mask`.
        mask: words at the end of an unfinished translation that "mask-k" hides; characters in scripts without spaces.
        glossary: terms and their translations, which the model should use.
        stable: never change displayed text; translations only grow.
        candidates: beam size for finished captions. More than 1 is slower and may change displayed text, so it suits
            text that is not live.
    """

    target: str = "de"
    source: str | None = None
    bias: float = 0.3
    display: Display = "live"
    mask: int = 3
    glossary: tuple[tuple[str, str], ...] = ()
    stable: bool = False
    candidates: int = 1

    def __post_init__(self) -> None:
        if not self.target.strip():
            raise OptionError("target must be the code of a language, for example 'de', not empty.")
        check_range("bias", self.bias, 0, 1)
        check_range("mask", self.mask, 0, 20)
        check_range("candidates", self.candidates, 1, 16)
        _check_glossary(self.glossary)


def _check_glossary(glossary: tuple[tuple[str, str], ...]) -> None:
    """Check that terms are single non-empty lines, and that no term has two translations."""
    known: dict[str, str] = {}
    for term, translation in glossary:
        if not term.strip() or not translation.strip() or len(f"{term}{translation}".splitlines()) > 1:
            raise OptionError(
                f"glossary terms must be 'term = translation' on one line, not {term!r} = {translation!r}."
            )
        if known.setdefault(term.casefold(), translation) != translation:
            raise OptionError(
                f"glossary contradicts itself: {term!r} is to be both {known[term.casefold()]!r} and {translation!r}."
            )


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Options of the assistant's answers, which are drafted during the question (PredGen).

    Attributes:
        speculate: draft answers to unfinished questions. Otherwise the assistant waits for the end (plain cascade), of
            which one forward in a pause tells it.
        verifier: rule for keeping tokens of the last candidate when the question has grown. "greedy": tokens that
            greedy decoding would write, so that the answer does not change; "top-k": tokens among the `top_k` most
            probable; "biased": tokens hardly less probable than the best (as in translation); "reflection": whole
            sentences that the model itself approves.
        top_k: number of tokens that the verifier "top-k" accepts from.
        bias: preference of the verifier "biased" for the last candidate, 0 to 1.
        generation: "autoregressive" writes one token after another; "jacobi" refines blocks until they are stable.
        branches: alternative answers to draft beside each candidate in spare time, in case it is rejected.
        last_word: draft answers to the question with its last word, which is still being spoken: as heard, and where
            that does not end the sentence also as the model completes it, in spare time. Otherwise the last word waits.
        less_on_battery: while the computer runs on its battery, only draft an answer where hearing ends the sentence.
        reply_tokens: longest reply, in tokens.
    """

    speculate: bool = True
    verifier: Verifier = "greedy"
    top_k: int = 3
    bias: float = 0.2
    generation: Generation = "autoregressive"
    branches: int = 0
    last_word: bool = True
    less_on_battery: bool = True
    reply_tokens: int = 256

    def __post_init__(self) -> None:
        check_choice("verifier", self.verifier, get_args(Verifier))
        check_range("top_k", self.top_k, 1, 100)
        check_range("bias", self.bias, 0, 1)
        check_choice("generation", self.generation, get_args(Generation))
        check_range("branches", self.branches, 0, 16)
        check_range("reply_tokens", self.reply_tokens, 1, 2048)


STARTER_VOICE = "starter-voice"
"""Name of the natural voice that comes along, which speaks English."""


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """Options of the assistant's voice.

    Attributes:
        voice: STARTER_VOICE, "espeak" (of many languages, comes along too), "system" (of macOS), "piper", or a
            downloaded voice by its name or folder.
        speaker: the voice's name of a speaker, such as "en-us" or "de" of espeak; None is its default.
        words_per_minute: speaking rate.
    """

    voice: str = STARTER_VOICE
    speaker: str | None = None
    words_per_minute: int = 175

    def __post_init__(self) -> None:
        if not self.voice:
            raise OptionError(f"voice must name a voice: {STARTER_VOICE}, espeak, piper, kokoro, or a folder.")
        check_range("words_per_minute", self.words_per_minute, 80, 450)


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """Options of turn taking: when the user's turn ends, and whether the assistant can be interrupted.

    Attributes:
        silence_seconds: silence that ends a turn, in seconds.
        sure_silence_seconds: silence that ends a turn which the model predicts to be complete, in seconds.
        doubtful_silence_seconds: silence that ends a turn which the model predicts to be incomplete, in seconds.
        push_to_talk: a turn lasts while a key is held, regardless of silence.
        barge_in: speech interrupts the assistant. Otherwise the microphone is ignored while it speaks.
    """

    silence_seconds: float = 0.5
    sure_silence_seconds: float = 0.1
    doubtful_silence_seconds: float = 0.8
    push_to_talk: bool = False
    barge_in: bool = True

    def __post_init__(self) -> None:
        check_range("silence_seconds", self.silence_seconds, 0.1, 10)
        check_range("sure_silence_seconds", self.sure_silence_seconds, 0.1, self.silence_seconds)
        check_range("doubtful_silence_seconds", self.doubtful_silence_seconds, self.silence_seconds, 10)


@dataclass(frozen=True, slots=True)
class AssistantOptions:
    """Options of a spoken conversation: answers, voice and turns."""

    answer: AnswerOptions = AnswerOptions()
    voice: VoiceOptions = VoiceOptions()
    turns: TurnOptions = TurnOptions()
