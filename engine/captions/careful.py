"""Options of hearing for a recording that nobody waits for: the rounds of live captions, each with more audio."""

from __future__ import annotations

from dataclasses import replace

from engine.options import CaptionOptions

# Chosen in lab/LOG.md, 2026-11-23, “Recordings heard with more care”.
STEP_SECONDS, MARGIN_SECONDS = 8.0, 1.5
"""Least step and attention margin, in seconds."""

CERTAIN_PROBABILITY = 0.999
"""Least probability of a word that is certain at once."""

CANDIDATES = 5
"""Fewest candidates of a beam."""


def careful(options: CaptionOptions) -> CaptionOptions:
    """Return options with few long rounds and several candidates, which commit nothing near the end of their audio."""
    decode = options.decode
    if decode.decoder == "beam":
        decode = replace(decode, beam_size=max(decode.beam_size, CANDIDATES))
    return replace(
        options,
        step_seconds=max(options.step_seconds, STEP_SECONDS),
        attention_margin_seconds=max(options.attention_margin_seconds, MARGIN_SECONDS),
        certain_probability=max(options.certain_probability, CERTAIN_PROBABILITY),
        decode=decode,
    )
