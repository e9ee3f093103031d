"""Ends of sentences in written or spoken text, detected from a word and the word after it."""

from __future__ import annotations

OPENERS = "\"'“‘«([{¿¡„"
CLOSERS = "\"'”’»›)]}」』】）》〉"
STRONG = frozenset("!?！？。｡।॥؟۔።")
CLAUSE = frozenset(",;:，、；：،؛—–")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Before a name or another word: never the end of a sentence.
_TITLES = _listed(
    "mr mrs ms mx dr prof st mt rev gen col capt lt sgt sen rep gov hon pres vs cf ca approx sr sra srta dra "
    "dña ee mme mlle mgr av bzw hr fr evtl ggf inkl exkl vgl sog mio mrd dipl ing"
)
# Before a number; otherwise the end of a sentence, or a whole sentence ("No.").
_COUNTERS = _listed(
    "no nr vol fig eq p pp art ch abs bd kap núm pág cap tel jan feb mar apr jun jul aug sep sept oct nov dec dez"
)
# At the end of a sentence or within one: the next word decides.
_ABBREVIATIONS = _listed(
    "etc inc ltd co corp jr phd ave blvd dept est ft a.m p.m e.g i.e u.s u.k u.n z.b d.h u.a p.ej ej ex al usw ud uds"
)
_MONTHS_OF_DAYS = _listed("januar februar märz april mai juni juli august september oktober november dezember")


def ends_sentence(word: str, following: str | None = None) -> bool:
    """Return whether a sentence ends with `word`; `following` decides doubtful cases, None if nothing follows yet.

    Both are passed as they stand in the text, with the space before them: a word without one continues the last word.
    """
    text = bare(word)
    if not text:
        return False
    if text[-1] in STRONG:
        return not continues(following) or text[-1] in "。｡"
    if text.endswith(("...", "…")):
        return following is None or _begins_large(following)
    if not text.endswith("."):
        return False
    return _ends_at_full_stop(text[:-1].lstrip(OPENERS), following)


def bare(word: str) -> str:
    """Return the word without surrounding space and without closing quotation marks and brackets."""
    return word.strip().rstrip(CLOSERS)


def is_abbreviation(word: str) -> bool:
    """Return whether a full stop after the word may belong to it: "Mr", "etc", "No", "U.S", "J"."""
    lowered = word.casefold()
    return lowered in _TITLES or lowered in _COUNTERS or lowered in _ABBREVIATIONS or _is_initials(word)


def _ends_at_full_stop(word: str, following: str | None) -> bool:
    lowered = word.casefold()
    if lowered in _TITLES or continues(following):
        return False
    if word.isdigit() and following is not None and bare(following).casefold().rstrip(".,") in _MONTHS_OF_DAYS:
        return False  # "24. Dezember"
    if lowered in _COUNTERS and following is not None:
        return not following.strip()[:1].isdigit()
    if lowered in _ABBREVIATIONS or _is_initials(word):
        return following is not None and _begins_large(following) and len(word) > 1
    return bool(word)


def _is_initials(word: str) -> bool:
    """Return whether it is "J", "U.S" and the like; "I" is a word."""
    letters = word.replace("-", "").split(".")
    return word != "I" and all(len(letter) == 1 and letter.isalpha() for letter in letters)


def continues(following: str | None) -> bool:
    """Return whether the next word follows without a space, as the 14 of "3." "14" does."""
    if not following:
        return False
    first = following[0]
    return first.isascii() and (first.isalnum() or first in ".,%")


def _begins_large(following: str) -> bool:
    text = following.strip().lstrip(OPENERS)
    return not text[:1].islower()
