"""The base of all policies for committing words: it recognizes words that are committed already."""

from __future__ import annotations

import math
import unicodedata
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.events import Word

TIME_TOLERANCE_SECONDS = 0.1
"""Tolerance, in seconds, by which a new word may start before the last committed word's end."""

SAME_START_SECONDS = 0.2
"""Largest difference, in seconds, between the starts of a word and of an equal committed one, if they are the same."""

OVERLAP_WORDS = 5
OVERLAP_SECONDS = 1.0
"""Most words that are recognized as repeated, if the first starts this near to the last committed one."""

CUT_TOLERANCE_SECONDS = 0.5
"""Longest time, in seconds, between a word's end and the start of the kept audio for the word to be recognized
again.
"""


def key_of(word: Word) -> str:
    """Return the form in which words are compared: without case and punctuation, or the text if it has nothing else."""
    text = unicodedata.normalize("NFKC", word.text).casefold().strip()
    return "".join(character for character in text if character.isalnum()) or text


def ending_of(word: Word) -> str:
    """Return the punctuation at the end of the word."""
    text = word.text.strip()
    marks = "".join(character for character in text if not character.isalnum())
    return text[len(text.rstrip(marks)) :]


HearAgain = Callable[[Sequence[Word], range], Sequence[Word]]
"""The newest hypothesis, and the places of doubtful words in it, to the words that take their place."""


class _Earlier(NamedTuple):
    """A hypothesis beyond the committed words, over audio up to a moment."""

    heard_until: float
    words: tuple[Word, ...]


