"""The language that a stream is heard in: the chosen one, or one that is believed once detections say so.

A model that detects languages gives each a probability. On a second of speech the likeliest is wrong in one of three
recordings, and then hardly ever above 0.6; so an unlikely one has to be found twice. (Chosen in LOG 2026-11-28.)
"""

from __future__ import annotations

DETECTION_SECONDS = 3.0
"""Shortest audio for language detection once a language is believed, in seconds, pre-roll included."""

LEAST_PROBABILITY = 0.6
"""Lowest probability of a detected language that counts."""

CERTAIN_PROBABILITY = 0.9
"""Lowest probability at which a first detection is believed alone."""

LONGEST_DOUBT_SECONDS = 6.0
"""Longest audio, in seconds, whose words wait for a believed language."""


class SpokenLanguage:
    """Decides for each round whether to detect the language, and whether to believe what was detected.

    Attributes:
        newest: language of the newest hypothesis, or the chosen one; None before either.
    """

    def __init__(self, chosen: str | None) -> None:
        self.newest = chosen
        self._chosen = chosen
        self._certain = chosen  # until the speaker pauses
        self._believed = chosen
        self._suspected: str | None = None  # the newest detection, if it was likely enough

    def to_hear(self, seconds: float) -> str | None:
        """Return the language of a round over this much audio; None to detect it."""
        if self._certain is None and self._believed is not None and seconds < DETECTION_SECONDS:
            return self._believed
        return self._certain

    def learn(self, asked: str | None, heard: str, probability: float, seconds: float) -> bool:
        """Note the language of a round over this much audio; return whether its words are in a believed language.

        `asked` is what `to_hear` returned for it.
        """
        if asked is not None:
            self.newest = asked
            return True
        likely = probability >= LEAST_PROBABILITY
        agreed = likely and heard in (self._suspected, self._believed)
        if agreed or (self._believed is None and probability >= CERTAIN_PROBABILITY):
            self._certain = self._believed = heard
        self._suspected = heard if likely else None
        self.newest = heard
        return heard in (self._certain, self._believed) or seconds >= LONGEST_DOUBT_SECONDS

    def begin_utterance(self) -> None:
        """Expect another speaker: the language is detected again once there is enough audio."""
        self._certain, self._suspected = self._chosen, None
