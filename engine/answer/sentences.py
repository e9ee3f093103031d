"""The ends of a reply's sentences: each sentence can be spoken as soon as it is complete.

A sentence ends with a full stop, a question or an exclamation mark, never with a comma (PredGen, A.1), or with its
line. Some texts that the paper's rule cuts stay whole: "Dr. Smith", "3.14", "1. Open the window", "example.com". A
very short sentence is spoken together with the next, a very long one is cut. A block of code stays whole, and is not
read.
"""

from __future__ import annotations

import re

import regex

from engine.sentence_ends import CLAUSE, CLOSERS, OPENERS, STRONG, ends_sentence, is_abbreviation
from engine.translate.source import PICTURE

SHORTEST = 12
"""Fewest letters of a sentence that is spoken by itself, unless its line ends with it; see `_length`."""

LONGEST = 200
"""Letters after which a sentence is cut: about 40 tokens, and about 12 seconds of speech."""

_DENSE = regex.compile(r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]")
_DENSE_LETTERS = 3  # letters that a character of such scripts is worth
_SAYS = regex.compile(r"[\p{L}\p{N}]")
_CLOSING = CLOSERS + "“«*_"  # German opening marks close without a space before them; so does Markdown
_NEEDS_NO_SPACE = "。｡！？"
_MARKS = re.compile(rf"[.…{re.escape(''.join(STRONG))}]+(?:[{re.escape(_CLOSING)}]|\s»(?!\S))*|\n")
_LATE_MARKS = re.compile(rf"[.…{re.escape(''.join(STRONG) + _CLOSING)}]+(?=\s|\Z)")
_COUNT = re.compile(r"\W*\d{1,2}\W*")  # "1." of a list, "3." of a date; a year is neither
_CODE = re.compile(r"\s*```[^\n`]*(?:\n|\Z)")  # first line of a block of code
_CODE_END = re.compile(r"\n[ \t]*```[ \t]*(?=\n|\Z)")
_RULE = re.compile(r"^[ \t]*(?:\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?|([-*_=])(?:[ \t]*\1){2,})[ \t]*$", re.M)
_ROW = re.compile(r"\s*\|(.*)\|\s*")  # row of a table
_ADDRESS = re.compile(r"\S*(?:://|@)|www\b", re.I)  # whose rest may follow
_QUOTES = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"))


def first_sentence_end(text: str, *, ended: bool = False) -> int | None:
    """Return the end of a reply's first sentence, behind the marks that close it; None until it is complete.

    `ended`: nothing will follow. Otherwise marks at the very end of the text end a sentence, unless the next characters
    could change that: behind a number, an abbreviation, three dots or the end of a quotation.
    """
    begin = len(text) - len(text.lstrip())
    if text.startswith("```"[: len(text) - begin], begin) and begin < len(text):
        return _code_end(text, ended=ended)
    longest = _longest(text, begin)
    for marks in _MARKS.finditer(text, begin, longest):
        sentence, rest = text[begin : marks.end()], text[marks.end() :]
        if marks.group() == "\n":
            if _SAYS.search(sentence) and not _COUNT.fullmatch(sentence):
                return marks.start()
        elif _ends(sentence, marks.group(), rest):
            return marks.end()
    if longest < len(text):
        return _cut(text, begin, longest)
    return len(text.rstrip()) if ended and begin < len(text) else None


class SentenceSplitter:
    """Splits a growing reply into sentences, each returned once, as they go to the voice."""

    def __init__(self) -> None:
        """Begin with an empty reply."""
        self._text = ""
        self._done = 0  # characters of returned sentences

    @property
    def given(self) -> str:
        """Return the reply as far as its sentences have been returned."""
        return self._text[: self._done]

    def add(self, text: str) -> list[str]:
        """Return the newly complete sentences of the whole reply so far."""
        return self._split(text, ended=False)

    def finish(self, *, cut: bool = False) -> list[str]:
        """Return the rest: nothing follows.

        `cut`: the reply was cut off, so that a last sentence without an end is not returned, if there are others.
        """
        return self._split(self._text, ended=True, cut=cut)

    def _split(self, text: str, *, ended: bool, cut: bool = False) -> list[str]:
        self._text = text
        found: list[str] = []
        while True:
            late = _LATE_MARKS.match(text, self._done) if self._done else None  # such as a quotation mark
            self._done = late.end() if late else self._done
            end = first_sentence_end(text[self._done :], ended=ended)
            if end is None:
                return found
            part = text[self._done : self._done + end]
            sentence = part.strip() if is_code(part) else speakable(part)
            if cut and self._done and self._done + end >= len(text.rstrip()) and not _is_whole(sentence):
                return found
            self._done += end
            if sentence:
                found.append(sentence)


