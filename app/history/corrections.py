"""Corrections and marks of a kept transcript's lines by hand."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.history.changes import Changes
from app.history.history_actions import HistoryActions
from app.history.records import Transcript
from app.history.transcript.line_editor import LineEditor
from app.history.transcript.transcript_lines import Line, LineOrigin
from app.history.transcript.transcript_view import TranscriptView
from app.preferences.vocabulary import corrected_words
from app.transcript.replace_dialog import ReplaceDialog
from app.transcript.replacing import Replacement
from app.transcript.speaker_dialog import SpeakerDialog, first_names, renamed
from app.widgets.known_words import KnownWords


class Corrections(QObject):
    """The menu of a line in a TranscriptView, its correction and its mark.

    Attributes:
        editor: edits a line.
        offered: actions that go with the change that is being made: new words to know.

    Signals:
        notice_given: a sentence, and the QAction for the next step.
    """

    notice_given = Signal(str, object)

    def __init__(
        self, view: TranscriptView, commands: HistoryActions, changes: Changes, known_words: KnownWords
    ) -> None:
        super().__init__(view)
        self.editor = LineEditor(view)
        self.offered: tuple[QAction, ...] = ()
        self._view = view
        self._commands = commands
        self._changes = changes
        self._known_words = known_words
        self._transcript = Transcript()
        self._edited: tuple[int, Line] | None = None  # its place, and how it was
        view.double_clicked.connect(self.begin)
        view.menu_wanted.connect(self.open_menu)
        view.moved.connect(self._follow)
        self.editor.saved.connect(self._save)
        commands.replace.triggered.connect(self.ask_to_replace)
        commands.mark.triggered.connect(lambda: self.mark(view.textCursor().blockNumber()))
        commands.next_mark.triggered.connect(view.go_to_next_mark)
        commands.correct.triggered.connect(lambda: self.begin(view.textCursor().blockNumber()))

    def show(self, transcript: Transcript) -> None:
        """Correct lines of this transcript, which the view shows, from now on."""
        self._transcript = transcript
        if self._edited is not None and self._view.line(self._edited[0]) != self._edited[1]:
            self.editor.leave()
        self._follow()

    def begin(self, place: int, at: int = -1) -> None:
        """Edit a line, with the word selected at a position of its text; with all of it at -1."""
        line = self._view.line(place)
        if line is None or not self._may_correct(line):
            return
        self._edited = place, line
        at = max(at - line.named, 0) if at >= 0 else at
        self.editor.open(self._said(line), self._view.place_of(place), self._view.style_of(place), at)

    def open_menu(self, place: int, where: QPoint) -> None:
        """Open the menu of a line."""
        self.menu(place).popup(where)

    def menu(self, place: int) -> QMenu:
        """Make the menu of a line; it is deleted when it closes."""
        line = self._view.line(place)
        menu = QMenu(self._view.window())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._commands.copy.text(), lambda: self._copy(line))
        if line is not None and line.voice is LineOrigin.SPOKEN:
            menu.addSeparator()
            correct = menu.addAction(self._commands.correct.text(), lambda: self.begin(place))
            correct.setEnabled(self._may_correct(line))
            speaker = menu.addAction(self.tr("&Speaker…"), lambda: self.ask_for_speaker(place))
            speaker.setEnabled(self._may_correct(line))
            if name := self._speaker(line):
                menu.addAction(self._commands.to_split(name))
            marked = self.tr("Remove the &mark") if line.marked else self._commands.mark.text()
            menu.addAction(marked, lambda: self.mark(place))
            menu.addAction(self._commands.replace)
            if line.heard:
                menu.addActions(self._known_words.actions(corrected_words(line.heard, self._said(line))))
                menu.addAction(self.tr("Show &original"), lambda: self._show_original(line))
                menu.addAction(self.tr("Restore or&iginal"), lambda: self._restore(line))
        return menu

    def ask_to_replace(self) -> ReplaceDialog:
        """Open a dialog for words to be replaced in all lines that were said."""
        texts = [each.text for each in self._transcript.captions]
        dialog = ReplaceDialog(texts, self._view.selected_text, self._view.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.replace)
        dialog.open()
        return dialog

    def replace(self, replacement: Replacement) -> None:
        """Replace words in all lines that were said."""
        captions, session, heard = self._transcript.captions, self._transcript.session, self._transcript.heard
        count = replacement.count(each.text for each in captions)
        changed = {each.id: new for each in captions if (new := replacement.applied(each.text)) != each.text and new}
        before = {each.id: each.text if each.id in heard else None for each in captions if each.id in changed}
        if session is not None and changed:
            self._changes.correct_several(session.id, changed, before, self.tr("Replaced: {}").format(count))

    def mark(self, place: int) -> None:
        """Mark the line at a place, or remove its marks."""
        line, session = self._view.line(place), self._transcript.session
        if line is None or line.seconds is None or session is None:
            return
        before = self._transcript.marks
        if line.marked:
            marks = [each for each in before if replace(self._transcript, marks=(each,)).marked != {line.caption}]
            told = self.tr("The mark was removed.")
        else:
            marks = sorted((*before, line.seconds))
            told = self.tr("The line was marked.")
        self._changes.mark(session.id, marks, before, told)

    def ask_for_speaker(self, place: int) -> SpeakerDialog:
        """Open a dialog for the speaker of the selected lines, or of the line at a place."""
        lines = [self._view.line(each) for each in self._view.places_meant(place)]
        meant = {line.caption for line in lines if line is not None}
        captions = self._transcript.captions
        present = [each.speaker for each in captions if each.id in meant]
        speakers, unnamed = [each.speaker for each in captions], set(present) <= first_names()
        dialog = SpeakerDialog(speakers, present, self._view.window(), everywhere=unnamed)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda name, everywhere: self._name_speakers(meant, name, everywhere))
        dialog.open()
        return dialog

    def _name_speakers(self, meant: Collection[int | None], name: str, everywhere: bool) -> None:
        session, captions = self._transcript.session, self._transcript.captions
        speakers = {each.speaker for each in captions if each.id in meant}
        named = [each for each in captions if each.id in meant or (everywhere and each.speaker in speakers)]
        before = {each.id: each.speaker for each in named}
        if session is not None and named:
            self.offered = self._known_words.actions([name] if name else [])
            self._changes.name_speakers(session.id, dict.fromkeys(before, name), before, renamed(name, len(named)))
            self.offered = ()

    def _copy(self, line: Line | None) -> None:
        """Copy the selected text, or else the line."""
        selected = self._view.selected_text
        QGuiApplication.clipboard().setText(selected or (line.text.replace("\N{NO-BREAK SPACE}", " ") if line else ""))

    def _may_correct(self, line: Line) -> bool:
        session = self._transcript.session
        return line.voice is LineOrigin.SPOKEN and session is not None and not session.is_running

    def _speaker(self, line: Line) -> str:
        return next((each.speaker for each in self._transcript.captions if each.id == line.caption), "")

    def _said(self, line: Line) -> str:
        return next((each.text for each in self._transcript.captions if each.id == line.caption), "")

    def _save(self, text: str) -> None:
        edited, self._edited = self._edited, None
        if edited is None or not text or text == self._said(edited[1]):
            return
        self.offered = self._known_words.actions(corrected_words(self._said(edited[1]), text))
        self._put(edited[1], text, self.tr("The line was corrected."))
        self.offered = ()

    def _restore(self, line: Line) -> None:
        self._put(line, None, self.tr("The original was restored."))

    def _show_original(self, line: Line) -> None:
        restore = QAction(self.tr("Restore or&iginal"), self)
        restore.triggered.connect(lambda: self._restore(line))
        self.notice_given.emit(self.tr("Heard: “{}”").format(line.heard), restore)

    def _put(self, line: Line, text: str | None, notice: str) -> None:
        session = self._transcript.session
        if session is not None and line.caption is not None:
            before = self._said(line) if line.heard else None
            self._changes.correct(session.id, line.caption, text, before, notice)

    def _follow(self) -> None:
        if self._edited is not None and not self.editor.isHidden():
            self.editor.move_to(self._view.place_of(self._edited[0]))
