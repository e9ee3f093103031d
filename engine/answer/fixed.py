"""Fixed answers: sentences that tools say in these very words, and what the starter assistant says of Earshot or in
small talk. They are the same for everybody, and say nothing of who asked.
"""

from __future__ import annotations

from functools import cache

from engine.answer.intents.classifier import taught_replies
from engine.answer.sentences import sentences_of
from engine.answer.tools.outcomes import fixed_words

_TOPICS = ("earshot_", "talk_")
"""Beginnings of the names of intents whose answers count. Others could tell what somebody wanted to know."""


def is_fixed(sentence: str) -> bool:
    """Return whether a sentence belongs to a fixed answer."""
    return sentence in _fixed()


@cache
def _fixed() -> frozenset[str]:
    replies = [reply for name, reply in taught_replies().items() if name.startswith(_TOPICS)]
    return frozenset((*fixed_words(), *(sentence for reply in replies for sentence in sentences_of(reply))))
