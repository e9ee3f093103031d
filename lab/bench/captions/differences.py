"""Differences between a text and what was said: words in a row, with their places and times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.events import Word
from engine.metrics import align, normalized_words
from lab.bench.captions.clips import Clip


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words in a row that differ: said from `said` up to `said_end`, and heard from `heard` up to `heard_end` instead.

    Attributes:
        edits: how many words that counts as.
    """

    said: int
    said_end: int
    heard: int
    heard_end: int
    edits: int

    def meets(self, other: Stretch) -> bool:
        """Return whether both concern the same said words, or the same place between two of them."""
        if self.said < self.said_end and other.said < other.said_end:
            return self.said < other.said_end and other.said < self.said_end
        return self.said <= other.said_end and other.said <= self.said_end


def sources(whole: Sequence[str], words: Sequence[str], language: str) -> Iterator[tuple[int, int]]:
    """Yield for each normalized word of a text the index of the word that it came from: "21" comes from "twenty"."""
    parts = [(part, index) for index, word in enumerate(words) for part in normalized_words(word, language)]
    source = 0
    for mine, theirs in align(whole, [part for part, _ in parts]):
        source = parts[theirs][1] if theirs is not None else source
        if mine is not None:
            yield mine, source


def word_times(said: Sequence[str], clip: Clip) -> list[Word]:
    """Return for each normalized word that was said the timed word that it came from."""
    return [clip.words[source] for _, source in sources(said, [word.text for word in clip.words], clip.language)]


def differences(said: Sequence[str], heard: Sequence[str]) -> Iterator[Stretch]:
    """Yield where a text differs from what was said, words in a row together: which edit is which is arbitrary."""
    begun: tuple[int, int] | None = None
    edits = reached = position = 0
    for mine, theirs in [*align(said, heard), (len(said), len(heard))]:
        ended = mine == len(said) and theirs == len(heard)
        same = ended or (mine is not None and theirs is not None and said[mine] == heard[theirs])
        if same and begun is not None:
            yield Stretch(begun[0], reached, begun[1], position, edits)
            begun, edits = None, 0
        elif not same:
            begun = begun or (reached, position)
            edits += 1
        reached = reached if mine is None else mine + 1
        position = position if theirs is None else theirs + 1
