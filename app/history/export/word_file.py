"""A transcript as a Word document: a heading, and paragraphs of plain and of bold text."""

from __future__ import annotations

import io
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
    body = "".join(f"<w:p>{''.join(_run(run) for run in paragraph)}</w:p>" for paragraph in paragraphs)
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


def _run(run: TextRun) -> str:
    look = f'{"<w:b/>" * run.bold}{"<w:i/>" * run.italic}<w:sz w:val="{run.half_points}"/>'
    text = escape(" ".join(printable(run.text).split(" ")))
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'
