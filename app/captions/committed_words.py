"""The newest words that will not change any more, kept so that a new engine session can go on behind them."""

from __future__ import annotations

from collections import deque

from engine.events import Caption, Word

KEPT_WORDS = 200
"""More than a prompt or the audio that is heard again can hold."""


class CommittedWords:
    """Keeps the newest committed words of the captions of one side."""

    def __init__(self) -> None:
        self._words: deque[Word] = deque(maxlen=KEPT_WORDS)
        self._counts: dict[int, int] = {}  # how many words of a caption were taken, by its id

    @property
    def words(self) -> tuple[Word, ...]:
        """Return the words that another session should know, in order."""
        return tuple(self._words)

    def add(self, caption: Caption) -> None:
        """Keep the words of a caption that are new."""
        self._words.extend(caption.committed[self._counts.get(caption.id, 0) :])
        if caption.final:
            self._counts.pop(caption.id, None)
        else:
            self._counts[caption.id] = len(caption.committed)
