"""Decoding attempts at rising temperatures (Whisper's temperature fallback)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.hear.decode.beam import TextCandidate
from engine.hear.decode.decoder import Reader, TokenDecoder
from engine.hear.decode.drafted_beam import ReadDraft
from engine.hear.decode.multitoken import predictions
from engine.hear.decode.pruning import IMPROVED, Pruning, key_of_token
from engine.hear.decode.reference import accepted, continued
from engine.hear.decode.resync import DraftRemainder, spelling_of
from engine.hear.decode.rules import Row, compression_ratio, log_sum_exp
from engine.hear.decode.search import Terms, Written
from engine.hear.decode.steps import Steps, never
from engine.hear.decode.tokenizer import TextTokens
from engine.hear.decode.vocabulary import Vocabulary
from engine.hear.decode.writing import write
from engine.options import DecodeOptions

MOST_COMPRESSION = 2.4
"""Highest compression ratio of a text that does not repeat itself (Whisper's own threshold)."""

LEAST_LOGPROB = -1.0
"""Lowest mean log-probability at which a decoding counts as successful (Whisper's own threshold)."""

MOST_NO_SPEECH = 0.6
"""Highest probability of `<|nospeech|>` at which text of low probability counts as speech (Whisper's own threshold)."""

GREEDY = (0.0,)
"""Temperatures of live decoding: one attempt."""

TOKENS_PER_SECOND, FEWEST_TOKENS = 22.0, 50
"""Highest number of text tokens per second of audio, and the lower bound of this limit for short audio."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """The result of decoding one span of audio.

    Attributes:
        tokens: the transcript, without prompt and end-of-text token.
        text: the decoded tokens.
        language: the code that was passed in or detected.
        language_probability: probability of a detected language; 1 of one that was passed in.
        average_logprob: mean log-probability of the tokens, end of text included.
        no_speech_probability: probability of `<|nospeech|>` at the start-of-transcript token.
        compression_ratio: ratio of the text; see rules.compression_ratio.
        temperature: the one that produced this result.
        forwards: decoder passes, each block counted as one, failed attempts and language detection included.
        token_probabilities: one for each token, 0 to 1.
        looped: the decoder began to repeat itself; the repetitions were cut off.
        reused_tokens, steps, pruned_steps, candidates: see events.Hypothesis.
    """

    tokens: tuple[int, ...]
    text: str
    language: str
    average_logprob: float
    no_speech_probability: float
    compression_ratio: float
    temperature: float
    forwards: int
    token_probabilities: tuple[float, ...]
    looped: bool = False
    reused_tokens: int = 0
    steps: int = 0
    pruned_steps: int = 0
    candidates: int = 0
    language_probability: float = 1.0

    @property
    def is_silent(self) -> bool:
        """Return whether the model detects no speech and the text has a low probability."""
        return self.no_speech_probability > MOST_NO_SPEECH and self.average_logprob <= LEAST_LOGPROB

    @property
    def is_repetitive(self) -> bool:
        """Return whether the text still repeats itself after loops were cut off."""
        return self.compression_ratio > MOST_COMPRESSION

    @property
    def has_failed(self) -> bool:
        """Return whether the decoder repeated itself, or its text has a low probability."""
        return self.looped or self.average_logprob < LEAST_LOGPROB or self.is_repetitive

    @property
    def merit(self) -> tuple[bool, float]:
        """Return a sort key for failed decodings. Repetitive ones rank last, because repetition has a high
        probability.
        """
        return not self.is_repetitive, self.average_logprob


def attempts(
    decoder: TokenDecoder[Any],
    ladder: Sequence[tuple[Task, float]],
    options: DecodeOptions,
    *,
    cancelled: Callable[[], bool] = never,
    seed: int = 0,
) -> Steps[Decoding]:
    """Try tasks and their temperatures in turn, until a decoding has not failed or is silent.

    If all fail, the best of them is returned. `seed` is the seed of the sampling at temperatures above 0.
    """
    generator = np.random.default_rng(seed)
    spent = 0
    tried: list[Decoding] = []
    for task, temperature in ladder:
        tried.append((yield from task.attempt(Reader(decoder), options, temperature, generator)))
        spent += tried[-1].forwards
        if tried[-1].is_silent or not tried[-1].has_failed or cancelled():
            return replace(tried[-1], forwards=spent)
    return replace(max(tried, key=lambda attempt: attempt.merit), forwards=spent)


@dataclass(frozen=True, slots=True)
class Task:
    """Inputs that all attempts at one span of audio share.

    Attributes:
        language: the code that was passed in or detected.
        previous: tokens of the prompt: the text before this audio.
        start: start-of-transcript sequence; `<|nospeech|>` is read at the first of these tokens.
        terms: rules and limits of the search.
        reference: text tokens of the last hypothesis of this audio.
        draft: text tokens that a draft network proposes for all the audio.
        pruning: variant of beam pruning.
        vocabulary: the words that the user listed.
        goes_on: the last word may be cut off, and will be heard again.
    """

    tokenizer: TextTokens
    language: str
    previous: tuple[int, ...]
    start: tuple[int, ...]
    terms: Terms
    reference: tuple[int, ...] = ()
    draft: tuple[int, ...] = ()
    pruning: Pruning = IMPROVED
    vocabulary: Vocabulary | None = None
    goes_on: bool = False

    def attempt(
        self, reader: Reader, options: DecodeOptions, temperature: float, generator: np.random.Generator
    ) -> Steps[Decoding]:
        """Run prompt, start sequence and draft through the decoder as one block, then search on after the accepted
        tokens.
        """
        prefix = (*self.previous, *self.start)
        known = self.reference if options.reuse == "verify" else ()
        draft = continued(known, self.draft)
        predicting = range(len(prefix) - 1, len(prefix) + len(draft))  # the row before each token of the draft
        at_start, *rows = reader.read((*prefix, *draft), [len(self.previous), *predicting])
        no_speech = math.exp(float(at_start[self.tokenizer.no_speech]) - log_sum_exp(at_start))
        begun = accepted(
            rows,
            draft if options.beam_size == 1 else known,
            self.terms.rules,
            margin=options.verify_margin,
            steady=len(known),
            listed=self.vocabulary.listed(known) if self.vocabulary else (),
        )
        reused = len(begun.tokens)
        yield
        rest = self._rest(draft, rows, reused, options, temperature)
        if not isinstance(rest, ReadDraft):
            reader.truncate(len(prefix) + reused)
        written = yield from write(
            reader,
            begun,
            rows[reused],
            self.terms,
            options,
            temperature=temperature,
            generator=generator,
            guide=self.reference if options.reuse == "prune" else (),
            key=lambda token: key_of_token(self.tokenizer, token),
            pruning=self.pruning,
            rest=rest,
        )
        if self.vocabulary is not None:
            best = yield from self._with_listed_words(reader, prefix, written.text, options)
            written = replace(written, text=best)
        return self._decoding(written, no_speech, reused, temperature, reader.forwards)

    def _rest(
        self, draft: tuple[int, ...], rows: Sequence[Row], reused: int, options: DecodeOptions, temperature: float
    ) -> DraftRemainder | ReadDraft | None:
        """Return what the search may still use of a draft that was accepted up to a token; None for nothing."""
        if options.beam_size == 1 and (reused < len(draft) or (draft and options.decoder == "multitoken")):
            predicted = predictions(rows[reused:-1], draft, self.terms)
            return DraftRemainder(draft[reused:], predicted, spelling_of(self.tokenizer), reused)
        if self.draft and options.beam_size > 1 and options.uses_draft and temperature == 0:
            return ReadDraft(draft, rows, spelling_of(self.tokenizer))
        return None

    def _with_listed_words(
        self, reader: Reader, prefix: Sequence[int], text: TextCandidate, options: DecodeOptions
    ) -> Steps[TextCandidate]:
        """Return the text with the user's words in it; a beam's cache is not that of its best text, and is not used."""
        assert self.vocabulary is not None
        again = reader if options.beam_size == 1 else Reader(reader.decoder)
        best = yield from self.vocabulary.reconsider(
            again, prefix, text, self.language, self.terms, goes_on=self.goes_on
        )
        if again is not reader:
            reader.forwards += again.forwards
        return best

    def _decoding(self, written: Written, no_speech: float, reused: int, temperature: float, forwards: int) -> Decoding:
        """Describe what was written, without repetitions."""
        best = written.text
        kept = len(best.tokens) - self.terms.too_many(best.tokens)
        looped = kept < len(best.tokens)
        text = self.tokenizer.decode(best.tokens[:kept]).strip()
        return Decoding(
            tokens=best.tokens[:kept],
            text=text,
            language=self.language,
            average_logprob=sum(best.logprobs[:kept]) / kept if looped else best.average_logprob,
            no_speech_probability=no_speech,
            compression_ratio=compression_ratio(text),
            temperature=temperature,
            forwards=forwards,
            token_probabilities=tuple(math.exp(logprob) for logprob in best.logprobs[:kept]),
            looped=looped,
            reused_tokens=min(reused + written.reused_tokens, kept),
            steps=written.steps,
            pruned_steps=written.pruned_steps,
            candidates=written.candidates,
        )


def plausible_tokens(audio_seconds: float) -> int:
    """Return the largest plausible number of text tokens; a decoder that has lost the audio writes far more."""
    return max(FEWEST_TOKENS, math.ceil(TOKENS_PER_SECOND * audio_seconds))


def token_limit(audio_seconds: float, n_text_ctx: int, prefix_length: int) -> int:
    """Return the largest number of tokens to decode after a prefix, in a context of `n_text_ctx` tokens."""
    return max(1, min(plausible_tokens(audio_seconds), n_text_ctx // 2, n_text_ctx - prefix_length))
