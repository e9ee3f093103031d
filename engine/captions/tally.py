"""Figures of a session of captions: its text, the delays of its words, the costs of its rounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from engine.events import GAP, RoundStats, Summary, TranslationSummary, Word
from engine.hear.rounds.transcriber import Round
from engine.metrics import latency_of, real_time_factor

KEPT_STATS = 2_000
KEPT_LATENCIES = 100_000


class Tally:
    """Counts of a session.

    Attributes:
        compute_seconds: computation so far.
        stats: costs of the newest rounds.
        latencies: seconds from the end of each of the newest words until it was committed.
    """

    def __init__(self) -> None:
        self.compute_seconds = 0.0
        self.stats: deque[RoundStats] = deque(maxlen=KEPT_STATS)
        self.latencies: deque[float] = deque(maxlen=KEPT_LATENCIES)
        self._rounds = self._forwards = self._tokens = 0
        self._text: list[str] = []

    def count(self, result: Round, heard_until: float, compute_seconds: float) -> None:
        """Count a round that heard up to `heard_until` and took `compute_seconds`."""
        self.compute_seconds += compute_seconds
        self._rounds += 1
        self._forwards += result.hypothesis.forwards
        self._tokens += result.hypothesis.tokens
        self.stats.append(result.stats(self._rounds, heard_until))

    def commit(self, words: Sequence[Word], now: float) -> None:
        """Count words that are committed at a moment of the session's clock."""
        self.latencies.extend(now - word.end for word in words if word.text.strip() != GAP)
        self._text.extend(word.text for word in words)

    def summary(self, audio_seconds: float, language: str | None, translation: TranslationSummary | None) -> Summary:
        """Return the figures so far."""
        return Summary(
            text="".join(self._text).strip(),
            audio_seconds=audio_seconds,
            rounds=self._rounds,
            compute_seconds=self.compute_seconds,
            real_time_factor=real_time_factor(self.compute_seconds, audio_seconds),
            word_latency_seconds=latency_of(self.latencies),
            language=language,
            translation=translation,
            forwards=self._forwards,
            tokens=self._tokens,
        )
