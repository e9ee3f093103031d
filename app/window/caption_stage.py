"""The middle of the window: the invitation to start, or the captions with a way back to the newest."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.actions import Actions
from app.captions.caption_model import CaptionModel
from app.captions.caption_view import CaptionView
from app.window.action_button import ActionButton
from app.window.empty_stage import EmptyStage

MARGIN_PIXELS = 22


class CaptionStage(QStackedWidget):
    """Shows one of the two."""

    def __init__(self, model: CaptionModel, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stage")
        self.empty = EmptyStage(actions)
        self.captions = CaptionView(model)
        self.newest = ActionButton(actions.newest, "floating", self.captions)
        self.newest.hide()
        self.addWidget(self.empty)
        self.addWidget(self.captions)
        self.captions.following_changed.connect(self._offer_newest)
        actions.newest.triggered.connect(self.captions.jump_to_newest)

    @property
    def is_empty(self) -> bool:
        return self.currentWidget() is self.empty

    def show_captions(self, show: bool) -> None:
        self.setCurrentWidget(self.captions if show else self.empty)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_newest()

    def _offer_newest(self, following: bool) -> None:
        if following and self.newest.hasFocus():
            self.captions.setFocus()
        self.newest.setVisible(not following)
        self._place_newest()

    def _place_newest(self) -> None:
        self.newest.adjustSize()
        left = (self.width() - self.newest.width()) // 2
        self.newest.move(left, self.height() - self.newest.height() - MARGIN_PIXELS)
        self.newest.raise_()
