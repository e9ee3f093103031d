"""A card with one finding: what is wrong, what to do, and a button that does it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from app.look.problems import in_words
from app.look.theme import Theme
from app.macos.permission import PRIVACY_SETTINGS
from app.silence.silence import Cause, Finding
from app.sound import process_tap, sound_server
from app.widgets.layouts import in_column, in_row

ICON_PIXELS = 22
_GOOD = frozenset({Cause.HEARD})
_WAITING = frozenset({Cause.LOADING, Cause.BEHIND})


class SilenceCard(QFrame):
    """Shows a Finding.

    Attributes:
        remedy: the button; None if there is nothing to press.

    Signals:
        device_chosen: use this input instead: its name.
        restart_wanted: restart the engine.
        remedied: something was changed, so the diagnosis should run again.
    """

    device_chosen = Signal(str)
    restart_wanted = Signal()
    remedied = Signal()

    def __init__(self, finding: Finding, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        self.remedy: QPushButton | None = None
        self.setProperty("role", "card")
        title, text = self._words()
        self._title = QLabel(title)
        self._title.setProperty("role", "heading")
        self._text = QLabel(text)
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._mark = QLabel()
        self._theme = theme
        theme.changed.connect(self._refresh_icon)
        self._refresh_icon()
        self.setAccessibleName(f"{title}. {text}")
        self._lay_out()

    def _lay_out(self) -> None:
        row = in_row((self._mark, 0, Qt.AlignmentFlag.AlignTop), on=self, margins=(16, 14, 16, 14), spacing=14)
        column = in_column(self._title, self._text, spacing=6)
        if (offer := self._offer()) is not None:
            label, act = offer
            self.remedy = QPushButton(label)
            self.remedy.clicked.connect(act)
            column.addSpacing(4)
            column.addWidget(self.remedy, 0, Qt.AlignmentFlag.AlignLeft)
        row.addLayout(column, 1)

    def _refresh_icon(self) -> None:
        cause = self.finding.cause
        name, role = ("captions", "accent") if cause in _GOOD else ("warning", "broken")
        if cause in _WAITING:
            name, role = "info", "waiting"
        if cause is Cause.ELSEWHERE:
            name, role = "speaker" if self._is_monitor else "microphone", "accent"
        self._mark.setPixmap(self._theme.icon(name, role).pixmap(ICON_PIXELS, ICON_PIXELS))

    @property
    def _is_monitor(self) -> bool:
        return self.finding.device is not None and self.finding.device.is_monitor

    @property
    def _may_be_forbidden(self) -> bool:
        """Return whether the user may have refused the recording of the computer's sound."""
        return self.finding.device is not None and process_tap.may_be_forbidden(self.finding.device.name)

    @property
    def _device(self) -> str:
        return self.finding.device.label if self.finding.device is not None else ""

    def _words(self) -> tuple[str, str]:
        finding, cause = self.finding, self.finding.cause
        if cause is Cause.ELSEWHERE:
            return self._words_for_another()
        if cause in (Cause.LOADING, Cause.STOPPED, Cause.BEHIND):
            return self._words_for_engine()
        words = {
            Cause.DENIED: (
                self.tr("Earshot is not allowed to use the microphone"),
                self.tr("The system sends silence instead. Allow it in the system's privacy settings."),
            ),
            Cause.RESTRICTED: (
                self.tr("Microphones are blocked on this computer"),
                self.tr("Ask whoever manages it to allow them. Audio files need no microphone."),
            ),
            Cause.NO_INPUT: (
                self.tr("There is no microphone"),
                self.tr("Connect one, and it is found automatically. Audio files need no microphone."),
            ),
            Cause.NOT_CONNECTED: (
                self.tr("The chosen input is not connected"),
                self.tr("“{}” was not found. Connect it again, or choose another input.").format(finding.detail),
            ),
            Cause.REFUSES: (self.tr("The input cannot be opened"), in_words(finding.detail)),
            Cause.MUTED: (
                self.tr("“{}” is muted").format(self._device),
                self.tr("While an input is muted, no sound comes in."),
            ),
            Cause.TURNED_DOWN: (
                self.tr("The volume of “{}” is at zero").format(self._device),
                self.tr("Turn it up in the system's sound settings, or here."),
            ),
            Cause.ZEROS: (
                self.tr("No sound comes from “{}”").format(self._device),
                self.tr(
                    "Even a quiet room makes some noise. Look for a mute switch on the microphone or its cable, "
                    "and check that Earshot may use it."
                ),
            ),
            Cause.NOTHING_PLAYS: (
                self.tr("The computer plays nothing on “{}”").format(self._device),
                self.tr("Captions begin once something is played there.") + self._leave_to_hear_it(),
            ),
            Cause.QUIET: (
                self.tr("“{}” picks up almost nothing").format(self._device),
                self.tr("Come closer, or turn its volume up."),
            ),
            Cause.NO_SPEECH: (
                self.tr("There is sound, but no speech in it"),
                self.tr("“{}” works. Music and noise are left out on purpose: look again, and speak meanwhile.").format(
                    self._device
                ),
            ),
            Cause.HEARD: (
                self.tr("Speech is coming in"),
                self.tr("“{}” works, and speech is coming through: captions should appear.").format(self._device),
            ),
        }
        return words[cause]

    def _leave_to_hear_it(self) -> str:
        if not self._may_be_forbidden:
            return ""
        text = self.tr("If something is being played, allow Earshot to hear it in the system's privacy settings.")
        return f" {text}"

    def _words_for_another(self) -> tuple[str, str]:
        if self._is_monitor:
            title = self.tr("The computer is playing sound")
            text = self.tr("To caption what is played on “{}”, choose that as the input.")
        else:
            title = self.tr("Another input picks up more")
            text = self.tr("“{}” is picking up sound now. Perhaps that is the one you speak into.")
        return title, text.format(self._device)

    def _words_for_engine(self) -> tuple[str, str]:
        if self.finding.cause is Cause.LOADING:
            return self.tr("The model is still loading"), self.tr(
                "Nothing is lost: what is said now will be captioned."
            )
        if self.finding.cause is Cause.STOPPED:
            return self.tr("The captioning engine has stopped"), self.tr(
                "What was recorded is kept. Restart the engine to go on."
            )
        return (
            self.tr("Captions are {} s late").format(round(self.finding.seconds)),
            self.tr("This computer is busy. Close other programs, or choose a smaller model."),
        )

    def _offer(self) -> tuple[str, Callable[[], object]] | None:
        finding = self.finding
        match finding.cause:
            case Cause.DENIED if sys.platform == "darwin":
                return self._privacy_settings("Microphone")
            case Cause.NOTHING_PLAYS if self._may_be_forbidden:
                return self._privacy_settings("AudioCapture")
            case Cause.MUTED:
                return self.tr("Unmute it"), lambda: self._do(sound_server.unmute)
            case Cause.TURNED_DOWN:
                return self.tr("Turn it up"), lambda: self._do(sound_server.turn_up)
            case Cause.ELSEWHERE if finding.device is not None:
                name = finding.device.name
                return self.tr("Use this input"), lambda: self.device_chosen.emit(name)
            case Cause.STOPPED:
                return self.tr("Restart engine"), self.restart_wanted.emit
        return None

    def _privacy_settings(self, page: str) -> tuple[str, Callable[[], object]]:
        address = QUrl(PRIVACY_SETTINGS.format(page))
        return self.tr("Open privacy settings"), lambda: QDesktopServices.openUrl(address)

    def _do(self, remedy: Callable[[str], bool]) -> None:
        remedy(self.finding.source)
        self.remedied.emit()
