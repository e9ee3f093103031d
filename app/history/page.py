"""The history's page: everything that was said, to be searched, read, exported and erased."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from app.history.archive import Archive
from app.history.changes import Changes
from app.history.corrections import Corrections
from app.history.exports import TranscriptExports
from app.history.finding_speakers import SpeakersOfTranscript, lines_of_speaker
from app.history.history_actions import HistoryActions
from app.history.kept.audio_files import audio_folder
from app.history.records import Session, Transcript
from app.history.search import terms_of
from app.history.session_notes import SessionNotes
from app.history.session_sound import SessionSound
from app.history.session_work import SessionWork
from app.history.sessions_pane import SessionsPane
from app.history.store import HistoryStore
from app.history.transcript.transcript_lines import Line, lines_of
from app.history.transcript.transcript_pane import TranscriptPane
from app.history.transcript_playback import TranscriptPlayback, sound_of
from app.history.translating import TranscriptTranslation
from app.look.problems import in_words
from app.look.theme import Theme, caption_font
from app.notes.maker import NotesMaker
from app.preferences.preferences import USUAL_POINTS, Preferences
from app.preferences.settings import Settings
from app.transcript.glyph_watch import MissingGlyphs, words_for_missing
from app.widgets.blank import Blank
from app.widgets.known_words import KnownWords
from app.widgets.layouts import in_column

if TYPE_CHECKING:
    from app.sound.playback import Player

REFRESH_MILLISECONDS = 500
BOTH_FROM_PIXELS = 560
"""Least width for the list and the transcript side by side; on a narrower page they alternate."""

LIST_PIXELS = 290

FIRST_WORDS = 6
"""Number of first words by which one line is found among others."""


class HistoryPage(QWidget):
    """Shows an Archive.

    Attributes:
        translation: the bar of a transcript that is being translated.
        speakers: the bar of a transcript whose speakers are being found.
        commands: the page's actions.
        changes: changes to the history, which can be undone.
        exports: export of transcripts.
        sound: the sound of the shown session.
        playback: plays it, line by line.
        notes: the notes of the shown session.
        glyphs: finds what no font can show.
        corrections: corrections of the transcript's lines.
        known_words: adds words of corrections to those that Earshot knows.
        work: actions on the selected sessions.

    Signals:
        problem_found, notice_given: a sentence, and the QAction that leads out of it, several, or None.
        message_outdated: earlier messages no longer matter.
    """

    problem_found = Signal(str, object)
    notice_given = Signal(str, object)
    message_outdated = Signal()

    def __init__(
        self,
        archive: Archive,
        settings: Settings,
        theme: Theme,
        make_player: Callable[[], Player],
        maker: NotesMaker,
        notes: QAction,
        parent: QWidget | None = None,
    ) -> None:
        """Show an archive; `make_player` returns a player for the sound of sessions.

        `notes` shows and hides the notes of a session, which `maker` makes.
        """
        super().__init__(parent)
        self._archive = archive
        self._audio_folder = audio_folder(archive.path)
        self._settings = settings
        self._theme = theme
        self._transcript: Transcript | None = None
        self.glyphs = MissingGlyphs(caption_font(USUAL_POINTS))
        self._wanted: int | None = None  # the session that is shown, or about to be
        self._asked = 0  # searches so far: an answer to an older one is stale
        self._is_stale = True
        self.commands = HistoryActions(theme, self)
        self.changes = Changes(archive, self)
        self.exports = TranscriptExports(archive, self)
        self.exports.clock_times = lambda: settings.preferences.appearance.clock_times
        self.sessions = SessionsPane(theme, self.commands.keep)
        self.work = SessionWork(archive, settings, self.sessions, self.commands, self.changes, self.exports)
        self.translation = TranscriptTranslation(archive, settings)
        self.speakers = SpeakersOfTranscript(self.changes)
        self.pane = TranscriptPane(
            self.commands.back,
            (
                self.commands.copy,
                self.commands.export,
                self.commands.translate,
                notes,
                self.commands.delays,
                self.commands.rename,
                self.commands.delete,
            ),
            (self.commands.previous_hit, self.commands.next_hit),
            (self.translation, self.speakers),
            (self.commands.play, self.commands.back_5),
        )
        self.sound = SessionSound(make_player, self)
        self.playback = TranscriptPlayback(self.pane, self.commands, self.sound)
        self.notes = SessionNotes(archive, maker, self.pane.notes, self.pane.view, self)
        notes.toggled.connect(self.notes.show_pane)
        self.known_words = KnownWords(settings, self)
        self.corrections = Corrections(self.pane.view, self.commands, self.changes, self.known_words)
        self.blank = Blank(self.commands.keep)
        self.unchosen = Blank()
        self._rest = QTimer(self, singleShot=True, interval=REFRESH_MILLISECONDS)
        self._rest.timeout.connect(self.refresh)
        self._lay_out()
        self._connect()
        self.refresh_icons()
        self._show_choice()

    def refresh(self) -> None:
        """Read the sessions again; a hidden page does so when it is shown."""
        self._is_stale = True
        if not self.isVisible():
            return
        self._is_stale = False
        self._asked += 1
        asked, search = self._asked, self.sessions.search
        if self._archive.problem:
            self._show_sessions((), asked)
        else:
            self._archive.ask(lambda store: store.sessions(search), lambda found: self._show_sessions(found, asked))

    def forget_choice(self) -> None:
        """Open at the newest session next time; do nothing while the page is being read."""
        if not self.isVisible():
            self.sessions.forget_choice()
            self._choose(None)
            self._is_stale = True

    def look_for(self, text: str) -> None:
        """Search for a text."""
        self.sessions.field.setText(text)

    def show_line(self, text: str) -> None:
        """Search for a line, by its first words side by side."""
        self.look_for(f'"{" ".join(text.split()[:FIRST_WORDS])}"')

    def start_search(self) -> None:
        """Move the keyboard focus to the search field."""
        self._show_list()
        self.sessions.field.setFocus()
        self.sessions.field.selectAll()

    def choose(self, session: int) -> None:
        """Show one session."""
        self.sessions.choose(session)

    @property
    def transcript(self) -> Transcript | None:
        """Return the shown transcript."""
        return self._transcript

    def copy_text(self) -> None:
        """Copy the selected text, or else the whole transcript."""
        if self._transcript is not None:
            self.exports.copy(self._transcript, self.pane.view.selected_text)

    @property
    def _session(self) -> Session:
        assert self._transcript is not None and self._transcript.session is not None
        return self._transcript.session

    def _rename(self, name: str) -> None:
        if self._transcript is not None:
            session = self._session.id
            self._archive.write(lambda store: store.rename(session, name))

    def _show_sessions(self, found: tuple[Session, ...], asked: int) -> None:
        if asked != self._asked:
            return
        self.sessions.show_sessions(found)
        keeps = self._settings.preferences.history.keeps
        self.sessions.show_off(not keeps)
        empty = not found and not self.sessions.search
        if empty:
            self._say_why_empty(keeps)
        self._all.setCurrentWidget(self.blank if empty else self._split)
        fresh = next((each for each in found if each.id == self._wanted), None)
        shown = self._transcript.session if self._transcript is not None else None
        if fresh is not None and (shown is None or _changed(shown, fresh)):
            self._read(fresh.id)
        for label in (self.unchosen.mark, self.unchosen.text):
            label.setVisible(bool(found))
        self._choose_first(found)

    def _choose_first(self, found: tuple[Session, ...]) -> None:
        """Choose the first session if none is chosen and both sides have room."""
        if found and self._wanted is None and self.shows_both:
            self.sessions.choose(found[0].id)

    def _say_why_empty(self, keeps: bool) -> None:
        icon = self._theme.icon("history", "quiet")
        if self._archive.problem:
            self.blank.say(icon, self.tr("The history cannot be opened"), in_words(self._archive.problem), offers=False)
        elif keeps:
            text = self.tr(
                "Everything captioned, translated or answered from now on can be found here again. It stays on this "
                "computer, where only you can read it."
            )
            self.blank.say(icon, self.tr("Nothing has been said yet"), text, offers=False)
        else:
            text = self.tr("Nothing that is said is kept once it leaves the screen.")
            self.blank.say(icon, self.tr("History is off"), text)

    def _choose(self, session: Session | None) -> None:
        if session is None:
            self._wanted = self._transcript = None
            self.notes.show(None)
            self.playback.show(None, self._audio_folder)
            self._show_choice()
        elif session.id != self._wanted:
            self._wanted = session.id
            self._read(session.id)

    def _tell_translated(self, told: str) -> None:
        if self._wanted is not None:
            self._read(self._wanted)  # needed if the language stays the same: the text is another
        self.notice_given.emit(told, None)

    def _read_again(self, session: int) -> None:
        if session == self._wanted:
            self._read(session)

    def _read(self, session: int) -> None:
        self._archive.ask(lambda store: _laid_out(store, session), self._show_transcript)

    def _show_transcript(self, laid_out: tuple[Transcript, tuple[Line, ...]]) -> None:
        transcript, lines = laid_out
        session = transcript.session
        if session is None or session.id != self._wanted:
            return
        is_other = self._transcript is None or self._session.id != session.id
        self._transcript = transcript
        self._show_choice()
        if is_other:
            self.pane.look_for(())
        model = self.sessions.model
        about = model.details(session, model=self._settings.preferences.appearance.details)
        self.pane.show_session(model.title_of(session), about, self._notice_of(session), lines)
        self._show_clock()
        for character in self.glyphs.find("".join(line.text for line in lines)):
            self.problem_found.emit(words_for_missing(character), None)
        self.corrections.show(transcript)
        self.notes.show(transcript)
        self.playback.show(session, self._audio_folder)
        if is_other:
            self.pane.look_for(terms_of(self.sessions.search))

    def _notice_of(self, session: Session) -> str:
        if session.crashed:
            return self.tr("It ended unexpectedly. Everything up to then is here.")
        if session.recording and sound_of(session, self._audio_folder) is None:
            return self.tr("It cannot be played: “{}” is not there any more.").format(session.recording)
        return ""

    def _show_choice(self) -> None:
        """Adapt the actions to what is shown."""
        chosen = self._transcript is not None
        self._right.setCurrentWidget(self.pane if chosen else self.unchosen)
        commands = self.commands
        self.work.refresh()
        for action in (commands.copy, commands.rename, commands.delays):
            action.setEnabled(chosen)
        running = chosen and self._session.is_running
        spoken = self._transcript is not None and bool(self._transcript.captions)
        self.commands.translate.setEnabled(spoken and not running and not self.translation.is_busy)
        for command in (commands.correct, commands.replace, commands.mark):
            command.setEnabled(spoken and not running)
        commands.next_mark.setEnabled(self._transcript is not None and bool(self._transcript.marks))
        can_find = self._transcript is not None and bool(lines_of_speaker(self._transcript))
        has_sound = chosen and sound_of(self._session, self._audio_folder) is not None
        commands.find_speakers.setVisible(has_sound)
        commands.find_speakers.setEnabled(can_find and not self.speakers.is_busy)
        commands.split_speaker.setEnabled(has_sound and not running and not self.speakers.is_busy)

    def _find_speakers(self, speaker: str = "") -> None:
        sound = sound_of(self._session, self._audio_folder) if self._transcript is not None else None
        if self._transcript is not None and sound is not None:
            self.speakers.begin(self._transcript, sound, speaker)

    def _search(self, text: str) -> None:
        self.pane.look_for(terms_of(text))
        self.refresh()

    def _keep(self) -> None:
        self._settings.alter(lambda all: replace(all, history=replace(all.history, keeps=True)))

    def _apply_settings(self, before: Preferences, after: Preferences) -> None:
        if before.history != after.history:
            self.refresh()
        self._show_clock()
        if before.appearance.details != after.appearance.details and self._wanted is not None:
            self._read(self._wanted)

    def _show_clock(self) -> None:
        """Show times of day, if that is wanted and they are known."""
        shows = self._settings.preferences.appearance.clock_times and self._transcript is not None
        self.pane.view.show_clock(self._transcript.clock if shows and self._transcript is not None else ())

    def _note_change(self) -> None:
        if not self.isVisible():
            self._is_stale = True
        elif not self._rest.isActive():
            self._rest.start()

    @property
    def shows_both(self) -> bool:
        """Return whether the list and a transcript have room side by side."""
        return self.width() >= BOTH_FROM_PIXELS

    def _show_list(self) -> None:
        if not self.shows_both:
            self.sessions.show()
            self._right.hide()
            self.sessions.list.setFocus()

    def _show_transcript_alone(self) -> None:
        self.sessions.hide()
        self._right.show()
        self.pane.view.setFocus()

    def refresh_icons(self) -> None:
        """Load the icons in the theme's colours."""
        self.commands.refresh_icons()
        icon = self._theme.icon("history", "quiet")
        self.unchosen.say(icon, "", self.tr("Choose a session to read it."))
        self.unchosen.title.hide()
        self.pane.view.restyle(self._theme.icon("rename", "quiet"))

    def _lay_out(self) -> None:
        self._right = QStackedWidget()
        self._right.addWidget(self.unchosen)
        self._right.addWidget(self.pane)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.sessions)
        self._split.addWidget(self._right)
        self._split.setStretchFactor(0, 0)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([LIST_PIXELS, 3 * LIST_PIXELS])
        self.sessions.setMinimumWidth(220)
        self._all = QStackedWidget()
        self._all.addWidget(self._split)
        self._all.addWidget(self.blank)
        in_column(self._all, on=self, margins=0)
        self.setMinimumSize(QSize(280, 280))

    def _connect(self) -> None:
        self.commands.copy.triggered.connect(self.copy_text)
        self.commands.open.triggered.connect(self._open)
        self.commands.open.triggered.connect(self.pane.view.setFocus)
        self.commands.translate.triggered.connect(lambda: self._transcript and self.translation.ask(self._transcript))
        self.translation.finished.connect(self._tell_translated)
        self.translation.failed.connect(lambda text: self.problem_found.emit(text, None))
        self.translation.busy_changed.connect(self._show_choice)
        self.commands.find_speakers.triggered.connect(lambda: self._find_speakers())
        self.commands.split_speaker.triggered.connect(lambda: self._find_speakers(self.commands.split_speaker.data()))
        self.speakers.finished.connect(lambda text: self.notice_given.emit(text, None))
        self.speakers.failed.connect(lambda text: self.problem_found.emit(text, None))
        self.speakers.busy_changed.connect(self._show_choice)
        self.commands.rename.triggered.connect(self._ask_for_name)
        self.commands.delays.toggled.connect(self.pane.view.show_delays)
        self.commands.back.triggered.connect(self._show_list)
        self.commands.next_hit.triggered.connect(self.pane.view.go_to_next_hit)
        self.commands.previous_hit.triggered.connect(self.pane.view.go_to_previous_hit)
        self.commands.undo.triggered.connect(self.changes.undo)
        self.changes.made.connect(
            lambda text: self.notice_given.emit(text, (*self.corrections.offered, self.commands.undo))
        )
        self.changes.undone.connect(self.message_outdated)
        self.changes.restored.connect(self.sessions.choose_later)
        self.changes.corrected.connect(self._read_again)
        self.changes.joined.connect(lambda session: self.sessions.choose_later((session,)))
        self.exports.done.connect(lambda text: self.notice_given.emit(text, None))
        self.corrections.editor.left.connect(self.playback.skip_click)
        self.sound.failed.connect(lambda text: self.problem_found.emit(text, None))
        self.corrections.notice_given.connect(self.notice_given)
        self.notes.problem_found.connect(lambda text: self.problem_found.emit(text, None))
        self.known_words.notice_given.connect(self.notice_given)
        self.known_words.problem_found.connect(self.problem_found)
        self.commands.keep.triggered.connect(self._keep)
        self.sessions.searched.connect(self._search)
        self.sessions.chosen.connect(self._choose)
        self.sessions.opened.connect(self._open)
        self.work.refused.connect(lambda text: self.problem_found.emit(text, None))
        self.pane.renamed.connect(self._rename)
        self._archive.changed.connect(self._note_change)
        self._settings.changed.connect(self._apply_settings)
        self._theme.changed.connect(self.refresh_icons)

    def _open(self) -> None:
        """Show the transcript of the chosen session."""
        if not self.shows_both:
            self._show_transcript_alone()

    def _ask_for_name(self) -> None:
        if not self.shows_both:
            self._show_transcript_alone()
        self.pane.header.rename()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._rest.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        both = self.shows_both
        self.pane.header.show_back(not both)
        if both:
            self.sessions.show()
            self._right.show()
        elif not self.sessions.isHidden() and not self._right.isHidden():
            self._right.hide()


def _laid_out(store: HistoryStore, session: int) -> tuple[Transcript, tuple[Line, ...]]:
    transcript = store.transcript(session)
    return transcript, lines_of(transcript)


def _changed(shown: Session, fresh: Session) -> bool:
    """Return whether a session has more to read than is shown."""
    return replace(shown, hits=0, found="") != replace(fresh, hits=0, found="")
