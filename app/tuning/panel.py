"""The tuning panel: the important settings, each beside a chart of its effect."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QTabWidget, QVBoxLayout, QWidget

from app.captions.figures import Sample
from app.look.theme import Theme, as_letters_grow
from app.preferences.changes import usual_assistant, usual_hearing
from app.preferences.settings import Settings
from app.tuning.board import ASSISTANT, HEARING, FigureBoard
from app.tuning.comparison_dialog import ComparisonDialog
from app.tuning.section import MARGIN_PIXELS, Section
from app.tuning.threads_section import ThreadsSection
from app.tuning.translation_section import TranslationSection
from app.widgets.action_button import ActionButton
from app.widgets.editors import Editors
from app.widgets.layouts import in_row

LEAST_PIXELS, USUAL_PIXELS = 300, 370
_TIGHT_TABS = "QTabBar::tab { padding: 8px 6px; margin: 0 1px; }"  # four of them fit in the least width


class TuningPages(QTabWidget):
    """A page for each tunable part."""

    def __init__(self, settings: Settings, board: FigureBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        editors = Editors()
        self.hearing = Section(settings, board, HEARING, usual_hearing)
        self.translation = TranslationSection(settings, board)
        self.assistant = Section(settings, board, ASSISTANT, usual_assistant)
        self.threads = ThreadsSection(settings, board)
        for section, its in ((self.hearing, editors.hearing()), (self.assistant, editors.assistant())):
            section.add_rows(each.stacked(settings) for each in its)
            section.finish()
        bar = self.tabBar()
        for tabs in (self, bar):
            tabs.setAccessibleName(self.tr("What to tune"))
        self.setDocumentMode(True)
        bar.setExpanding(False)
        bar.setUsesScrollButtons(False)
        bar.setElideMode(Qt.TextElideMode.ElideRight)
        bar.setStyleSheet(_TIGHT_TABS)
        for page, name in (
            (self.hearing, self.tr("Hearing")),
            (self.translation, self.tr("Translation")),
            (self.assistant, self.tr("Assistant")),
            (self.threads, self.tr("Threads")),
        ):
            self.addTab(page, name)


class TuningPanel(QFrame):
    """Shows and changes Settings, and draws measured figures.

    Figures are collected from the start; the pages are created when they are first requested or shown, so that the
    window need not wait for them.

    Attributes:
        board: the figures.
        comparison: the dialog that compares a recording; None before it was requested.

    Signals:
        profiled: a new profile of threads is stored; it holds from the next time the engine reads it.
        closed: the user closed the panel.
    """

    profiled = Signal()
    closed = Signal()

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "side")
        self.setMinimumWidth(as_letters_grow(LEAST_PIXELS))
        self.setAccessibleName(self.tr("Tuning"))
        self.board = FigureBoard(settings, self)
        self.comparison: ComparisonDialog | None = None
        self._pages: TuningPages | None = None
        self._theme = theme
        self._settings = settings
        self._recording = False
        self._compare = QAction(self.tr("Compare…"), self)
        self._compare.triggered.connect(self.compare)
        self._close = QAction(self.tr("Close tuning"), self)
        self._close.triggered.connect(self.closed)
        self.compare_button = ActionButton(self._compare, "flat")
        self.close_button = ActionButton(self._close, "flat")
        self.close_button.set_compact(True)
        self._column = QVBoxLayout(self)
        self._lay_out()
        theme.changed.connect(self._refresh_icons)
        self._refresh_icons()

    @property
    def pages(self) -> TuningPages:
        """Pages of the tunable parts."""
        if self._pages is None:
            self._pages = TuningPages(self._settings, self.board)
            self._pages.threads.profile.profiled.connect(self.profiled)
            self._pages.threads.profile.set_recording(self._recording)
            self._column.addWidget(self._pages, 1)
        return self._pages

    def add_figure(self, sample: Sample) -> None:
        """Add a measured value."""
        self.board.add(sample)

    def set_recording(self, recording: bool) -> None:
        """Set whether captions are being made."""
        self._recording = recording
        if self._pages is not None:
            self._pages.threads.profile.set_recording(recording)
        if self.comparison is not None:
            self.comparison.set_recording(recording)

    def compare(self) -> None:
        """Open the dialog that compares the published settings and the present ones on a recording."""
        if self.comparison is None:
            self.comparison = ComparisonDialog(self._settings, self.window())
            self.comparison.set_recording(self._recording)
        self.comparison.show()
        self.comparison.activateWindow()

    def shut_down(self) -> None:
        """Stop all processes."""
        if self._pages is not None:
            self._pages.threads.profile.run.cancel()
        if self.comparison is not None:
            self.comparison.run.cancel()

    def sizeHint(self) -> QSize:
        return QSize(as_letters_grow(USUAL_PIXELS), super().sizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        self.pages.show()
        super().showEvent(event)

    def _lay_out(self) -> None:
        title = QLabel(self.tr("Tuning"))
        title.setProperty("role", "heading")
        header = in_row((title, 1), self.compare_button, self.close_button, margins=(MARGIN_PIXELS, 10, 8, 4))
        self._column.setContentsMargins(1, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(header)
        self.setMinimumWidth(max(self.minimumWidth(), self._column.minimumSize().width()))

    def _refresh_icons(self) -> None:
        self._close.setIcon(self._theme.icon("close"))
