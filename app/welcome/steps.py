"""The steps of the first run, except the choice of a model."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QIcon, QKeySequence
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.actions import Actions
from app.look.theme import RESOURCES, Theme
from app.preferences.settings import Settings
from app.sound.process_tap import needs_loopback
from app.sound.recorders import can_be_known
from app.widgets.layouts import Spacing, Stretch, in_column, in_row

LOGO_PIXELS = 64
ICON_PIXELS = 26


class FirstStep(QWidget):
    """The first step: Earshot in a few lines."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        logo = QLabel()
        logo.setPixmap(QIcon(str(RESOURCES / "earshot.svg")).pixmap(LOGO_PIXELS, LOGO_PIXELS))
        in_column(
            Stretch(1),
            (logo, 0, Qt.AlignmentFlag.AlignHCenter),
            Spacing(16),
            heading(self.tr("Welcome to Earshot"), centred=True),
            Spacing(8),
            paragraph(self.tr("Everything happens on this computer. Nothing you say leaves it."), True),
            Spacing(28),
            self._what_it_does(theme),
            Stretch(2),
            on=self,
            spacing=0,
        )

    def _what_it_does(self, theme: Theme) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(20)
        grid.setColumnStretch(1, 1)
        rows = (
            (
                "captions",
                self.tr("Live captions"),
                self.tr(
                    "Shows what is said in a meeting, a film or a recording, in the window or floating above it. "
                    "What was shown is kept at once: not even a crash loses it."
                ),
            ),
            (
                "translate",
                self.tr("Live translation"),
                self.tr(
                    "Writes another language below each caption while it is being spoken. "
                    "Words on the screen rarely change."
                ),
            ),
            (
                "microphone",
                self.tr("Both sides of a call, and dictation"),
                self.tr(
                    "Tells you apart from the others, over loudspeakers, too. Types what you say into any program, "
                    "while you speak."
                ),
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
            words = in_column(spacing=3)
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
    """The step with the microphone test."""

    def __init__(self, microphone_test: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        in_column(
            heading(self.tr("Can Earshot hear you?")),
            Spacing(8),
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
            ),
            Spacing(20),
            microphone_test,
            Stretch(1),
            on=self,
            spacing=0,
        )


class LastStep(QWidget):
    """The last step: ways to start, by hand or with a meeting.

    Signals:
        demo_wanted, captions_wanted: start the demo, or captions.
    """

    demo_wanted = Signal()
    captions_wanted = Signal()

    def __init__(self, actions: Actions, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.meetings = QCheckBox(self.tr("Offer captions when a &meeting begins"))
        self.meetings.setChecked(settings.preferences.meetings.offers)
        self.meetings.setVisible(can_be_known())
        self.meetings.toggled.connect(
            lambda on: settings.alter(lambda now: replace(now, meetings=replace(now.meetings, offers=on)))
        )
        self.demo = QPushButton(self.tr("Play the &demo"))
        self.captions = QPushButton(self.tr("&Start captions"))
        self.demo.clicked.connect(self.demo_wanted)
        self.captions.clicked.connect(self.captions_wanted)
        demo = self.tr("Two minutes of a talk, captioned while you hear it. Nothing else is needed.")
        captions = self.tr(
            "Of what your microphone hears, until you stop them. At the top of the window you can choose what the "
            "computer plays instead, or both."
        )
        column = in_column(
            Stretch(1),
            heading(self.tr("Ready")),
            Spacing(8),
            _offer(theme.icon("demo", "accent"), demo, self.demo),
            Spacing(8),
            _offer(theme.icon("microphone", "accent"), captions, self.captions),
            Spacing(8),
            self.meetings,
            Spacing(8),
            on=self,
            spacing=0,
        )
        for text, action in (
            (self.tr("{}: the overlay, captions above all other windows."), actions.overlay),
            (self.tr("{}: the history. What was said stays on this computer."), actions.history_page),
            (self.tr("{}: all shortcuts. This welcome can be opened again from the Help menu."), actions.shortcuts),
        ):
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            column.addWidget(paragraph(text.format(keys)))
            column.addSpacing(2)
        column.addStretch(2)


def _offer(icon: QIcon, text: str, button: QPushButton) -> QFrame:
    """Create a card that says what a button does."""
    card = QFrame()
    card.setProperty("role", "card")
    picture = QLabel()
    picture.setPixmap(icon.pixmap(ICON_PIXELS, ICON_PIXELS))
    button.setAccessibleDescription(text)
    in_row(picture, (paragraph(text), 1), button, on=card, margins=(16, 8, 16, 8), spacing=14)
    return card


def heading(text: str, *, centred: bool = False) -> QLabel:
    """Create a title for a step."""
    label = QLabel(text)
    font = QFont(label.font())
    font.setPointSizeF(font.pointSizeF() * 1.7)
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def paragraph(text: str, centred: bool = False) -> QLabel:
    """Create a paragraph for a step."""
    label = QLabel(text)
    label.setProperty("role", "quiet")
    label.setWordWrap(True)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
