"""The steps of the first run but for the choice of a model."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QIcon, QKeySequence
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.actions import Actions
from app.look.theme import RESOURCES, Theme
from app.sound.process_tap import needs_loopback

LOGO_PIXELS = 64
ICON_PIXELS = 26


class FirstStep(QWidget):
    """The first step: Earshot in three lines."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        logo = QLabel()
        logo.setPixmap(QIcon(str(RESOURCES / "earshot.svg")).pixmap(LOGO_PIXELS, LOGO_PIXELS))
        column = QVBoxLayout(self)
        column.setSpacing(0)
        column.addStretch(1)
        column.addWidget(logo, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(16)
        column.addWidget(heading(self.tr("Welcome to Earshot"), centred=True))
        column.addSpacing(8)
        column.addWidget(paragraph(self.tr("Everything happens on this computer. Nothing you say leaves it."), True))
        column.addSpacing(28)
        column.addLayout(self._what_it_does(theme))
        column.addStretch(2)

    def _what_it_does(self, theme: Theme) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(20)
        grid.setColumnStretch(1, 1)
        rows = (
            (
                "captions",
                self.tr("Live captions"),
                self.tr("Shows what is said in a meeting, a film or a recording, in the window or floating above it."),
            ),
            (
                "translate",
                self.tr("Live translation"),
                self.tr("Writes another language below each caption while it is being spoken."),
            ),
            (
                "assistant",
                self.tr("A voice assistant"),
                self.tr("Answers your questions, and often starts before you finish."),
            ),
        )
        for row, (icon, title, text) in enumerate(rows):
            picture = QLabel()
            picture.setPixmap(theme.icon(icon, "accent").pixmap(ICON_PIXELS, ICON_PIXELS))
            words = QVBoxLayout()
            words.setSpacing(3)
            name = QLabel(title)
            font = QFont(name.font())
            font.setWeight(QFont.Weight.DemiBold)
            name.setFont(font)
            words.addWidget(name)
            words.addWidget(paragraph(text))
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addLayout(words, row, 1)
        return grid


class SoundStep(QWidget):
    """The step that shows whether Earshot hears."""

    def __init__(self, microphone_test: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setSpacing(0)
        column.addWidget(heading(self.tr("Can Earshot hear you?")))
        column.addSpacing(8)
        column.addWidget(
            paragraph(
                self.tr(
                    "Say something and watch the level. If the system asks whether Earshot may use the microphone, "
                    "allow it."
                )
                + " "
                + (
                    self.tr("Without a microphone you can caption files.")
                    if needs_loopback()
                    else self.tr("Without a microphone you can caption files, and what this computer plays.")
                )
            )
        )
        column.addSpacing(20)
        column.addWidget(microphone_test)
        column.addStretch(1)


class LastStep(QWidget):
    """The last step: where to begin.

    Signals:
        demo_wanted, captions_wanted: what was chosen.
    """

    demo_wanted = Signal()
    captions_wanted = Signal()

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.demo = QPushButton(self.tr("Play the &demo"))
        self.captions = QPushButton(self.tr("&Start captions"))
        self.demo.clicked.connect(self.demo_wanted)
        self.captions.clicked.connect(self.captions_wanted)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.demo)
        row.addWidget(self.captions)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(0)
        column.addWidget(heading(self.tr("Ready")))
        column.addSpacing(8)
        column.addWidget(
            paragraph(self.tr("Play a recording and watch the captions, or caption what you hear right now."))
        )
        column.addSpacing(20)
        column.addLayout(row)
        column.addSpacing(28)
        for text, action in (
            (self.tr("{}: the overlay, captions above all other windows."), actions.overlay),
            (self.tr("{}: the history. What was said stays on this computer."), actions.history_page),
            (self.tr("{}: all shortcuts. This welcome can be opened again from the Help menu."), actions.shortcuts),
        ):
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            column.addWidget(paragraph(text.format(keys)))
            column.addSpacing(6)
        column.addStretch(1)


def heading(text: str, *, centred: bool = False) -> QLabel:
    """A title of a step."""
    label = QLabel(text)
    font = QFont(label.font())
    font.setPointSizeF(font.pointSizeF() * 1.7)
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def paragraph(text: str, centred: bool = False) -> QLabel:
    """Text of a step."""
    label = QLabel(text)
    label.setProperty("role", "quiet")
    label.setWordWrap(True)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
