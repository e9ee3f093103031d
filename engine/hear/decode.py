"""Features to tokens: one block forward over the prompt, then one forward a token, greedily or with a beam."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.errors import OptionError
from engine.hear.beam import Beam, Candidate, Greedy, Search
from engine.hear.cache import CrossCache
from engine.hear.device_turn import evaluate
from engine.hear.pruning import PrunedBeam, key_of_token
from engine.hear.reference import accepted, text_length, usable
from engine.hear.rules import (
    NO_TOKENS,
    Rule,
    apply_rules,
    compression_ratio,
    log_sum_exp,
    repeated_tail,
    transcript_rules,
)
from engine.hear.tokenizer import Tokenizer
from engine.hear.whisper import Whisper
from engine.options import DecodeOptions

Logits = NDArray[np.float32]
T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that pauses after every forward, so that another may have the processor; any thread may resume it."""

UNTAUGHT_SHARE = 0.25
SAME_PRODUCT = 0.001


def never() -> bool:
    """Nothing cancels this decoding."""
    return False


@dataclass(frozen=True, slots=True)
class Decoding:
    """What one stretch of features was decoded to.

    Attributes:
        tokens: the transcript, text and (if asked for) timestamps; no prompt, no end of text.
        text: the same, as text.
        language: the code that was given or detected.
        average_logprob: mean log-probability of the tokens, end of text included.
        no_speech_probability: of `<|nospeech|>` in the start-of-transcript row of the prompt's forward.
        compression_ratio: of the text; see rules.compression_ratio.
        temperature: the one that gave this result.
        forwards: decoder forwards spent, each block counted as one, failed attempts and language included.
        token_probabilities: one for each of the tokens, 0 to 1.
        looped: the decoder had begun to repeat itself; the repetitions were cut off.
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

    def is_silent(self, options: DecodeOptions) -> bool:
        """Whether the model says that nobody speaks, and doubts what it wrote."""
        threshold = options.no_speech_threshold
        if threshold is None or self.no_speech_probability <= threshold:
            return False
        return options.logprob_threshold is None or self.average_logprob <= options.logprob_threshold

    def is_repetitive(self, options: DecodeOptions) -> bool:
        """Whether the text, as it was left, still repeats itself."""
        threshold = options.compression_ratio_threshold
        return threshold is not None and self.compression_ratio > threshold

    def has_failed(self, options: DecodeOptions) -> bool:
        """Whether the decoder repeated itself, or doubts what it wrote."""
        threshold = options.logprob_threshold
        doubtful = threshold is not None and self.average_logprob < threshold
        return self.looped or doubtful or self.is_repetitive(options)

    def merit(self, options: DecodeOptions) -> tuple[bool, float]:
        """What tells the better of two failed decodings: certainty, but repetition is certain of itself."""
        return not self.is_repetitive(options), self.average_logprob


class Reader:
    """The decoder over one round's features: reads tokens, brings the logits that matter to the host.

    Attributes:
        forwards: how many blocks were read.
    """

    def __init__(self, model: Whisper, cross: CrossCache) -> None:
        self._model = model
        self._cross = cross
        self._cache = model.new_cache()
        self.forwards = 0

    def read(self, tokens: Sequence[int], rows: Sequence[int]) -> Logits:
        """Read a block of tokens in the only row; give the logits (len(rows), n_vocab) that follow some of them."""
        logits: Logits = self._forward([list(tokens)], rows)[0]
        return logits

    def step(self, sources: Sequence[int], tokens: Sequence[int]) -> Logits:
        """Let row i continue what row sources[i] held with tokens[i]; give the logits (len(tokens), n_vocab)."""
        self._cache.reorder(sources)
        logits: Logits = self._forward([[token] for token in tokens], [-1])[:, 0]
        return logits

    def truncate(self, length: int) -> None:
        """Forget what was read from position `length` on."""
        self._cache.truncate(length)

    def _forward(self, tokens: list[list[int]], rows: Sequence[int]) -> NDArray[np.float32]:
        """Read tokens (b, n); give logits (b, len(rows), n_vocab). Bringing them to the host is the one evaluation."""
        logits, _ = self._model.decode(mx.array(tokens), self._cross, self._cache, rows=rows)
        self.forwards += 1
        evaluate(logits)
        return np.array(logits)


def finish(steps: Generator[object, None, T]) -> T:
    """Do all the work that is left, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(T, end.value)


