"""Faults of a translation: lost numbers, names, addresses and negations, words said twice, letters that make no words.

A small model now and then writes another number, leaves out an address or a "not", or repeats pieces of words for
ever. Such a translation reads as if it were right, or is no language at all; it is found here by comparing it with its
source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import regex

LONGEST_WORD = 34
"""Most letters of a word, in characters; German joins many."""

MOST_LONGER = 2.5
"""Largest length of a translation, as a multiple of its source's, for sources that are not short."""

SPARE_CHARACTERS = 40
"""Characters by which a translation may be longer than that."""

FEWEST_LETTERS = 5
"""Fewest letters of a word in capitals that is not taken for an abbreviation."""

NUMBER = regex.compile(r"(?<!\d)\d{1,3}(?:[\s\u202f\u00a0]\d{3})+(?!\d)|\d+(?:[.,:/]\d+)*")
"""A number, a time, a date or an amount, its marks included."""

LARGEST_WORD = 12
"""Largest number that is often written as a word."""

CURRENCIES = {"$": r"\$|d[oó]l+ar", "€": r"€|euro", "£": r"£|pfund|livre|libra|pound", "¥": r"¥|[iy]en"}
"""Signs of money, and how they may be written in any of the languages, as regular expressions."""

NEGATIONS = {
    "de": r"nichts?|kein\w*|nie(?:mals|mand\w*|rgend\w*)?|ohne|weder|kaum|nein|sonst|außer",
    "es": r"no|nunca|jamás|ning[uú]n\w*|nada|nadie|ni|tampoco|sin|apenas",
    "fr": r"ne|n['’]\w+|pas|non|jamais|aucun\w*|rien|personne|ni|sans|plus|guère|peu",
    "pt": r"não|nunca|jamais|nenhu\w+|nada|ninguém|nem|tampouco|sem",
}
"""Words that negate, by language, as regular expressions."""

_NEGATED = regex.compile(
    r"\b(?:not|never|no|nothing|nobody|none|neither|nor|cannot|without)\b|n['’]t\b", regex.IGNORECASE
)
_TAG = regex.compile(r",\s*(?:\w+n['’]t\s+\w+|no)\s*(?=\?)", regex.IGNORECASE)
_ECHO = regex.compile(r"\b(\w[\w'’-]{4,}|\w[\w'’-]*(?: \w[\w'’-]*){1,6}) \1(?![\w'’-])", regex.IGNORECASE)
_LOOP = regex.compile(r"([^\W\d_].{1,15}?)\1\1+|\b(\w+)(?:\W+\2\b){2,}|(\p{L})\3{4,}", regex.IGNORECASE)
_WORD = regex.compile(r"\p{L}[\p{L}'’]*")
_MIXED = regex.compile(r"\p{Lu}{2,}\p{Ll}{2,}\p{Lu}|\p{Ll}\p{Lu}{2,}\p{Ll}|\p{Lu}{5,}\p{Ll}{3,}")
_GLUED = regex.compile(r"\p{L}{2,}[.,:]?\d")
_HALF_DAY = regex.compile(
    r"\s?(?:(?P<late>p\.?\s?m\b|o'clock in the (?:afternoon|evening))|a\.?\s?m\b)", regex.IGNORECASE
)

WORDS: dict[str, tuple[str, ...]] = {
    language: tuple(words.split())
    for language, words in {
        "de": r"null|keine? ein\w*|erste\w* zwei\w*|beide\w* drei\w*|dritte\w* vier\w* fünf\w* sech\w* sieb\w* acht\w* "
        r"neun\w* zehn\w* elf\w* zwölf\w*",
        "fr": r"zéro|aucun\w* une?|premi\w+ deux|second\w* trois\w* quatre|quatri\w+ cinq\w* six\w* sept\w* huit\w* "
        r"neu[fv]\w* dix\w* onz\w* douz\w*",
        "es": r"cero|ning\w+ un\w?|primer\w? dos|segund\w tres|tercer\w? cuatro|cuart\w cinco|quint\w seis|sext\w "
        r"siete|séptim\w ocho|octav\w nueve|noven\w diez|décim\w once doce",
        "pt": r"zero|nenhum\w* uma?|primeir\w dois|duas|segund\w três|terceir\w quatro|quart\w cinco|quint\w seis|"
        r"sext\w sete|sétim\w oito|oitav\w nove|non\w dez|décim\w onze doze",
    }.items()
}
"""Words for 0 to 12, by language, as regular expressions."""


