"""The dialog of the diagnosis: one card for each finding."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.look.theme import Theme
from app.silence.silence import LISTEN_SECONDS, Circumstances, Finding
from app.silence.silence_card import SilenceCard
from app.silence.silence_watch import Examination
from app.widgets.layouts import Spacing, Stretch, in_column, in_row
from app.widgets.screen_room import ScreenDialog

TICK_MILLISECONDS = 50


class SilenceDialog(ScreenDialog):
    """Runs the diagnosis on request, and shows its findings.

    Attributes:
        cards: cards of the findings, the likeliest first.
        examination: the running diagnosis.

    Signals:
        device_chosen: use this input instead: its name.
        restart_wanted: restart the engine.
    """

    device_chosen = Signal(str)
    restart_wanted = Signal()

    def __init__(
        self,
        circumstances: Callable[[], Circumstances],
        theme: Theme,
        parent: QWidget | None = None,
        seconds: float = LISTEN_SECONDS,
    ) -> None:
        """Prepare the dialog; `circumstances` returns what is known at the time; inputs are recorded for `seconds`."""
        super().__init__(parent)
        self.cards: tuple[SilenceCard, ...] = ()
        self._circumstances = circumstances
        self._theme = theme
        self.examination = Examination(self, seconds)
        self.examination.found.connect(self._show)
        self.examination.listening_begun.connect(self._count)
        self._clock = QElapsedTimer()
        self._tick = QTimer(self, interval=TICK_MILLISECONDS)
        self._tick.timeout.connect(self._advance)
        self._heading = QLabel(self.tr("Why is nothing being captioned?"))
        self._heading.setProperty("role", "title")
        self._state = QLabel()
        self._state.setProperty("role", "quiet")
        self._progress = QProgressBar()
        self._progress.setAccessibleName(self.tr("Listening"))
        self.again = QPushButton(self.tr("Check &again"))
        self.again.clicked.connect(self.look)
        self.close_button = QPushButton(self.tr("&Close"))
        self.close_button.clicked.connect(self.reject)
        self._lay_out()

    def _lay_out(self) -> None:
        self.setWindowTitle(self.tr("Why is it silent?"))
        self.resize(QSize(560, 480))
        self.setMinimumSize(QSize(360, 320))
        for label in (self._heading, self._state):
            label.setWordWrap(True)
        self._list = QWidget()
        self._list.setProperty("role", "page")
        self._column = in_column(Stretch(), on=self._list, margins=0, spacing=10)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._list)
        buttons = in_row(self.again, Stretch(), self.close_button)
        column = in_column(
            self._heading,
            self._state,
            self._progress,
            Spacing(6),
            (area, 100),
            Stretch(1),
            on=self,
            margins=(24, 20, 24, 18),
            spacing=8,
        )
        self._area = area
        area.hide()  # an empty area would show the frame of its focus as a line
        column.addSpacing(6)
        column.addLayout(buttons)

    @Slot()
    def look(self) -> None:
        """Start the diagnosis."""
        self._clear()
        self.again.setEnabled(False)
        self.examination.start(self._circumstances())

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the diagnosis, so that every input is closed."""
        self.examination.stop(wait_seconds=1.0)
        self._tick.stop()
        super().hideEvent(event)

    def _clear(self) -> None:
        for card in self.cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = ()
        self._area.hide()

    @Slot(float)
    def _count(self, seconds: float) -> None:
        if sys.platform == "darwin":
            self._say(self.tr("Listening for a moment. Say something."))
        else:
            self._say(self.tr("Listening to every input for a moment. Say something."))
        self._progress.setRange(0, round(seconds * 1000))
        self._progress.setValue(0)
        self._progress.show()
        self._clock.start()
        self._tick.start()

    def _advance(self) -> None:
        self._progress.setValue(min(self._clock.elapsed(), self._progress.maximum()))

    @Slot(object)
    def _show(self, findings: object) -> None:
        assert isinstance(findings, tuple)
        self._tick.stop()
        self._progress.hide()
        self.again.setEnabled(True)
        self._clear()
        self.cards = tuple(self._card(finding) for finding in findings)
        for place, card in enumerate(self.cards):
            self._column.insertWidget(place, card)
        self._area.show()
        self._say(self.tr("Possible causes, most likely first:"))
        QAccessible.updateAccessibility(
            QAccessibleAnnouncementEvent(self, " ".join(card.accessibleName() for card in self.cards))
        )
        remedies = [card.remedy for card in self.cards if card.remedy is not None]
        (remedies[0] if remedies else self.again).setFocus()

    def _card(self, finding: Finding) -> SilenceCard:
        card = SilenceCard(finding, self._theme)
        card.remedied.connect(self.look)
        card.restart_wanted.connect(self.restart_wanted)
        card.restart_wanted.connect(self.accept)
        card.device_chosen.connect(self.device_chosen)
        card.device_chosen.connect(self.accept)
        return card

    def _say(self, text: str) -> None:
        self._state.setText(text)
