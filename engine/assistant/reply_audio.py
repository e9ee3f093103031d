"""The spoken part of a reply: its sentences, their sound, and how much of that was played."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.resample import Resampler

CHARACTERS_A_SECOND = 15.0
"""Usual speed of voices, for a sentence whose sound is not complete yet."""


@dataclass(slots=True)
class _Said:
    text: str
    chunks: list[Samples] = field(default_factory=list)
    whole: bool = False  # its sound is complete

    def seconds(self, rate_hz: int) -> float:
        return sum(map(len, self.chunks)) / rate_hz


class SpokenReply:
    """Accounts for one reply's sound.

    Sound counts as played from the moment it was sent, one chunk after the other, until the player reports otherwise
    (`played`).
    """

    def __init__(self, rate_hz: int) -> None:
        """Begin with nothing spoken; sound has `rate_hz` samples a second."""
        self._rate_hz = rate_hz
        self._sentences: list[_Said] = []
        self._resampler = Resampler(rate_hz)
        self._at_16_khz: list[Samples] = []
        self._handed = 0.0  # seconds of sound that were sent, without revoked sound
        self._since = math.inf  # when the sound that is being played began
        self._until = -math.inf  # when it will have been played

    @property
    def _made(self) -> float:
        return sum(sentence.seconds(self._rate_hz) for sentence in self._sentences)

    def begin(self, sentence: str) -> None:
        """Begin the sound of this sentence."""
        self._sentences.append(_Said(sentence))

    def end(self) -> None:
        """End the sound of the sentence; one without sound counts as spoken."""
        self._sentences[-1].whole = True

    def add(self, chunk: Samples, now: float) -> None:
        """Add sound (n,) of the newest sentence, to be played after all earlier sound."""
        self._sentences[-1].chunks.append(chunk)
        self._at_16_khz.append(self._resampler.add(chunk))
        self._hand_over(len(chunk) / self._rate_hz, now)

    def sounding(self, moment: float) -> bool:
        """Return whether anything was, is or will be played at a moment, by the sound so far."""
        return self._since <= moment < self._until

    def ahead(self, now: float) -> float:
        """Return how long there is sound to play."""
        return max(0.0, self._until - now)

    def played_seconds(self, now: float) -> float:
        """Return how much has been played."""
        return max(0.0, self._handed - self.ahead(now))

    def played(self, seconds: float, now: float) -> None:
        """Note how much of the sound has been played, as the player reports it."""
        left = max(0.0, self._handed - seconds)
        self._until = now + left if left else min(self._until, now)

    def said(self, seconds: float) -> str:
        """Return the text that was spoken after this much was played; a word counts from its middle on."""
        parts = []
        for sentence in self._sentences:
            length = sentence.seconds(self._rate_hz)
            if sentence.whole and seconds >= length - 1e-6:
                parts.append(sentence.text)
                seconds -= length
                continue
            whole = length if sentence.whole else max(length, len(sentence.text) / CHARACTERS_A_SECOND)
            parts.append(_first_words(sentence.text, seconds / whole))
            break
        return " ".join(part for part in parts if part)

    def silence(self, now: float) -> None:
        """Stop here: the rest of the sound is not played."""
        self._handed = self.played_seconds(now)
        self._until = min(self._until, now)

    def rest(self, seconds: float) -> list[tuple[int, Samples]]:
        """Return the chunks that were not played in full, with the numbers of their sentences."""
        rest, begins = [], 0.0
        for number, sentence in enumerate(self._sentences):
            for chunk in sentence.chunks:
                begins += len(chunk) / self._rate_hz
                if begins > seconds + 1e-6:
                    rest.append((number, chunk))
        return rest

    def hand_over_again(self, rest: list[tuple[int, Samples]], now: float) -> None:
        """Play the chunks of `rest` after all."""
        again = sum(len(chunk) for _, chunk in rest) / self._rate_hz
        self._handed = self._made - again
        self._hand_over(again, now)

    def sound(self, start: float, end: float) -> Samples:
        """Return the sound that was played between two moments, at 16 kHz, with silence elsewhere."""
        samples = np.zeros(max(0, round((end - start) * SAMPLE_RATE_HZ)), np.float32)
        position = round((self._until - self._made - start) * SAMPLE_RATE_HZ)  # of the first sound
        for part in self._at_16_khz:
            first, last = max(0, position), min(len(samples), position + len(part))
            if first < last:
                samples[first:last] = part[first - position : last - position]
            position += len(part)
        return samples

    def _hand_over(self, seconds: float, now: float) -> None:
        if self._until <= now:
            self._since = now
        self._until = max(self._until, now) + seconds
        self._handed += seconds


def _first_words(text: str, share: float) -> str:
    """Return the words of which at least half is within the first part of a text."""
    reached = share * len(text)
    words, begins = [], 0
    for word in text.split():
        begins = text.index(word, begins)
        if begins + len(word) / 2 > reached:
            break
        words.append(word)
        begins += len(word)
    return " ".join(words)
