"""Settings of sound: what is listened to, and where answers are heard."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.preferences.settings import Settings
from app.settings.page import SettingsPage
from app.sound.process_tap import needs_loopback
from app.widgets.rows import ChoiceRow

Devices = Sequence[tuple[str, str]]
"""Names as they are stored, and as a person reads them."""


class SoundSettings(SettingsPage):
    """The devices; other widgets that help with sound can be put beneath."""

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
        """Take what can be listened to now."""
        self.input.offer(((None, self._system), *devices))

    def offer_outputs(self, devices: Devices) -> None:
        """Take what can be spoken through now."""
        self.output.offer(((None, self._system), *devices))

    def put_widget(self, heading: str, widget: QWidget) -> None:
        """Show another widget on a card of its own, such as a test of the microphone."""
        self.card(heading, widget)