def is_code(sentence: str) -> bool:
    """Return whether a sentence is a block of code, which is shown and not read out."""
    return _CODE.match(sentence) is not None


def _is_whole(sentence: str) -> bool:
    """Return whether a sentence has an end of its own."""
    return is_code(sentence) or sentence.rstrip(_CLOSING + " ")[-1:] in {".", "…", *STRONG}


def sentences_of(reply: str) -> tuple[str, ...]:
    """Return the sentences of a whole reply, as they go to the voice."""
    splitter = SentenceSplitter()
    return (*splitter.add(reply), *splitter.finish())


def speakable(text: str) -> str:
    """Return a sentence as a voice reads it: a line without formatting and pictures; "" if there is nothing to say.

    In a row of a table only its cells are left.
    """
    text = _RULE.sub(" ", text)
    if row := _ROW.fullmatch(text):
        text = ", ".join(filter(None, map(str.strip, row[1].split("|"))))
    text = re.sub(r"!?\[([^\]]*)\]\([^)\s]*\)", r"\1", text)  # links
    text = re.sub(r"(?m)^\s*(?:#{1,6}|[-*+•>])\s+|```\w*", " ", text)  # headings, list marks, quotations, programs
    text = re.sub(r"`+|(?<!\w)\*+(?=\S)|(?<=\S)\*+(?!\w)|~~|(?<!\w)_+|_+(?!\w)", "", text)
    text = " ".join(PICTURE.sub(" ", text).split())
    return text if _SAYS.search(text) else ""


def _code_end(text: str, *, ended: bool) -> int | None:
    """Return the end of the block of code at the beginning of a text; None until it is complete."""
    opened = _CODE.match(text)
    closed = _CODE_END.search(text, opened.end() - 1) if opened else None
    if closed and (ended or closed.end() < len(text)):
        return closed.end()
    return len(text.rstrip()) if ended else None


def _ends(sentence: str, marks: str, rest: str) -> bool:
    """Return whether a sentence ends with these marks; `rest` follows, as far as it is known."""
    if _length(sentence) < SHORTEST or _in_quotation(sentence):
        return False
    if marks[0] in _NEEDS_NO_SPACE:
        return True
    if rest and not rest[0].isspace():
        return False
    word = sentence.rstrip(_CLOSING + "\xa0\u202f ").split()[-1].lstrip("*_")
    following = rest.split(maxsplit=1)[:1]
    if not following:
        plain = word.rstrip(".").lstrip(OPENERS)
        doubtful = plain[-1:].isdigit() or is_abbreviation(plain) or "..." in marks or "…" in marks
        doubtful = doubtful or _ADDRESS.match(plain) is not None
        return not (marks[-1] in _CLOSING or (marks[0] in ".…" and doubtful))
    if marks[-1] in _CLOSING and following[0][0].islower():  # "Why?" he asked.
        return False
    if marks[0] == "." and _COUNT.fullmatch(word):
        return False
    return ends_sentence(word, f" {following[0]}")


def _in_quotation(text: str) -> bool:
    if text.count('"') % 2:
        return True
    if "„" in text:
        return text.count("„") > text.count("“") + text.count("”")
    return any(text.count(opens) > text.count(closes) for opens, closes in _QUOTES)


def _length(text: str) -> int:
    return len(text) + (_DENSE_LETTERS - 1) * len(_DENSE.findall(text))


def _longest(text: str, begin: int) -> int:
    """Return the place at which a sentence must end for its letters; the text's length if it has fewer."""
    letters = 0
    for place in range(begin, len(text)):
        letters += _length(text[place])
        if letters > LONGEST:
            return place
    return len(text)


def _cut(text: str, begin: int, longest: int) -> int:
    """Return the place to cut a long sentence: the last end of a clause in its later half, else of a word."""
    for place in range(longest, (begin + longest) // 2, -1):
        clause = text[place - 1] in CLAUSE
        if clause and (text[place : place + 1].isspace() or _DENSE.search(text[place : place + 1])):
            return place
    space = max(text.rfind(" ", begin, longest + 1), begin)
    return space if space > begin else longest
