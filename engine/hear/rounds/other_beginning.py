"""Doubtful words are heard once more from another beginning before they are committed.

Rounds that begin at one place repeat each other's mistakes, however often they agree. Audio that begins in a pause some
seconds before is heard otherwise, and its decoder has more context. So what it writes between two words on which both
agree takes the place of the doubtful words. (Chosen in LOG 2026-11-29.)

Doubtful words wait, so that it is known which of them the next rounds will commit: these are heard ahead, between two
rounds, and a round itself does so only for words that it commits sooner than was foreseen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.events import Reference, Word
from engine.hear.rounds.alignatt import LEAST_PROBABILITY
from engine.hear.rounds.policy import key_of

if TYPE_CHECKING:
    from engine.hear.recognizer import Stage

NEAREST_SECONDS, FARTHEST_SECONDS = 5.0, 9.0
"""Distance of the beginning from the first doubtful word, in seconds."""

LEAST_BEFORE_SECONDS, MOST_BEFORE_SECONDS = 0.05, 0.2
"""Audio before the first word that is heard, in seconds; half of the pause, if that is between these."""

KEPT_SECONDS = 20.0
"""Audio that is kept, in seconds: a doubtful word waits a few seconds at most."""

KEPT_WORDS = 120
"""Committed words that are kept, for the beginning and the prompt."""

Listen = Callable[[Samples, float, str, Reference], Generator["Stage", None, tuple[Word, ...]]]
"""Samples (n,), the second at which they begin, the text before them, and what was heard of them, to the stages of a
hearing, which returns their words.
"""


@dataclass(slots=True)
class _Hearing:
    """A hearing of the audio from a second to another one.

    Attributes:
        words: what was heard; None until the stages have ended.
    """

    begin_seconds: float
    until_seconds: float
    stages: Generator[Stage, None, tuple[Word, ...]]
    words: tuple[Word, ...] | None = None

    def step(self) -> None:
        """Hear on up to the next pause."""
        try:
            next(self.stages)
        except StopIteration as end:
            self.words = end.value

    def finished(self) -> tuple[Word, ...]:
        """Hear the rest, and return the words."""
        while self.words is None:
            self.step()
        return self.words


class OtherBeginning:
    """The newest audio and committed words of a stream, from which doubtful words are heard again."""

    def __init__(self, start_seconds: float, listen: Listen) -> None:
        """Follow a stream whose first sample is at `start_seconds`."""
        self._audio = AudioBuffer(KEPT_SECONDS, start_seconds)
        self._words: deque[Word] = deque(maxlen=KEPT_WORDS)
        self._listen = listen
        self._ahead: _Hearing | None = None

    def add(self, samples: Samples) -> None:
        """Keep the next samples (n,) of the stream."""
        self._audio.append(samples)

    def note(self, words: Iterable[Word]) -> None:
        """Note words that are committed."""
        self._words.extend(words)

    @property
    def busy(self) -> bool:
        """Return whether a hearing that was begun ahead goes on."""
        return self._ahead is not None and self._ahead.words is None

    def step(self) -> None:
        """Work for about one forward of the model on the hearing that was begun ahead."""
        if self._ahead is not None and self._ahead.words is None:
            self._ahead.step()

    def forget_ahead(self) -> None:
        """Drop the hearing that was begun ahead: its words are committed."""
        self._ahead = None

    def begin(self, newest: Sequence[Word], doubtful: range, until_seconds: float) -> None:
        """Begin to hear doubtful words of the newest hypothesis ahead, in audio up to a second: they will soon be
        committed.
        """
        if not doubtful or doubtful.stop == len(newest):
            return
        ahead = self._known_hearing(newest, doubtful)
        if ahead is None or (ahead.words is not None and self._between(newest, doubtful, ahead) is None):
            self._ahead = self._begun(newest, doubtful, until_seconds)

    def hear(self, newest: Sequence[Word], doubtful: range, until_seconds: float) -> tuple[Word, ...]:
        """Return the words that belong in the place of the doubtful ones of the newest hypothesis, over audio up to a
        second.

        They are the doubtful words themselves unless both hearings agree on the words on either side, and none of the
        new words is unlikely.
        """
        mine = tuple(newest[doubtful.start : doubtful.stop])
        if doubtful.stop == len(newest):
            return mine
        ahead = self._known_hearing(newest, doubtful)
        found = self._between(newest, doubtful, ahead) if ahead is not None else None
        if found is None:
            found = self._between(newest, doubtful, self._begun(newest, doubtful, until_seconds))
        likely = found and min(word.probability for word in found) >= LEAST_PROBABILITY
        return found if found and likely and list(map(key_of, found)) != list(map(key_of, mine)) else mine

    def _between(self, newest: Sequence[Word], doubtful: range, hearing: _Hearing) -> tuple[Word, ...] | None:
        """Return what a hearing has in the place of doubtful words: nothing if it has other neighbours.

        It is None if they may be others only since the audio ends too early: then more of it should be heard.
        """
        heard = hearing.finished()
        before = [word for word in self._before(newest, doubtful) if word.start >= hearing.begin_seconds]
        own = range(len(before), len(before) + len(doubtful))
        found = _between_neighbours((*before, *newest[doubtful.start :]), own, heard)
        return found if found or newest[doubtful.stop].end <= hearing.until_seconds else None

    def _known_hearing(self, newest: Sequence[Word], doubtful: range) -> _Hearing | None:
        """Return the hearing that was begun ahead, if the doubtful words are in its audio, and some of what follows."""
        hearing, first, behind = self._ahead, newest[doubtful.start], newest[doubtful.stop]
        inside = hearing is not None and hearing.begin_seconds <= first.start and behind.start <= hearing.until_seconds
        return hearing if inside else None

    def _before(self, newest: Sequence[Word], doubtful: range) -> list[Word]:
        return [*self._words, *newest[: doubtful.start]]

    def _begun(self, newest: Sequence[Word], doubtful: range, until_seconds: float) -> _Hearing:
        """Return a hearing of the doubtful words, not begun yet."""
        known, start = self._before(newest, doubtful), newest[doubtful.start].start
        first = self._first(known, start)
        begin = self._begin_seconds(known, first, start)
        begin_sample, end_sample = round(begin * SAMPLE_RATE_HZ), round(until_seconds * SAMPLE_RATE_HZ)
        origin = self._audio.start_sample
        samples = self._audio.samples[max(0, begin_sample - origin) : max(0, end_sample - origin)].copy()
        before = tuple(known[first:])
        reference = Reference(before, tuple(newest[doubtful.start :]), goes_on=True)
        prompt = "".join(word.text for word in known[:first])
        return _Hearing(begin, until_seconds, self._listen(samples, begin, prompt, reference))

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

    def _begin_seconds(self, known: Sequence[Word], first: int, start: float) -> float:
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
