"""How text is translated that nobody waits for: each finished sentence with several candidates."""

from __future__ import annotations

from dataclasses import replace

from engine.options import TranslationOptions

CANDIDATES = 5


def careful(options: TranslationOptions) -> TranslationOptions:
    """Search for the likeliest translation of a finished sentence, where greedy decoding takes the first."""
    return replace(options, candidates=max(options.candidates, CANDIDATES))
