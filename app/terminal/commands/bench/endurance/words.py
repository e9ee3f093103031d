"""Words that are lost or doubled on the way from what was said to what is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

LEAST_RUN = 5
"""So many words in a row that are missing, or too many, are no mishearing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Counts of words that are missing in one list, and that stand too often in it."""

    lost: int = 0
    doubled: int = 0

    def __add__(self, other: Difference) -> Difference:
        return Difference(self.lost + other.lost, self.doubled + other.doubled)


def plain_words(texts: Iterable[str]) -> list[str]:
    """Give the words of texts without case and marks."""
    return [word for text in texts for word in re.findall(r"[a-z0-9']+", text.lower())]


def compare(expected: Sequence[str], found: Sequence[str], least_run: int = 1) -> Difference:
    """Count what is missing and what is too much; of each run, what one side has more than the other.

    Args:
        least_run: a shorter run counts as nothing: another word was heard.
    """
    lost = doubled = 0
    matcher = SequenceMatcher(None, expected, found, autojunk=False)
    for tag, begin, end, other_begin, other_end in matcher.get_opcodes():
        more = (end - begin) - (other_end - other_begin)
        if tag != "equal" and abs(more) >= least_run:
            lost += max(0, more)
            doubled += max(0, -more)
    return Difference(lost, doubled)


def compare_to_tape(said: Sequence[str], heard: Sequence[str]) -> Difference:
    """Hold what was heard of a tape that begins again and again against what it says, as far as it was heard."""
    if not heard:
        return Difference()
    expected = list(said) * (len(heard) // len(said) + 2)
    last = SequenceMatcher(None, expected, heard, autojunk=False).get_matching_blocks()[-2:-1]
    end = last[0].a + last[0].size if last else 0
    return compare(expected[:end], heard, LEAST_RUN)
