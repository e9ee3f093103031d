"""Where sentences and smaller segments end in a row of words, and where a caption entry must break at the latest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.events import Word

PAUSE_SECONDS = 1.5
"""A silence this long ends an entry whatever the punctuation says."""

SEGMENT_PAUSE_SECONDS = 0.5
SOFT_CHARACTERS, SOFT_SECONDS = 84, 7.0
"""Two caption lines, and how long they are usually shown: from here on an entry breaks at a comma."""

HARD_CHARACTERS, HARD_SECONDS = 160, 14.0

_OPENERS = "\"'“‘«([{¿¡„"
_CLOSERS = "\"'”’»›)]}」』】）》〉"
_STRONG = frozenset("!?！？。｡।॥؟۔።")
_CLAUSE = frozenset(",;:，、；：،؛—–")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Before a name: never the end of a sentence.
_TITLES = _listed(
    "mr mrs ms mx dr prof st rev gen col capt lt sgt sen rep gov hon pres sr sra srta dra mme mlle vs cf ca bzw hr"
)
# Before a number; otherwise the end of a sentence, or a whole one ("No.").
_COUNTERS = _listed("no nr vol fig eq p pp art ch")
# At the end of a sentence or within one: the next word tells.
_ABBREVIATIONS = _listed("etc inc ltd co corp jr phd ave blvd dept est a.m p.m e.g i.e u.s u.k u.n z.b d.h u.a p.ej al")


def ends_sentence(word: Word, following: Word | None = None) -> bool:
    """Whether a sentence ends with `word`; `following` decides the doubtful cases, None if nothing follows yet."""
    text = _bare(word)
    if not text:
        return False
    if text[-1] in _STRONG:
        return not _continues(following) or text[-1] in "。｡"
    if text.endswith(("...", "…")):
        return following is None or _begins_large(following)
    if not text.endswith("."):
        return False
    return _ends_at_full_stop(text[:-1].lstrip(_OPENERS), following)


def _bare(word: Word) -> str:
    """The word without space around it and without what closes a quotation or bracket behind it."""
    return word.text.strip().rstrip(_CLOSERS)


def _ends_at_full_stop(bare: str, following: Word | None) -> bool:
    lowered = bare.casefold()
    if lowered in _TITLES or _continues(following):
        return False
    if lowered in _COUNTERS and following is not None:
        return not following.text.strip()[:1].isdigit()
    if lowered in _ABBREVIATIONS or _is_initials(bare):
        return following is not None and _begins_large(following) and len(bare) > 1
    return bool(bare)


def _is_initials(bare: str) -> bool:
    """ "J", "U.S" and the like; "I" is a word."""
    letters = bare.split(".")
    return bare != "I" and all(len(letter) == 1 and letter.isalpha() for letter in letters)


def _continues(following: Word | None) -> bool:
    """Whether the next word is written on without a space, as the 14 of "3." "14" is."""
    if following is None or not following.text:
        return False
    first = following.text[0]
    return first.isascii() and (first.isalnum() or first in ".,%")


def _begins_large(following: Word) -> bool:
    text = following.text.strip().lstrip(_OPENERS)
    return not text[:1].islower()


def ends_segment(word: Word, following: Word | None) -> bool:
    """Whether the buffer may be cut after `word`: at a sentence, a clause, or a short pause."""
    if ends_sentence(word, following):
        return True
    pause = following is not None and following.start - word.end >= SEGMENT_PAUSE_SECONDS
    return pause or _bare(word)[-1:] in _CLAUSE


def breaks_before(entry: Sequence[Word], following: Word) -> bool:
    """Whether `following` begins a new caption entry after the words of `entry`."""
    if not entry:
        return False
    last = entry[-1]
    if ends_sentence(last, following) or following.start - last.end > PAUSE_SECONDS:
        return True
    characters = sum(len(word.text) for word in entry) + len(following.text)
    seconds = following.end - entry[0].start
    if characters > HARD_CHARACTERS or seconds > HARD_SECONDS:
        return not _continues(following)
    at_clause = _bare(last)[-1:] in _CLAUSE
    return at_clause and (characters > SOFT_CHARACTERS or seconds > SOFT_SECONDS)


def split_entries(words: Iterable[Word]) -> list[tuple[Word, ...]]:
    """Divide words into caption entries, each about a sentence."""
    entries: list[list[Word]] = []
    for word in words:
        if not entries or breaks_before(entries[-1], word):
            entries.append([])
        entries[-1].append(word)
    return [tuple(entry) for entry in entries]
