"""Phonemes of a text by espeak-ng, clause by clause, as Piper's and Kokoro's voices were trained on them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.errors import VoiceError
from engine.speak.espeak_library import espeak_library

PUNCTUATION = ";:,.!?—…"
_LOOKED_AHEAD = 4
"""Characters of the next clause that the library may have read already."""

_SWITCH = re.compile(r"\([a-z-]+\)")  # to a word of another language, and back


def clauses(text: str, language: str) -> Iterator[str]:
    """Yield the phonemes of each clause, with the mark that ends it.

    Args:
        language: a voice of espeak-ng's, such as "en-us".

    Raises:
        VoiceError: espeak-ng does not start, or does not know the language.
    """
    try:
        found = espeak_library().phonemes(text, language)
    except (ImportError, LookupError, OSError, RuntimeError) as error:
        raise VoiceError(f"The phonemes of {language} cannot be found: {error}. Install Earshot again.") from error
    for clause, phonemes in found:
        marks = [each for each in clause.rstrip()[-_LOOKED_AHEAD:] if each in PUNCTUATION]
        yield _SWITCH.sub("", phonemes) + "".join(marks[-1:])


def pieces(parts: Iterator[str], first: int, most: int) -> Iterator[str]:
    """Join clauses to pieces that are spoken at once.

    The first clause of a long text is a piece of its own, so that its sound comes early. A clause that is too long is
    cut.

    Args:
        first: fewest phonemes of a text whose first clause stands alone.
        most: most phonemes of a piece.
    """
    waiting = [part[begin : begin + most] for part in parts for begin in range(0, len(part), most)]
    alone = sum(map(len, waiting)) >= first
    piece = ""
    for number, part in enumerate(waiting):
        if piece and (len(piece) + len(part) >= most or (alone and number == 1)):
            yield piece
            piece = ""
        piece = f"{piece} {part}".strip()
    if piece:
        yield piece
