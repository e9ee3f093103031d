"""What speaks: the protocol of voices, and what they share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from engine.audio import Samples

CHUNK_SECONDS = 0.05
MOST_NAMED = 12
"""How many of the speakers there are an error names."""


class Utterance(Protocol):
    """The sound of one sentence, made as it is asked for: float32 chunks (n,) of about CHUNK_SECONDS, within [-1, 1].

    Not asked, it pauses and holds up no other utterance; asked again, it goes on where it was. A sentence that has
    nothing to say has no chunks. After `close`, and after an error, nothing more comes.
    """

    def __iter__(self) -> Iterator[Samples]: ...

    def __next__(self) -> Samples:
        """The next chunk. Raises VoiceError where the voice fails, StopIteration at the end."""
        ...

    def close(self) -> None:
        """Give up what has not been made."""
        ...


class Voice(Protocol):
    """A synthesiser with its speaker and rate chosen. One thread uses it."""

    @property
    def name(self) -> str:
        """Synthesiser, speaker and rate: speech of equally named voices is alike."""
        ...

    @property
    def rate_hz(self) -> int:
        """Samples a second of all its utterances."""
        ...

    def speak(self, sentence: str) -> Utterance:
        """Begin a sentence, which is text and no markup; nothing is computed before its first chunk is asked for."""
        ...


def plain_text(sentence: str) -> str:
    """The text as voices take it: one line; control characters, which some obey as commands, are spaces."""
    kept = (" " if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") else character for character in sentence)
    return " ".join("".join(kept).split())


def has_words(text: str) -> bool:
    """Tell whether there is anything to say: punctuation alone is silent."""
    return any(unicodedata.category(character)[0] in "LNS" for character in text)


def in_chunks(parts: Iterable[Samples], rate_hz: int) -> Iterator[Samples]:
    """Cut or join parts of any length to chunks of CHUNK_SECONDS; the last is what is left."""
    size = round(CHUNK_SECONDS * rate_hz)
    rest = np.zeros(0, np.float32)
    for part in parts:
        rest = np.concatenate([rest, part])
        while len(rest) >= size:
            yield rest[:size]
            rest = rest[size:]
    if len(rest):
        yield rest


def named(speakers: Iterable[str]) -> str:
    """Some of the speakers there are, for a message."""
    known = list(speakers)
    return f"{', '.join(known[:MOST_NAMED])}{' and others' if len(known) > MOST_NAMED else ''}"
