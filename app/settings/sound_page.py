"""Settings of sound: input and output devices."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.preferences.settings import Settings
from app.settings.page import SettingsPage
from app.sound.process_tap import needs_loopback
from app.widgets.rows import ChoiceRow

Devices = Sequence[tuple[str, str]]
"""Stored names and their labels."""


class SoundSettings(SettingsPage):
    """The page of devices; other widgets about sound can be added."""

    def __init__(self, title: str, settings: Settings) -> None:
        super().__init__(settings, title)
        self._system = self.tr("Same as system")
        usual = ((None, self._system),)
        self.input = ChoiceRow(
            settings,
            "sound.input",
            self.tr("&Listen to"),
            "" if needs_loopback() else self.tr("A microphone, or what this computer plays."),
            usual,
        )
        self.output = ChoiceRow(settings, "sound.output", self.tr("&Speak through"), "", usual)
        self.card(self.tr("Devices"), self.input, self.output)

    def offer_inputs(self, devices: Devices) -> None:
        """Offer the devices that can be recorded from."""
        self.input.offer(((None, self._system), *devices))

    def offer_outputs(self, devices: Devices) -> None:
        """Offer the devices that can play."""
        self.output.offer(((None, self._system), *devices))

    def put_widget(self, heading: str, widget: QWidget) -> None:
        """Show another widget on a card of its own, such as the microphone test."""
        self.card(heading, widget)
