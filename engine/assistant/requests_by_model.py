"""Requests for deeds outside the talk, such as a call or a purchase, as a published model judges them.

A model that is told what it cannot do promises it even so. Asked whether a message wants such a deed, it knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.answer.safety.meaning import words_of

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor

INSTRUCTION = (
    "You read one message to an assistant that can only talk. Does it ask to do something else, such as to call, send, "
    "buy, play, open or change something? Answer Yes or No."
)
EXAMPLES = (
    ("Order me a taxi.", "Yes"),
    ("Tell me a story about a cat.", "No"),
    ("Write an email to my landlord and send it.", "Yes"),
    ("I'm so tired today.", "No"),
    ("Mach das Licht aus.", "Yes"),
    ("Give me another word for small.", "No"),
    ("Remind me of my mother's birthday next year.", "Yes"),
    ("You are wrong about that.", "No"),
)
"""Messages that show a model what is meant, as many of both kinds."""

LEAST_LOG_ODDS = 2.3  # chosen in LOG 2026-11-30
"""Least difference between the logits of "Yes" and "No" at which a deed is asked for."""

FEWEST_WORDS, MOST_WORDS = 2, 30
"""Fewest and most words of a message that is judged."""


def asks_for_a_deed(predictor: AnyPredictor, text: str) -> bool:
    """Return whether a message that is no question asks for what a program that only talks cannot do."""
    if predictor.asks or text.rstrip().endswith("?") or not FEWEST_WORDS <= len(words_of(text)) <= MOST_WORDS:
        return False
    odds = predictor.log_odds_of_yes(INSTRUCTION, EXAMPLES, text)
    return odds is not None and odds >= LEAST_LOG_ODDS
