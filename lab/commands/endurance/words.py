"""Words that are lost or doubled on the way from what was said to what is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from engine.metrics import align

LEAST_RUN = 5
"""Number of words in a row that are missing, or too many, and are no mishearing."""

LEAST_ANCHOR = 2
"""A single word that is equal between others that differ is so by chance."""

PART_WORDS = 600


@dataclass(frozen=True, slots=True)
class Difference:
    """Counts of words that are missing in one list, and that stand too often in it."""

    lost: int = 0
    doubled: int = 0

    def __add__(self, other: Difference) -> Difference:
        return Difference(self.lost + other.lost, self.doubled + other.doubled)


def plain_words(texts: Iterable[str]) -> list[str]:
    """Return the words of texts without case and marks."""
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


@dataclass(frozen=True, slots=True)
class Slip:
    """A place where what was heard is no mishearing of what was said: some of it is missing, or too much.

    Attributes:
        after: the words before it.
    """

    said: tuple[str, ...]
    heard: tuple[str, ...]
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"after “{' '.join(self.after)}”, “{' '.join(self.said)}” was heard as “{' '.join(self.heard)}”"

    @property
    def difference(self) -> Difference:
        """Count what one side has more than the other."""
        more = len(self.said) - len(self.heard)
        return Difference(max(0, more), max(0, -more))


def compare_to_tape(said: Sequence[str], heard: Sequence[str]) -> list[Slip]:
    """Hold what was heard of a tape that begins again and again against what it says, as far as it was heard."""
    pairs, slips = list(_on_tape(said, heard)), list[Slip]()
    for begin, end in _changed(pairs):
        parts = pairs[begin:end]
        after = tuple(word for _, word in pairs[max(0, begin - LEAST_RUN) : begin] if word)
        slip = Slip(tuple(word for word, _ in parts if word), tuple(word for _, word in parts if word), after)
        if abs(len(slip.said) - len(slip.heard)) >= LEAST_RUN:
            slips.append(slip)
    return slips


_Pair = tuple[str | None, str | None]


def _on_tape(said: Sequence[str], heard: Sequence[str]) -> Iterator[_Pair]:
    """Yield each word of the tape with what was heard of it; None where there is none. A part at a time: it is long."""
    begin = at = 0
    while begin < len(heard):
        part = heard[begin : begin + PART_WORDS]
        expected = [said[(at + each) % len(said)] for each in range(len(part) + 2 * len(said))]
        pairs = align(expected, part, to_beginning=True)
        if begin + len(part) < len(heard):  # how the newest of it is to be understood is known with the next part
            equal = [k for k, (i, j) in enumerate(pairs) if i is not None and j is not None and expected[i] == part[j]]
            pairs = pairs[: (equal[len(equal) // 2] if equal else len(pairs)) + 1]
        yield from ((None if i is None else expected[i], None if j is None else part[j]) for i, j in pairs)
        at += sum(i is not None for i, _ in pairs)
        begin += sum(j is not None for _, j in pairs)


def _changed(pairs: Sequence[_Pair]) -> list[tuple[int, int]]:
    """Return from where to where words differ."""
    spans = list[tuple[int, int]]()
    for number, (said, heard) in enumerate(pairs):
        if said != heard:
            goes_on = bool(spans) and number - spans[-1][1] < LEAST_ANCHOR
            spans[-1:] = [(spans[-1][0], number + 1)] if goes_on else [*spans[-1:], (number, number + 1)]
    return spans
