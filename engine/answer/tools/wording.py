"""Text of requests in a form to compare: without case and accents, every letter at its place."""

from __future__ import annotations

import unicodedata

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", "\N{MINUS SIGN}": "-"})
_AROUND = " \t\n.!?…;:,="
_BEFORE = "¿¡"


def tidy(text: str) -> str:
    """Return a text in one line, without the marks at its beginning and end, and with "ss" for "ß"."""
    plain = unicodedata.normalize("NFC", " ".join(text.split())).replace("ß", "ss")
    return plain.strip(_AROUND).lstrip(_BEFORE).strip(_AROUND)


def folded(text: str) -> str:
    """Return a text without case and accents; every character keeps its place."""
    return "".join(map(_folded, text.translate(_APOSTROPHES)))


def _folded(character: str) -> str:
    if character.isascii():
        return character.lower()
    plain = unicodedata.normalize("NFD", character)[0].lower()
    return plain if len(plain) == 1 else character