_THOUSANDS = regex.compile(r"(?<=(?<!\d)\d{1,3}(?:[,.\s\u202f\u00a0]\d{3})*)[,.\s\u202f\u00a0](?=\d{3}(?!\d))")
_JOIN = r"(?:[.,:/]\s?|\s?(?:h|Uhr|heures?)\s?|\s)"


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text, in order."""
    return list(NUMBER.findall(text))


def groups_of(number: str) -> tuple[str, ...]:
    """Return the groups of digits of a number, without the marks that part thousands."""
    return tuple(group.lstrip("0") or "0" for group in regex.findall(r"\d+", _THOUSANDS.sub("", number)))


def wrong_numbers(source: str, translation: str, language: str) -> tuple[list[str], list[str]]:
    """Return the numbers of a source that its translation lacks, and those that it has without the source.

    Hours of half a day may be counted from 0 to 24, a whole hour may do without its minutes, and numbers up to 12
    may be words. A source without digits is not checked: a translation may write them for its words.
    """
    rest, lacking = _THOUSANDS.sub("", translation), list[str]()
    for found in NUMBER.finditer(source):
        groups = groups_of(found.group())
        half = _HALF_DAY.match(source, found.end()) if len(groups[0]) < 3 else None
        hour = None if half is None else int(groups[0]) % 12 + (12 if half["late"] else 0)
        places = (regex.search(_pattern(wanted), rest) for wanted in _spellings(groups, hour))
        place = next(filter(None, places), None)
        if place is not None:
            rest = rest[: place.start()] + "\n" + rest[place.end() :]
        elif not _in_words(groups, translation, language):
            lacking.append(found.group())
    surplus = [number for number in numbers_in(rest) if set(groups_of(number)) - {"0"}]
    return lacking, surplus if regex.search(r"\d", source) else []


def lost_negation(source: str, translation: str, language: str) -> bool:
    """Return whether an English source says "not" or the like, and its translation nothing of that kind.

    What asks for a yes behind a sentence ("…, don't you?") negates nothing.
    """
    known = NEGATIONS.get(language)
    if known is None or not _NEGATED.search(_TAG.sub("", source)):
        return False
    return not regex.search(rf"\b(?:{known})\b", translation, regex.IGNORECASE)


def has_echo(source: str, translation: str) -> bool:
    """Return whether a translation has words twice in a row, as its source has not."""
    return bool(_ECHO.search(translation)) and not _ECHO.search(source)


def until_echo(source: str, translation: str) -> str:
    """Return the beginning of an unfinished translation, up to words that it says again, as its source does not."""
    found = _ECHO.search(translation)
    return translation if found is None or _ECHO.search(source) else translation[: found.end(1)]


def without_echo(translation: str) -> str:
    """Return a translation without the second of the same words in a row."""
    return str(_ECHO.sub(r"\1", translation))


def lost_currencies(source: str, translation: str) -> list[str]:
    """Return the signs of money that a translation has neither as a sign nor as a word."""
    return [
        sign
        for sign, written in CURRENCIES.items()
        if sign in source and not regex.search(written, translation, regex.IGNORECASE)
    ]


def _pattern(groups: tuple[str, ...]) -> str:
    """Return a regular expression for a number of these groups of digits."""
    return rf"(?<!\d)(?<!\d[.,:/])0*{(_JOIN + '0*').join(groups)}(?!\d|[.,:/]\d)"


def _spellings(groups: tuple[str, ...], hour: int | None) -> Iterable[tuple[str, ...]]:
    yield groups
    if hour is not None:
        yield (str(hour), *groups[1:])
    if len(groups) == 2 and groups[1] == "0":
        yield groups[:1]
        if hour is not None:
            yield (str(hour),)


def _in_words(groups: tuple[str, ...], translation: str, language: str) -> bool:
    if language not in WORDS:  # a number may be a word that nobody knows here
        return len(groups) == 1 and int(groups[0]) <= LARGEST_WORD
    known = WORDS[language]
    return len(groups) == 1 and len(groups[0]) < 3 and int(groups[0]) < len(known) and bool(
        regex.search(rf"\b(?:{known[int(groups[0])]})\b", translation, regex.IGNORECASE)
    )  # fmt: skip


def is_debris(source: str, translation: str) -> bool:
    """Return whether a translation has letters that make no words: pieces again and again, or words that nobody has."""
    if "\ufffd" in translation or not translation.strip():
        return True
    if len(translation) > MOST_LONGER * len(source) + SPARE_CHARACTERS:
        return True
    if (looped := _LOOP.search(translation)) and not _LOOP.search(source) and any(map(str.isalpha, looped.group())):
        return True
    known = {word.casefold() for word in _WORD.findall(source)}
    if (_GLUED.search(translation)) and not _GLUED.search(source):
        return True
    strange = (word for word in _WORD.findall(translation) if word.casefold() not in known)
    shouted = source.isupper()
    return any(
        len(word) > LONGEST_WORD
        or (not shouted and ((word.isupper() and len(word) >= FEWEST_LETTERS) or bool(_MIXED.search(word))))
        for word in strange
    )


def lost(originals: Iterable[str], translation: str) -> list[str]:
    """Return what should have been copied and is not there exactly once for each time that it was to be."""
    wanted = Counter(originals)
    return [original for original, times in wanted.items() if translation.count(original) < times]
