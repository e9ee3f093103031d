"""The visible part of a growing translation: all but its last words, which are the likeliest to change.

Display-only mask-k: mask-k is of Arivazhagan et al. 2020 (arXiv:1912.03393), masking the display alone of the SSBD
paper (see translator.py); the hidden words stay in the draft of the next update. A unit is a word in a script with
spaces between words and a character (a grapheme cluster) in one without, decided by the text itself character by
character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate

import regex

_WITHOUT_SPACES = (
    r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}"
    r"\p{scx=Myanmar}\p{scx=Tibetan}]"
)
_UNSPACED = regex.compile(rf"\A{_WITHOUT_SPACES}")
_BY_CLUSTER = regex.compile(rf"{_WITHOUT_SPACES}|[\s\x1c-\x1f][\p{{M}}\p{{Cf}}]")
"""Text of which spaces alone do not tell the units."""

_WORD = re.compile(r"\s*\S+(?:\s+\Z)?|\s+\Z")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_OPENER = regex.compile(r"\A[\p{Ps}\p{Pi}]")
_CLUSTER = regex.compile(r"\X")


def units(text: str) -> list[str]:
    """Divide a text into words and, in scripts without spaces, characters.

    Each unit includes the space before it and the punctuation behind it; joined they are the text again. A mark without
    a letter beside it is a unit of its own only if spaces separate it.
    """
    return clustered(text) if _BY_CLUSTER.search(text) else _WORD.findall(text)


def clustered(text: str) -> list[str]:
    """Divide a text like `units`, cluster by cluster."""
    found: list[str] = []
    last = "space"  # kind of the newest cluster
    for cluster in _CLUSTER.findall(text):
        kind = _kind(cluster)
        if not found or _begins(kind, last, found[-1]):
            found.append(cluster)
        else:
            found[-1] += cluster
        last = kind
    if len(found) > 1 and found[-1].isspace():
        space = found.pop()
        found[-1] += space
    return found


def _kind(cluster: str) -> str:
    if cluster.isspace():
        return "space"
    if not _LETTER.search(cluster):
        return "opener" if _OPENER.match(cluster) else "mark"
    return "character" if _UNSPACED.match(cluster) else "letter"


def _begins(kind: str, last: str, unit: str) -> bool:
    """Return whether a cluster begins a new unit after `unit`, whose last cluster was of the kind `last`."""
    if last == "space":
        return not unit.isspace()
    if kind == "space":
        return True
    if kind == "mark" or not _LETTER.search(unit):
        return False
    return kind == "character" or bool(_UNSPACED.match(_last_letter(unit)))


def _last_letter(unit: str) -> str:
    return str(_LETTER.findall(unit)[-1])


def bare_length(unit: str) -> int:
    """Return the length of a unit up to its last letter or digit; of all of it if there is none."""
    ends = [found.end() for found in _LETTER.finditer(unit)]
    return ends[-1] if ends else len(unit.rstrip())


def unmasked(text: str, mask: int) -> str:
    """Return the text without its last `mask` words, or characters in scripts without spaces."""
    return "".join(units(text)[:-mask]) if mask else text


def visible(text: str, mask: int, shown: str = "") -> str:
    """Return the visible part of a translation that is not final: a prefix of `text`.

    The last `mask` units are hidden, except text that is on the screen already and has not changed: if `text` begins
    with `shown`, at least that stays, else the words that both begin with.
    """
    kept = unmasked(text, mask)
    return max(kept, common_words(text, shown), key=len)


def joined(texts: Iterable[str]) -> str:
    """Join texts, with a space between them if their script has spaces."""
    whole = ""
    for text in filter(None, texts):
        tight = not whole or _UNSPACED.match(whole[-1]) or _UNSPACED.match(text)
        whole += text if tight else f" {text}"
    return whole


def common_words(text: str, other: str) -> str:
    """Return the common beginning of both texts, up to the last end of a unit of either."""
    same = 0
    while same < min(len(text), len(other)) and text[same] == other[same]:
        same += 1
    ends = {*accumulate(map(len, units(text))), *accumulate(map(len, units(other)))}
    return text[: max((end for end in ends if end <= same), default=0)]
