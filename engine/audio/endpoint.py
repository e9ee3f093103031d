"""When a turn of the user's has ended: by silence, and how much of it is needed by what has been said.

A question that is complete needs little silence, one that breaks off in the middle more. Whether it is complete a
language model knows from the same forward that answers it: the probability of its own end-of-turn token behind the
user's text. A request is known to be complete by its phrasing.
"""

from __future__ import annotations

import math
import unicodedata

import numpy as np

from engine.options import TurnOptions

SHORT_WORDS, SHORT_CHARACTERS = 2, 16
"""Text of no more words and characters is short. “Yes” and “okay” are whole turns as often as beginnings, and models
are wrong about them in both directions (livekit/agents, issue 6415): their length says more than their probability."""

WIDE_LETTERS = 3

SURE_PROBABILITY, LIKELY_PROBABILITY, DOUBTFUL_PROBABILITY = 0.3, 0.1, 0.02
"""From the first on a turn is taken for complete, up to the last it is not; between them silence falls evenly with the
logarithm of the odds, through the usual one at the second."""

SOFT_END_SECONDS = 0.064
"""Silence after which what was said is taken for complete by way of trial; nothing is heard of that outside."""


def needed_silence(options: TurnOptions, probability: float | None) -> float:
    """Seconds of silence that end a turn.

    Args:
        probability: that what has been said in it is a complete turn; None where nobody knows.

    Infinite with push-to-talk, where silence ends nothing.
    """
    if options.push_to_talk:
        return math.inf
    if probability is None:
        return options.silence_seconds
    silences = (options.doubtful_silence_seconds, options.silence_seconds, options.sure_silence_seconds)
    return float(np.interp(_log_odds(probability), _KNOTS, silences))


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(kept / (1 - kept))


_KNOTS = tuple(map(_log_odds, (DOUBTFUL_PROBABILITY, LIKELY_PROBABILITY, SURE_PROBABILITY)))


def soft_end(options: TurnOptions) -> float:
    """Seconds of silence after which to try whether the turn is complete: never more than the least that ends one."""
    return min(SOFT_END_SECONDS, options.sure_silence_seconds)


def is_short(text: str) -> bool:
    """Tell whether a text is too short for a model to tell whether it is a complete turn."""
    return len(text.split()) <= SHORT_WORDS and sum(map(_letters, text)) <= SHORT_CHARACTERS


def _letters(character: str) -> int:
    """Return how many letters say as much: a syllable or a whole word is one character in some scripts."""
    return WIDE_LETTERS if unicodedata.east_asian_width(character) in "WF" else 1
