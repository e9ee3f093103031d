"""The newest words that will not change any more, kept so that a new engine session can go on behind them."""

from __future__ import annotations

from collections import deque

from app.transcript.timeline import moved
from engine.events import FIRST_CAPTION, Caption, Word

KEPT_WORDS = 200
"""More than a prompt or the audio that is heard again can hold."""


class CommittedWords:
    """Takes captions as they come and keeps their newest committed words, in seconds of the recording."""

    def __init__(self) -> None:
        self._words: deque[Word] = deque(maxlen=KEPT_WORDS)
        self._counts: dict[int, int] = {}  # how many words of a caption were taken, by its id

    def add(self, caption: Caption, session_start_seconds: float) -> tuple[Word, ...]:
        """Take a caption of a session that began there; give the words that are new, in seconds of the recording."""
        new = moved(caption.committed[self._counts.get(caption.id, 0) :], session_start_seconds)
        self._words.extend(new)
        if caption.final:
            self._counts.pop(caption.id, None)
        else:
            self._counts[caption.id] = len(caption.committed)
        return new

    def begin_session(self, start_seconds: float, begun: int, number: int = FIRST_CAPTION) -> tuple[Word, ...]:
        """Another session begins there: give the words that it should know, in its own seconds.

        The last `begun` of them stand in the caption that it goes on with, and calls by that `number`.
        """
        self._counts = {number: begun} if begun else {}
        return moved(self._words, -start_seconds)
