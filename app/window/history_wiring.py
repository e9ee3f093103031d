"""Wiring between the history and the window: recordings and conversations are stored, and failures reported."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence

from app.actions import Actions
from app.assistant.live_assistant import LiveAssistant
from app.captions.page.captions_page import CaptionsPage
from app.history.archive import Archive
from app.history.page import HistoryPage
from app.history.recorder import HistoryRecorder
from app.history.records import Transcript
from app.history.store import HistoryStore
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.sound.audio_sources import AudioFile
from app.transcript.reading_view import clock_time
from app.window.main_window import MainWindow


class HistoryWiring(QObject):
    """Connects the history with captions, conversation and window.

    Attributes:
        recorder: stores captions and conversations in the history.
    """

    def __init__(
        self,
        window: MainWindow,
        captions_page: CaptionsPage,
        history_page: HistoryPage,
        assistant: LiveAssistant,
        archive: Archive,
        settings: Settings,
        actions: Actions,
    ) -> None:
        super().__init__(window)
        self.recorder = HistoryRecorder(archive, settings, self)
        self._window = window
        self._captions_page = captions_page
        self._history_page = history_page
        self._session = captions_page.session
        self._assistant = assistant
        self._archive = archive
        self._settings = settings
        self._actions = actions
        self._sound_lost: tuple[str, float] | None = None  # why, and the second of the recording
        self._connect_history()
        self._follow_saving(settings.unsaved)
        self._follow_saving(archive.unsaved)
        settings.changed.connect(lambda before, after: self._offer_delays(after))
        self._offer_delays(settings.preferences)
        archive.start()
        archive.ask(_interrupted, self._offer_interrupted)

    def _connect_history(self) -> None:
        session, recorder = self._session, self.recorder
        recorder.follow(session.captions, lambda: session.recording_start_seconds + session.clock_seconds)
        self._actions.private.toggled.connect(recorder.set_private)
        session.began.connect(self._begin_recording)
        session.resumed.connect(self._go_on_recording)
        session.finished.connect(recorder.end_captions)
        session.finished.connect(self._history_page.forget_choice)
        self._assistant.conversation_began.connect(
            lambda: recorder.begin_conversation(self._settings.preferences.models.assistant)
        )
        self._assistant.turn_ended.connect(recorder.keep_turn)
        self._assistant.conversation_ended.connect(recorder.end_conversation)
        self._actions.reopen.triggered.connect(lambda: self._archive.ask(_newest_captions, self._reopen))
        self._captions_page.export_chosen.connect(self._history_page.exports.write)
        self._history_page.changes.corrected.connect(recorder.show_corrected)
        marks = self._captions_page.stage.captions.marks
        marks.edited.connect(lambda: recorder.keep_marks(marks.moments))
        self._captions_page.notes.changed.connect(recorder.keep_notes)
        recorder.audio_failed.connect(self._tell_lost_sound)
        self._offer_history_keys()
        self._archive.noticed.connect(lambda text: self._window.message.show_problem(text, lasts=True))
        self._archive.failed.connect(self._window.message.show_problem)

    def _reopen(self, transcript: Transcript) -> None:
        if self._captions_page.reopen(transcript):
            self.recorder.reopen(transcript)

    def _follow_saving(self, unsaved: SignalInstance) -> None:
        """Show why something is not saved, for as long as that is so."""
        said = ""

        def say(why: str) -> None:
            nonlocal said
            if said:
                self._window.message.withdraw(said)
                if not why:
                    self._window.message.show_notice(self._words_for_saved())
            said = why
            if why:
                self._window.message.show_problem(why, lasts=True)

        unsaved.connect(say)

    def _tell_lost_sound(self, why: str) -> None:
        """Show until the next recording that the sound of this one is not kept, and note from where on."""
        self._sound_lost = (why, self._session.clock_seconds)
        self._window.message.show_problem(why, lasts=True)

    def _words_for_saved(self) -> str:
        if self._sound_lost is None:
            return self.tr("Everything is saved again; nothing is missing.")
        text = self.tr("All words are saved again. The sound is missing from {} on.")
        return text.format(clock_time(self._sound_lost[1]))

    def _offer_interrupted(self, interrupted: bool) -> None:
        """Offer the captions of a session that ended with the last run of the program, unexpectedly."""
        if interrupted:
            text = self.tr("Earshot ended unexpectedly. Everything that was said up to then is in the history.")
            self._window.message.show_notice(text, self._actions.reopen)

    def _offer_history_keys(self) -> None:
        """Assign the history page its own keys for copying, exporting and finding."""
        page = self._history_page
        find = QAction(page)
        find.triggered.connect(page.start_search)
        standard = QKeySequence.StandardKey
        for action, key in (
            (page.commands.copy, standard.Copy),
            (page.commands.export, standard.Save),
            (find, standard.Find),
        ):
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            page.addAction(action)

    def shut_down(self) -> None:
        """Store the last captions and turns."""
        self.recorder.shut_down()

    def _offer_delays(self, now: Preferences) -> None:
        """Offer the delays of stored captions if details are shown."""
        delays = self._history_page.commands.delays
        delays.setVisible(now.appearance.details)
        delays.setChecked(delays.isChecked() and now.appearance.details)

    def _begin_recording(self) -> None:
        if self._sound_lost is not None:
            self._window.message.withdraw(self._sound_lost[0])
            self._sound_lost = None
        source = self._captions_page.picker.source
        if source is not None and source == self._captions_page.demo:
            self.recorder.begin_unkept()  # nobody looks for it later
            return
        options = self._session.hearing.options
        name = source.name if source is not None else ""
        file = source.path if isinstance(source, AudioFile) else None
        self.recorder.begin_captions(name, self._session.model, options.language or "", file)
        self._session.give_audio_to(self.recorder.audio_listener)

    def _go_on_recording(self) -> None:
        self.recorder.go_on(self._session.recording_start_seconds)
        self._session.give_audio_to(self.recorder.audio_listener)


def _interrupted(store: HistoryStore) -> bool:
    """Return whether the newest session was cut short by the end of the program before this one."""
    newest = store.newest()
    return newest is not None and newest.crashed and newest.id in store.interrupted


def _newest_captions(store: HistoryStore) -> Transcript:
    newest = store.newest()
    return store.transcript(newest.id) if newest is not None else Transcript()
