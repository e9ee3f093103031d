"""The sentences that the starter models learn to hear, and those that they never see."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

HELD_OUT_IN = 128  # one sentence in this many is never trained on

_PLAIN = re.compile(r"[A-Z][A-Za-z ,.?!'\-]*[A-Za-z][.?!]")
_COMMON_NAMES = re.compile(r"\b(Tom|Mary)\b")
_CAPITAL_RUN = re.compile(r"[A-Z]{2}|[a-z][A-Z]")
_CONTRACTION = re.compile(r"\b(i)(?='|\b)")


def is_plain(sentence: str, longest: int = 110) -> bool:
    """Say whether a sentence is ordinary cased, punctuated English without digits."""
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
    """Say whether a sentence belongs to the test set: by its letters, for good."""
    return fraction(sentence) < 1.0 / HELD_OUT_IN


def tatoeba_sentences(data: Path) -> set[str]:
    """The plain English sentences of Tatoeba in a folder like the project's data."""
    found: set[str] = set()
    for path in sorted((data / "text" / "parallel").glob("tatoeba-eng-*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found.update(line.split("\t", 1)[0].strip() for line in lines)
    return {sentence for sentence in found if is_plain(sentence)}


def dialogue_sentences(data: Path) -> set[str]:
    """Plain sentences of the small-talk, assistant and ordering dialogues."""
    found: set[str] = set()
    for raw in _raw_dialogue(data / "text" / "dialogue"):
        found.update(_split_and_case(raw))
    return {sentence for sentence in found if is_plain(sentence)}


def training_sentences(data: Path) -> list[str]:
    """All sentences to train on, in a fixed shuffled order; held-out ones left out.

    Sentences about Tom and Mary are a quarter of Tatoeba: one in four of them stays.
    """
    chosen = {
        sentence
        for sentence in tatoeba_sentences(data)
        if not _COMMON_NAMES.search(sentence) or fraction(sentence, "name") < 0.25
    }
    chosen |= dialogue_sentences(data)
    kept = [sentence for sentence in chosen if not is_held_out(sentence)]
    return sorted(kept, key=lambda sentence: (fraction(sentence, "order"), sentence))


def held_out_sentences(data: Path, limit: int = 2000) -> list[str]:
    """The sentences that are never trained on, in a fixed shuffled order."""
    kept = [sentence for sentence in tatoeba_sentences(data) if is_held_out(sentence)]
    return sorted(kept, key=lambda sentence: (fraction(sentence, "test"), sentence))[:limit]


def _raw_dialogue(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            yield from (turn["text"] for turn in record.get("turns", []))
            if "text" in record:
                yield record["text"]
    for path in sorted(folder.glob("clinc150*.json")):
        parts = json.loads(path.read_text(encoding="utf-8"))
        yield from (text for part in parts.values() for text, _ in part)
    for path in sorted((folder / "chatterbot").rglob("*.yml")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield line.lstrip("- ").strip("'\"")


def _split_and_case(raw: str) -> list[str]:
    """Split a turn into sentences, each with a capital and a final mark."""
    sentences = []
    for part in re.split(r"(?<=[.?!])\s+", raw.strip()):
        part = _CONTRACTION.sub("I", part.strip())
        if len(part) < 6:
            continue
        part = part[0].upper() + part[1:]
        if part[-1] not in ".?!":
            part += "?" if _asks(part) else "."
        sentences.append(part)
    return sentences


def _asks(sentence: str) -> bool:
    opening = sentence.split()[0].lower()
    return opening in {
        "what", "who", "where", "when", "why", "how", "which", "is", "are", "do", "does",
        "did", "can", "could", "would", "will", "should", "whose", "what's", "who's",
    }  # fmt: skip
