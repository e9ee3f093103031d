"""The right side of the history: one session, to be read, copied, exported, renamed or deleted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QWidget

from app.history.search import Term
from app.history.transcript.session_header import SessionHeader
from app.history.transcript.sound_bar import SoundBar
from app.history.transcript.transcript_lines import Line
from app.history.transcript.transcript_view import TranscriptView
from app.notes.notes_pane import NotesPane, WithNotes
from app.widgets.action_button import ActionButton
from app.widgets.layouts import in_column, in_row


class TranscriptPane(QWidget):
    """Shows a transcript.

    Signals:
        renamed: the name that a person has typed.
    """

    renamed = Signal(str)

    def __init__(
        self,
        back: QAction,
        actions: Sequence[QAction],
        hits: Sequence[QAction],
        bars: Sequence[QWidget],
        sound: Sequence[QAction],
    ) -> None:
        """Show transcripts; `bars` appear above the text during work on it.

        `sound` are the actions that play and that go back a little.
        """
        super().__init__()
        self.header = SessionHeader(back, actions)
        self.view = TranscriptView()
        self.notes = NotesPane()
        self.view.addActions(sound)
        self.sound = SoundBar(*sound)
        self.hits = QWidget()
        self.count = QLabel()
        self.count.setProperty("role", "small")
        self.hit_buttons = tuple(ActionButton(action, "flat") for action in hits)
        row = in_row((self.count, 1), on=self.hits, margins=(20, 4, 12, 4), spacing=2)
        for button in self.hit_buttons:
            button.set_compact(True)
            row.addWidget(button)
        middle = WithNotes(self.view, self.notes)
        in_column(self.header, self.hits, *bars, (middle, 1), self.sound, on=self, margins=0, spacing=0)
        self.hits.hide()
        self.header.renamed.connect(self.renamed)
        self.view.hits_changed.connect(self._show_hits)

    def show_session(self, title: str, about: str, notice: str, lines: Sequence[Line]) -> None:
        """Show the lines and the header of a session."""
        self.header.show_session(title, about, notice)
        self.view.show_lines(lines)

    def look_for(self, terms: Sequence[Term]) -> None:
        """Mark the terms of a search."""
        self.hits.setVisible(bool(terms))
        self.view.look_for(terms)

    def _show_hits(self, current: int, count: int) -> None:
        text = self.tr("{} of {}").format(current, count) if count else self.tr("Not in this text")
        self.count.setText(text)
        for button in self.hit_buttons:
            button.action.setEnabled(count > 1)
