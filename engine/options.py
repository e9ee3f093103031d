"""What can be chosen, checked once where it is made. A bad value raises OptionError naming field, value and range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from engine.errors import OptionError

Trimming = Literal["segment", "sentence"]
Policy = Literal["local-agreement", "alignatt"]
Reuse = Literal["none", "prune", "verify"]
MIN_STEP_SECONDS = 0.1
MAX_BUFFER_SECONDS = 28.0


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # also refuses NaN
        raise OptionError(f"{name} must be between {low:g} and {high:g}, not {value!r}.")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """How one stretch of features becomes tokens.

    Attributes:
        beam_size: 1 decodes greedily.
        patience: a beam search stops when round(beam_size * patience) candidates have ended (arXiv:2204.05424).
        length_penalty: None ranks by sum of log-probabilities over length; else Google NMT's alpha.
        timestamps: ask for timestamp tokens and hold their rules; the stream goes without and times words by attention.
        temperatures: tried in turn until a decoding passes both thresholds; live decoding uses only the first.
        compression_ratio_threshold, logprob_threshold: a decoding beyond either has failed.
        no_speech_threshold: above it, and with a low average log-probability, the stretch holds no speech.
        reuse: what is done with the last hypothesis about the same audio. "none" searches for every token again;
            "prune" searches without a beam while it follows the last hypothesis (WhisperFlow, as published); "verify"
            reads the last hypothesis as one block, keeps what still holds, and searches on from there.
        align_by_time: pruning drops the words that have left the audio before it looks for the first match.
        prune_again: pruning resumes when the best candidate has found back to the last hypothesis.
        max_tokens_per_second, min_token_allowance: loop guard: no more than max(allowance, rate * seconds) tokens.
    """

    beam_size: int = 1
    patience: float = 1.0
    length_penalty: float | None = None
    timestamps: bool = False
    temperatures: tuple[float, ...] = (0.0,)
    compression_ratio_threshold: float | None = 2.4
    logprob_threshold: float | None = -1.0
    no_speech_threshold: float | None = 0.6
    reuse: Reuse = "none"
    align_by_time: bool = True
    prune_again: bool = True
    max_tokens_per_second: float = 22.0
    min_token_allowance: int = 50

    def __post_init__(self) -> None:
        _check("beam_size", self.beam_size, 1, 16)
        _check("patience", self.patience, 0.1, 10)
        if self.length_penalty is not None:
            _check("length_penalty", self.length_penalty, 0, 1)
        if not self.temperatures:
            raise OptionError("temperatures must hold at least one value, for example (0.0,).")
        for temperature in self.temperatures:
            _check("temperature", temperature, 0, 2)
        _check_choice("reuse", self.reuse, get_args(Reuse))
        _check("max_tokens_per_second", self.max_tokens_per_second, 1, 200)
        _check("min_token_allowance", self.min_token_allowance, 1, 440)


@dataclass(frozen=True, slots=True)
class CaptionOptions:
    """How a stream becomes captions.

    Attributes:
        language: a code such as "en", or None to detect it.
        allowed_languages: what detection may choose from; empty allows every language of the model.
        step_seconds: new audio between two rounds; a round that took longer postpones the next one.
        policy: when a word is certain. "local-agreement": once several hypotheses in a row agree on it; "alignatt":
            at once, if the decoder looked far enough from the end of the audio while it wrote it.
        agreement: how many consecutive hypotheses must agree before a word is committed (LocalAgreement-n).
        attention_margin_seconds: how far from the end of the audio the decoder must have looked (AlignAtt).
        padding: what every stretch of audio is followed by before it is encoded; see engine.hear.padding. None leaves
            it to the model.
        pipeline: encode a round while the one before it is still being decoded.
        buffer_seconds: audio kept for re-hearing; beyond it the buffer is trimmed at committed text. None leaves it
            to the model.
        trimming: cut at the end of a segment or of a sentence.
        prompt_characters: how much committed text that has left the buffer is given to the decoder as context.
        voice_gate: skip rounds over silence; off hears everything.
        decode: how each round decodes. Three candidates: of 160 unseen sentences the starter model got 5.9% of the
            words wrong with 3 and with 5 (7% of 60 with 1), at a sixth less computation than with 5
            (`earshot bench captions --beam N`).
    """

    language: str | None = None
    allowed_languages: tuple[str, ...] = ()
    step_seconds: float = 0.5
    policy: Policy = "local-agreement"
    agreement: int = 2
    attention_margin_seconds: float = 0.5
    padding: str | None = None
    pipeline: bool = False
    buffer_seconds: float | None = None
    trimming: Trimming = "segment"
    prompt_characters: int = 200
    voice_gate: bool = True
    decode: DecodeOptions = DecodeOptions(beam_size=3)

    def __post_init__(self) -> None:
        _check("step_seconds", self.step_seconds, MIN_STEP_SECONDS, 30)
        _check_choice("policy", self.policy, get_args(Policy))
        _check("agreement", self.agreement, 2, 10)
        _check("attention_margin_seconds", self.attention_margin_seconds, 0, 2)
        if self.buffer_seconds is not None:
            _check("buffer_seconds", self.buffer_seconds, 5, MAX_BUFFER_SECONDS)
        _check_choice("trimming", self.trimming, get_args(Trimming))
        _check("prompt_characters", self.prompt_characters, 0, 1000)
        if self.language and self.allowed_languages and self.language not in self.allowed_languages:
            raise OptionError(
                f"language {self.language!r} is not among the allowed {', '.join(self.allowed_languages)}."
            )
