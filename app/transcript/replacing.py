"""Replacement of words in a transcript's lines. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Replacement:
    """Words to be replaced.

    Attributes:
        old, new: the words, and what takes their place; spaces in `old` stand for any spaces.
        whole: whether only whole words are replaced.
        same_case: whether capital and small letters are told apart.
    """

    old: str
    new: str
    whole: bool = True
    same_case: bool = False

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        words = self.old.split()
        if not words:
            return None
        pattern = r"\s+".join(re.escape(word) for word in words)
        pattern = rf"(?<!\w){pattern}(?!\w)" if self.whole else pattern
        return re.compile(pattern, 0 if self.same_case else re.IGNORECASE)

    def count(self, texts: Iterable[str]) -> int:
        """Return how often the words are in texts."""
        pattern = self._pattern
        return 0 if pattern is None else sum(1 for text in texts for _ in pattern.finditer(text))

    def applied(self, text: str) -> str:
        """Return a text with the words replaced, on one line."""
        if self._pattern is None or not self._pattern.search(text):
            return text
        return " ".join(self._pattern.sub(lambda _: self.new, text).split())
