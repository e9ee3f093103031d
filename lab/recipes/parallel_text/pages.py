"""Documents in two languages, side by side: pages of HTML or XML, and manual pages, paragraph by paragraph.

Paragraphs are paired by their identifiers, or else where the two documents have the same ones in the same order.
"""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lab.recipes.parallel_text.packages import Files
from lab.recipes.sentences.pairs import Pair

_PARAGRAPH = re.compile(r'<(p|h[1-6]|title|desc|dt|div(?= class="para"))\b([^>]*)>(.*?)</\1>', re.DOTALL)
_IDENTIFIER = re.compile(r'\bid="((?:par|hd)_id[^"]+)"')
_TAG = re.compile(r"<[^>]*>")
_BEFORE_MARK = re.compile(r" +(?=[,.;)])")
_SECTION = re.compile(r"^\.S[HS]\b.*$", re.MULTILINE)
_ROFF_COMMENT = re.compile(r'^[.\']\\".*\n?', re.MULTILINE)
_ROFF_FONT = re.compile(r"\\f(?:\(..|\[[^\]]*\]|.)|\\s[-+]?\d")
_ROFF_SIGNS = {r"\-": "-", r"\(aq": "'", r"\(dq": '"', r"\e": "\\", r"\&": "", r"\ ": " ", r"\(em": "—", r"\(lq": "“",
               r"\(rq": "”", r"\(bu": "", r"\(co": "©", r"\~": " ", r"\|": "", r"\:": ""}  # fmt: skip
_ROFF_SIGN = re.compile("|".join(map(re.escape, _ROFF_SIGNS)))
_ROFF_FONTS = re.compile(r"^\.(?:[BI]|[BIR]{2})\s+")

NAMED = "#"  # begins an identifier
Paragraphs = list[tuple[str, str]]
"""The kind or the identifier of each paragraph, and its text."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages of a language and where their English is.

    Attributes:
        path: expression of the paths of pages in the language, with {code} and {country} in it.
        english: what stands in their place there.
    """

    path: str
    english: str
    paragraphs: Callable[[str], list[Paragraphs]]

    def pairs(self, files: Files, code: str) -> Iterator[Pair]:
        """Yield what the pages of a language and of English have side by side."""
        path = re.compile(self.path.format(code=code, country=code.upper()))
        for name, content in sorted(files.items()):
            source = path.sub(self.english, name)
            if source != name and source in files:
                parts = [self.paragraphs(_text(page)) for page in (files[source], content)]
                if len(parts[0]) <= len(parts[1]) <= len(parts[0]) + 1:  # one more is about the translation
                    for ours, theirs in zip(*parts, strict=False):
                        yield from side_by_side(ours, theirs)


def side_by_side(english: Paragraphs, other: Paragraphs) -> Iterator[Pair]:
    """Pair paragraphs by their identifiers; where there are none, only if both have the same kinds in a row."""
    if all(kind.startswith(NAMED) for kind, _ in (*english, *other)):
        others = dict(other)
        yield from (Pair(text, others[name]) for name, text in english if name in others)
    elif [kind for kind, _ in english] == [kind for kind, _ in other]:
        yield from (Pair(ours, theirs) for (_, ours), (_, theirs) in zip(english, other, strict=True))


def html_paragraphs(page: str) -> list[Paragraphs]:
    """Return the paragraphs of a page, without markup."""
    found: Paragraphs = []
    for kind, attributes, text in _PARAGRAPH.findall(page):
        identifier = _IDENTIFIER.search(attributes)
        plain = " ".join(html.unescape(_TAG.sub(" ", text)).split())
        found.append((NAMED + identifier[1] if identifier else kind, _BEFORE_MARK.sub("", plain)))
    named = [one for one in found if one[0].startswith(NAMED)]
    return [named or found]


def manual_paragraphs(page: str) -> list[Paragraphs]:
    """Return the paragraphs of each section of a manual page, without its macros."""
    return [_section(section) for section in _SECTION.split(_ROFF_COMMENT.sub("", page))[1:]]


def _section(section: str) -> Paragraphs:
    found: Paragraphs = []
    for line in section.splitlines():
        if line.startswith((".", "'")) and not _ROFF_FONTS.match(line):
            found.append((line.split()[0] if line.strip(".'") else line, ""))
        elif line.strip():
            kind, text = found.pop() if found else ("", "")
            plain = _ROFF_SIGN.sub(lambda sign: _ROFF_SIGNS[sign[0]], _ROFF_FONT.sub("", _ROFF_FONTS.sub("", line)))
            found.append((kind, f"{text} {plain.strip()}".strip()))
    return found


def _text(content: bytes) -> str:
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    return content.decode("utf-8", "replace")
