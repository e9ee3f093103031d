"""The first run, in four steps that can all be skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QWidget

from app.actions import Actions
from app.look import interface_language
from app.look.theme import Theme, as_letters_grow
from app.preferences.settings import Settings
from app.welcome.model_step import ModelStep
from app.welcome.steps import FirstStep, LastStep, SoundStep
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.screen_room import ScreenDialog, Scrolled
from engine.models.catalogue import CatalogueEntry

_NOTHING: tuple[tuple[str, str] | None, str | None] = None, None
"""Languages and a model that were not chosen."""


class Welcome(ScreenDialog):
    """The dialog of the first run. Everything can be changed later; closed at any step, it does not come back.

    Attributes:
        models: the step that chooses the recognition model.

    Choices take effect at the end, so that one can go back and change them; those that were taken back have none.

    Signals:
        demo_wanted, captions_wanted: start the demo, or captions.
        languages_chosen: codes of the spoken language and the one to be read; see ModelStep.languages.
        model_wanted: download the model of this name, and use it for captions once it is here.
    """

    demo_wanted = Signal()
    captions_wanted = Signal()
    languages_chosen = Signal(str, str)
    model_wanted = Signal(str)

    def __init__(
        self,
        settings: Settings,
        theme: Theme,
        actions: Actions,
        microphone_test: QWidget,
        offered: Sequence[CatalogueEntry],
        best: str,
        parent: QWidget | None = None,
    ) -> None:
        """Build the dialog; `offered` are recognition models that can be downloaded, and `best` is one for here."""
        super().__init__(parent)
        self._settings = settings
        self._chosen = _NOTHING
        self.models = ModelStep(offered, best, interface_language.spoken())
        last = LastStep(actions, settings, theme)
        self._steps = QStackedWidget()
        for step in (FirstStep(theme), SoundStep(microphone_test), self.models, last):
            self._steps.addWidget(Scrolled(step))  # one by one: otherwise the longest would make all of them scroll
        self._count = QLabel()
        self._count.setProperty("role", "quiet")
        self.back = QPushButton(self.tr("&Back"))
        self.skip = QPushButton(self.tr("S&kip"))
        kept = self.skip.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # so that nothing moves at the last step
        self.skip.setSizePolicy(kept)
        self.next = QPushButton(self.tr("&Next"))
        self.next.setProperty("role", "main")
        self.next.setDefault(True)
        self._lay_out()
        self.back.clicked.connect(self._go_back)
        self.next.clicked.connect(self._go_on)
        self.skip.clicked.connect(self.reject)
        last.demo_wanted.connect(self._begin_demo)
        last.captions_wanted.connect(self._begin_captions)
        self.finished.connect(self._end)
        self._go(0)

    @property
    def step(self) -> int:
        """Index of the visible step, from 0."""
        return self._steps.currentIndex()

    def _lay_out(self) -> None:
        self.setWindowTitle(self.tr("Welcome to Earshot"))
        row = in_row(self.skip, Stretch(1), self._count, Stretch(1), self.back, self.next, spacing=10)
        in_column((self._steps, 1), row, on=self, margins=(32, 28, 32, 24), spacing=18)
        width = as_letters_grow(560)
        self.setMinimumWidth(width)
        self.resize(as_letters_grow(620), max(600, self._steps.sizeHint().height() + 130))

    def _go_on(self) -> None:
        if self.models.isVisible():
            self._chosen = self.models.languages, self.models.wanted
        if self.step == self._steps.count() - 1:
            self.accept()
        else:
            self._go(1)

    def _go_back(self) -> None:
        self._go(-1)
        if self.models.isVisible():
            self._chosen = _NOTHING  # until it is confirmed again

    def _go(self, steps: int) -> None:
        self._steps.setCurrentIndex(self.step + steps)
        last = self._steps.count() - 1
        self.back.setEnabled(self.step > 0)
        self.skip.setVisible(self.step < last)
        self.next.setText(self.tr("D&one") if self.step == last else self.tr("&Next"))
        self._count.setText(self.tr("{} of {}").format(self.step + 1, last + 1))
        self.next.setFocus()

    def _begin_demo(self) -> None:
        self.accept()
        self.demo_wanted.emit()

    def _begin_captions(self) -> None:
        self.accept()
        self.captions_wanted.emit()

    def _end(self) -> None:
        languages, model = self._chosen
        if languages is not None:
            self.languages_chosen.emit(*languages)
        if model is not None:
            self.model_wanted.emit(model)
        self._settings.alter(lambda now: replace(now, behaviour=replace(now.behaviour, welcomed=True)))
