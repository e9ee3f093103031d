"""Decoding for models with random weights, which would write until they may not."""

from __future__ import annotations

from engine.options import DecodeOptions

SHORT = DecodeOptions(
    min_token_allowance=6,
    max_tokens_per_second=1,
    compression_ratio_threshold=None,
    no_speech_threshold=None,
    logprob_threshold=None,
)
