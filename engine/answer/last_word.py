"""Completion of the word that the user is just saying, by the model's expectation.

The words before it are read, and the model continues them as the user would: first with the likeliest tokens that spell
the spoken part of the word, then with the likeliest ones up to the end of the word. A cut-off word is thus matched by
its letters, not by its tokens, which would differ ("token healing").
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from engine.language.speculative_decoding import Logits, SpeculativeSession

if TYPE_CHECKING:
    from engine.language.token_model import AnsweringModel

MOST_TOKENS = 6
"""Most tokens of a completed word."""

LIKELIEST = 64
"""Number of the likeliest tokens that are searched for one that spells the spoken part."""


def whole_word(
    model: AnsweringModel, session: SpeculativeSession, before: Sequence[int], said: str
) -> Generator[None, None, str | None]:
    """Complete the spoken part of a word, such as " tele", behind one or more tokens; pauses after every forward.

    Returns None if the model expects no such word.
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


def _next(model: AnsweringModel, before: Sequence[int], word: Sequence[int], row: Logits, missing: str) -> int | None:
    """Return the likeliest next token of a word of which some letters are known; None at its end."""
    spelled = len(_text(model, before, word))
    likeliest: list[int] = row.argsort()[: -LIKELIEST - 1 : -1].tolist()
    for token in likeliest:
        piece = "" if token in model.end_tokens else _text(model, before, (*word, token))[spelled:]
        if not missing:
            return token if piece and _is_letters(piece) else None
        if piece and (missing.startswith(piece) or (piece.startswith(missing) and _is_letters(piece[len(missing) :]))):
            return token
    return None


def _text(model: AnsweringModel, before: Sequence[int], word: Sequence[int]) -> str:
    """Spell a word's tokens in their context."""
    return model.decode((before[-1], *word))[len(model.decode(before[-1:])) :]


def _is_letters(text: str) -> bool:
    return all(character.isalnum() or character in "'’-" for character in text)
