"""Options for translating text that nobody waits for: each finished sentence with several candidates."""

from __future__ import annotations

from dataclasses import replace

from engine.options import TranslationOptions

CANDIDATES = 5


def careful(options: TranslationOptions) -> TranslationOptions:
    """Return options that search for the likeliest translation of a finished sentence, instead of greedy decoding."""
    return replace(options, candidates=max(options.candidates, CANDIDATES))
