"""The button to speak: held during a question, or pressed to start and to stop listening."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QSize, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette
from PySide6.QtWidgets import QPushButton, QWidget

from app.look.theme import Theme
from app.widgets.action_button import ICON_PIXELS

TAP_MILLISECONDS = 350
"""Longest press that counts as a tap.

After a tap the button stays down until it is pressed again: not everybody can hold a button.
"""


class TalkButton(QPushButton):
    """Push-to-talk with the mouse or the space key; a switch if the microphone stays open.

    Signals:
        talk_began, talk_ended: the push-to-talk key went down, or came up.
        listening_toggled: the microphone is to be opened or closed.
    """

    talk_began = Signal()
    talk_ended = Signal()
    listening_toggled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._holds = True
        self._listening = False
        self._talking = False
        self._held = QElapsedTimer()
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.pressed.connect(self.hold)
        self.released.connect(self.let_go)
        theme.changed.connect(self._mirror)
        self._mirror()

    def show_mode(self, *, holds: bool) -> None:
        """Become a button that is held, or a switch."""
        self._holds = holds
        self._mirror()

    def show_listening(self, listening: bool) -> None:
        """Show whether the microphone is open."""
        self._listening = listening
        self._mirror()

    def show_talking(self, talking: bool) -> None:
        """Show whether a question is being spoken."""
        self._talking = talking
        if not talking:
            self._held.invalidate()
        self._mirror()

    def hold(self) -> None:
        """Handle that the button, or the space key in its place, went down."""
        if not self._holds:
            return
        if self._talking:
            self.talk_ended.emit()  # it had been tapped
        else:
            self._held.start()
            self.talk_began.emit()

    def let_go(self) -> None:
        """Handle that it came up again."""
        if not self._holds:
            self.listening_toggled.emit()
        elif self._talking and self._held.isValid() and self._held.elapsed() >= TAP_MILLISECONDS:
            self.talk_ended.emit()

    def _mirror(self) -> None:
        on = self._talking if self._holds else self._listening
        role = "stop" if on else "main"
        if self.property("role") != role:
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)
        text, tip = self._words(on)
        self.setText(text)
        self.setAccessibleName(text.replace("&", ""))
        self.setAccessibleDescription(tip)
        self.setToolTip(tip)
        self.setIcon(self._on_colour("stop" if on and not self._holds else "microphone"))

    def _words(self, on: bool) -> tuple[str, str]:
        if self._holds:
            tip = self.tr("Hold this, or the space bar, while you speak. Or click, speak, and click again.")
            return (self.tr("Listening to you…") if on else self.tr("Hold to talk")), tip
        tip = self.tr("A pause ends your question. Speak over an answer to interrupt it.")
        return (self.tr("Stop listening") if on else self.tr("Start listening")), tip

    def _on_colour(self, name: str) -> QIcon:
        """Draw an icon in the colour for coloured buttons."""
        pixmap = self._theme.icon(name).pixmap(self.iconSize(), self.devicePixelRatio())
        painter = QPainter(pixmap)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(pixmap.rect(), QColor(self.palette().color(QPalette.ColorRole.BrightText)))
        painter.end()
        return QIcon(pixmap)

    def sizeHint(self) -> QSize:
        """Return the same size for every text, so that nothing beside it jumps."""
        hint = super().sizeHint()
        texts = [self._words(on)[0] for on in (False, True)]
        longest = max(self.fontMetrics().horizontalAdvance(text) for text in texts)
        own = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(hint.width() + longest - own, hint.height())
