"""Size of the captions, and the actions that change it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from app.actions import Actions
from app.preferences.preferences import LEAST_POINTS, MOST_POINTS, USUAL_POINTS
from app.preferences.settings import Settings

STEP_FACTOR = 1.15


class TextSize(QObject):
    """Changes the preference by the actions for larger, smaller and usual text."""

    def __init__(self, actions: Actions, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        actions.larger.triggered.connect(lambda: self._set_points(self.points * STEP_FACTOR))
        actions.smaller.triggered.connect(lambda: self._set_points(self.points / STEP_FACTOR))
        actions.usual_size.triggered.connect(lambda: self._set_points(USUAL_POINTS))

    @property
    def points(self) -> float:
        """Return how large they are now."""
        return self._settings.preferences.appearance.points

    def _set_points(self, points: float) -> None:
        points = min(max(points, LEAST_POINTS), MOST_POINTS)
        self._settings.alter(lambda now: replace(now, appearance=replace(now.appearance, points=points)))
