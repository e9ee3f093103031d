"""Rows of the settings of spoken translation: whether, and on which device."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.preferences.settings import Settings
from app.widgets.rows import ChoiceRow, SwitchRow


class InterpreterRows(QObject):
    """The two rows, for a page of the settings or `stacked` for a narrow panel.

    Attributes:
        speaks: whether translations are spoken.
        device: where, if they are.
    """

    def __init__(self, settings: Settings, *, stacked: bool = False) -> None:
        super().__init__()
        self.speaks = SwitchRow(
            settings,
            "interpreting.speaks",
            self.tr("S&peak the translation"),
            self.tr("Aloud while somebody speaks, for headphones. What was said is never taken back."),
            stacked=stacked,
        )
        self.speaks.needs = lambda now: now.translates
        self._usual = (None, self.tr("Same as the assistant"))
        name = self.tr("Spea&k through")
        self.device = ChoiceRow(settings, "interpreting.output", name, "", (self._usual,), stacked=stacked)
        self.device.control.setAccessibleName(self.tr("Device of the spoken translation"))
        self.device.needs = lambda now: now.translates and now.interpreting.speaks

    def offer(self, devices: Sequence[tuple[str, str]]) -> None:
        """Offer devices that can play: stored names and their labels."""
        self.device.offer((self._usual, *devices))
