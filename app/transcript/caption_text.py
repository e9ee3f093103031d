"""A caption as one line of text, with what will not change any more told apart."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.look.text_layout import one_line, printable, unbroken
from engine.events import Caption, text_of


def name_before(speaker: str) -> str:
    """Give what stands before a line, such as "You: "; nothing where nobody is named."""
    return f"{one_line(speaker)}: " if speaker.strip() else ""


def composed(caption: Caption, *, stable_only: bool = False, named: bool = True) -> tuple[str, int]:
    """Give a caption's line and how many of its characters are committed; with `stable_only` it has no others.

    It begins with the name of who said it, if that is known and it is to be `named`.
    """
    name = name_before(caption.speaker) if named else ""
    if caption.is_gap:
        words = name + QCoreApplication.translate(
            "CaptionText", "… part not captioned: this computer is too slow for the model"
        )
        return words, len(words)
    text = unbroken(printable(text_of(caption.committed if stable_only else (*caption.committed, *caption.pending))))
    committed = printable("".join(word.text for word in caption.committed)).lstrip()
    return name + text, len(name) + min(len(committed), len(text))


def composed_translation(text: str) -> str:
    """Give a translation as a line."""
    return unbroken(printable(text))
