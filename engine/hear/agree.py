"""LocalAgreement-n: a word is committed when n hypotheses in a row agree on it and on all words before it."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.events import Word

TIME_TOLERANCE_SECONDS = 0.1
"""How far before the last committed word's end a word may start and still count as new."""

OVERLAP_WORDS = 5
OVERLAP_SECONDS = 1.0
"""Up to this many words are recognised as heard twice, where the first starts this near to the last committed one."""


def key_of(word: Word) -> str:
    """What is compared: the word without case and punctuation, or the bare text where it is nothing else."""
    text = unicodedata.normalize("NFKC", word.text).casefold().strip()
    return "".join(character for character in text if character.isalnum()) or text


def ending_of(word: Word) -> str:
    """The punctuation that the word ends with."""
    text = word.text.strip()
    marks = "".join(character for character in text if not character.isalnum())
    return text[len(text.rstrip(marks)) :]


class LocalAgreement:
    """Takes hypotheses in order and says which words became certain.

    Attributes:
        agreement: how many hypotheses must agree.
        committed_until: end of the last committed word in seconds; no later word starts before it.
        pending: the newest hypothesis beyond what is committed.
    """

    def __init__(self, agreement: int = 2) -> None:
        self.agreement = agreement
        self.committed_until = 0.0
        self.pending: tuple[Word, ...] = ()
        self._earlier: deque[tuple[Word, ...]] = deque(maxlen=agreement - 1)  # hypotheses, oldest first
        self._recent: deque[Word] = deque(maxlen=OVERLAP_WORDS)  # the last words committed

    def insert(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Compare the newest hypothesis with those before it; return the words that it commits."""
        newest = self._without_known(words)
        agreed = self._agreed(newest)
        self._earlier.append(newest)
        self._earlier = deque((earlier[agreed:] for earlier in self._earlier), maxlen=self.agreement - 1)
        self.pending = newest[agreed:]
        return self._commit(newest[:agreed])

    def commit_pending(self, until: float | None = None) -> tuple[Word, ...]:
        """Commit the newest hypothesis without asking for agreement, up to words that end by `until`."""
        count = 0
        while count < len(self.pending) and (until is None or self.pending[count].end <= until):
            count += 1
        words, self.pending = self.pending[:count], self.pending[count:]
        self._earlier.clear()
        if self.pending:
            self._earlier.append(self.pending)
        return self._commit(words)

    def forget_pending(self) -> None:
        """Drop what no agreement was reached on: there turned out to be no speech."""
        self.pending = ()
        self._earlier.clear()

    def _without_known(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Leave out what is committed already: by time, then by up to five equal words where the times are unsure."""
        new = tuple(word for word in words if word.start > self.committed_until - TIME_TOLERANCE_SECONDS)
        if not new or abs(new[0].start - self.committed_until) >= OVERLAP_SECONDS:
            return new
        committed = _keys(self._recent)
        fresh = _keys(new)
        for count in range(1, min(len(committed), len(fresh)) + 1):
            if committed[-count:] == fresh[:count]:
                return new[count:]
        return new

    def _agreed(self, newest: tuple[Word, ...]) -> int:
        """How many words of the newest hypothesis all the earlier ones begin with as well."""
        if len(self._earlier) < self.agreement - 1:
            return 0
        count = 0
        while count < len(newest) and all(_has(earlier, count, newest[count]) for earlier in self._earlier):
            count += 1
        # The end of the audio looks like the end of a sentence: a full stop there is believed when it is heard twice.
        if count and count == len(newest) and ending_of(newest[-1]) != ending_of(self._earlier[-1][count - 1]):
            count -= 1
        return count

    def _commit(self, words: Iterable[Word]) -> tuple[Word, ...]:
        committed = []
        for word in words:
            start = max(word.start, self.committed_until)
            committed.append(replace(word, start=start, end=max(word.end, start)))
            self.committed_until = committed[-1].end
        self._recent.extend(committed)
        return tuple(committed)


def _keys(words: Iterable[Word]) -> list[str]:
    return [key_of(word) for word in words]


def _has(words: Sequence[Word], index: int, word: Word) -> bool:
    return index < len(words) and key_of(words[index]) == key_of(word)
