"""The check of sentences that a model makes from lines of a transcript: small models make up others."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.answer.tools.wording import folded

KNOWN_SHARE, STEM_LETTERS = 0.4, 4
"""Least share of a sentence's longer words that stand in the lines or the question, compared by their first letters."""

_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"\d[\w.:,]*(?<![.:,])")
_LISTED = re.compile(r"^\W*\d{1,2}[.):]\s")
_ROLES = re.compile(r"\b(?:user|assistant|ai|prompt|transcript)\b")
_SPOKEN_OF = re.compile(rf"\b(?:the|an?|every|each|our|my|your|his|her|their) ({_ROLES.pattern})")
"""A role that somebody speaks of, which has an article; a line that plays the role has none."""


class Grounding:
    """The words and numbers of texts, against which sentences are checked."""

    def __init__(self, texts: Iterable[str], known_share: float = KNOWN_SHARE) -> None:
        """Collect the words and numbers of lines, of their speakers' names, and of a question about them.

        The lines' times are left to code. `known_share`: see KNOWN_SHARE.
        """
        whole = folded(" ".join(texts))
        self._words = frozenset(word[:STEM_LETTERS] for word in _WORD.findall(whole))
        self._marked = frozenset((*_NUMBER.findall(whole), *_SPOKEN_OF.findall(whole)))
        self._known_share = known_share

    def holds(self, sentence: str) -> bool:
        """Return whether a sentence has no number and no role of its own, and enough words from the texts."""
        plain = _LISTED.sub("", folded(sentence))
        if not self._marked.issuperset((*_NUMBER.findall(plain), *_ROLES.findall(plain))):
            return False
        words = _WORD.findall(plain)
        return sum(word[:STEM_LETTERS] in self._words for word in words) >= self._known_share * len(words)
