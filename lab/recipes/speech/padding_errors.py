"""Word errors of a model after one padding: what the decoder writes greedily, nothing cut off or tried again."""

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

UNGUARDED = DecodeOptions(
    beam_size=1, compression_ratio_threshold=None, logprob_threshold=None, no_speech_threshold=None
)
"""Live captions stop a decoder that does not stop by itself; here its failing to is what is measured."""


def heard_text(
    hearing: HearingModel, padding: Padding, samples: Samples, language: str, forbidden: NDArray[np.int64] | None = None
) -> str:
    """Return what the model writes about samples (n,); `forbidden` are its untaught tokens, where they are known
    already.
    """
    cross = padding.listen(hearing.model, samples)
    mx.eval(cross.arrays())
    steps = decode(
        hearing.model,
        hearing.tokenizer,
        cross,
        UNGUARDED,
        language=language,
        audio_seconds=len(samples) / SAMPLE_RATE_HZ,
        forbidden=untaught_tokens(hearing.model) if forbidden is None else forbidden,
    )
    return hearing.tokenizer.decode(finish(steps).tokens)


def errors_after(hearing: HearingModel, padding: Padding, clips: Iterable[tuple[Samples, str, str]]) -> WordErrors:
    """Word errors over clips: samples (n,), what is said in them, language."""
    forbidden = untaught_tokens(hearing.model)
    errors = WordErrors()
    for samples, text, language in clips:
        errors += word_errors(text, heard_text(hearing, padding, samples, language, forbidden), language)
    return errors
