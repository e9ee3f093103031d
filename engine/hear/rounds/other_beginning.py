"""Doubtful words are heard once more from another beginning, right before they are committed.

Rounds that begin at one place repeat each other's mistakes, however often they agree. Audio that begins in a pause some
seconds before is heard otherwise, and its decoder has more context. So what it writes between two words on which both
agree takes the place of the doubtful words. (Chosen in LOG 2026-11-29.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.events import Reference, Word
from engine.hear.rounds.alignatt import LEAST_PROBABILITY
from engine.hear.rounds.policy import key_of

NEAREST_SECONDS, FARTHEST_SECONDS = 5.0, 9.0
"""Distance of the beginning from the first doubtful word, in seconds."""

LEAST_BEFORE_SECONDS, MOST_BEFORE_SECONDS = 0.05, 0.2
"""Audio before the first word that is heard, in seconds; half of the pause, if that is between these."""

KEPT_SECONDS = 20.0
"""Audio that is kept, in seconds: a doubtful word waits a few seconds at most."""

KEPT_WORDS = 120
"""Committed words that are kept, for the beginning and the prompt."""

Listen = Callable[[Samples, float, str, Reference], tuple[Word, ...]]
"""Samples (n,), the second at which they begin, the text before them, and what was heard of them, to their words."""


class OtherBeginning:
    """The newest audio and committed words of a stream, from which doubtful words are heard again."""

    def __init__(self, start_seconds: float) -> None:
        """Follow a stream whose first sample is at `start_seconds`."""
        self._audio = AudioBuffer(KEPT_SECONDS, start_seconds)
        self._words: deque[Word] = deque(maxlen=KEPT_WORDS)

    def add(self, samples: Samples) -> None:
        """Keep the next samples (n,) of the stream."""
        self._audio.append(samples)

    def note(self, words: Iterable[Word]) -> None:
        """Note words that are committed."""
        self._words.extend(words)

    def hear(self, newest: Sequence[Word], doubtful: range, until_seconds: float, listen: Listen) -> tuple[Word, ...]:
        """Return the words that belong in the place of the doubtful ones of the newest hypothesis, over audio up to a
        second.

        They are the doubtful words themselves unless both hearings agree on the words on either side, and none of the
        new words is unlikely.
        """
        mine, start = tuple(newest[doubtful.start : doubtful.stop]), newest[doubtful.start].start
        if doubtful.stop == len(newest):
            return mine
        known = [*self._words, *newest[: doubtful.start]]
        first = self._first(known, start)
        begin = self._begin(known, first, start)
        begin_sample, end_sample = round(begin * SAMPLE_RATE_HZ), round(until_seconds * SAMPLE_RATE_HZ)
        origin = self._audio.start_sample
        samples = self._audio.samples[max(0, begin_sample - origin) : max(0, end_sample - origin)].copy()
        before = known[first:]
        old = (*before, *newest[doubtful.start :])
        reference = Reference(tuple(before), old[len(before) :], goes_on=True)
        heard = listen(samples, begin, "".join(word.text for word in known[:first]), reference)
        found = _between_neighbours(old, range(len(before), len(before) + len(doubtful)), heard)
        likely = bool(found) and min(word.probability for word in found) >= LEAST_PROBABILITY
        return found if likely and list(map(key_of, found)) != list(map(key_of, mine)) else mine

    def _first(self, known: Sequence[Word], start: float) -> int:
        """Return the index of the first word that is heard: the one after the longest pause in reach.

        It is the earliest one where all words are nearer.
        """
        earliest = max(start - FARTHEST_SECONDS, self._audio.start_seconds + MOST_BEFORE_SECONDS)
        reached = [place for place, word in enumerate(known) if word.start >= earliest]
        far = [place for place in reached if place and start - known[place].start >= NEAREST_SECONDS]
        if far:
            return max(far, key=lambda place: (known[place].start - known[place - 1].end, place))
        return reached[0] if reached else len(known)

    def _begin(self, known: Sequence[Word], first: int, start: float) -> float:
        """Return the second at which the audio begins."""
        begins = known[first].start if first < len(known) else start
        pause = begins - known[first - 1].end if first else begins - self._audio.start_seconds
        before = min(max(pause / 2, LEAST_BEFORE_SECONDS), MOST_BEFORE_SECONDS)
        return max(begins - before, self._audio.start_seconds)


def _between_neighbours(old: Sequence[Word], own: range, heard: Sequence[Word]) -> tuple[Word, ...]:
    """Return what was heard between the neighbours of a hypothesis's own words; nothing unless these are heard, too."""
    matcher = SequenceMatcher(None, [key_of(word) for word in old], [key_of(word) for word in heard], autojunk=False)
    same = {mine + step: theirs + step for mine, theirs, size in matcher.get_matching_blocks() for step in range(size)}
    left, right = same.get(own.start - 1, -1), same.get(own.stop)
    if right is None or (own.start and left < 0):
        return ()
    limit, begun = old[own.stop].start, old[own.start].text
    between = (each for each in heard[left + 1 : right] if each.text.strip())
    found = [replace(each, start=min(each.start, limit), end=min(each.end, limit)) for each in between]
    if found and begun[:1].isspace() and not found[0].text[:1].isspace():
        found[0] = replace(found[0], text=begun[0] + found[0].text)
    return tuple(found)
