"""Caption options for recordings: the rounds of live captions, with more audio and more candidates in each."""

from __future__ import annotations

from dataclasses import replace

from engine.options import CaptionOptions, DecodeOptions

STEP_SECONDS, MARGIN_SECONDS = 8.0, 1.5
"""Shortest step and attention margin, in seconds. Chosen in LOG 2026-11-23."""

CERTAIN_PROBABILITY = 0.999
"""Lowest probability of a word that is committed at once."""

CANDIDATES = 5
"""Smallest beam size."""


def for_files(options: CaptionOptions, *, own_search: bool = False) -> CaptionOptions:
    """Return options with longer rounds, more candidates, and no commitment near the end of a round's audio.

    With `own_search` the number of candidates was chosen, and stays.
    """
    return replace(
        options,
        step_seconds=max(options.step_seconds, STEP_SECONDS),
        attention_margin_seconds=max(options.attention_margin_seconds, MARGIN_SECONDS),
        certain_probability=max(options.certain_probability, CERTAIN_PROBABILITY),
        second_look=False,
        speakers=False,
        decode=options.decode if own_search else _with_candidates(options.decode),
    )


def for_second_look(options: CaptionOptions) -> CaptionOptions:
    """Return options with more candidates and a draft to verify, for finished captions that are heard again."""
    return replace(options, decode=replace(_with_candidates(options.decode), reuse="verify"))


def _with_candidates(decode: DecodeOptions) -> DecodeOptions:
    return replace(decode, beam_size=max(decode.beam_size, CANDIDATES)) if decode.decoder == "beam" else decode
