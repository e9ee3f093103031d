"""The source of a translation: spoken text made safe, compared with the last source, cut if it is too long."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import takewhile

import regex

from engine.events import Caption, Word, text_of
from engine.hear.rounds.sentences import ends_segment, ends_sentence
from engine.translate.display import units
from engine.translate.stability import SENTENCE_ENDS

PICTURE = regex.compile(
    r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\ufe0f\u20e3\u200d"
    r"\u2190-\u21ff\u2500-\u27bf\u2900-\u297f\u2b00-\u2bff--[©®™]]",
    regex.V1,
)
"""Emoji, arrows, check marks, stars, notes and the like, and the characters that join emoji."""

LEAST_HEARD = 0.65
"""Smallest probability of a pending word that is translated. Chosen in LOG 2026-11-29."""

LEAST_MARKED = 0.9
"""Smallest probability of the last of them with which the end of a sentence behind it is believed."""

_UNSAFE = regex.compile(r"[\p{Cc}\p{Cf}\p{Cs}]")
_JOINERS = "\u200c\u200d"  # invisible, but Persian, Indic scripts and emoji are spelt with them


def surely_heard(caption: Caption) -> str:
    """Return the text of a caption up to its first doubtful word.

    Every second pending word that is less probable than LEAST_HEARD is heard otherwise a moment later. And where the
    sound ends for now, a model that hears ends the sentence, which mostly goes on.
    """
    if caption.final:
        return caption.text
    pending = tuple(takewhile(lambda word: word.probability >= LEAST_HEARD, caption.pending))
    text = text_of((*caption.committed, *pending))
    return text.rstrip(SENTENCE_ENDS) if pending and pending[-1].probability < LEAST_MARKED else text


def clean(text: str) -> str:
    """Return text in one line without invisible characters.

    Control characters and line ends become spaces; zero-width and direction marks, soft hyphens, tag characters and
    lone surrogates are removed; runs of white space become one space. A prefix stays a prefix, apart from a space at
    its end.
    """
    safe = "".join(map(_safe, text)) if _UNSAFE.search(text) else text
    return " ".join(safe.split())


def _safe(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    return "" if category in ("Cs", "Cf") and character not in _JOINERS else character


def key_of(text: str) -> str:
    """Return the text without case and marks: a source is translated again only if this differs."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(word for word in ("".join(filter(_spelt, part)) for part in folded.split()) if word)


def _spelt(character: str) -> bool:
    """Return letters, their marks, digits and symbols: an emoji means something, a comma does not."""
    return unicodedata.category(character)[0] in "LMNS"


def agreed_words(source: str, other: str) -> int:
    """Return how many words two revisions of a source have in common at their beginning, apart from case and marks."""
    pairs = zip(units(source), units(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: key_of(pair[0]) == key_of(pair[1]), pairs))


def begins_alike(source: str, other: str) -> bool:
    """Return whether two sources have their beginning in common: the later is the earlier, grown, shrunk or amended."""
    first, second = units(key_of(source)), units(key_of(other))
    return not first or not second or first[0].startswith(second[0]) or second[0].startswith(first[0])


def first_part(text: str, fits: Callable[[str], bool]) -> str:
    """Return the beginning of a text that is too long: the part that `fits`, up to the best place to cut.

    That is the last end of a sentence in it, else the last end of a clause in its later half, else of a word, else, in
    a word that does not fit itself, of a character. It depends only on the part that fits and the unit behind it, so
    that a growing text is cut at the same places every time.
    """
    found = units(text)
    count = _most(found, fits)
    if count == len(found):
        return "".join(found)
    if count == 0:
        return found[0][: max(1, _most(list(found[0]), fits))]
    return "".join(found[: _best_cut([Word(unit, 0.0, 0.0) for unit in found], count)])


def first_sentence(text: str) -> str:
    """Return the first sentence of a text; all of the text if it holds no other."""
    found = units(text)
    words = [Word(unit, 0.0, 0.0) for unit in found]
    ends = (count for count in range(1, len(words)) if ends_sentence(words[count - 1], words[count]))
    return "".join(found[: next(ends, len(found))])


def after(text: str, beginning: str) -> str | None:
    """Return the rest of a text behind its beginning, without space around it; None if it begins otherwise."""
    if not text.startswith(beginning):
        return None
    rest = text[len(beginning) :]
    within_word = bool(rest) and len(units(beginning[-1:] + rest[0])) == 1 and bool(beginning)
    return None if within_word and not rest[0].isspace() else rest.strip()


def _most(pieces: Sequence[str], fits: Callable[[str], bool]) -> int:
    """Return how many pieces, joined, still fit."""
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high + 1) // 2
        if fits("".join(pieces[:middle])):
            low = middle
        else:
            high = middle - 1
    return low


def _best_cut(words: Sequence[Word], most: int) -> int:
    for count in range(most, 0, -1):
        if ends_sentence(words[count - 1], words[count]):
            return count
    for count in range(most, most // 2, -1):
        if ends_segment(words[count - 1], words[count]):
            return count
    return most
