"""Whisper-Streaming as published (arXiv:2307.14743), which Earshot is compared with."""

from __future__ import annotations

from engine.options import CaptionOptions, DecodeOptions

PUBLISHED_STEP_SECONDS = 1.0
"""Whisper-Streaming's default (arXiv:2307.14743, --min-chunk-size)."""

WHISPER_STREAMING = CaptionOptions(
    step_seconds=PUBLISHED_STEP_SECONDS,
    step_follows_cost=False,
    policy="local-agreement",
    agreement=2,
    padding="full",
    pipeline=False,
    buffer_seconds=15.0,
    second_look=False,
    decode=DecodeOptions(beam_size=5, reuse="none", draft=False),
)
"""Whisper-Streaming as published: 30 s of padding, five candidates, nothing reused, one stage after the other.

The voice gate is on, as in every method: pending words are committed when somebody pauses (their --vac), which can only
make this one faster.
"""
