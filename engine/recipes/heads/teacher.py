"""What a model teaches its own heads: what it writes of speech, and the states that it wrote it from.

The model stays as it is, so each lesson is taken down once. Nobody's words are needed: the heads learn to foresee what
the model is going to write, right or wrong (self-distillation, as for Medusa, arXiv:2401.10774).

Shapes: n tokens that were written, the end included; w numbers of a position's states; t frames of features, d states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import EngineError
from engine.hear.decode.attempts import Task, attempts, token_limit
from engine.hear.decode.byte_pairs import BytePairs, text_rules
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.decoder import TokenDecoder
from engine.hear.decode.reference import usable
from engine.hear.decode.rules import transcript_rules
from engine.hear.decode.search import Terms
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import Tokenizer
from engine.hear.speech_llama.load import SpeechLlamaModel
from engine.hear.speech_llama.model import SpeechLlamaDecoder
from engine.hear.whisper.decode import untaught_tokens
from engine.hear.whisper.draft_block import foresee
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.padding import make_padding
from engine.hear.whisper.whisper_decoder import WhisperDecoder
from engine.options import DecodeOptions
from engine.recipes.speech.speech_source import SpokenAudio


class HeadsError(EngineError):
    """Speech or transcripts that no heads can be trained on."""


OPTIONS = DecodeOptions(reuse="verify")  # greedy: the words that are known are a guess that saves forwards
NO_AUDIO = np.zeros((0, 0), np.float16)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One transcript of a model.

    Attributes:
        tokens: what it wrote, its end last (n,).
        states: that it wrote each of them from (n, w), float16.
        audio: what it heard (t, d), float16; nothing for heads that do not listen.
    """

    tokens: NDArray[np.int32]
    states: NDArray[np.float16]
    audio: NDArray[np.float16]


class Teacher(Protocol):
    """A model whose heads are to be trained."""

    hearing: Any  # HearingModel | SpeechLlamaModel

    def lesson(self, heard: SpokenAudio) -> Lesson | None:
        """Write a transcript; None where it says nothing, or comes to no end."""

    def listens(self, lesson: Lesson) -> CrossCache | None:
        """Return what the model kept of a lesson's audio; None where that is not known."""


class WhisperTeacher:
    """A Whisper, which hears as its recognizer lets it hear."""

    def __init__(self, hearing: HearingModel, kind: str, padding: str | None = None) -> None:
        """Teach heads of a kind: those of a block get states and audio to work with, others the last states.

        `padding` is what the model hears with; None is what it hears with best.
        """
        self.hearing = hearing
        self._listens = kind == "block"
        self._padding = make_padding(hearing, padding)
        self._untaught = untaught_tokens(hearing.model)
        self._language = hearing.languages[0]

    def lesson(self, heard: SpokenAudio) -> Lesson | None:
        model, tokenizer = self.hearing.model, self.hearing.tokenizer
        features = self._padding.encode(model, heard.samples)
        cross = self._padding.attended(model, features)
        mx.eval(cross.arrays())
        start = tokenizer.sot_sequence(self._language, False)
        text = (*heard.tokens, tokenizer.eot) if heard.tokens else self._written(WhisperDecoder(model, cross), heard)
        if text is None:
            return None
        cache, tokens = model.new_cache(), mx.array([[*start, *text[:-1]]])
        if not self._listens:
            states, _ = model.read(tokens, cross, cache, frozenset())
            return _lesson(text, states)
        _, states = foresee(model, tokens, cross, cache)
        return _lesson(text, states, features)

    def _written(self, decoder: WhisperDecoder, heard: SpokenAudio) -> tuple[int, ...] | None:
        """Write greedily, as the model does."""
        model, tokenizer = self.hearing.model, self.hearing.tokenizer
        start = tokenizer.sot_sequence(self._language, False)
        seconds = len(heard.samples) / SAMPLE_RATE_HZ
        rules = transcript_rules(tokenizer, False, seconds, self._untaught)
        limit = token_limit(OPTIONS, seconds, model.dims.n_text_ctx, len(start))
        return transcript(decoder, tokenizer, start, Terms(tokenizer.eot, rules, limit), heard)

    def listens(self, lesson: Lesson) -> CrossCache | None:
        if not self._listens:
            return None
        model = self.hearing.model
        return self._padding.attended(model, mx.array(lesson.audio)[None].astype(model.dtype))


class SpeechLlamaTeacher:
    """A Speech-LLaMA."""

    def __init__(self, hearing: SpeechLlamaModel) -> None:
        self.hearing = hearing

    def lesson(self, heard: SpokenAudio) -> Lesson | None:
        model, tokenizer = self.hearing.model, self.hearing.tokenizer
        decoder = SpeechLlamaDecoder(model, model.audio(heard.samples))
        start = tokenizer.sot_sequence()
        limit = token_limit(OPTIONS, len(heard.samples) / SAMPLE_RATE_HZ, model.dims.n_text_ctx, len(start))
        terms = Terms(tokenizer.eot, text_rules(tokenizer), limit)
        text = transcript(decoder, tokenizer, start, terms, heard)
        if text is None:
            return None
        states = decoder.forward(mx.array([[*start, *text[:-1]]]), decoder.new_cache())
        return _lesson(text, states.main)

    def listens(self, lesson: Lesson) -> CrossCache | None:
        return None


def teacher_of(hearing: HearingModel | SpeechLlamaModel, kind: str, padding: str | None = None) -> Teacher:
    """Make what teaches heads of a kind for a model, which hears with a padding: None is what it hears with best."""
    if isinstance(hearing, SpeechLlamaModel):
        return SpeechLlamaTeacher(hearing)
    return WhisperTeacher(hearing, kind, padding)


def transcript(
    decoder: TokenDecoder[Any], tokenizer: Tokenizer | BytePairs, start: Sequence[int], terms: Terms, heard: SpokenAudio
) -> tuple[int, ...] | None:
    """Return what a model writes greedily behind `start`, its end last; None where that is nothing, or has no end."""
    guess = usable(tokenizer.encode(" " + heard.text.strip()), tokenizer, terms.limit)
    task = Task(tokenizer, "", (), tuple(start), terms, guess, 0)
    decoding = finish(attempts(decoder, [(task, 0.0)], OPTIONS))
    silent = not decoding.tokens or decoding.is_silent(OPTIONS)
    if silent or decoding.looped or len(decoding.tokens) >= terms.limit:
        return None
    return (*decoding.tokens, terms.eot)


def _lesson(text: Sequence[int], states: mx.array, features: mx.array | None = None) -> Lesson:
    """Take down a text (n,) and the last n of the states (1, m, w)."""
    half = states[0, -len(text) :].astype(mx.float16)
    audio = NO_AUDIO if features is None else np.array(features[0].astype(mx.float16))
    return Lesson(np.array(text, np.int32), np.array(half), audio)
