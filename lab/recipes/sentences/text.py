"""English sentences, and which of them no starter ever learns from."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

HELD_OUT_IN = 128  # one sentence in this many is never trained on

_PLAIN = re.compile(r"[A-Z][A-Za-z ,.?!'\-]*[A-Za-z][.?!]")
_CAPITAL_RUN = re.compile(r"[A-Z]{2}|[a-z][A-Z]")


def is_plain(sentence: str, longest: int = 110) -> bool:
    """Return whether a sentence is ordinary cased, punctuated English without digits."""
    return (
        6 <= len(sentence) <= longest
        and _PLAIN.fullmatch(sentence) is not None
        and _CAPITAL_RUN.search(sentence) is None
        and "--" not in sentence
        and ".." not in sentence
        and " -" not in sentence
    )


def fraction(sentence: str, salt: str = "") -> float:
    """Map a sentence, whatever its case and punctuation, to a fixed number in [0, 1)."""
    letters = salt + re.sub(r"[^a-z]+", " ", sentence.lower()).strip()
    digest = hashlib.md5(letters.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:6], "big") / float(1 << 48)


def is_held_out(sentence: str) -> bool:
    """Return whether a sentence belongs to the test set: by its letters, for good."""
    return fraction(sentence) < 1.0 / HELD_OUT_IN


def tatoeba_sentences(data: Path) -> set[str]:
    """Read the plain English sentences of Tatoeba in a folder like the project's data."""
    found: set[str] = set()
    for path in sorted((data / "text" / "parallel").glob("tatoeba-eng-*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found.update(line.split("\t", 1)[0].strip() for line in lines)
    return {sentence for sentence in found if is_plain(sentence)}
