"""Word errors of a model after one padding, of greedy decoding with a single attempt."""

from __future__ import annotations

from collections.abc import Iterable

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.hear.decode.steps import finish
from engine.hear.whisper.decode import decode, untaught_tokens
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.padding import Padding
from engine.metrics import WordErrors, word_errors
from engine.options import DecodeOptions
from lab.recipes.speech.cut_off import CutOff


def heard_text(
    hearing: HearingModel, padding: Padding, samples: Samples, language: str, forbidden: NDArray[np.int64] | None = None
) -> str:
    """Return the text that the model writes about samples (n,); `forbidden` are its untaught tokens, if known."""
    cross = padding.listen(hearing.model, samples)
    mx.eval(cross.arrays())
    steps = decode(
        hearing.model,
        hearing.tokenizer,
        cross,
        DecodeOptions(),
        language=language,
        audio_seconds=len(samples) / SAMPLE_RATE_HZ,
        forbidden=untaught_tokens(hearing.model) if forbidden is None else forbidden,
    )
    return hearing.tokenizer.decode(finish(steps).tokens)


def errors_after(hearing: HearingModel, padding: Padding, clips: Iterable[tuple[Samples, str, str]]) -> WordErrors:
    """Return the word errors over clips: samples (n,), the text said in them, language."""
    forbidden = untaught_tokens(hearing.model)
    errors = WordErrors()
    for samples, text, language in clips:
        errors += word_errors(text, heard_text(hearing, padding, samples, language, forbidden), language)
    return errors


def errors_when_cut(hearing: HearingModel, padding: Padding, parts: Iterable[CutOff]) -> WordErrors:
    """Return the word errors over speech that is cut off."""
    forbidden = untaught_tokens(hearing.model)
    found = (part.errors(heard_text(hearing, padding, part.samples, part.language, forbidden)) for part in parts)
    return sum(found, start=WordErrors())
