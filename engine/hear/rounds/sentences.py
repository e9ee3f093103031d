"""Ends of sentences and smaller segments in a sequence of words, and forced breaks of caption entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine import sentence_ends
from engine.events import Word
from engine.sentence_ends import CLAUSE, bare, continues

PAUSE_SECONDS = 1.5
"""Silence that ends an entry whatever the punctuation, in seconds."""

SEGMENT_PAUSE_SECONDS = 0.5
SOFT_CHARACTERS, SOFT_SECONDS = 84, 7.0
"""Length of two caption lines, and their usual time on the screen: from here on an entry breaks at a comma."""

HARD_CHARACTERS, HARD_SECONDS = 160, 14.0


def ends_sentence(word: Word, following: Word | None = None) -> bool:
    """Return whether a sentence ends with `word`; `following` decides doubtful cases, None if nothing follows yet."""
    return sentence_ends.ends_sentence(word.text, None if following is None else following.text)


def ends_segment(word: Word, following: Word | None) -> bool:
    """Return whether the buffer may be cut after `word`: at a sentence, a clause, or a short pause."""
    if ends_sentence(word, following):
        return True
    pause = following is not None and following.start - word.end >= SEGMENT_PAUSE_SECONDS
    return pause or bare(word.text)[-1:] in CLAUSE


def breaks_before(entry: Sequence[Word], following: Word) -> bool:
    """Return whether `following` begins a new caption entry after the words of `entry`."""
    if not entry:
        return False
    last = entry[-1]
    if ends_sentence(last, following) or following.start - last.end > PAUSE_SECONDS:
        return True
    characters = sum(len(word.text) for word in entry) + len(following.text)
    seconds = following.end - entry[0].start
    if characters > HARD_CHARACTERS or seconds > HARD_SECONDS:
        return not continues(following.text)
    at_clause = bare(last.text)[-1:] in CLAUSE
    return at_clause and (characters > SOFT_CHARACTERS or seconds > SOFT_SECONDS)


def split_entries(words: Iterable[Word]) -> list[tuple[Word, ...]]:
    """Divide words into caption entries, each about a sentence."""
    entries: list[list[Word]] = []
    for word in words:
        if not entries or breaks_before(entries[-1], word):
            entries.append([])
        entries[-1].append(word)
    return [tuple(entry) for entry in entries]
