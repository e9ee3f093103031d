"""The source as a model of ours reads it: what it was never taught is set aside, and put back into its translation.

Pictures stand at the end. Words in capitals become common spelling; a line that is all in capitals is translated so.
No small model can copy addresses, paths, code, placeholders and rare surnames: for each of them stands a name that our
models do copy (`Preparation.stand_ins`). The beginning of a source is prepared like the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import regex

from engine.translate.source import PICTURE

THINGS = ("Google", "Facebook", "Amazon", "Linux", "Twitter", "Skype", "Boston", "Berlin")
"""Names that stand in for addresses and code, the one that is copied most reliably first."""

PEOPLE = ("Sami", "Tom", "Layla", "Adam")
"""Names that stand in for surnames."""

CAPITAL_WORDS = 3
"""Fewest words in capitals that are no abbreviations, even if they are rare."""

STRESSED_LETTERS = 3
"""Fewest letters of a word in capitals that is common in small letters too: "US" and "IT" are others than "us"."""

_ABBREVIATIONS = frozenset(
    "AIDS WHO CAN NATO ARM MAP ICE RAM ROM SIM PIN CAR APP ACT SAT ART AIM LED USA".split()  # noqa: SIM905
)
_SHORT = frozenset(
    "DO IS IT WE ME MY NO OF ON OR SO TO UP GO HE IN IF BE BY AT AM AN AS".split()  # noqa: SIM905
)
_STRESSED = frozenset("DO IS WE ME MY NO SO HE".split())  # noqa: SIM905
_BEGINNING = regex.compile(r"\A\P{L}*\p{Ll}|[.?!…]\s+\P{L}*\p{Ll}|\bi\b")
_FIRST_SMALL = regex.compile(r"\A[^\p{L}\p{N}]*(?!(?<=['’])\p{L}(?:\s|\Z))\p{Ll}")  # not that of Dutch "'s avonds"
_FIRST_CAPITAL = regex.compile(r"\A[^\p{L}\p{N}]*\p{Lu}")
_SHOUTED = regex.compile(r"\b\p{Lu}[\p{Lu}'’]*\b")
_OPENING, _CLOSING = "([\"'“„«‘", ".,;:!?)]\"'”“»’…"
_COPIED = regex.compile(
    r"""
    (?:https?|ftp|file|mailto)://\S* | www\.\S+ |          # addresses
    \S+@\S+\.\p{L}{2,}\S* | @\w{2,} | \#(?:\p{L}\w+|\d+) |  # mail, mentions, tags, numbers
    \p{L}[\w-]*(?:\.[\w-]+)*\.(?:com|org|net|io|dev|de|fr|es|eu|uk|gov|edu|info|app|ai)(?:/\S*)? |
    (?:~|\.{1,2})/\S+ | /[\w.-]+(?:/[\w.@-]*)+ | /[\w.-]{2,} | \p{L}:\\\S+ |  # paths
    [\w-]+(?:\.[\w-]+)*\.(?:py|js|ts|rs|c|h|cpp|java|go|sh|json|toml|ya?ml|md|txt|csv|tsv|html?|css|xml|sql|log|ini|cfg|
        conf|pdf|docx?|xlsx?|pptx?|zip|gz|tar|png|jpe?g|gif|svg|mp[34]|wav|flac|ogg|exe|dmg|deb|db)\b |
    \{[\w.:]*\}+ | %(?:\(\w+\))?(?:\d+\$)?[sdifux]\b | \$\{?[A-Za-z_]\w*\}? | </?[a-zA-Z][^<>\s]*/?> |  # placeholders
    `[^`\s]+`? | --?[a-z][a-z-]+(?:=\S+)? | \w*[a-z]\w*_\w+ | [A-Z]+_[A-Z_\d]+ |
    [\w.]+\(\S*\) | \p{Ll}+\p{Lu}\w* | \p{Lu}\p{Ll}+(?:\p{Lu}\p{L}*)+ | v\d+(?:\.\d+)+ |  # code
    \p{Lu}*\d+\p{Lu}[\p{Lu}\d-]* | \p{Lu}{1,3}-?\d[\p{Lu}\d-]*  # numbers of parts, plates and rooms
    """,
    regex.VERBOSE,
)
_TITLED = regex.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Professor|Doctor|Captain|Sir)\.? (\p{Lu}[\p{L}'’-]{2,})")

Common = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Preparation:
    """A source as a model reads it, and what is to be put back.

    Attributes:
        text: what the model reads.
        pictures: of the source.
        shouted: all of it was in capitals.
        capital: its first letter is a capital, and so the translation's is.
        stand_ins: pairs of a word of `text` and what it stands for.
        dotted: the capital of the translation's small "i" has a dot, too.
    """

    text: str
    pictures: str = ""
    shouted: bool = False
    capital: bool = False
    stand_ins: tuple[tuple[str, str], ...] = ()
    dotted: bool = False

    def restored(self, translation: str) -> str:
        """Return a translation, or its beginning, with what stands for something replaced by it, without pictures."""
        if self.capital:
            translation = _FIRST_SMALL.sub(lambda found: self._with_dots(found[0]).title(), translation)
        for stand_in, original in self.stand_ins:
            translation = regex.sub(rf"(?<!\w){regex.escape(stand_in)}(?!\w)", lambda _, it=original: it, translation)
        if not self.shouted:
            return translation
        kept = "|".join(regex.escape(original) for _, original in self.stand_ins)
        pieces = regex.split(f"({kept})", translation) if kept else [translation]
        return "".join(piece if place % 2 else self._with_dots(piece).upper() for place, piece in enumerate(pieces))

    def _with_dots(self, text: str) -> str:
        return text.replace("i", "İ") if self.dotted else text

    def with_numbers(self, numbers: tuple[tuple[str, str], ...], restored: tuple[tuple[str, str], ...]) -> Preparation:
        """Return the preparation with stand-ins for numbers of the text; `restored` has them as they are put back."""
        text = self.text
        for stand_in, original in numbers:
            text = regex.sub(rf"(?<![\d.,:/]){regex.escape(original)}(?!\d|[.,:/]\d)", stand_in, text)
        return replace(self, text=text, stand_ins=self.stand_ins + restored)


def prepared(text: str, is_common: Common, *, others: int = 0) -> Preparation:
    """Prepare a clean text for a model of ours.

    Args:
        is_common: returns whether a word in small letters is common.
        others: number of names to pass over before the first that stands in for something.
    """
    pictures = PICTURE.findall(text)
    plain = regex.sub(r" (?=[.,;:!?])", "", " ".join(PICTURE.sub(" ", text).split())) if pictures else text
    words, stand_ins = plain.split(" "), list[tuple[str, str]]()
    things = [name for name in (*THINGS[others:], *THINGS[:others]) if name not in plain]
    for place, word in enumerate(words):
        core = _core(word)
        if things and core and (_COPIED.fullmatch(core) or _is_marked_up(core)):
            stand_ins.append((things.pop(0), core))
            words[place] = word.replace(core, stand_ins[-1][0], 1)
    shouted = _is_shouted(words, [name for name, _ in stand_ins], is_common)
    plain = _in_small_letters(words, [name for name, _ in stand_ins], is_common, everything=shouted)
    people = [name for name in (*PEOPLE[others:], *PEOPLE[:others]) if name not in plain]
    for name in dict.fromkeys(found[1] for found in _TITLED.finditer(plain)):
        if people and name not in THINGS:
            stand_ins.append((people.pop(0), name))
            plain = regex.sub(rf"\b{regex.escape(name)}\b", stand_ins[-1][0], plain)
    return Preparation(plain, "".join(pictures), shouted, bool(_FIRST_CAPITAL.match(text)), tuple(stand_ins))


def _core(word: str) -> str:
    """Return a word without the marks around it, but with those that belong to what is copied."""
    core = word.lstrip(_OPENING)
    while core and core[-1] in _CLOSING and not (core[-1] == ")" and core.count("(") == core.count(")")):
        core = core[:-1]
    return core


def _is_marked_up(core: str) -> bool:
    """Return whether a word holds a tag or a placeholder among letters."""
    return bool(regex.search(r"</?[a-zA-Z][^<>]*>|\{\w*\}|`", core))


