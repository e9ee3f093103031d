"""Cleaning of pairs: no markup, nothing that a program fills in, each side in one language and as long as the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lab.recipes.sentences.pairs import LONGEST_CHARACTERS, Pair, tidy

LEAST_WORDS = 3
LEAST_LETTERS = 0.7  # of the characters
MOST_RATIO, ROOM = 1.8, 12  # one side has at most so many times the characters of the other, and these more

_TAG = re.compile(r"</?[A-Za-z][^<>]*>|</?\w+>")
_ACCELERATOR = re.compile(r"[&_](?=\w)|\(&?_?\w\)$")
_FILLED_IN = re.compile(r"%[\w(\d%.{-]|\{[^}]*\}|\$[\w({]|@\w+@?|\\[a-z]|&\w+;|[<>|\\^~=]|\[/?\w\]|https?:|www\.|--|\|")
_NUMBERED = re.compile(r"^(?:(?:Figure|Abbildung|Figura)\s+)?(?:\d+\.)+\d*\s+")
_ENDS = re.compile(r"[.!?…][\"'”»“)]*$")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”»]?\s+(?=[\"“«¿¡„]?[A-ZÄÖÜÉÈÀÇÊÁÍÓÚÑ])")
_COMMON = {
    "en": "the of and to you that is with for this are it your have will not can be by from",
    "de": "der die das und ist nicht ein eine zu den mit sie von für auf sich werden wird ich dem sind im des",
    "fr": "le la les des et est pas une du que dans pour vous sur qui ce au je avec sont par cette",
    "es": "el la los las y es no una que en para por del con se su está lo al son esta como",
}
_COMMON_WORDS = {code: frozenset(words.split()) for code, words in _COMMON.items()}


def clean(pairs: Iterable[Pair], code: str, seen: set[str]) -> Iterator[Pair]:
    """Yield the pairs that can be learnt from, each English once; what was seen is added to `seen`.

    Paragraphs that are too long are cut at their sentences, where both sides have as many.
    """
    for pair in pairs:
        for source, target in _cut(_plain(pair.source), _plain(pair.target)):
            made = Pair(source, tidy(target))
            key = letters(source)
            if key not in seen and is_good(made, code):
                seen.add(key)
                yield made


def letters(text: str) -> str:
    """Return the words of a text alone, in small letters: what two sentences have in common that count as one."""
    return " ".join(_WORD.findall(text.lower()))


def is_good(pair: Pair, code: str) -> bool:
    """Return whether both sides are text that people could say, in their languages, and of one length and numbers."""
    source, target = pair.source, pair.target
    short, long = sorted((len(source), len(target)))
    return (
        len(source.split()) >= LEAST_WORDS
        and long <= min(LONGEST_CHARACTERS, MOST_RATIO * short + ROOM)
        and source.lower() != target.lower()
        and not any(_FILLED_IN.search(text) or _letters(text) < LEAST_LETTERS for text in (source, target))
        and bool(_ENDS.search(source)) == bool(_ENDS.search(target))
        and sorted(_NUMBER.findall(source)) == sorted(_NUMBER.findall(target))
        and _is_in(source, "en")
        and _is_in(target, code)
    )


def _plain(text: str) -> str:
    """Return a text on one line, without markup, its number and the marks of keys."""
    without = _ACCELERATOR.sub("", _TAG.sub("", text))
    return " ".join(_NUMBERED.sub("", without).split())


def _cut(source: str, target: str) -> list[tuple[str, str]]:
    if max(len(source), len(target)) <= LONGEST_CHARACTERS:
        return [(source, target)]
    parts = [_SENTENCE.split(text) for text in (source, target)]
    return list(zip(*parts, strict=True)) if len(parts[0]) == len(parts[1]) else []


def _letters(text: str) -> float:
    return sum(character.isalpha() or character == " " for character in text) / max(1, len(text))


def _is_in(text: str, code: str) -> bool:
    """Return whether no other language's common words are more than this one's."""
    words = [word.lower() for word in _WORD.findall(text)]
    found = {name: sum(word in common for word in words) for name, common in _COMMON_WORDS.items()}
    return found[code] == max(found.values())
