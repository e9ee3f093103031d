"""End-of-turn detection by silence; how much silence is needed depends on what has been said.

A complete question needs little silence, one that breaks off in the middle more. A language model tells whether it is
complete in the same forward pass that answers it: by the probability of its end-of-turn token after the user's text. A
request is complete if its phrasing is.
"""

from __future__ import annotations

import math
import unicodedata

import numpy as np

from engine.options import TurnOptions

SHORT_WORDS, SHORT_CHARACTERS = 2, 16
"""Longest short text, in words and characters. “Yes” and “okay” are whole turns as often as beginnings, and models are
wrong about them in both directions (livekit/agents, issue 6415): their length says more than their probability.
"""

WIDE_LETTERS = 3

SURE_PROBABILITY, LIKELY_PROBABILITY, DOUBTFUL_PROBABILITY = 0.3, 0.1, 0.02
"""Probabilities that a turn is complete: at least the first means complete, at most the last incomplete. Between them
the needed silence falls linearly in the log-odds, through the usual silence at the second.
"""

SOFT_END_SECONDS = 0.064
"""Silence in seconds after which a turn is tentatively treated as complete; nothing is audible of that outside."""


def needed_silence(options: TurnOptions, probability: float | None) -> float:
    """Return the seconds of silence that end a turn; infinite with push-to-talk, where silence ends nothing.

    Args:
        probability: probability that the turn so far is complete; None if unknown.
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
    """Return the seconds of silence after which to test whether the turn is complete, at most the least needed."""
    return min(SOFT_END_SECONDS, options.sure_silence_seconds)


def is_short(text: str) -> bool:
    """Return whether a text is too short for a model to decide whether it is a complete turn."""
    return len(text.split()) <= SHORT_WORDS and sum(map(_letters, text)) <= SHORT_CHARACTERS


def _letters(character: str) -> int:
    """Return the number of letters that a character stands for: a syllable or word is one character in some scripts."""
    return WIDE_LETTERS if unicodedata.east_asian_width(character) in "WF" else 1
