"""The speaker of each word, by the turns that it falls into."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

from engine.events import Word
from engine.speakers.turns import SpeakerTurn

Speaker = TypeVar("Speaker", int, str)

WordSpeakers = Callable[[Sequence[Word]], list[str]]
"""Maps successive words to the name of the speaker of each."""

SHORT_SECONDS = 0.3
"""Longest speech in the midst of somebody else's, without a pause, that is taken for an error of the turns."""

REACH_WORDS = 2
"""Most words that a change of speakers is moved by, to a pause."""

PAUSE_SECONDS = 0.15
"""Shortest pause between words."""


class TurnWords:
    """Names the speakers of words from known turns."""

    def __init__(self, turns: Sequence[SpeakerTurn], name: Callable[[int], str]) -> None:
        """Name speaker n by `name(n)`."""
        self._turns = sorted(turns, key=lambda turn: turn.start)
        self._starts = [turn.start for turn in self._turns]
        self._longest = max((turn.end - turn.start for turn in turns), default=0.0)
        self._name = name

    def __call__(self, words: Sequence[Word]) -> list[str]:
        """Return the name of each word's speaker; empty where there are no turns at all."""
        if not self._turns:
            return [""] * len(words)
        return [self._name(speaker) for speaker in steady(words, [self._speaker(word) for word in words])]

    def _speaker(self, word: Word) -> int:
        """Return the speaker who talks most during a word; where nobody does, the one who talks nearest to it."""
        near = range(
            max(0, bisect_right(self._starts, word.start - self._longest) - 1),
            min(len(self._turns), bisect_right(self._starts, word.end) + 1),
        )
        return self._turns[max(near, key=lambda at: _overlap(self._turns[at], word))].speaker


def _overlap(turn: SpeakerTurn, word: Word) -> float:
    """Return the seconds for which a turn and a word overlap; negative where they do not, their distance."""
    return min(turn.end, word.end) - max(turn.start, word.start)


def steady(words: Sequence[Word], speakers: list[Speaker]) -> list[Speaker]:
    """Return speakers without very short changes, and with changes moved to a pause where there is one."""
    runs = [list(run) for _, run in groupby(range(len(words)), key=lambda at: speakers[at])]
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        first, last = words[run[0]], words[run[-1]]
        flows = first.start - words[before[-1]].end < PAUSE_SECONDS and words[after[0]].start - last.end < PAUSE_SECONDS
        if speakers[before[-1]] == speakers[after[0]] and flows and last.end - first.start <= SHORT_SECONDS:
            for at in run:
                speakers[at] = speakers[before[-1]]
    for at in [at for at in range(1, len(words)) if speakers[at] != speakers[at - 1]]:
        to = _nearest_pause(words, speakers, at)
        for moved in range(min(at, to), max(at, to)):
            speakers[moved] = speakers[at] if to < at else speakers[at - 1]
    return speakers


def _nearest_pause(words: Sequence[Word], speakers: Sequence[int | str], change: int) -> int:
    """Return where a change of speakers is moved to: its own place if there is a pause, else the longest one nearby.

    Only words of the two speakers are looked at.
    """

    def pause_before(at: int) -> float:
        return words[at].start - words[at - 1].end

    nearby = [
        at
        for at in range(max(1, change - REACH_WORDS), min(len(words) - 1, change + REACH_WORDS) + 1)
        if len(set(speakers[min(at, change) : change])) <= 1 and len(set(speakers[change : max(at, change)])) <= 1
    ]
    best = max(nearby, key=pause_before)
    return best if pause_before(change) < PAUSE_SECONDS <= pause_before(best) else change
