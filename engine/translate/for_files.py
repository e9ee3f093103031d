"""Translation options for text that is not live: each finished sentence is translated with several candidates."""

from __future__ import annotations

from dataclasses import replace

from engine.options import TranslationOptions

CANDIDATES = 5
"""Smallest beam size for finished sentences."""


def for_files(options: TranslationOptions) -> TranslationOptions:
    """Return options with a beam search for finished sentences instead of greedy decoding."""
    return replace(options, candidates=max(options.candidates, CANDIDATES))
