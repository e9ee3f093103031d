"""What can be chosen, checked once where it is made. A bad value raises OptionError naming field, value and range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from engine.errors import OptionError

Trimming = Literal["segment", "sentence"]
Policy = Literal["local-agreement", "alignatt"]
Reuse = Literal["none", "prune", "verify"]
Decoder = Literal["beam", "multitoken"]
AcceptanceRule = Literal["top-m", "threshold", "both"]
Verifier = Literal["greedy", "top-k", "biased", "reflection"]
Generation = Literal["autoregressive", "jacobi"]
PLAIN_PADDINGS = ("full", "none", "hush", "silence_cache")
TIMED_PADDINGS = ("zeros", "noise")
MOST_PADDING_SECONDS = 30.0
MIN_STEP_SECONDS = 0.1
MAX_BUFFER_SECONDS = 28.0
MOST_MASKED = 20
MOST_CONTEXT_SENTENCES = 20
MOST_REPLY_TOKENS = 2048
MOST_BRANCHES = 16
MOST_TOKENS_AHEAD = 8
VOICES = ("espeak", "system", "kokoro")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Refuse a value that is not between two others, these included. OptionError."""
    if not low <= value <= high:  # also refuses NaN
        raise OptionError(f"{name} must be between {low:g} and {high:g}, not {value!r}.")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a value that is none of the choices. OptionError."""
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


@dataclass(frozen=True, slots=True)
class PaddingChoice:
    """A checked option: the strategy, and for how many seconds where that is asked for."""

    strategy: str
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.strategy}:{self.seconds:g}" if self.strategy in TIMED_PADDINGS else self.strategy


def parse_padding(value: str) -> PaddingChoice:
    """Check a padding option. OptionError names the value and the choices."""
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
    """Options of how one stretch of features becomes tokens.

    Attributes:
        decoder: "beam" writes one token with every forward of the decoder, greedily where beam_size is 1; "multitoken"
            writes several, which needs a model with heads that look ahead (engine.hear.speech_llama.heads).
        beam_size: how many candidates are at work. 1 decodes greedily.
        timestamps: ask for timestamp tokens and hold their rules; the stream goes without and times words by attention.
        temperatures: tried in turn until a decoding passes both thresholds; live decoding uses only the first.
        compression_ratio_threshold, logprob_threshold: a decoding beyond either has failed.
        no_speech_threshold: above it, and with a low average log-probability, the stretch holds no speech.
        reuse: what is done with the last hypothesis about the same audio. "none" searches for every token again;
            "prune" searches without a beam while it follows the last hypothesis (WhisperFlow, as published); "verify"
            reads the last hypothesis as one block, keeps what still holds, and searches on from there. Pruning is for
            beams that write one token with every forward; the multi-token decoder does without.
        align_by_time: pruning drops the words that have left the audio before it looks for the first match.
        prune_again: pruning resumes when the best candidate has found back to the last hypothesis.
        draft: what a draft network says of the encoder's features is offered, where the model has one
            (engine.hear.whisper.encoder_draft) and one candidate is at work: the same text in fewer forwards.
        verify_margin: verification also keeps a token that is less likely than the likeliest by no more than this, in
            natural logarithms. 0 keeps what plain decoding would write; more keeps captions steadier.
        force_committed: words that are certain are kept unseen while their audio is heard again; otherwise they are
            only written again if the model still prefers them.
        tokens_ahead: how many tokens the multi-token decoder predicts at once, the next one included.
        acceptance: which of them are kept. "top-m": those that the head of the next token finds among its top_m
            likeliest, once it has read what comes before them; "threshold": those that their heads are sure of;
            "both": these at once, and the others as with top-m.
        top_m: among how many. 1 writes what plain decoding writes; more accepts more.
        threshold: how sure, as a probability. Less accepts more.
        max_tokens_per_second, min_token_allowance: loop guard: no more than max(allowance, rate * seconds) tokens.
        into_english: write in English what is said in another language, by a Whisper that knows several; others write
            what they always do.
    """

    decoder: Decoder = "beam"
    beam_size: int = 1
    timestamps: bool = False
    temperatures: tuple[float, ...] = (0.0,)
    compression_ratio_threshold: float | None = 2.4
    logprob_threshold: float | None = -1.0
    no_speech_threshold: float | None = 0.6
    reuse: Reuse = "none"
    align_by_time: bool = True
    prune_again: bool = True
    draft: bool = True
    verify_margin: float = 0.0
    force_committed: bool = False
    tokens_ahead: int = 4
    acceptance: AcceptanceRule = "top-m"
    top_m: int = 1
    threshold: float = 0.8
    max_tokens_per_second: float = 22.0
    min_token_allowance: int = 50
    into_english: bool = False

    def __post_init__(self) -> None:
        check_choice("decoder", self.decoder, get_args(Decoder))
        check_range("beam_size", self.beam_size, 1, 16)
        if not self.temperatures:
            raise OptionError("temperatures must hold at least one value, for example (0.0,).")
        for temperature in self.temperatures:
            check_range("temperature", temperature, 0, 2)
        check_choice("reuse", self.reuse, get_args(Reuse))
        check_range("verify_margin", self.verify_margin, 0, 10)
        check_range("tokens_ahead", self.tokens_ahead, 2, MOST_TOKENS_AHEAD)
        check_choice("acceptance", self.acceptance, get_args(AcceptanceRule))
        check_range("top_m", self.top_m, 1, 100)
        if not 0 < self.threshold <= 1:  # also refuses NaN
            raise OptionError(f"threshold must be above 0 and at most 1, not {self.threshold!r}.")
        check_range("max_tokens_per_second", self.max_tokens_per_second, 1, 200)
        check_range("min_token_allowance", self.min_token_allowance, 1, 440)

    @property
    def uses_draft(self) -> bool:
        """Tell whether a draft of the text is of any use: only one candidate can follow it."""
        return self.draft and self.beam_size == 1


@dataclass(frozen=True, slots=True)
class CaptionOptions:
    """Options of how a stream becomes captions.

    Attributes:
        language: a code such as "en", or None to detect it.
        allowed_languages: what detection may choose from; empty allows every language of the model.
        step_seconds: new audio between two rounds, at least. Of four minutes of people (--split choose, 648 words,
            rounds that take 0.07 s) the starter got 7.4% wrong after 0.43 s at 0.29 of real time with 0.3, 6.9% after
            0.49 s at 0.49 with 0.175 and agreement over 0.6 s.
        step_follows_cost: take longer steps the more a round costs, so that captions keep real time with any model; see
            engine.hear.rounds.schedule. Off waits for no more than the round before, as published.
        policy: when a word is certain. "local-agreement": once several hypotheses in a row agree on it; "alignatt":
            at once, if the decoder looked far enough from the end of the audio while it wrote it, and doubts neither
            the word nor that it is complete; else once they agree on it.
        agreement: how many consecutive hypotheses must agree (LocalAgreement-n).
        attention_margin_seconds: how far from the end of the audio the decoder must have looked (AlignAtt). More shows
            words later by about a third of it. With 0.1 the demo lost words.
        certain_probability: a word that is less likely waits for agreement (AlignAtt); 0 doubts none. Of the same four
            minutes 7.7% were wrong with 0.9, 7.4% with 0.95, as soon.
        padding: what every stretch of audio is followed by before it is encoded; see engine.hear.whisper.padding. None
            leaves it to the model.
        pipeline: encode a round while the one before it is still being decoded. None does as `earshot profile` found
            best for this machine and model, and without a profile hears one round after the other: on two cores the
            first starter heard a round in less than a step, so that nothing overlaps (with a step of 0.5 s words came
            after 0.78 s either way).
        buffer_seconds: audio kept for re-hearing; beyond it the buffer is trimmed at committed text. None leaves it
            to the model.
        trimming: cut at the end of a segment or of a sentence.
        prompt_characters: how much committed text that has left the buffer is given to the decoder as context.
        voice_gate: skip rounds over silence; off hears everything.
        decode: how each round decodes. One candidate and the last hypothesis verified: of the same four minutes 8.2%
            were wrong with one and 8.0% with three, at 0.49 and 0.61 of real time (steps of 0.175 s); with one, what is
            left of the last hypothesis after a difference is read as a block, too (engine.hear.decode.resync).
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
    trimming: Trimming = "segment"
    prompt_characters: int = 200
    voice_gate: bool = True
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
        check_choice("trimming", self.trimming, get_args(Trimming))
        check_range("prompt_characters", self.prompt_characters, 0, 1000)
        if self.language and self.allowed_languages and self.language not in self.allowed_languages:
            raise OptionError(
                f"language {self.language!r} is not among the allowed {', '.join(self.allowed_languages)}."
            )


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """Options of how captions are translated while they grow (speculative decoding with a bias towards the last one).

    Attributes:
        target: code of the language to translate into, such as "de".
        source: code of the language that is spoken; None believes the captions.
        bias: how much the last translation is preferred where the model is in doubt: 0 writes what the model alone
            would, 0.2 keeps a word that is up to 0.25 less probable than the best, 0.5 and more changes no word
            before the caption is final. More of it leaves more to be changed then: see docs/benchmarks.md.
        check_final: verify the last translation of a caption without a bias, so that it is what the model alone would
            write, whatever stood there while the caption grew; off keeps the bias, as published.
        mask: how many words (characters, where a script has no spaces) at the end of an unfinished translation are
            held back, since they are the likeliest to change.
        skip_hidden: translate no revision of an unfinished caption of which next to nothing new could be shown: it has
            no more words than `mask` holds back, or only its last words were revised, as many as that at most. Off
            translates it all the same, as published.
        mask_draft: what is held back is not offered as draft either, which costs time; only to compare.
        context_sentences: how many finished sentences with their translations the model sees before the present one.
            None leaves it to the model: one that was taught sentences by themselves gets none.
        glossary: terms and their translations that the model is told to use.
        stable: what has been shown never changes: translations only ever grow.
        decay: a word that the bias alone has kept in three updates in a row loses it bit by bit, lest an early
            mistake stays for good. Translations flicker more and get better with it, most in long sentences.
        draft: offer the last translation as draft; off translates every time from nothing.
        reuse_cache: keep what the model computed for the part of the prompt that has not changed.
        resync: after the first difference offer the rest of the draft again where the new translation finds back to it.
        look_ahead: offer what the model's translations mostly go on with, where a table of that comes with it.
        candidates: how many translations of a finished caption are searched for the likeliest; 1 writes the likeliest
            token every time. More is for what nobody waits for: it costs more, and may change what was shown.
    """

    target: str = "de"
    source: str | None = None
    bias: float = 0.1
    check_final: bool = True
    mask: int = 6
    skip_hidden: bool = True
    mask_draft: bool = False
    context_sentences: int | None = None
    glossary: tuple[tuple[str, str], ...] = ()
    stable: bool = False
    decay: bool = False
    draft: bool = True
    reuse_cache: bool = True
    resync: bool = True
    look_ahead: bool = True
    candidates: int = 1

    def __post_init__(self) -> None:
        if not self.target.strip():
            raise OptionError("target must be the code of a language, for example 'de', not empty.")
        check_range("bias", self.bias, 0, 1)
        check_range("mask", self.mask, 0, MOST_MASKED)
        check_range("candidates", self.candidates, 1, 16)
        if self.context_sentences is not None:
            check_range("context_sentences", self.context_sentences, 0, MOST_CONTEXT_SENTENCES)
        _check_glossary(self.glossary)


