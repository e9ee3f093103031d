"""The page of live captions: what to listen to, what is being said, and what to do with it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.captions.page.caption_corrections import CaptionCorrections
from app.captions.page.caption_stage import CaptionStage
from app.captions.page.edits import Edits
from app.captions.page.header_bar import HeaderBar
from app.captions.page.live_notes import LiveNotes
from app.captions.page.slowness import Slowness
from app.captions.page.source_picker import SourcePicker
from app.captions.page.speaker_names import SpeakerNames
from app.captions.page.text_size import TextSize
from app.captions.page.translation_chooser import TranslationChooser
from app.captions.page.transport_bar import TransportBar
from app.captions.session import LiveSession, State, Status
from app.history.export.export_dialog import ExportDialog
from app.history.records import Transcript
from app.look import interface_language
from app.look.language_names import language_name
from app.look.problems import in_words
from app.look.theme import Theme, caption_font
from app.models.uses import title_of, unheard_language
from app.notes.maker import NotesMaker
from app.notes.notes_pane import NotesPane, WithNotes
from app.preferences.preferences import USUAL_POINTS, Preferences
from app.preferences.settings import Settings
from app.sound.audio_sources import AudioFile, Source
from app.sound.recording_length import LengthSearch
from app.transcript.glyph_watch import GlyphWatch, words_for_missing
from app.transcript.place_mark import TextPosition
from app.widgets.known_words import KnownWords
from app.widgets.layouts import in_column
from app.widgets.open_audio import ask_for_audio
from engine.events import Caption, Translation
from engine.process.messages import Ready


class CaptionsPage(QWidget):
    """Shows a LiveSession.

    Attributes:
        demo: the recording that the demo plays.
        glyph_watch: finds captions that no font can show.

    Signals:
        export_chosen: a Path, a Transcript, and the ExportChoice of how to write it.
        problem_found, notice_given: a sentence, and the QAction that leads out of it, several, or None.
        flaw_found: a fault of the recording itself, in one sentence, beside which messages that pass are shown.
        message_outdated: what was told before does not matter any more.
        message_over: the sentence that is not so any more.
        model_wanted: one that hears a language, given by its code.
        file_chosen: the Path of a recording that was chosen.
    """

    export_chosen = Signal(object, object, object)
    problem_found = Signal(str, object)
    notice_given = Signal(str, object)
    flaw_found = Signal(str)
    message_outdated = Signal()
    message_over = Signal(str)
    model_wanted = Signal(str)
    file_chosen = Signal(object)

    def __init__(
        self,
        session: LiveSession,
        settings: Settings,
        theme: Theme,
        actions: Actions,
        demo: AudioFile,
        maker: NotesMaker,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.picker = SourcePicker(theme, demo)
        self.header = HeaderBar(self.picker, actions)
        self.stage = CaptionStage(session.captions, actions)
        self.notes_pane = NotesPane()
        view = self.stage.captions
        self.notes = LiveNotes(session, maker, self.notes_pane, settings, self, lambda: view.selected_captions)
        self.transport = TransportBar(actions)
        self.edits = Edits(session.captions, self)
        self.known_words = KnownWords(settings, self)
        self.names = SpeakerNames(session, self.edits, self.known_words, self)
        self.corrections = CaptionCorrections(session.captions, self.stage.captions, self.edits, self.known_words, self)
        self._size = TextSize(actions, settings, self)
        self.translation = TranslationChooser(actions, settings, self)
        self._actions = actions
        self.demo = demo
        self._settings = settings
        self._why_no_microphone = self.tr("No microphone was found. Connect one, or open an audio file instead.")
        self._starts_soon = False  # as soon as it is known what there is to listen to
        self._failure = ""  # in the newest recording
        self._bar_alone = False
        self._shows_pause = False
        self._source: Source | None = None  # of the newest recording
        self._told: set[str] = set()  # what holds no longer than the recording does
        self._flaws: list[str] = []  # of the newest recording
        self._other_model = QAction(self)
        self._other_model.triggered.connect(
            lambda: self.model_wanted.emit(unheard_language(self._settings.preferences, ""))
        )
        self._slowness = Slowness(self)
        self._cleared_marks: tuple[TextPosition, ...] = ()
        self._lengths = LengthSearch(self)
        self._cleared: tuple[tuple[Caption, ...], tuple[Translation, ...]] = ((), ())
        self._lay_out()
        self._connect_session()
        self._connect_actions()
        theme.changed.connect(self._apply_theme)
        settings.changed.connect(self._apply_settings)
        self.glyph_watch = GlyphWatch(session.captions, caption_font(USUAL_POINTS), self)
        self.glyph_watch.missing.connect(self._show_missing_font)
        self._apply_settings(settings.preferences, settings.preferences)
        self.refresh()

    @property
    def focus_order(self) -> tuple[QWidget, ...]:
        """List what the tab key visits, in order."""
        return (
            self.picker,
            self.header.translation,
            self.header.copy,
            self.header.export,
            self.header.notes,
            *self.stage.empty.buttons,
            self.stage.empty.other_language,
            self.stage.find_bar.field,
            self.stage.captions,
            self.stage.back,
            self.stage.newest,
            self.notes_pane.template,
            self.notes_pane.list,
            self.notes_pane.make_button,
            self.transport.start,
            self.transport.stop,
            self.transport.pause,
            self.transport.mute,
        )

    def _lay_out(self) -> None:
        self._middle = WithNotes(self.stage, self.notes_pane)
        in_column(self.header, (self._middle, 1), self.transport, on=self, margins=0, spacing=0)
        for before, after in itertools.pairwise(self.focus_order):
            self.setTabOrder(before, after)

    def _connect_session(self) -> None:
        session, transport = self.session, self.transport
        session.status_changed.connect(self._show_status)
        session.level_measured.connect(transport.level.show_level)
        session.began.connect(lambda: transport.show_sides(tuple(session.speakers.values())))
        session.time_passed.connect(transport.show_time)
        session.figures_changed.connect(transport.show_figures)
        session.figure_measured.connect(self.translation.show_figure)
        session.model_loaded.connect(self._show_model)
        session.language_model_loaded.connect(self._show_warnings)
        session.noticed.connect(self._tell)
        session.flawed.connect(self._note_flaw)
        session.failed.connect(self._show_failure)
        session.engine_crashed.connect(self._show_crash)
        session.finished.connect(self._note_end)
        self._lengths.found.connect(self._show_length)
        self._slowness.warning_given.connect(lambda text: self.problem_found.emit(text, self._actions.models_page))
        self._slowness.over.connect(self.message_over)
        for signal in (session.captions.rowsInserted, session.captions.rowsRemoved, session.captions.modelReset):
            signal.connect(self.refresh)

    def _connect_actions(self) -> None:
        actions = self._actions
        actions.start.triggered.connect(self.start)
        actions.stop.triggered.connect(self.session.stop)
        actions.pause.triggered.connect(self._pause)
        actions.demo.triggered.connect(self.play_demo)
        actions.mute.toggled.connect(self._mute)
        actions.restart_engine.triggered.connect(self._restart_engine)
        actions.open_file.triggered.connect(self.ask_for_file)
        actions.new.triggered.connect(self._clear)
        actions.undo_new.triggered.connect(self._undo_clear)
        actions.copy.triggered.connect(self._copy)
        actions.export.triggered.connect(self.ask_for_export)
        actions.notes.toggled.connect(self.notes_pane.setVisible)
        self.notes_pane.lines_chosen.connect(self._show_lines)
        self.notes_pane.problem_found.connect(lambda text: self.problem_found.emit(in_words(text), None))
        actions.translation.triggered.connect(lambda: self.translation.open_below(self.header.translation))
        self.picker.input_chosen.connect(self.choose_input)
        self.picker.file_wanted.connect(self.ask_for_file)
        self.stage.speaker_wanted.connect(self.names.ask)
        self.stage.may_correct = self.corrections.may_correct
        self.stage.correction_wanted.connect(self.corrections.begin_at)
        actions.correct.triggered.connect(self.corrections.begin_here)
        actions.replace.triggered.connect(self.corrections.ask_to_replace)
        self.edits.notice_given.connect(self.notice_given)
        self.edits.undone.connect(self.message_outdated)
        self.known_words.notice_given.connect(self.notice_given)
        self.known_words.problem_found.connect(self.problem_found)
        self.stage.empty.other_language.clicked.connect(
            lambda: self.model_wanted.emit(unheard_language(self._settings.preferences, interface_language.spoken()))
        )

    def show_bar_alone(self, alone: bool) -> None:
        """Leave out all but the bar that starts and ends a recording, or show it all again."""
        self._bar_alone = alone
        self.header.setVisible(not alone)
        self.stage.setVisible(not alone)
        self._middle.setVisible(not alone)
        self.refresh()

    def start(self) -> None:
        """Caption what the picker names, as soon as that is known, or go on after a pause; do nothing while busy."""
        source = self.picker.source
        if self.session.is_paused:
            self.session.resume()
        if self.session.is_busy:
            return
        self._starts_soon = source is None and self.picker.is_looking
        if self._starts_soon:
            return
        if source is None:
            self.problem_found.emit(self._why_no_microphone, self._actions.open_file)
        else:
            self._caption(source)

    def _pause(self) -> None:
        """Pause the recording, or let it go on."""
        self.session.resume() if self.session.is_paused else self.session.pause()

    @property
    def starts_soon(self) -> bool:
        """Return whether captions begin as soon as a source is found."""
        return self._starts_soon

    def play_demo(self) -> None:
        """Choose the demo, and caption it unless something else is being captioned."""
        if not self.session.is_busy:
            self.picker.choose_demo()
            self.start()

    def _mute(self, muted: bool) -> None:
        if self.demo.sound is not None:
            self.demo.sound.muted = muted

    def open_file(self, path: Path) -> None:
        """Choose a file, and caption it unless something else is being captioned."""
        if not self.session.is_busy:
            self.picker.choose_file(path)
            self.start()

    def ask_for_file(self) -> None:
        """Ask for the file to caption."""
        path = ask_for_audio(self, self.tr("Play and caption a file"))
        if path is not None:
            self.file_chosen.emit(path)

    def ask_for_export(self) -> ExportDialog:
        """Ask how to export the captions."""
        captions = self.session.captions
        transcript = Transcript(
            captions=captions.final_captions(),
            translations=captions.final_translations(),
            marks=tuple(second for _, second in self.stage.captions.marks.moments),
            clock=self.session.clock,
            notes=self.notes.notes,
        )
        clock = self._settings.preferences.appearance.clock_times
        dialog = ExportDialog([transcript], self.tr("Captions"), self.window(), clock=clock)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda path, choice: self.export_chosen.emit(path, transcript, choice))
        dialog.open()
        return dialog

    def reopen(self, transcript: Transcript) -> bool:
        """Show captions from before, where there are none now; tell whether they are shown."""
        if not transcript.captions:
            self.notice_given.emit(self.tr("There are no earlier captions."), None)
        elif not self.session.is_busy and not self.session.captions.rowCount():
            self.notes.put_aside(transcript.captions, transcript.notes)
            self.session.captions.reset_to(transcript.captions, transcript.translations)
            self.session.clock = transcript.clock
            self.stage.captions.refresh()
            self.stage.captions.marks.show_moments(transcript.marks)
            self.message_outdated.emit()
            return True
        return False

    def _caption(self, source: Source) -> None:
        self.message_outdated.emit()
        for flaw in self._flaws:
            self.message_over.emit(flaw)
        self._flaws.clear()
        self._failure = ""
        if self._begins_anew(source):
            self.session.captions.clear()
        self._source = source
        self.transport.show_length(0.0)
        if isinstance(source, AudioFile):
            self._lengths.start(source.path)
        self.session.start(source)
        self.stage.captions.jump_to_newest()
        self.refresh()
        if self.isVisible():
            self.stage.captions.setFocus()  # for the keys that scroll

    def _begins_anew(self, source: Source) -> bool:
        """Return whether a recording begins an empty transcript, and does not go on below the present one.

        A file is a session of its own. Captions of a microphone are removed only if the history has them.
        """
        after_file = isinstance(self._source, AudioFile)
        return after_file or (isinstance(source, AudioFile) and self._settings.preferences.history.keeps)

    def choose_input(self, name: str | None, both: bool = False) -> None:
        """Listen to an input by name, or to the system's default, and to the computer beside it if to `both`."""
        self._settings.alter(lambda now: replace(now, sound=replace(now.sound, input=name, both=both)))

    def show_microphones(self, devices: object) -> None:
        """Offer the microphones that a search has found."""
        assert isinstance(devices, tuple)
        if devices:
            self.message_over.emit(self._why_no_microphone)
        self.picker.offer_microphones(devices)
        self.refresh()
        self._start_if_wanted()

    def show_no_microphones(self, reason: str) -> None:
        """Offer no microphone, because the search has failed."""
        self.picker.offer_microphones(())
        self._why_no_microphone = reason
        self.refresh()
        self._start_if_wanted()

    def _start_if_wanted(self) -> None:
        if self._starts_soon:
            self.start()

    def refresh(self) -> None:
        """Bring what can be done, and what stands in the middle, in line with what is so."""
        session, actions = self.session, self._actions
        has_captions = session.captions.rowCount() > 0
        busy = session.is_busy
        invites = not busy and not has_captions
        for action in (actions.demo, actions.open_file):
            action.setEnabled(not busy)
        actions.start.setEnabled(not busy or session.is_paused)
        actions.stop.setEnabled(session.is_recording or session.is_paused)
        actions.pause.setEnabled(session.is_recording or session.is_paused)
        self._name_pause(session.is_paused)
        actions.new.setEnabled(has_captions and not busy)
        actions.reopen.setEnabled(invites)
        own = actions.copy, actions.export, actions.mark_place, actions.find, actions.correct, actions.replace
        for action in own:
            action.setEnabled(has_captions and self.isVisibleTo(self.window()))  # other pages have their own
        actions.restart_engine.setEnabled(session.status.state is State.ENGINE_STOPPED)
        self.picker.setEnabled(not busy)
        self.stage.show_captions(not invites)
        self.stage.empty.advise(has_microphone=self.picker.has_microphone)
        self.transport.show_recording(busy)
        sounds = isinstance(self.picker.source, AudioFile) and self.picker.source.sound is not None
        self.transport.offer_mute(session.is_recording and sounds)
        self.transport.show_controls(self._bar_alone or not invites)

    def _name_pause(self, paused: bool) -> None:
        if paused != self._shows_pause:
            self._shows_pause = paused
            self._actions.name_pause(paused)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._failure and not event.spontaneous():  # it is no concern of the page that is shown now
            self.message_over.emit(self._failure)
        self.refresh()

    def _show_status(self, status: Status) -> None:
        self.transport.show_status(status)
        no_source = self.tr("The microphone was disconnected. Captions go on as soon as it is back.")
        no_sound = self.tr("The microphone is silent. Is it muted, or is Earshot not allowed to use it?")
        if status.of_computer:
            no_source = self.tr("The sound of the computer is gone. Captions go on as soon as it is back.")
            no_sound = self.tr("Nothing is playing on this computer. Words appear here as soon as somebody speaks.")
        hints = {
            State.LOADING: self.tr("One moment, the model is being loaded."),
            State.NO_SOURCE: no_source,
            State.NO_SOUND: no_sound,
            State.LISTENING: self.tr("Listening. Words appear here as they are spoken."),
        }
        if status.state in hints:
            self.stage.captions.set_hint(hints[status.state])
        if status.state is not State.ENGINE_STOPPED:
            for text in self._crash_words():
                self.message_over.emit(text)
        self._slowness.show(status.shed)
        self.refresh()

    def _show_length(self, path: object, seconds: float) -> None:
        if self.session.is_busy and isinstance(self._source, AudioFile) and self._source.path == path:
            self.transport.show_length(seconds)

    def _show_model(self, ready: Ready) -> None:
        self.transport.show_model(title_of(ready.model))
        self._show_warnings(ready)

    def _show_warnings(self, ready: Ready) -> None:
        for warning in ready.warnings:
            self.problem_found.emit(warning, None)

    def _show_failure(self, text: str) -> None:
        self._failure = text
        self.problem_found.emit(text, self._way_out_of_failure())
        self.refresh()

    def _way_out_of_failure(self) -> QAction | None:
        if code := unheard_language(self._settings.preferences, ""):
            self._other_model.setText(self.tr("&Get a model that hears {}…").format(language_name(code)))
            return self._other_model
        if self.session.status.state is State.NO_MODEL:
            return self._actions.models_page
        return None if self.picker.has_microphone else self._actions.open_file

    def _show_crash(self) -> None:
        self.refresh()
        self.problem_found.emit(self._crash_words()[self.session.is_recording], self._actions.restart_engine)

    def _crash_words(self) -> tuple[str, str]:
        return (
            self.tr("The captioning engine stopped unexpectedly. Everything written so far is kept."),
            self.tr("The captioning engine stopped unexpectedly. The recording goes on, and no words are lost."),
        )

    def _tell(self, text: str) -> None:
        """Show a notice; one that is shown during a recording is withdrawn at its end."""
        if self.session.is_busy:
            self._told.add(text)
        self.problem_found.emit(text, None)

    def _note_flaw(self, text: str) -> None:
        """Show a fault of the recording itself until the next recording begins."""
        self._flaws.append(text)
        self.flaw_found.emit(text)

    def _note_end(self) -> None:
        told, self._told = self._told, set()
        for text in told:
            self.message_over.emit(text)
        self.transport.show_length(0.0)
        if isinstance(self._source, AudioFile):
            self.picker.choose_input(self._settings.preferences.sound)
        self.refresh()
        if self.stage.is_empty and not self._failure:
            self.notice_given.emit(self.tr("No speech was heard."), None)

    def _show_missing_font(self, character: str) -> None:
        self.problem_found.emit(words_for_missing(character), None)

    def _restart_engine(self) -> None:
        self.message_outdated.emit()
        self.session.restart_engine()

    def _show_lines(self, numbers: tuple[int, ...]) -> None:
        """Show the captions that a note rests on."""
        found = next((each for each in self.session.captions.captions if each.id == numbers[0]), None)
        if found is not None:
            self.stage.captions.show_line(found.start, found.text)

    def _copy(self) -> None:
        marks = {ord("\N{PARAGRAPH SEPARATOR}"): "\n", ord("\N{NO-BREAK SPACE}"): " "}
        selected = self.stage.captions.textCursor().selectedText().translate(marks)
        QGuiApplication.clipboard().setText(selected or self.session.captions.text())
        self.header.confirm_copy()

    def _clear(self) -> None:
        self._cleared_marks, self._cleared = self.stage.captions.marks.places, self.session.captions.clear()
        keeps = self._settings.preferences.history.keeps
        text = self.tr("New transcript. The last one is in the history.") if keeps else self.tr("New transcript.")
        self.notice_given.emit(text, self._actions.undo_new)
        self.transport.show_status(Status(State.IDLE))
        self._source = None
        self.refresh()

    def _undo_clear(self) -> None:
        self.session.captions.reset_to(*self._cleared)
        self.stage.captions.refresh()
        self.stage.captions.marks.restore(self._cleared_marks)
        self.message_outdated.emit()

    def _apply_theme(self) -> None:
        self.stage.captions.set_caption_font(caption_font(self._size.points))  # a new style sheet takes fonts back
        self.stage.captions.rebuild()

    def _apply_settings(self, before: Preferences, after: Preferences) -> None:
        self.stage.captions.set_caption_font(caption_font(after.appearance.points))
        if before.sound != after.sound or before is after:
            self.picker.choose_input(after.sound)
        self.stage.captions.set_stable_only(after.appearance.stable_only)
        shows_clock = after.appearance.clock_times
        self.stage.captions.show_clock(lambda: self.session.clock if shows_clock else ())
        self.transport.show_details(after.appearance.details)
        self.stage.empty.offer_language(
            language_name(code) if (code := unheard_language(after, interface_language.spoken())) else ""
        )
