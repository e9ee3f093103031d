"""Decoding of features to tokens: one block forward over the prompt, then one forward per token, greedy or with a
beam.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.errors import OptionError
from engine.hear.decode.attempts import GREEDY, Decoding, Task, attempts, token_limit
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.decoder import Reader
from engine.hear.decode.pruning import IMPROVED, Pruning
from engine.hear.decode.reference import usable
from engine.hear.decode.rules import NO_TOKENS, log_sum_exp, most_repeated, transcript_rules
from engine.hear.decode.search import Terms
from engine.hear.decode.steps import Steps, never
from engine.hear.decode.tokenizer import Tokenizer
from engine.hear.decode.vocabulary import Vocabulary
from engine.hear.whisper.model import Whisper
from engine.hear.whisper.whisper_decoder import WhisperDecoder
from engine.options import DecodeOptions

UNTAUGHT_SHARE = 0.25
"""Smallest share of the vocabulary with one common row that counts as not taught."""

SAME_PRODUCT = 0.001
"""Largest difference between the products of equal rows."""


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
    temperatures: Sequence[float] = GREEDY,
    reference: Sequence[int] = (),
    draft: Sequence[int] = (),
    pruning: Pruning = IMPROVED,
    vocabulary: Vocabulary | None = None,
    goes_on: bool = False,
) -> Steps[Decoding]:
    """Decode features (1, t, d), or their cross cache, to a transcript.

    Args:
        language: a code, or None to detect it among the allowed languages (all, if none is named).
        prompt: previous text or tokens; only the end of a long one is used.
        audio_seconds: length of the audio in the features; bounds the number of tokens.
        cancelled: called at every step; once true, the tokens decoded so far are returned.
        forbidden: tokens (k,) that are never written, such as untrained ones.
        seed: seed of the sampling at temperatures above 0.
        temperatures: tried in turn until a decoding has not failed or is silent (engine.hear.decode.attempts).
        reference: text tokens of an earlier decoding of the same audio; options.reuse defines their use. Only the first
            attempt uses them, at temperature 0. They end before the first token that is not text.
        draft: likely text tokens of the audio; only the first attempt verifies them.
        pruning: how a pruned search follows the reference.
        vocabulary: words and names that are likely to be said.
        goes_on: the last word may be cut off, and will be heard again.

    Pauses after every forward; `steps.finish` runs without pauses. After a failure the prompt is left out, because it
    may have misled the decoder.

    Raises OptionError for a language that the model does not know.
    """
    cross = features if isinstance(features, CrossCache) else model.cross_cache(features)
    spent, sureness = 0, 1.0
    if language is None:
        language, probabilities = detect_language(model, tokenizer, cross, allowed_languages)
        spent, sureness = int(len(probabilities) > 1), probabilities[language]
        yield
    previous = prompt_tokens(tokenizer, prompt, model.dims.n_text_ctx // 2 - 1)
    _language_token(tokenizer, language)
    repeats = most_repeated(audio_seconds)
    start = tokenizer.sot_sequence(language, into_english=options.into_english)
    limit = token_limit(audio_seconds, model.dims.n_text_ctx, len(previous) + len(start))
    terms = Terms(tokenizer.eot, transcript_rules(tokenizer, forbidden), limit, cancelled, repeats)
    bare = Task(tokenizer, language, (), start, terms, vocabulary=vocabulary, goes_on=goes_on)
    first, *later = temperatures
    informed = replace(bare, previous=previous)
    if first == 0:
        known = usable(reference, tokenizer, limit, repeats=repeats)
        drafted = usable(draft, tokenizer, limit, repeats=repeats)
        informed = replace(informed, reference=known, draft=drafted, pruning=pruning)
    ladder = [(informed, first), *((bare, temperature) for temperature in later)]
    if previous:
        ladder.insert(1, (bare, first))
    decoding = yield from attempts(WhisperDecoder(model, cross), ladder, options, cancelled=cancelled, seed=seed)
    return replace(decoding, forwards=spent + decoding.forwards, language_probability=sureness)


def prompt_tokens(tokenizer: Tokenizer, prompt: str | Sequence[int], room: int) -> tuple[int, ...]:
    """Return `<|startofprev|>` and the last `room` tokens of the prompt; nothing for an empty one."""
    if isinstance(prompt, str):
        prompt = tokenizer.encode(" " + prompt.strip()) if prompt.strip() else ()
    return (tokenizer.sot_prev, *prompt[-room:]) if prompt else ()


def detect_language(
    model: Whisper, tokenizer: Tokenizer, features: mx.array | CrossCache, allowed: Sequence[str] = ()
) -> tuple[str, dict[str, float]]:
    """Return the likeliest allowed language of features (1, t, d), and the probability of each.

    Needs one forward, or none if there is no choice. Raises OptionError for a code that the model does not know.
    """
    codes = tuple(allowed) or tokenizer.all_language_codes
    if not model.is_multilingual:
        codes = ("en",)
    tokens = [_language_token(tokenizer, code) for code in codes]
    if len(codes) == 1:
        return codes[0], {codes[0]: 1.0}
    cross = features if isinstance(features, CrossCache) else model.cross_cache(features)
    row = Reader(WhisperDecoder(model, cross)).read([tokenizer.sot], [0])[0][tokens]
    probabilities = np.exp(row - log_sum_exp(row))
    return codes[int(row.argmax())], dict(zip(codes, probabilities.tolist(), strict=True))


def untaught_tokens(model: Whisper) -> NDArray[np.int64]:
    """Return the tokens (k,) that share one row of the embedding with at least a quarter of the vocabulary.

    A model that was trained on a part of the vocabulary has such a row for all the rest. Each of these tokens is
    unlikely, but there are tens of thousands: together they would attract samples and dilute probabilities. Tokens with
    equal rows are found by their equal products with random states.
    """
    width = model.dims.n_text_state
    states = np.random.default_rng(0).standard_normal((1, 2, width)).astype(np.float32) / np.sqrt(width)
    products = model.decoder.token_embedding.as_linear(mx.array(states).astype(model.dtype)).astype(mx.float32)
    marks = np.array(products)[0].T
    _, first, counts = np.unique(marks[:, 0].round(2), return_index=True, return_counts=True)
    alike = np.abs(marks - marks[first[counts.argmax()]]).max(axis=1) < SAME_PRODUCT
    return np.flatnonzero(alike) if alike.mean() >= UNTAUGHT_SHARE else NO_TOKENS


def _language_token(tokenizer: Tokenizer, code: str) -> int:
    try:
        return tokenizer.language_token(code)
    except ValueError as error:
        raise OptionError(str(error)) from error