def _check_glossary(glossary: tuple[tuple[str, str], ...]) -> None:
    """Terms must be lines that say something, and no term may have two translations."""
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
    """Options of how the assistant answers, and guesses its answer while it is still being asked (PredGen).

    Attributes:
        speculate: answer partial questions ahead; off is the plain cascade, which waits for the end.
        verifier: what of the last candidate is kept when the question has grown. "greedy": what plain decoding would
            write, so that replies are those of the plain cascade; "top-k": what is among the likeliest; "biased":
            what is not much less likely than the best, as translation does it; "reflection": whole sentences that the
            model itself judges to fit, else as greedy.
        top_k: how many tokens are among the likeliest.
        top_k_floor: but only those at least this many times as likely as the best; 0 is top-k as published.
        bias: how much the candidate is preferred by "biased", as in TranslationOptions.
        generation: one token after another, or blocks that are corrected until they stand (Jacobi decoding).
        branches: so many other answers are made ahead beside each candidate, while there is time to spare: where the
            candidate fails, one of them goes on. 0 makes none, as published.
        last_word: answer ahead, while there is time to spare, what has been said with its last word too, as the model
            completes it where it is cut off; off waits for the next word or the end, as published.
        speculation_tokens: the most of a candidate that is generated ahead.
        reply_tokens: the most of a reply.
        reuse_cache: keep what the model computed for the part of the prompt that has not changed.
        resync: after the first difference offer the rest of the candidate again where the new answer finds back to
            it; off does as published. Jacobi decoding corrects the rest instead.
    """

    speculate: bool = True
    verifier: Verifier = "greedy"
    top_k: int = 3
    top_k_floor: float = 0.05
    bias: float = 0.2
    generation: Generation = "autoregressive"
    branches: int = 0
    last_word: bool = True
    speculation_tokens: int = 64
    reply_tokens: int = 256
    reuse_cache: bool = True
    resync: bool = True

    def __post_init__(self) -> None:
        check_choice("verifier", self.verifier, get_args(Verifier))
        check_range("top_k", self.top_k, 1, 100)
        check_range("top_k_floor", self.top_k_floor, 0, 1)
        check_range("bias", self.bias, 0, 1)
        check_choice("generation", self.generation, get_args(Generation))
        check_range("branches", self.branches, 0, MOST_BRANCHES)
        check_range("speculation_tokens", self.speculation_tokens, 1, MOST_REPLY_TOKENS)
        check_range("reply_tokens", self.reply_tokens, 1, MOST_REPLY_TOKENS)


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """Options of how replies sound.

    Attributes:
        voice: which synthesiser speaks: "espeak" (built in), "system" (macOS), "kokoro" (an extra).
        speaker: the synthesiser's own name of a voice, such as "en-us" or "de"; None is its usual one.
        words_per_minute: the rate of speech.
    """

    voice: str = "espeak"
    speaker: str | None = None
    words_per_minute: int = 175

    def __post_init__(self) -> None:
        check_choice("voice", self.voice, VOICES)
        check_range("words_per_minute", self.words_per_minute, 80, 450)


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """When a turn of the user's ends, and what may interrupt the assistant.

    Attributes:
        silence_seconds: silence that ends a turn where the model neither knows nor doubts that it is complete.
        sure_silence_seconds: the same where it takes the turn for complete.
        doubtful_silence_seconds: the same where it does not.
        push_to_talk: a turn is as long as the key is held; silence ends none.
        reopen_seconds: speech so soon after the end of a turn goes on with that turn.
        barge_in: speech interrupts the assistant; off does not hear while it speaks.
        barge_in_seconds: speech so long is an interruption and no cough.
    """

    silence_seconds: float = 0.5
    sure_silence_seconds: float = 0.1
    doubtful_silence_seconds: float = 0.8
    push_to_talk: bool = False
    reopen_seconds: float = 0.8
    barge_in: bool = True
    barge_in_seconds: float = 0.384

    def __post_init__(self) -> None:
        check_range("silence_seconds", self.silence_seconds, 0.1, 10)
        check_range("sure_silence_seconds", self.sure_silence_seconds, 0.1, self.silence_seconds)
        check_range("doubtful_silence_seconds", self.doubtful_silence_seconds, self.silence_seconds, 10)
        check_range("reopen_seconds", self.reopen_seconds, 0, 5)
        check_range("barge_in_seconds", self.barge_in_seconds, 0.05, 3)


@dataclass(frozen=True, slots=True)
class AssistantOptions:
    """A spoken conversation: how it answers, sounds and takes turns."""

    answer: AnswerOptions = AnswerOptions()
    voice: VoiceOptions = VoiceOptions()
    turns: TurnOptions = TurnOptions()
