"""How steady translations are on the screen: measured, not claimed."""

from __future__ import annotations

from engine.events import Translation
from engine.translate.display import common_words, units

FEWEST_WORDS = 20
"""Of fewer, nothing is said: one change more or less would turn it over."""


class SteadinessMeter:
    """Counts the words (characters, where a script has no spaces) that were shown and then taken back."""

    def __init__(self) -> None:
        self._shown: dict[int, str] = {}
        self._taken_back = 0
        self._words = 0

    @property
    def taken_back(self) -> float | None:
        """Words taken back for every word that stayed: normalized erasure of what was shown (arXiv:1912.03393).

        None while too few have been shown to say.
        """
        return self._taken_back / self._words if self._words >= FEWEST_WORDS else None

    def add(self, translation: Translation) -> None:
        """Take a translation as it is shown now; captions count once they are translated to the end."""
        self.add_text(translation.id, translation.text, final=translation.final)

    def add_text(self, number: int, text: str, *, final: bool) -> None:
        """Take any text as it is shown now; it counts once it is final."""
        before = self._shown.pop(number, "")
        self._taken_back += len(units(before)) - len(units(common_words(before, text)))
        if final:
            self._words += len(units(text))
        else:
            self._shown[number] = text
