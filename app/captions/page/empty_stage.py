"""The invitation in place of captions: what to do, in one sentence and two buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QIcon, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.actions import Actions
from app.look.theme import RESOURCES
from app.widgets.action_button import ActionButton
from app.widgets.layouts import Stretch, in_column, in_row

LOGO_PIXELS = 72
LOGO_FROM_PIXELS, PRIVACY_FROM_PIXELS, ADVICE_FROM_PIXELS, TITLE_FROM_PIXELS = 360, 300, 240, 160
"""So high is the stage where there is room for each."""


class EmptyStage(QWidget):
    """Invites to start, or, where there is no microphone, to what works without."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("empty")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.start = ActionButton(actions.start, "main")
        self.demo = ActionButton(actions.demo)
        self.open = ActionButton(actions.open_file)
        self._logo = QLabel()
        self._logo.setPixmap(QIcon(str(RESOURCES / "earshot.svg")).pixmap(LOGO_PIXELS, LOGO_PIXELS))
        title = self._title = QLabel(self.tr("Read what is being said"))
        title.setFont(_scaled(title.font(), 1.9, QFont.Weight.DemiBold))
        title.setContentsMargins(0, 0, 0, 14)  # gaps that go when they are hidden
        self._advice = QLabel()
        self._advice.setContentsMargins(0, 0, 0, 28)
        self._advice.setFont(_scaled(title.font(), 0.6, QFont.Weight.Normal))
        self._advice.setProperty("role", "quiet")
        self.other_language = QPushButton()
        self.other_language.setProperty("role", "link")
        self.other_language.hide()
        privacy = self._privacy = QLabel(self.tr("Or drop an audio file here. Nothing leaves this computer."))
        privacy.setProperty("role", "quiet")
        privacy.setContentsMargins(0, 14, 0, 0)
        self._logo.setContentsMargins(0, 0, 0, 20)
        column = in_column(Stretch(5), on=self, margins=(24, 16, 24, 16), spacing=0)
        for label in (self._logo, title, self._advice):
            column.addWidget(_centred(label))
        column.addLayout(self._row_of_buttons())
        column.addSpacing(14)
        column.addWidget(self.other_language, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(_centred(privacy))
        column.addStretch(6)
        self.advise(has_microphone=True)

    @property
    def buttons(self) -> tuple[ActionButton, ...]:
        """List the buttons, in order."""
        return self.start, self.demo, self.open

    def offer_language(self, language: str) -> None:
        """Offer models that hear a language, which the one in use does not; empty offers none."""
        self.other_language.setText(self.tr("Get a model that hears {}…").format(language))
        self.other_language.setVisible(bool(language))

    def advise(self, *, has_microphone: bool) -> None:
        """Show what to do, and offer it."""
        self.start.setVisible(has_microphone)
        self.open.setVisible(not has_microphone)
        self.demo.set_main(not has_microphone)
        self._advice.setText(
            self.tr("Start and speak: your words appear here. Or play the demo to see what it looks like.")
            if has_microphone
            else self.tr("No microphone was found. Play the demo to see what it looks like, or open an audio file.")
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        height = self.height()
        self._logo.setVisible(height >= LOGO_FROM_PIXELS)
        self._privacy.setVisible(height >= PRIVACY_FROM_PIXELS)
        self._advice.setVisible(height >= ADVICE_FROM_PIXELS)
        self._title.setVisible(height >= TITLE_FROM_PIXELS)

    def _row_of_buttons(self) -> QHBoxLayout:
        row = in_row(Stretch(), spacing=12)
        for button in self.buttons:
            row.addWidget(button)
        row.addStretch()
        return row


def _centred(label: QLabel) -> QLabel:
    # The label's alignment, not the layout's: with that one, wrapped text would not get the height it needs.
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    return label


def _scaled(font: QFont, factor: float, weight: QFont.Weight) -> QFont:
    scaled = QFont(font)
    scaled.setPointSizeF(font.pointSizeF() * factor)
    scaled.setWeight(weight)
    return scaled
