"""Steadiness of text on the screen, measured as normalized erasure (arXiv:1912.03393)."""

from __future__ import annotations

from engine.translate.display import common_words, units

FEWEST_WORDS = 20
"""Fewest words for which erasure is reported: one change more or less would turn a smaller figure over."""


class SteadinessMeter:
    """Counts the words (characters, where a script has no spaces) that were shown and then taken back."""

    def __init__(self) -> None:
        self._shown: dict[int, str] = {}
        self._taken_back = 0
        self._words = 0

    @property
    def taken_back(self) -> float | None:
        """Words taken back for every word that stayed; None while fewer than FEWEST_WORDS have stayed."""
        return self._taken_back / self._words if self._words >= FEWEST_WORDS else None

    def add(self, number: int, text: str, *, final: bool) -> None:
        """Add a text as it is shown now; its words count once it is final."""
        before = self._shown.pop(number, "")
        self._taken_back += len(units(before)) - len(units(common_words(before, text)))
        if final:
            self._words += len(units(text))
        else:
            self._shown[number] = text
