"""Templates of notes: text files that name the sections, which a person can copy and change.

The format is described in assets/notes/README.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import expanduser
from pathlib import Path
from typing import get_args

from engine.errors import FileError
from engine.models.catalogue import ASSETS
from engine.notes.records import SectionKind

FOLDER = ASSETS / "notes"
KINDS: tuple[SectionKind, ...] = get_args(SectionKind)
TEMPLATES = ("meeting", "lecture", "interview", "one-to-one")
"""Names of the templates that come along."""

USUAL = TEMPLATES[0]
WRITTEN_IN = "en"
MOST_CHARACTERS = 20_000
"""Longest template."""

_SECTION = re.compile(r"^##\s+(?P<title>.+?)\s*:\s*(?P<kind>[\w-]+)\s*$")


@dataclass(frozen=True, slots=True)
class TemplateSection:
    """A section to write: its kind, its title, and what a model is told of it."""

    kind: SectionKind
    title: str
    wish: str = ""


@dataclass(frozen=True, slots=True)
class NotesTemplate:
    """The sections of notes, in order.

    Attributes:
        name: its name in the command line and in settings; of a file its path.
        title: the title that a person reads.
    """

    name: str
    title: str
    sections: tuple[TemplateSection, ...]


def load_template(name: str = USUAL, language: str = WRITTEN_IN) -> NotesTemplate:
    """Load a template by its name, in a language if it is there, else in English; or a file.

    Raises:
        FileError: there is no such template, or the file is none.
    """
    if name in TEMPLATES:
        places = (FOLDER / code / f"{name}.md" for code in (language, WRITTEN_IN))
        return _read(next(path for path in places if path.is_file()), name)
    path = Path(expanduser(name))
    if not path.is_file():
        raise FileError(f"There is no template {name!r}: name a file, or one of {', '.join(TEMPLATES)}.")
    return _read(path, name)


def _read(path: Path, name: str) -> NotesTemplate:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise FileError(f"The template {path} cannot be read as text.") from error
    if len(text) > MOST_CHARACTERS:
        raise FileError(f"The template {path} is too long: it has more than {MOST_CHARACTERS} characters.")
    return parse_template(text, name)


def parse_template(text: str, name: str) -> NotesTemplate:
    """Parse the text of a template. Raises FileError with the line that is wrong."""
    title, sections, wishes = "", list[tuple[SectionKind, str]](), list[list[str]]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("##"):
            sections.append(_section(line, number, name))
            wishes.append([])
        elif line.startswith("# "):
            title = line[2:].strip()
        elif wishes and line.strip():
            wishes[-1].append(line.strip())
    if not sections:
        raise FileError(f"The template {name} has no section, such as '## Decisions: decisions'.")
    made = (TemplateSection(kind, named, " ".join(wish)) for (kind, named), wish in zip(sections, wishes, strict=True))
    return NotesTemplate(name, title or name, tuple(made))


def _section(line: str, number: int, name: str) -> tuple[SectionKind, str]:
    found = _SECTION.match(line)
    kind = next((each for each in KINDS if found and each == found["kind"]), None)
    if found is None or kind is None:
        raise FileError(
            f"Line {number} of the template {name} must be '## Title: kind', where kind is one of {', '.join(KINDS)}."
        )
    return kind, found["title"]