class Policy(ABC):
    """Receives hypotheses in order and decides which words are committed.

    Attributes:
        committed_until: end of the last committed word in seconds; no later word starts before it.
        pending: the newest hypothesis beyond the committed words.
    """

    def __init__(self, earlier: int, seconds: float = 0.0) -> None:
        """Require agreement of `earlier` hypotheses before the newest, and of all in about the last `seconds`."""
        self.committed_until = 0.0
        self.pending: tuple[Word, ...] = ()
        self._least = earlier
        self._seconds = seconds
        self._heard_until = 0.0
        self._earlier: deque[_Earlier] = deque()  # oldest first; only those needed next time
        self._recent: deque[Word] = deque(maxlen=OVERLAP_WORDS)  # the last words committed
        self._last: tuple[Word, ...] = ()  # the last of them, and what rounds write in its place

    @abstractmethod
    def _believed(
        self, newest: tuple[Word, ...], heard_until: float, draft: Sequence[Word]
    ) -> tuple[tuple[Word, ...], int]:
        """Return the newest hypothesis without committed words, and how many of its words are certain."""

    def _doubtful(self, certain: Sequence[Word], heard_until: float) -> range:
        """Return the places of words to be committed that are worth another hearing."""
        return range(0)

    def insert(
        self,
        words: Sequence[Word],
        heard_until: float,
        draft: Sequence[Word] = (),
        hear_again: HearAgain | None = None,
    ) -> tuple[Word, ...]:
        """Add the newest hypothesis, over audio up to `heard_until` seconds; return the words that it commits.

        `draft` is the text of the encoder alone for the same audio. `hear_again` returns what to commit in the place of
        doubtful words.
        """
        newest, certain = self._believed(self._without_known(words), heard_until, draft)
        self._remember(newest, heard_until)
        self._earlier = deque(_Earlier(until, earlier[certain:]) for until, earlier in self._earlier)
        self.pending = newest[certain:]
        doubtful = self._doubtful(newest[:certain], heard_until)
        if hear_again is None or not doubtful:
            return self._commit(newest[:certain])
        instead = hear_again(newest, doubtful)
        committed = self._commit((*newest[: doubtful.start], *instead, *newest[doubtful.stop : certain]))
        self._last += newest[certain - 1 : certain]
        return committed

    def doubtful_at(self, heard_until: float) -> range:
        """Return the places of pending words that would be worth another hearing if a round up to that second, which
        is still to come, wrote the same.
        """
        newest, certain = self._believed(self.pending, heard_until, ())
        return self._doubtful(newest[:certain], heard_until)

    def hold(self, words: Sequence[Word]) -> None:
        """Let a hypothesis pend as a whole: nothing in it is certain, nor counts for what comes."""
        self.pending = self._without_known(words)
        self._earlier.clear()

    def commit_pending(self, until: float | None = None) -> tuple[Word, ...]:
        """Commit the newest hypothesis without agreement, up to words that end by `until`."""
        count = 0
        while count < len(self.pending) and (until is None or self.pending[count].end <= until):
            count += 1
        words, self.pending = self.pending[:count], self.pending[count:]
        self._earlier.clear()
        if self.pending:
            self._remember(self.pending, self._heard_until)
        return self._commit(words)

    def recall(self, words: Iterable[Word]) -> tuple[Word, ...]:
        """Mark words as committed that this policy has not seen."""
        return self._commit(words)

    def forget_before(self, seconds: float) -> None:
        """Note that the audio before that moment is gone: its words cannot be recognized again."""
        while self._recent and self._recent[0].end < seconds - CUT_TOLERANCE_SECONDS:
            self._recent.popleft()

    def begin_utterance(self) -> None:
        """Treat words as new from now on, even if they repeat the last ones: their audio is new."""
        self._recent.clear()

    def forget_pending(self) -> None:
        """Drop pending words: there turned out to be no speech."""
        self.pending = ()
        self._earlier.clear()

    def _without_known(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Remove committed words: by time, then by up to five equal words if the times are uncertain.

        Words after the last committed one in the hypothesis itself are new even if they repeat it, or start before its
        assumed end: the newest word of a round often seems to last as long as the audio does.
        """
        if (last := self._place_of_last(words)) is not None:
            return tuple(words[last + 1 :])
        new = tuple(word for word in words if word.start > self.committed_until - TIME_TOLERANCE_SECONDS)
        if not new or abs(new[0].start - self.committed_until) >= OVERLAP_SECONDS:
            return new
        committed = [key_of(word) for word in self._recent]
        known = [word for word in words if word.start <= self.committed_until - TIME_TOLERANCE_SECONDS]
        if known and committed and key_of(known[-1]) == committed[-1]:
            return new
        fresh = [key_of(word) for word in new]
        for count in range(1, min(len(committed), len(fresh)) + 1):
            if committed[-count:] == fresh[:count]:
                return new[count:]
        return new

    def _place_of_last(self, words: Sequence[Word]) -> int | None:
        """Return the index of the last committed word: one that equals it, or what stood in its place, with the same
        start.
        """
        if not self._recent:
            return None
        same = [
            (abs(word.start - last.start), index)
            for index, word in enumerate(words)
            for last in self._last
            if key_of(word) == key_of(last)
        ]
        apart, nearest = min(same, default=(math.inf, 0))
        return nearest if apart <= SAME_START_SECONDS else None

    def _remember(self, newest: tuple[Word, ...], heard_until: float) -> None:
        self._heard_until = heard_until
        self._earlier.append(_Earlier(heard_until, newest))
        while len(self._earlier) > self._least and heard_until - self._earlier[1].heard_until >= self._seconds:
            self._earlier.popleft()

    def _agreed(self, newest: Sequence[Word], heard_until: float) -> int:
        """Count the words of the newest hypothesis that all earlier ones also start with, if there are enough."""
        earlier = self._asked(heard_until)
        if not earlier:
            return 0
        count = 0
        while count < len(newest) and all(_has(words, count, newest[count]) for words in earlier):
            count += 1
        # The end of the audio looks like the end of a sentence: a full stop there must be recognized twice.
        if count and count == len(newest) and ending_of(newest[-1]) != ending_of(earlier[0][count - 1]):
            count -= 1
        return count

    def _asked(self, heard_until: float) -> list[tuple[Word, ...]]:
        """Return the earlier hypotheses that must agree, newest first; none if there are not enough.

        They go back by about `seconds`; it may be half a step less.
        """
        asked: list[tuple[Word, ...]] = []
        newer = heard_until
        for until, words in reversed(self._earlier):
            asked.append(words)
            near = not self._seconds or heard_until - until >= self._seconds - (newer - until) / 2
            if near and len(asked) >= self._least:
                return asked
            newer = until
        return []

    def _commit(self, words: Iterable[Word]) -> tuple[Word, ...]:
        committed = []
        for word in words:
            start = max(word.start, self.committed_until)
            committed.append(replace(word, start=start, end=max(word.end, start)))
            self.committed_until = committed[-1].end
        self._recent.extend(committed)
        self._last = (committed[-1],) if committed else self._last
        return tuple(committed)


def _has(words: Sequence[Word], index: int, word: Word) -> bool:
    return index < len(words) and key_of(words[index]) == key_of(word)
