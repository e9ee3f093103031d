"""The protocol of voices, and functions they share."""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Protocol, get_args

import numpy as np

from engine.audio import Samples
from engine.turns import Language

CHUNK_SECONDS = 0.05
MOST_NAMED = 12
"""Most speakers that an error message names."""


class Utterance(Protocol):
    """The sound of one sentence, synthesized on demand: float32 chunks (n,) of about CHUNK_SECONDS, within [-1, 1].

    An empty chunk means that the sound is still being computed on another thread. Between two chunks an utterance holds
    up no other one. A sentence without words has no chunks. After `close`, and after an error, nothing more comes.
    """

    def __iter__(self) -> Iterator[Samples]: ...

    def __next__(self) -> Samples:
        """Return the next chunk. Raises VoiceError if the voice fails, StopIteration at the end."""
        ...

    def close(self) -> None:
        """Cancel the rest."""
        ...


class Voice(Protocol):
    """A synthesizer with a speaker and a rate. One thread uses it."""

    @property
    def name(self) -> str:
        """Name of synthesizer, speaker and rate: speech of voices with equal names is equal."""
        ...

    @property
    def rate_hz(self) -> int:
        """Sample rate of all its utterances."""
        ...

    @property
    def language(self) -> str | None:
        """Code of the language it speaks, such as "pt", without a region; None if it is unknown."""
        ...

    @property
    def words_per_minute(self) -> int:
        """Speaking rate."""
        ...

    @property
    def store_name(self) -> str | None:
        """Name under which its sound may be kept on the disk; None if it is made faster than a file is read."""
        ...

    def speak(self, sentence: str) -> Utterance:
        """Start a sentence of plain text; nothing is computed before its first chunk is requested."""
        ...


def at_speed(voice: Voice, speed: float) -> Voice:
    """Return the same voice that speaks so many times as fast; its networks are shared."""
    faster = copy.copy(voice)
    vars(faster)["words_per_minute"] = round(voice.words_per_minute * speed)  # it is read at every clause
    return faster


def plain_text(sentence: str) -> str:
    """Return the text on one line; control characters, which some voices execute as commands, become spaces."""
    kept = (" " if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") else character for character in sentence)
    return " ".join("".join(kept).split())


def reading_language(voice: Voice) -> Language | None:
    """Return the language in whose words figures and addresses are read to a voice; None if none is known for it."""
    known: tuple[Language, ...] = get_args(Language)
    return next((each for each in known if each == voice.language), None)


def has_words(text: str) -> bool:
    """Return whether there is anything to say: punctuation alone is silent."""
    return any(unicodedata.category(character)[0] in "LNS" for character in text)


def in_chunks(parts: Iterable[Samples], rate_hz: int) -> Iterator[Samples]:
    """Cut or join parts of any length to chunks of CHUNK_SECONDS; the last holds the rest. Empty parts stay."""
    size = round(CHUNK_SECONDS * rate_hz)
    rest = np.zeros(0, np.float32)
    for part in parts:
        if not len(part):
            yield part
            continue
        rest = np.concatenate([rest, part])
        while len(rest) >= size:
            yield rest[:size]
            rest = rest[size:]
    if len(rest):
        yield rest


def named(speakers: Iterable[str]) -> str:
    """List some of the speakers, for a message."""
    known = list(speakers)
    return f"{', '.join(known[:MOST_NAMED])}{' and others' if len(known) > MOST_NAMED else ''}"
