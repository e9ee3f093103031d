"""A transcript as a Word document: a heading, and paragraphs of plain and of bold text."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from app.look.text_layout import printable

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""Date of every part: the same transcript results in the same file."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text of one look.

    Attributes:
        half_points: the size of its letters, 22 for 11 points.
    """

    text: str
    bold: bool = False
    italic: bool = False
    half_points: int = 22


def to_docx(paragraphs: Sequence[Sequence[TextRun]]) -> bytes:
    """Make a document of paragraphs, each of runs."""
    body = "".join(map(_paragraph, paragraphs))
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{_DOCUMENT}"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{_PACKAGE}/relationships">'
            f'<Relationship Id="rId1" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>'
        ),
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(zipfile.ZipInfo(name, _ALWAYS), (_HEAD + text).encode("utf-8", "replace"))
    return out.getvalue()


def _paragraph(runs: Sequence[TextRun]) -> str:
    """Write a paragraph, in the direction of its last run: what stands before that is a time or a name."""
    leftwards = bool(runs) and _reads_leftwards(runs[-1].text)
    style = "<w:pPr><w:bidi/></w:pPr>" if leftwards else ""
    return f"<w:p>{style}{''.join(_run(run, leftwards=leftwards) for run in runs)}</w:p>"


def _reads_leftwards(text: str) -> bool:
    """Return whether the first letter is of a script that is read from right to left."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((each for each in directions if each in ("L", "R", "AL")), "L") != "L"


def _run(run: TextRun, *, leftwards: bool) -> str:
    """Write a run; Word knows looks of their own ("bCs") for scripts that are read from right to left."""
    value = f' w:val="{run.half_points}"'
    elements = [("b", "")] * run.bold + [("i", "")] * run.italic + [("sz", value)]
    look = "".join(f"<w:{name}{of}/>" + f"<w:{name}Cs{of}/>" * leftwards for name, of in elements)
    text = escape(" ".join(printable(run.text).split(" ")))
    return f'<w:r><w:rPr>{look}{"<w:rtl/>" * leftwards}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'
