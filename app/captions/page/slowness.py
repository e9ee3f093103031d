"""The message shown while work is left out on a slow computer."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from engine.events import LoadShed


class Slowness(QObject):
    """Chooses the message about omitted work.

    Signals:
        warning_given: a new message.
        over: a message that no longer applies.
    """

    warning_given = Signal(str)
    over = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._said = ""

    def show(self, shed: LoadShed) -> None:
        """Report the work that is left out now."""
        text = self._words_for(shed)
        if text == self._said:
            return
        if self._said:
            self.over.emit(self._said)
        self._said = text
        if text:
            self.warning_given.emit(text)

    def _words_for(self, shed: LoadShed) -> str:
        if not shed:
            return ""
        if shed is LoadShed.TRANSLATION:
            return self.tr("This computer is too slow to caption and translate at once: translations wait for a pause.")
        if shed < LoadShed.AUDIO:
            return self.tr(
                "This computer is too slow for the model, and captions get worse. "
                "Close other programs, or choose a smaller model."
            )
        return self.tr(
            "This computer is too slow for the model, and parts are not captioned. "
            "Close other programs, or choose a smaller model."
        )
