"""All measured figures in one place, from which charts read them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal

from app.assistant.turn_figures import ANSWER_ACCEPTANCE, ENDPOINT, FIRST_SOUND, PREMADE
from app.captions.figures import (
    CAPTION_ACCEPTANCE,
    CAPTION_ERASURE,
    REAL_TIME_FACTOR,
    TRANSLATION_ACCEPTANCE,
    TRANSLATION_ERASURE,
    WORD_LATENCY,
    Sample,
)
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.series import Series


class FigureUnit(Enum):
    """The unit of a figure."""

    SECONDS = auto()
    FACTOR = auto()
    SHARE = auto()


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured quantity.

    Attributes:
        name: its name in a Sample.
        most: most values that are drawn.
        whole: whether it is a share that is never above 1.
        once: whether it is yes or no, once per turn, so that its mean says more than its median.
    """

    name: str
    unit: FigureUnit
    most: int = 90
    whole: bool = False
    once: bool = False


_TURNS = 20
HEARING = (
    Figure(WORD_LATENCY, FigureUnit.SECONDS),
    Figure(REAL_TIME_FACTOR, FigureUnit.FACTOR),
    Figure(CAPTION_ERASURE, FigureUnit.SHARE),
    Figure(CAPTION_ACCEPTANCE, FigureUnit.SHARE, whole=True),
)
SPEED = HEARING[:2]
TRANSLATION = (
    Figure(TRANSLATION_ERASURE, FigureUnit.SHARE),
    Figure(TRANSLATION_ACCEPTANCE, FigureUnit.SHARE, whole=True),
)
ASSISTANT = (
    Figure(FIRST_SOUND, FigureUnit.SECONDS, _TURNS),
    Figure(ENDPOINT, FigureUnit.SECONDS, _TURNS),
    Figure(ANSWER_ACCEPTANCE, FigureUnit.SHARE, _TURNS, whole=True),
    Figure(PREMADE, FigureUnit.SHARE, _TURNS, whole=True, once=True),
)


class FigureBoard(QObject):
    """Stores the newest values of every figure.

    Attributes:
        series: series by name of the figure.

    Signals:
        updated: the name of a figure that has a new value, or whose comparison was restarted.
    """

    updated = Signal(str)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.series = {
            figure.name: Series(figure.most, statistics.fmean if figure.once else statistics.median)
            for figure in (*HEARING, *TRANSLATION, *ASSISTANT)
        }
        settings.changed.connect(self._note_change)

    def add(self, sample: Sample) -> None:
        """Add a value; figures that are not drawn are ignored."""
        series = self.series.get(sample.figure)
        if series is not None:
            series.add(sample.value)
            self.updated.emit(sample.figure)

    def _note_change(self, before: Preferences, after: Preferences) -> None:
        for figure in _touched(before, after):
            self.series[figure.name].note_change()
            self.updated.emit(figure.name)


def _touched(before: Preferences, after: Preferences) -> tuple[Figure, ...]:
    """Return the figures that a change may affect."""
    touched: tuple[Figure, ...] = ()
    if (before.captions, before.threads, before.models.hearing) != (
        after.captions,
        after.threads,
        after.models.hearing,
    ):
        touched += HEARING
    if before.translation_choice != after.translation_choice:
        touched += TRANSLATION
    if (before.assistant, before.models.assistant) != (after.assistant, after.models.assistant):
        touched += ASSISTANT
    return touched
