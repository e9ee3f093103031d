"""Catalogues of translated messages: gettext's `.mo` and `.po`, and Qt's `.qm`, each with its English beside it."""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterator

from lab.recipes.parallel_text.packages import Files, PackageError
from lab.recipes.sentences.pairs import Pair

_QM_BEGIN = bytes.fromhex("3cb86418caef9c95cd211cbf60a1bddd")
_QM_MESSAGES, _QM_END, _QM_TRANSLATION, _QM_ENGLISH = 0x69, 1, 3, 6
_QM_SKIPPED = (7, 8)  # context and comment
_PO = re.compile(r'^(msgid|msgstr)(?:\[0\])? ((?:".*"\s*)+)', re.MULTILINE)


def catalogue_pairs(files: Files, code: str) -> Iterator[Pair]:
    """Yield the messages of all catalogues of a language."""
    folder = re.compile(rf"/{code}(_{code.upper()})?/LC_MESSAGES/|[/_]{code}(_{code.upper()})?\.(po|qm)$")
    for path, content in sorted(files.items()):
        if folder.search(path):
            read = {"mo": read_mo, "po": read_po, "qm": read_qm}[path.rsplit(".", 1)[1]]
            try:
                yield from read(content)
            except (struct.error, UnicodeDecodeError, IndexError, SyntaxError) as error:
                raise PackageError(f"{path} is no catalogue that can be read ({error}).") from error


def read_mo(content: bytes) -> Iterator[Pair]:
    """Yield the messages of a compiled catalogue; of those with a plural the singular, of none the context."""
    order = "<" if content[:4] == b"\xde\x12\x04\x95" else ">"
    _, _, count, english, translated = struct.unpack_from(f"{order}5I", content)
    for number in range(count):
        texts = []
        for table in (english, translated):
            length, start = struct.unpack_from(f"{order}2I", content, table + 8 * number)
            texts.append(content[start : start + length].decode("utf-8").split("\0")[0].split("\4")[-1])
        if texts[0]:  # the first is the catalogue's header
            yield Pair(*texts)


def read_po(content: bytes) -> Iterator[Pair]:
    """Yield the messages of a catalogue that is not compiled; those marked as doubtful are left out."""
    for entry in content.decode("utf-8").replace("\r\n", "\n").split("\n\n"):
        lines = "\n".join(line for line in entry.splitlines() if not line.startswith("#~"))
        try:
            found = {kind: "".join(map(ast.literal_eval, text.splitlines())) for kind, text in _PO.findall(lines)}
        except (ValueError, SyntaxError):  # a damaged entry
            continue
        if found.get("msgid") and found.get("msgstr") and not re.search(r"^#,.*fuzzy", entry, re.MULTILINE):
            yield Pair(found["msgid"], found["msgstr"])


def read_qm(content: bytes) -> Iterator[Pair]:
    """Yield the messages of Qt's compiled catalogue that has its English."""
    at = len(_QM_BEGIN) if content.startswith(_QM_BEGIN) else len(content)
    while at + 5 <= len(content):
        section, length = struct.unpack_from(">BI", content, at)
        if section == _QM_MESSAGES:
            yield from _qm_messages(content[at + 5 : at + 5 + length])
        at += 5 + length


def _qm_messages(messages: bytes) -> Iterator[Pair]:
    at, english, translated = 0, "", ""
    while at < len(messages):
        kind, at = messages[at], at + 1
        if kind == _QM_END:
            if english and translated:
                yield Pair(english, translated)
            english = translated = ""
            continue
        length = struct.unpack_from(">I", messages, at)[0]
        text, at = messages[at + 4 : at + 4 + length], at + 4 + length
        if kind == _QM_TRANSLATION:
            translated = translated or text.decode("utf-16-be")
        elif kind == _QM_ENGLISH:
            english = text.decode("utf-8")
        elif kind not in _QM_SKIPPED:
            return
