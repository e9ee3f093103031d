"""A caption as one line of text, with the length of its committed part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.look.text_layout import one_line, printable, unbroken
from engine.events import Caption, Translation, Word, text_of
from engine.translate.languages import base_of

_ROUNDING_SECONDS = 1e-3


UNSURE = "–"
"""The speaker of a line whose speaker is still to be told apart by voice."""


def name_before(speaker: str) -> str:
    """Return the prefix of a line, such as "You: "; a dash while nobody is sure, empty without a name."""
    if speaker == UNSURE:
        return f"{UNSURE} "
    return f"{one_line(speaker)}: " if speaker.strip() else ""


def as_first_shown(caption: Caption) -> Caption:
    """Return a caption with the text that it had before it was heard again."""
    if not caption.first_text:
        return caption
    return replace(caption, committed=(Word(f" {caption.first_text}", caption.start, caption.end),), first_text="")


def is_part(caption: Caption) -> bool:
    """Return whether a caption was cut out of a finished one that live readers have read as a whole.

    One that was cut out of an open line has no other text at first.
    """
    return bool(caption.moved and caption.first_text and caption.revision == 0)


def composed(caption: Caption, *, stable_only: bool = False, named: bool = True) -> tuple[str, int]:
    """Return a caption's line, and how many of its characters are committed; `stable_only` leaves the others out.

    The line begins with the speaker's name, if it is known and `named` is set.
    """
    name = name_before(caption.speaker) if named else ""
    if caption.is_gap:
        from PySide6.QtCore import QCoreApplication  # here, since command lines would load Qt for nothing

        words = name + QCoreApplication.translate(
            "CaptionText", "… part not captioned: this computer is too slow for the model"
        )
        return words, len(words)
    text = unbroken(printable(text_of(caption.committed if stable_only else (*caption.committed, *caption.pending))))
    committed = printable("".join(word.text for word in caption.committed)).lstrip()
    return name + text, len(name) + min(len(committed), len(text))


def repeats(caption: Caption, translation: Translation) -> bool:
    """Return whether a translation only repeats its caption: it was in that language already, or is a gap."""
    return caption.is_gap or base_of(caption.language) == base_of(translation.language)


def composed_translation(text: str) -> str:
    """Return a translation as one line."""
    return unbroken(printable(text))


def second_at(caption: Caption, offset: int) -> float:
    """Return when the word at a position of a caption's line was said, in UTF-16 units of `composed`."""
    return next((word.start for end, word in _ends(caption) if offset < end), caption.start)


def character_at(caption: Caption, second: float) -> int:
    """Return where in a caption's line the word begins that was being said at a second, in UTF-16 units."""
    begin = found = len(name_before(caption.speaker))
    for end, word in _ends(caption):
        if word.start > second + _ROUNDING_SECONDS:
            break
        begin, found = end, begin
    return found + 1 if found > len(name_before(caption.speaker)) else found


def _ends(caption: Caption) -> Iterator[tuple[int, Word]]:
    """Yield the words of a caption with the positions at which they end in its line, in UTF-16 units."""
    written = ""
    for word in (*caption.committed, *caption.pending):
        written = (written + printable(word.text)).lstrip()
        yield len((name_before(caption.speaker) + written).encode("utf-16-le")) // 2, word
