"""LocalAgreement-n: a word is committed when n consecutive hypotheses agree on it and on all words before it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.events import Word
from engine.hear.rounds.policy import Policy


class LocalAgreement(Policy):
    """The policy of Whisper-Streaming (arXiv:2307.14743), but case and punctuation may differ."""

    def __init__(self, agreement: int = 2) -> None:
        """Require agreement of this many hypotheses."""
        super().__init__(earlier=agreement - 1)

    def _believed(
        self, newest: tuple[Word, ...], heard_until: float, draft: Sequence[Word]
    ) -> tuple[tuple[Word, ...], int]:
        return newest, self._agreed(newest, heard_until)