def _is_shouted(words: list[str], names: list[str], is_common: Common) -> bool:
    spoken = [word for word in words if word not in names and any(map(str.isalpha, word))]
    if not spoken or not all(word.isupper() for word in spoken):
        return False
    return len(spoken) >= CAPITAL_WORDS or all(_is_stressed(word, is_common) for word in spoken)


def _is_stressed(word: str, is_common: Common) -> bool:
    """Return whether a word in capitals is a common word that is stressed."""
    letters = "".join(filter(str.isalpha, word))
    known = (len(letters) >= STRESSED_LETTERS and letters not in _ABBREVIATIONS) or letters in _STRESSED
    return letters.isupper() and known and all(is_common(part.lower()) for part in _SHOUTED.findall(word))


def _in_small_letters(words: list[str], names: list[str], is_common: Common, *, everything: bool) -> str:
    """Return the words with those in capitals in common spelling: all of them, or the stressed ones."""
    stressed = [everything or _is_stressed(word, is_common) for word in words]
    for place, word in enumerate(words):
        near = stressed[max(0, place - 1) : place] + stressed[place + 1 : place + 2]
        if not everything and word.isupper() and len(word) > 1 and any(near) and word.strip(_CLOSING) in _SHORT:
            stressed[place] = True
    small = [
        word.lower() if small and word.strip(_CLOSING + _OPENING) not in names else word
        for word, small in zip(words, stressed, strict=True)
    ]
    text = " ".join(small)
    if not any(stressed):
        return text
    return str(_BEGINNING.sub(lambda found: found[0].upper(), text)) if everything or stressed[0] else text
