"""Growing lines of text: how `earshot translate` tells a continued sentence from a new one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import BinaryIO

from app.look.text_layout import one_line
from engine.errors import EngineError
from engine.events import FIRST_CAPTION, Caption, Word

LONGEST_LINE_BYTES = 1_000_000
REWRITTEN_PART = 3  # up to a third of the text may be rewritten, as speech recognition rewrites its last words
_SENTENCE_ENDS = (".", "?", "!", "…", "。", "？", "！", "؟", "।")


class TextError(EngineError):
    """Text that cannot be read."""


def text_lines(file: BinaryIO, name: str, *, may_be_empty: bool = False) -> Iterator[str]:
    """Read UTF-8 lines as they come.

    Raises:
        TextError: a line, named in the message, is not UTF-8 text or too long; or there is no text at all, unless that
            is allowed.
    """
    empty = True
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE_BYTES + 1), b""), 1):
        if len(line) > LONGEST_LINE_BYTES:
            raise TextError(f"{name}, line {number}: longer than {LONGEST_LINE_BYTES // 1_000_000} MB.")
        if b"\0" in line:
            raise TextError(f"{name}, line {number}: binary data, not text.")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise TextError(f"{name}, line {number}: this is not UTF-8 text.") from error
        empty = empty and not text.strip()
        yield text
    if empty and not may_be_empty:
        raise TextError(f"{name}: there is no text.")


def captions_of(lines: Iterable[str], *, whole: bool, language: str) -> Iterator[Caption]:
    """Yield each line as the newest revision of a caption.

    A line continues the sentence of the line before if it starts with it, ignoring case and punctuation; up to a third
    of the earlier line's characters, at its end, may be rewritten if it does not end like a sentence. Any other line
    starts a new sentence, and an empty one ends the sentence. With `whole`, every line is a finished sentence.
    """
    number, revision, last = FIRST_CAPTION, 0, ""
    for line in lines:
        text = one_line(line)
        if last and not (text and goes_on(last, text)):
            yield _caption(number, revision + 1, last, language, final=True)
            number, revision, last = number + 1, 0, ""
        if text and whole:
            yield _caption(number, 0, text, language, final=True)
            number += 1
        elif text and text != last:
            last, revision = text, revision + 1
            yield _caption(number, revision, text, language, final=False)
    if last:
        yield _caption(number, revision + 1, last, language, final=True)


def goes_on(last: str, text: str) -> bool:
    """Return whether a text is a grown version of another."""
    before, now = _key(last), _key(text)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))
    rewritten = len(before) - same
    return rewritten == 0 or (not last.endswith(_SENTENCE_ENDS) and rewritten * REWRITTEN_PART <= len(before))


def _key(text: str) -> str:
    """Return letters, digits and symbols in lower case, with the spaces between words."""
    kept = (
        character for character in text.casefold() if character == " " or unicodedata.category(character)[0] in "LMNS"
    )
    return "".join(kept).strip()


def _caption(number: int, revision: int, text: str, language: str, *, final: bool) -> Caption:
    words = (Word(text, 0.0, 0.0),)
    committed, pending = (words, ()) if final else ((), words)
    return Caption(number, revision, 0.0, 0.0, committed, pending, final, 0.0, 0.0, language)
