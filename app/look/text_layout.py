"""Width of text on a terminal or in a subtitle, and the places where its lines may break."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from wcwidth import wcwidth

_FRENCH_SPACE = re.compile(r"(?<=\S) (?=[?!:;»])|(?<=«) ")
_CODE = re.compile(r"(```[^\n`]*\n.*?(?:\n[ \t]*```|\Z))", re.DOTALL)
_END = re.compile(r"\n(?=[ \t]*\n|[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])")
"""The end of a line before an empty one or an item of a list; other ends are mere spaces, as in Markdown."""
_LONG_WORD = re.compile(r"\S{24}(?=\S)")
_HIDDEN_BREAK = "\N{ZERO WIDTH SPACE}"
_SOFT_HYPHEN = "\N{SOFT HYPHEN}"  # allows a word break; invisible, whatever a terminal does
_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF))  # no XML can hold them: a Word document with one would not open
_NEVER_STARTS_A_LINE = frozenset("、。，．！？：；）」』】〕〉》ー…,.!?:;)")


def printable(text: str) -> str:
    """Return text on one line without control characters: a model's output must not control a terminal."""
    if text.isprintable():
        return text
    spaced = "".join(" " if character.isspace() else character for character in text)
    kept = (character for character in spaced if unicodedata.category(character) not in ("Cc", "Cs"))
    return "".join(kept).translate(_NO_CHARACTERS)


def one_line(text: str) -> str:
    """Return text on one line, without control characters, with single spaces between words."""
    return " ".join(printable(text).split())


def reply_parts(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the parts of a model's reply: whether each is code, and its lines: of code, or items and paragraphs."""
    for part in filter(str.strip, _CODE.split(text)):
        is_code = _CODE.fullmatch(part) is not None
        lines = map(_code_line, part.splitlines()) if is_code else filter(None, map(one_line, _END.split(part)))
        yield is_code, list(lines)


def reply_lines(text: str) -> list[str]:
    """Return the lines of a reply: of code, or items and paragraphs."""
    return [line for _, lines in reply_parts(text) for line in lines]


def _code_line(line: str) -> str:
    return printable(line.expandtabs()).rstrip()


def unbroken(text: str) -> str:
    """Prevent line breaks before punctuation that French puts a space before, and within its quotation marks."""
    return _FRENCH_SPACE.sub("\N{NO-BREAK SPACE}", text)


def breakable(text: str) -> str:
    """Allow line breaks in very long words, such as file names: labels break lines only at spaces."""
    return _LONG_WORD.sub(rf"\g<0>{_HIDDEN_BREAK}", text)


def unbreakable(text: str) -> str:
    """Undo `breakable`."""
    return text.replace(_HIDDEN_BREAK, "")


def shortened(text: str, most: int) -> str:
    """Shorten a text to at most `most` characters, "…" included."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def cells(text: str) -> int:
    """Count the columns that text takes: two for a wide (CJK) character, none for a combining mark."""
    return len(text) if text.isascii() else sum(_cells_of(character) for character in text)


def counted(number: int, noun: str) -> str:
    """Format "1 round" or "2 rounds"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def is_wide(character: str) -> bool:
    return wcwidth(character) == 2


def wrap(text: str, width: int) -> list[tuple[int, int]]:
    """Cut text into lines of at most `width` columns, as (start, end) positions in it.

    Lines end at spaces (left out of both lines) or between wide characters; a longer word is cut.
    """
    lines: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        if text[start] == " ":
            start += 1
            continue
        end = _line_end(text, start, max(width, 2))
        lines.append((start, start + len(text[start:end].rstrip(" "))))
        start = end
    return lines


def folded(text: str, width: int) -> list[str]:
    """Return the lines of text wrapped to `width` columns."""
    return [text[start:end] for start, end in wrap(text, width)]


def words_of(text: str) -> list[str]:
    """Split text at possible line breaks, each word with the space before it: " one", or "世" without one."""
    line = one_line(text)
    cuts = [at for at in range(1, len(line)) if line[at] == " " or (line[at - 1] != " " and may_break_before(line, at))]
    return [line[begin:end] for begin, end in pairwise([0, *cuts, len(line)])] if line else []


def may_break_before(text: str, position: int) -> bool:
    """Return whether a line may end between two characters: at a space, or beside a wide character."""
    before, after = text[position - 1], text[position]
    if after == " " or before == " ":
        return True
    return (is_wide(before) or is_wide(after)) and after not in _NEVER_STARTS_A_LINE


def _cells_of(character: str) -> int:
    return 0 if character == _SOFT_HYPHEN else max(wcwidth(character), 0)


def _line_end(text: str, start: int, width: int) -> int:
    used = 0
    last_break = 0
    for position in range(start, len(text)):
        if position > start and may_break_before(text, position):
            last_break = position
        used += _cells_of(text[position])
        if used > width and text[position] != " ":
            return last_break if last_break > start else max(position, start + 1)
    return len(text)
