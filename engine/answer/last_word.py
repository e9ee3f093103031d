"""The word that the user is just saying: what the model expects it to become.

The words before it are read, and the model goes on with them as the user would: with the likeliest tokens that spell
what has been said of the word, and then with the likeliest, up to where a word ends. What is cut off is so looked up by
its letters, not by its tokens, which would be others ("token healing").
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from engine.language.speculative_decoding import Logits, SpeculativeSession

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel

MOST_TOKENS = 6
"""A word that takes more is not completed."""

LIKELIEST = 64
"""So many tokens are looked through for one that spells what was said."""


def whole_word(
    model: LanguageModel, session: SpeculativeSession, before: Sequence[int], said: str
) -> Generator[None, None, str | None]:
    """Complete what has been said of a word, such as " tele", behind tokens, at least one; pauses after every forward.

    None where the model expects no such word.
    """
    word: list[int] = []
    for _ in range(MOST_TOKENS):
        row: Logits = session.rows((*before, *word))[0]
        yield
        spelled = _text(model, before, word)
        found = _next(model, before, word, row, said[len(spelled) :])
        if found is None:
            return spelled if len(spelled) >= len(said) else None
        word.append(found)
    return None


def _next(model: LanguageModel, before: Sequence[int], word: Sequence[int], row: Logits, missing: str) -> int | None:
    """The likeliest token that a word goes on with, where some of its letters are known; None where it ends."""
    spelled = len(_text(model, before, word))
    likeliest: list[int] = row.argsort()[: -LIKELIEST - 1 : -1].tolist()
    for token in likeliest:
        piece = "" if token in model.end_tokens else _text(model, before, (*word, token))[spelled:]
        if not missing:
            return token if piece and _is_letters(piece) else None
        if piece and (missing.startswith(piece) or (piece.startswith(missing) and _is_letters(piece[len(missing) :]))):
            return token
    return None


def _text(model: LanguageModel, before: Sequence[int], word: Sequence[int]) -> str:
    """Spell a word's tokens where they stand."""
    return model.decode((before[-1], *word))[len(model.decode(before[-1:])) :]


def _is_letters(text: str) -> bool:
    return all(character.isalnum() or character in "'’-" for character in text)
