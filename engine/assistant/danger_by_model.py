"""Danger as a published model judges it, where the network of `engine.answer.safety.meaning` is not sure.

The network reads English, and knows little of what it has not learnt. A model that answers knows more words and
languages, but is slower and sees danger too often. So it is asked only where the network finds a text not surely
harmless, or cannot read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.answer.safety.meaning import FEWEST_WORDS, MOST_WORDS, is_foreign, starter_danger, words_of
from engine.answer.safety.recognition import language_of

if TYPE_CHECKING:
    from engine.answer.any_predictor import AnyPredictor

INSTRUCTION = (
    "You read one message to an assistant, in any language. Is somebody in danger or hurt right now? Answer Yes or No."
)
EXAMPLES = (
    ("Mon frère est tombé dans l'escalier et ne répond plus.", "Yes"),
    ("How do I get wine out of a carpet?", "No"),
    ("Es riecht hier stark nach Gas.", "Yes"),
    ("Gestern habe ich einen Film über einen Mord gesehen.", "No"),
    ("She took all of her pills at once.", "Yes"),
    ("Mi hermana cumple veinte años.", "No"),
    ("Non riesco a smettere di sanguinare.", "Yes"),
    ("Mein Handy ist kaputt.", "No"),
)
"""Messages that show a model what is meant, as many of both kinds and in several languages."""

LEAST_LOG_ODDS = 1.6  # chosen in LOG 2026-11-30
"""Least difference between the logits of "Yes" and "No" at which a text may speak of danger."""


def may_be_danger(predictor: AnyPredictor, text: str) -> bool:
    """Return whether a text may speak of danger, by the model; False if it is not asked, or nothing tells."""
    if not (predictor.can_read and FEWEST_WORDS <= len(words_of(text)) <= MOST_WORDS):
        return False
    unread = is_foreign(text) and language_of(text) == "en"
    if starter_danger().is_harmless(text) and not unread:
        return False
    odds = predictor.log_odds_of_yes(INSTRUCTION, EXAMPLES, text)
    return odds is not None and odds >= LEAST_LOG_ODDS
