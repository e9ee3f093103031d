"""Lists of pairs in forms of their own: FreeDict's dictionaries, and the dialogues of Fish Fillets."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator

from lab.recipes.parallel_text.packages import Files
from lab.recipes.sentences.pairs import LANGUAGES, Pair

_HEAD = re.compile(r"(\S.*?) /[^/]*/")
_EXAMPLE = re.compile(r'\s+"(.+?)"\s+-\s+(.+)')
_REMARK = re.compile(r"\s*(<[^>]*>|\[[^\]]*\]|\([^)]*\)|\{[^}]*\})")
_SOMEBODY = re.compile(r"\b(?:sb|sth|jd[nms]?|jds|etw)\b")
_LINE = re.compile(r'dialogId\("([^"]+)",\s*"[^"]*",\s*"((?:[^"\\]|\\.)*)"\)(?:\s*dialogStr\("((?:[^"\\]|\\.)*)"\))?')


def dictionary_examples(files: Files, code: str) -> Iterator[Pair]:
    """Yield the example sentences and the phrases of a dictionary; what it says of single words is too much for what
    it teaches.
    """
    for path, content in files.items():
        if path.endswith(f"freedict-eng-{LANGUAGES[code][0]}.dict.dz"):
            head = ""
            for line in gzip.decompress(content).decode("utf-8", "replace").splitlines():
                if _SOMEBODY.search(line):
                    continue
                if found := _HEAD.match(line):
                    head = _REMARK.sub("", found[1]).strip()
                elif found := _EXAMPLE.match(line):
                    yield Pair(found[1], _REMARK.sub("", found[2]).strip())
                elif " " in head and line[:1].strip() and not line.startswith(("00-database", "see:", "Synonym")):
                    yield Pair(head, re.split(r"\s*[;,]\s+", re.sub(r"^\d+\. ", "", _REMARK.sub("", line)))[0].strip())


def fillets_lines(files: Files, code: str) -> Iterator[Pair]:
    """Yield the lines that the fish say."""
    for path, content in sorted(files.items()):
        if path.endswith(f"/dialogs_{code}.lua"):
            english = files.get(path.replace(f"_{code}.lua", "_en.lua"), b"").decode("utf-8", "replace")
            said = {mark: text for mark, text, _ in _LINE.findall(english)}
            for mark, _, text in _LINE.findall(content.decode("utf-8", "replace")):
                if said.get(mark) and text:
                    yield Pair(said[mark].replace(r"\"", '"'), text.replace(r"\"", '"'))
