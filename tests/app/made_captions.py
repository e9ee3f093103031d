"""Captions made of words at even times, and translations of them."""

from __future__ import annotations

from dataclasses import replace

from engine.events import Caption, Translation, Word

WORD_SECONDS = 0.4


def words(text: str, start: float) -> tuple[Word, ...]:
    return tuple(
        Word(f" {each}", start + i * WORD_SECONDS, start + (i + 1) * WORD_SECONDS)
        for i, each in enumerate(text.split())
    )


def caption(
    number: int,
    committed: str,
    *,
    pending: str = "",
    start: float = 0.0,
    revision: int = 0,
    final: bool = False,
) -> Caption:
    """Make a caption with these words, each lasting WORD_SECONDS."""
    said = words(committed, start)
    tail = words(pending, said[-1].end if said else start)
    end = (said or tail)[-1].end if said or tail else start
    return Caption(number, revision, start, end, said, tail, final, end + 0.5, end + 0.6)


def translation(
    number: int, text: str, *, hidden: str = "", revision: int = 0, final: bool = False, language: str = "de"
) -> Translation:
    """Make a translation of the caption with this number."""
    return Translation(number, revision, text, hidden, "as said", language, final)


def better(first: Caption, text: str) -> Caption:
    """Return the caption with other words, as the second look finds them."""
    made = caption(first.id, text, start=first.start, revision=first.revision + 1, final=True)
    return replace(made, first_text=first.text)


def split(whole: Caption, at: int, number: int) -> tuple[Caption, Caption]:
    """Split a final caption before a word, as where another voice has begun; the rest gets this number."""
    first, rest = whole.committed[:at], whole.committed[at:]
    made = replace(whole, revision=whole.revision + 1, end=first[-1].end, committed=first, first_text=whole.text)
    return made, replace(
        made, id=number, revision=0, start=rest[0].start, end=whole.end, committed=rest, moved=len(rest)
    )
