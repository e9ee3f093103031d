"""Glossary files: `term = translation`, one per line; lines that begin with # are comments."""

from __future__ import annotations

from pathlib import Path

from engine.errors import FileError

MOST_BYTES = 1_000_000


def read_glossary(path: Path) -> tuple[tuple[str, str], ...]:
    """Read the terms of a glossary in order, without duplicates.

    The first `=` with spaces around it separates term and translation, or else the first `=`. Case does not matter.

    Raises:
        FileError: the file cannot be read, or one of its lines, named in the message, is no term or contradicts an
            earlier one.
    """
    return parse_glossary(text_of(path, "--glossary "), f"--glossary {path}, ")


def parse_glossary(text: str, where: str = "") -> tuple[tuple[str, str], ...]:
    """Parse the text of a glossary; `where` is a prefix of each message. Raises as `read_glossary` does."""
    terms: dict[str, tuple[str, str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        term, translation = _parted(line)
        if not term or not translation:
            raise FileError(f"{where}line {number}: expected 'term = translation', not {line.strip()!r:.80}.")
        _, known, earlier = terms.setdefault(term.casefold(), (term, translation, number))
        if known != translation:
            raise FileError(
                f"{where}line {number}: {term!r:.80} is to be {translation!r:.80}, but {known!r:.80} in line {earlier}."
            )
    return tuple((term, translation) for term, translation, _ in terms.values())


def _parted(line: str) -> tuple[str, str]:
    term, _, translation = line.partition(" = " if " = " in line else "=")
    return term.strip(), translation.strip()


def text_of(path: Path, flag: str) -> str:
    """Return the text of a file. Raises FileError, whose text begins with the flag, if there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"{flag}{path} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if len(data) > MOST_BYTES:
        raise FileError(f"{flag}{path} is longer than {MOST_BYTES // 1_000_000} MB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise FileError(f"{flag}{path}, line {number}: this is not UTF-8 text.") from error
    if "\0" in text:
        raise FileError(f"{flag}{path} holds binary data, not text.")
    return text