def decode(
    model: Whisper,
    tokenizer: Tokenizer,
    features: mx.array | CrossCache,
    options: DecodeOptions,
    *,
    language: str | None,
    allowed_languages: Sequence[str] = (),
    prompt: str | Sequence[int] = "",
    audio_seconds: float,
    cancelled: Callable[[], bool] = never,
    forbidden: NDArray[np.int64] = NO_TOKENS,
    seed: int = 0,
    reference: Sequence[int] = (),
    forced: int = 0,
) -> Steps[Decoding]:
    """Decode features (1, t, d), or the cross cache made of them, to a transcript.

    Args:
        language: a code, or None to detect it among the allowed languages (all, if none is named).
        prompt: what was said before, as text or tokens; its end is kept if it is long.
        audio_seconds: how much of the features is audio; bounds the number of tokens and the timestamps.
        cancelled: asked at every step; once true, what was decoded so far is returned.
        forbidden: tokens (k,) that are never to be said, such as those the model was not taught.
        seed: of the sampling at temperatures above 0.
        reference: text tokens that the same audio was decoded to before; options.reuse says what they are used for.
            Only the first attempt uses them, at temperature 0. What can't be a token of a transcript ends them.
        forced: how many of the first of them the transcript begins with in any case, whatever the options say; none
            where timestamps are asked for.

    Pauses after every forward; `finish` does without.

    The temperatures of the options are tried in turn until a decoding passes their thresholds or is silent; if none
    does, the least doubtful is returned. A prompt may be what misled the decoder, so after a failure it is left out.
    OptionError for a language that the model doesn't know.
    """
    cross = features if isinstance(features, CrossCache) else model.cross_cache(features)
    spent = 0
    if language is None:
        language, probabilities = detect_language(model, tokenizer, cross, allowed_languages)
        spent = int(len(probabilities) > 1)
        yield
    previous = prompt_tokens(tokenizer, prompt, model.dims.n_text_ctx // 2 - 1)
    start = _start_sequence(tokenizer, language, options.timestamps)
    rules = transcript_rules(tokenizer, options.timestamps, audio_seconds, forbidden)
    limit = token_limit(options, audio_seconds, model.dims.n_text_ctx, len(previous) + len(start))
    forced = 0 if options.timestamps else min(forced, text_length(reference, tokenizer))
    reference = usable(reference, tokenizer, limit, forced)
    certain = reference[:forced]
    bare = _Task(tokenizer, language, (), start, rules, limit, cancelled, certain, len(certain))
    first, *later = options.temperatures
    informed = replace(bare, previous=previous, reference=reference if first == 0 else certain)
    ladder = [(informed, first), *((bare, temperature) for temperature in later)]
    if previous:
        ladder.insert(1, (bare, first))
    generator = np.random.default_rng(seed)
    attempts: list[Decoding] = []
    for task, temperature in ladder:
        attempts.append((yield from task.attempt(Reader(model, cross), options, temperature, generator)))
        spent += attempts[-1].forwards
        if attempts[-1].is_silent(options) or not attempts[-1].has_failed(options) or cancelled():
            return replace(attempts[-1], forwards=spent)
    return replace(max(attempts, key=lambda attempt: attempt.merit(options)), forwards=spent)


@dataclass(frozen=True, slots=True)
class _Task:
    """What all attempts at one stretch have in common."""

    tokenizer: Tokenizer
    language: str
    previous: tuple[int, ...]
    start: tuple[int, ...]
    rules: tuple[Rule, ...]
    limit: int
    cancelled: Callable[[], bool]
    reference: tuple[int, ...]
    forced: int

    def attempt(
        self, reader: Reader, options: DecodeOptions, temperature: float, generator: np.random.Generator
    ) -> Steps[Decoding]:
        """Read prompt, start sequence and what is to be verified as one block, then search on from what holds."""
        prefix = (*self.previous, *self.start)
        draft = self.reference if options.reuse == "verify" else self.reference[: self.forced]
        predicting = range(len(prefix) - 1, len(prefix) + len(draft))  # the row before each token of the draft
        at_start, *rows = reader.read((*prefix, *draft), [len(self.previous), *predicting])
        no_speech = math.exp(float(at_start[self.tokenizer.no_speech]) - log_sum_exp(at_start))
        begun = accepted(rows, draft, self.rules, forced=self.forced, margin=options.verify_margin)
        reused = len(begun.tokens)
        if reused < len(draft):
            reader.truncate(len(prefix) + reused)
        yield
        search = self._search(options, temperature, generator, begun)
        work = yield from run_search(reader, search, rows[reused][None], self.rules, self.limit, self.cancelled)
        best = search.best()
        kept = max(len(best.tokens) - repeated_tail(best.tokens), min(reused, self.forced))
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
            forwards=reader.forwards,
            token_probabilities=tuple(math.exp(logprob) for logprob in best.logprobs[:kept]),
            looped=looped,
            reused_tokens=min(reused, kept),
            steps=work.steps,
            pruned_steps=search.pruned_steps,
            candidates=work.candidates,
        )

    def _search(
        self, options: DecodeOptions, temperature: float, generator: np.random.Generator, begun: Candidate
    ) -> Search:
        """Make the search that the options ask for, which goes on from what was begun."""
        guide = self.reference[self.forced :] if options.reuse == "prune" else ()
        search = make_search(options, temperature, self.tokenizer, generator, guide)
        search.live = [begun]
        return search


@dataclass(frozen=True, slots=True)
class Work:
    """What a search came to: its steps, and the candidates at work summed over them."""

    steps: int = 0
    candidates: int = 0


