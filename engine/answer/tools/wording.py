"""Text as requests are compared: without case and accents, every letter in its place."""

from __future__ import annotations

import unicodedata

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", "\N{MINUS SIGN}": "-"})
_AROUND = " \t\n.!?…;:,="
_BEFORE = "¿¡"


def tidy(text: str) -> str:
    """Give a text in one line, without the marks that begin and end it, and with "ss" for "ß"."""
    plain = unicodedata.normalize("NFC", " ".join(text.split())).replace("ß", "ss")
    return plain.strip(_AROUND).lstrip(_BEFORE).strip(_AROUND)


def folded(text: str) -> str:
    """Give a text without case and accents; every character stays in its place."""
    return "".join(map(_folded, text.translate(_APOSTROPHES)))


def _folded(character: str) -> str:
    if character.isascii():
        return character.lower()
    plain = unicodedata.normalize("NFD", character)[0].lower()
    return plain if len(plain) == 1 else character