def run_search(
    reader: Reader,
    search: Search,
    logits: Logits,
    rules: Sequence[Rule],
    limit: int,
    cancelled: Callable[[], bool] = never,
) -> Steps[Work]:
    """Search on from the logits (live candidates, n_vocab) that follow what the reader has read.

    Ends when the search is done, at `limit` tokens, when the leading candidate has begun to loop, or when cancelled.
    """
    work = Work()
    if _is_over(search.live[0].tokens, limit):
        return work
    while True:
        width = len(search.live)
        apply_rules(rules, logits, [candidate.tokens for candidate in search.live])
        sources = search.advance(logits)
        work = Work(work.steps + 1, work.candidates + max(width, len(search.live)))
        if search.done or cancelled() or _is_over(search.live[0].tokens, limit):
            return work
        logits = reader.step(sources, [candidate.tokens[-1] for candidate in search.live])
        yield


def _is_over(leader: Sequence[int], limit: int) -> bool:
    return len(leader) >= limit or repeated_tail(leader) > 0


def make_search(
    options: DecodeOptions,
    temperature: float,
    tokenizer: Tokenizer,
    generator: np.random.Generator,
    guide: Sequence[int] = (),
) -> Search:
    """A beam at temperature 0 if the options ask for one, pruned if there is a guide; sampling has no use for it."""
    eot, size = tokenizer.eot, options.beam_size
    if size == 1 or temperature > 0:
        return Greedy(eot, temperature, generator)
    if not guide:
        return Beam(eot, size, options.patience, options.length_penalty)
    return PrunedBeam(
        eot,
        size,
        options.patience,
        options.length_penalty,
        reference=guide,
        key=lambda token: key_of_token(tokenizer, token),
        aligned=options.align_by_time,
        again=options.prune_again,
    )


def token_limit(options: DecodeOptions, audio_seconds: float, n_text_ctx: int, prefix_length: int) -> int:
    """The most tokens that this much audio may become: a decoder that lost the audio says far more."""
    plausible = max(options.min_token_allowance, math.ceil(options.max_tokens_per_second * audio_seconds))
    return max(1, min(plausible, n_text_ctx // 2, n_text_ctx - prefix_length))


def prompt_tokens(tokenizer: Tokenizer, prompt: str | Sequence[int], room: int) -> tuple[int, ...]:
    """`<|startofprev|>` and the last `room` tokens of the prompt; nothing for an empty one."""
    if isinstance(prompt, str):
        prompt = tokenizer.encode(" " + prompt.strip()) if prompt.strip() else ()
    return (tokenizer.sot_prev, *prompt[-room:]) if prompt else ()


def detect_language(
    model: Whisper, tokenizer: Tokenizer, features: mx.array | CrossCache, allowed: Sequence[str] = ()
) -> tuple[str, dict[str, float]]:
    """Find the language spoken in features (1, t, d): the likeliest allowed code, and the probability of each.

    Needs one forward, or none where there is no choice. OptionError for a code that the model doesn't know.
    """
    codes = tuple(allowed) or tokenizer.all_language_codes
    if not model.is_multilingual:
        codes = ("en",)
    tokens = [_language_token(tokenizer, code) for code in codes]
    if len(codes) == 1:
        return codes[0], {codes[0]: 1.0}
    cross = features if isinstance(features, CrossCache) else model.cross_cache(features)
    row = Reader(model, cross).read([tokenizer.sot], [0])[0][tokens]
    probabilities = np.exp(row - log_sum_exp(row))
    return codes[int(row.argmax())], dict(zip(codes, probabilities.tolist(), strict=True))


def untaught_tokens(model: Whisper) -> NDArray[np.int64]:
    """The tokens (k,) that share one row of the embedding with at least a quarter of the vocabulary.

    A model that was trained on a part of the vocabulary has such a row for all the rest. One of these tokens is
    unlikely, but there are tens of thousands: together they would draw samples and blur probabilities. Tokens with
    equal rows are found by their equal products with random states.
    """
    width = model.dims.n_text_state
    states = np.random.default_rng(0).standard_normal((1, 2, width)).astype(np.float32) / np.sqrt(width)
    products = model.decoder.token_embedding.as_linear(mx.array(states).astype(model.dtype)).astype(mx.float32)
    marks = np.array(products)[0].T
    _, first, counts = np.unique(marks[:, 0].round(2), return_index=True, return_counts=True)
    alike = np.abs(marks - marks[first[counts.argmax()]]).max(axis=1) < SAME_PRODUCT
    return np.flatnonzero(alike) if alike.mean() >= UNTAUGHT_SHARE else NO_TOKENS


def _start_sequence(tokenizer: Tokenizer, language: str, timestamps: bool) -> tuple[int, ...]:
    _language_token(tokenizer, language)
    return tokenizer.sot_sequence(language, timestamps)


def _language_token(tokenizer: Tokenizer, code: str) -> int:
    try:
        return tokenizer.language_token(code)
    except ValueError as error:
        raise OptionError(str(error)) from error
