"""Construction and wiring of the window's objects, in one place."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QObject, QTimer, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from app.actions import Actions
from app.assistant.announcer import Announcer
from app.assistant.assistant_page import AssistantPage
from app.assistant.live_assistant import LiveAssistant
from app.assistant.tools.timers import SetTimer
from app.assistant.tools.toolbox import Toolbox
from app.captions.interpreter import Interpreter
from app.captions.page.captions_page import CaptionsPage
from app.captions.session import Hearing, LiveSession
from app.desktop.desktop import Desktop
from app.desktop.qt_application import QtApplication
from app.desktop.single_start import Request, adopt_tokens
from app.engine_link.engine_client import EngineClient
from app.history.archive import Archive
from app.history.kept.schema import FILE_NAME as HISTORY_FILE
from app.history.page import HistoryPage
from app.history.remembered_voices import RememberedVoices
from app.history.store import HistoryStore
from app.look import interface_language
from app.look.text_layout import one_line
from app.look.theme import Theme
from app.macos.quit_reason import is_session_ending
from app.models.downloads import Downloads
from app.models.model_library import ModelLibrary
from app.models.models_page import ModelsPage
from app.models.uses import Use
from app.notes.maker import NotesMaker
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile
from app.preferences.program import data_folder
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.share.sharing import Sharing
from app.sound.audio_sources import AudioFile, demo_clip
from app.sound.device_search import DeviceSearch
from app.sound.device_watch import DeviceWatch
from app.sound.recording_sound import RecordingSound
from app.tuning.panel import TuningPanel
from app.window.closing import Closing
from app.window.dialogs import Dialogs
from app.window.history_wiring import HistoryWiring
from app.window.main_window import MainWindow
from app.window.newer_version import NewerVersion
from engine.answer.tools.outcomes import Quote, words_of
from engine.answer.tools.timers import timer_over
from engine.errors import OptionError
from engine.machine.threads import ThreadAllocation
from engine.options import VoiceOptions

if TYPE_CHECKING:
    from app.sound.playback import Player

Given = Callable[[Preferences], Preferences]


class Application(QObject):
    """The whole app except Qt's event loop.

    Attributes:
        window: the main window, not shown yet.
        desktop: tray, hotkeys and overlay.
        dialogs: the dialogs of the window.
    """

    def __init__(
        self,
        qt: QApplication,
        own_folder: Path | None = None,
        client: EngineClient | None = None,
        assistant_client: EngineClient | None = None,
        given: Given | None = None,
    ) -> None:
        """Build the app; all data is in `own_folder`, by default the user's own.

        Captions and conversations have an engine process each, so that neither waits for the other. `given` applies
        options of this start to the stored preferences.
        """
        super().__init__()
        self._is_over = False
        self._welcomes = False  # whether the first run is due when the window is shown
        folder = own_folder or data_folder()
        problems = self._load_settings(folder, given)
        chosen = self.settings.preferences
        interface_language.install(qt, chosen.appearance.language)
        self.theme = Theme(qt)
        self.theme.choose(chosen.appearance.look)
        self.actions = Actions(self.theme, self)
        self.client = client or EngineClient(self)
        try:
            threads = _threads(chosen)
        except OptionError as error:  # the settings may come from a larger machine
            threads = None
            problems.append(str(error))
        hearing = chosen.models.hearing, chosen.captions
        session = self.session = LiveSession(self.client, *hearing, self, chosen.translation_choice, threads)
        self.sharing = Sharing(session.captions, self.settings, lambda: session.translation is not None, self)
        session.began.connect(self.sharing.begin)
        session.finished.connect(self.sharing.end)
        self.interpreter = Interpreter(session, self.client, self.settings, self._make_player, self)
        self.voices = RememberedVoices(folder / "history", self.settings, self)
        self.session.known_voices = self.voices.known
        self.session.voice_named.connect(self.voices.remember)
        self.actions.private.toggled.connect(self.voices.set_private)
        self.assistant = LiveAssistant(assistant_client or EngineClient(self), self.settings, self)
        self.archive = Archive(folder / "history" / HISTORY_FILE, self)
        self.devices = DeviceSearch(self)
        self.device_watch = DeviceWatch(self)
        self.downloads = Downloads(self.settings, self)
        self.library = ModelLibrary(self)
        self.desktop = Desktop(self.session, self.assistant, self.settings, self.theme, self.actions, self)
        self._make_window()
        self._make_dialogs(folder)
        self._connect_system(qt)
        self._connect_meetings()
        self._connect_settings()
        self.window.restore(chosen.window)
        self._connect_devices()
        for problem in problems:
            self.window.message.show_problem(problem, lasts=True)  # they are read one after the other
        self.settings.failed.connect(self.window.message.show_problem)
        self.voices.failed.connect(self.window.message.show_problem)
        self.history_wiring = HistoryWiring(
            self.window,
            self.captions_page,
            self.history_page,
            self.assistant,
            self.archive,
            self.settings,
            self.actions,
        )

    def _load_settings(self, folder: Path, given: Given | None) -> list[str]:
        """Load the preferences of a folder, with options of this start; return what was wrong with them."""
        problems: list[str] = []
        self.settings = Settings(PreferencesFile(folder), self)
        self.settings.failed.connect(problems.append)
        self.settings.load()
        if given is not None:
            self.settings.alter(given)
        return problems

    def _make_window(self) -> None:
        theme, settings, actions = self.theme, self.settings, self.actions
        demo = AudioFile(demo_clip(), self.tr("Demo"), sound=RecordingSound(self._make_player))
        self.notes_maker = NotesMaker(self.client, settings, self)
        self.captions_page = CaptionsPage(self.session, settings, theme, actions, demo, self.notes_maker)
        self.assistant_page = AssistantPage(self.assistant, settings, theme, actions.assistant)
        self.toolbox = Toolbox(self.captions_page, self.assistant.conversation, settings, self.archive, self)
        self.assistant.carry_out = self.toolbox.carry_out
        self.desktop.orders.mark = self.captions_page.stage.captions.mark_place
        self.toolbox.timers.rang.connect(self._ring)
        self.announcer = Announcer(settings, self._make_player)
        self.history_page = HistoryPage(
            self.archive, settings, theme, self._make_player, self.notes_maker, actions.notes
        )
        self.history_page.glyphs = self.captions_page.glyph_watch.glyphs
        self.history_page.speakers.known_voices = self.voices.known
        self.models_page = ModelsPage(settings, theme, self.library, self.downloads)
        self.tuning = TuningPanel(settings, theme)
        pages = {
            actions.assistant_page: self.assistant_page,
            actions.history_page: self.history_page,
            actions.models_page: self.models_page,
        }
        self.window = MainWindow(self.captions_page, pages, self.tuning, theme, actions)
        self.window.left.connect(self.shut_down)
        actions.add_model.triggered.connect(actions.models_page.trigger)
        actions.add_model.triggered.connect(self.models_page.add_folder)
        self.models_page.sample_wanted.connect(
            lambda name: self.announcer.sample(VoiceOptions(name), self.models_page.sample_failed.emit)
        )
        self.assistant_page.quote_chosen.connect(self._show_quote)
        self.assistant_page.models_wanted.connect(actions.models_page.trigger)
        for page in (self.captions_page, self.history_page):
            page.problem_found.connect(self.window.message.show_problem)
            page.notice_given.connect(self.window.message.show_notice)
            page.message_outdated.connect(self.window.message.drop_passing)
        self.interpreter.behind_changed.connect(self.captions_page.translation.show_behind)
        self.devices.outputs_found.connect(self.captions_page.translation.show_outputs)
        self.captions_page.flaw_found.connect(lambda text: self.window.message.show_problem(text, lasts=True))
        self.captions_page.message_over.connect(self.window.message.withdraw)
        self.captions_page.model_wanted.connect(lambda language: self._offer_models(Use.CAPTIONS, language))
        self.captions_page.translation.model_wanted.connect(
            lambda: self._offer_models(Use.TRANSLATION, self.settings.preferences.translation.target)
        )
        self.assistant_page.model_wanted.connect(lambda language: self._offer_models(Use.ANSWERS, language))
        for action in (actions.captions_page, actions.assistant_page, actions.tuning):
            action.toggled.connect(self._tune_what_is_shown)
        actions.compare.triggered.connect(self.tuning.compare)
        self.tuning.closed.connect(lambda: actions.tuning.setChecked(False))
        self.tuning.profiled.connect(self.session.restart_engine)
        self.session.figure_measured.connect(self.tuning.add_figure)
        self.assistant.figure_measured.connect(self.tuning.add_figure)
        self.session.began.connect(lambda: self.tuning.set_recording(True))
        self.session.finished.connect(lambda: self.tuning.set_recording(False))

    def _offer_models(self, use: Use, language: str | None) -> None:
        """Show the models for a purpose, that know a language if one is given."""
        self.actions.models_page.trigger()
        self.models_page.show_use(use, language)

    def _show_quote(self, quote: Quote) -> None:
        """Show a quoted line in the captions or in the history."""
        if quote.session is None:
            self.actions.captions_page.trigger()
            self.captions_page.stage.captions.show_line(quote.seconds, quote.text)
        else:
            self.actions.history_page.trigger()
            self.history_page.show_line(quote.text)

    def _ring(self, timer: SetTimer) -> None:
        """Announce that a timer is over, wherever the window is."""
        sentence = " ".join(words_of(timer_over(timer.seconds, timer.label), timer.language))
        self.window.message.show_notice(sentence)
        QApplication.alert(self.window)
        QApplication.beep()
        self.announcer.say(sentence, timer.language)

    def _make_player(self, output: str | None = None) -> Player:
        from app.sound.playback import Player  # it loads what the window does not need to be shown

        return Player(output or self.settings.preferences.sound.output)

    def _tune_what_is_shown(self, shown: bool) -> None:
        if shown and self.tuning.isVisible():
            pages = self.tuning.pages
            assistant = self.actions.assistant_page.isChecked()
            pages.setCurrentWidget(pages.assistant if assistant else pages.hearing)

    def _make_dialogs(self, folder: Path) -> None:
        desktop = self.desktop
        surroundings = Surroundings(folder, desktop.tray.is_available(), desktop.hotkeys.obstacle)
        self.dialogs = Dialogs(
            self.window,
            self.settings,
            self.theme,
            self.actions,
            self.devices,
            self.downloads,
            surroundings,
            self.archive,
            self.sharing,
        )
        self.sharing.files.failed.connect(self.window.message.show_problem)
        self.dialogs.session_wanted.connect(self._show_session)
        self.dialogs.translators_wanted.connect(lambda language: self._offer_models(Use.TRANSLATION, language))
        self.history_page.work.transcription_wanted.connect(self.dialogs.transcribe_again)
        self.newer_version = NewerVersion(self.settings, self.window.message, self)
        self.actions.newer_version.triggered.connect(self.newer_version.ask)
        self.dialogs.history_deletion_confirmed.connect(lambda: self.archive.write(HistoryStore.delete_all))
        desktop.window_wanted.connect(self.show_window)
        desktop.overlay_settings_wanted.connect(lambda: self.dialogs.open_settings("overlay"))
        desktop.hotkeys.refused.connect(self._tell_refusal)
        desktop.dictation.chosen_source = lambda: self.captions_page.picker.source
        desktop.dictation.notice_given.connect(self.window.message.show_notice)
        desktop.dictation.refused.connect(self.window.message.show_problem)
        self.closing = Closing(
            self.window,
            self.settings,
            lambda: desktop.tray.is_shown,
            self.dialogs.is_transcribing,
            self.dialogs.would_lose_transcripts,
        )

    def _connect_system(self, qt: QApplication) -> None:
        if isinstance(qt, QtApplication):
            qt.end_wanted.connect(self._leave)
            qt.window_wanted.connect(self._show_hidden_window)
            qt.file_given.connect(self.window.offer_file)

    def _leave(self) -> None:
        """Leave as from the menu, and return when that is done, because at log-out the system waits no longer.

        At log-out from macOS the process ends here: Qt would report that the app does not quit yet, which cancels the
        log-out.
        """
        if self._is_over:
            return
        session_ends = is_session_ending()  # asked before any other event is handled
        done = QEventLoop()
        self.window.left.connect(done.quit)
        self.window.leave()
        if not self._is_over:  # the last words of a recording are still coming
            done.exec()
        if session_ends:
            os._exit(0)

    def _connect_meetings(self) -> None:
        """Ask in the window, and at the icon in the tray, whether to caption what another program listens to."""
        meetings, message, tray = self.desktop.meetings, self.window.message, self.desktop.tray
        ways = [QAction(text, self) for text in (self.tr("Caption this"), self.tr("Not now"), self.tr("Never"))]
        for action, do in zip(ways, (meetings.accept, meetings.decline, meetings.leave_out), strict=True):
            action.triggered.connect(do)

        def question(name: str) -> str:
            return self.tr("{} is listening. Caption this?").format(one_line(name))

        meetings.offered.connect(lambda name: message.show_notice(question(name), ways, lasts=True))
        meetings.offered.connect(lambda name: tray.say(question(name)))
        meetings.withdrawn.connect(lambda name: message.withdraw(question(name)))
        meetings.started.connect(
            lambda name: tray.say(self.tr("{} is listening, and is being captioned.").format(one_line(name)))
        )

    def _connect_settings(self) -> None:
        actions = self.actions
        self._bind(actions.overlay, "overlay.shown")
        self._bind(actions.click_through, "overlay.click_through")
        self._bind(actions.stable_only, "appearance.stable_only")
        self._bind(actions.details, "appearance.details")
        self._bind(actions.clock_times, "appearance.clock_times")
        self.settings.changed.connect(self._dress)
        self.settings.rested.connect(self._follow)
        self.session.change_refused.connect(self._restore_hearing)

    def _bind(self, action: QAction, path: str) -> None:
        """Bind an action to a boolean preference at a path, in both directions."""
        action.setChecked(value_at(self.settings.preferences, path))
        action.toggled.connect(lambda on: self.settings.alter(lambda now: with_value(now, path, on)))
        self.settings.changed.connect(lambda before, after: action.setChecked(value_at(after, path)))

    def _connect_devices(self) -> None:
        self.captions_page.picker.opened.connect(self.devices.start)
        self.device_watch.changed.connect(self.devices.start)
        self.devices.found.connect(self.captions_page.show_microphones)
        self.devices.failed.connect(self.captions_page.show_no_microphones)

    def start(self, *, hidden: bool = False) -> None:
        """Show the window, or its icon in the tray alone where there is one; then start everything behind it."""
        self.desktop.start()
        if not hidden:
            self.window.show()
        elif not self.desktop.tray.is_shown:
            self.window.showMinimized()
        self.library.may_measure = lambda: not self.session.is_busy
        QTimer.singleShot(0, self.session.prepare)
        QTimer.singleShot(0, self.devices.start)
        QTimer.singleShot(0, self.device_watch.start)
        QTimer.singleShot(0, self.history_wiring.recorder.purge)
        QTimer.singleShot(0, self.dialogs.resume_transcriptions)
        QTimer.singleShot(0, self.newer_version.start)
        self._welcomes = not self.settings.preferences.behaviour.welcomed
        if not hidden:
            QTimer.singleShot(0, self._welcome)

    def _welcome(self) -> None:
        """Open the first run if it is due; above a window that is hidden it would hold that back."""
        if self._welcomes:
            self._welcomes = False
            self.dialogs.open_welcome()

    def _show_hidden_window(self) -> None:
        if not self._is_over and not self.window.isVisible():
            self.show_window()

    def _show_session(self, session: int) -> None:
        self.show_window()
        self.actions.history_page.trigger()
        self.history_page.choose(session)

    def show_window(self) -> None:
        """Bring the window to the front."""
        if self.window.isMinimized():
            self.window.showNormal()
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self._welcome()

    @Slot(object)
    def carry_out_request(self, request: Request) -> None:
        """Carry out the request of another start: come to the front, and caption its file."""
        adopt_tokens(request)
        self.show_window()
        self.settings.alter(lambda now: with_models(now, request.model, request.translation_model))
        if request.file:
            self.window.open_file(Path(request.file))

    def shut_down(self) -> None:
        """Close everything."""
        if self._is_over:
            return
        self._is_over = True
        self.settings.alter(lambda now: replace(now, window=self.window.how_it_is()))
        self.desktop.shut_down()
        self.dialogs.shut_down()
        self.tuning.shut_down()
        self.downloads.shut_down()
        self.library.shut_down()
        self.session.shut_down()
        self.interpreter.shut_down()
        self.sharing.end()
        self.assistant.shut_down()
        self.history_page.translation.stop()
        self.history_page.speakers.stop()
        self.history_page.sound.shut_down()
        self.history_wiring.shut_down()
        self.archive.close()
        self.settings.settle()
        self.device_watch.stop()
        self.devices.wait(seconds=1.0)

    def _dress(self, before: Preferences, after: Preferences) -> None:
        if before.appearance.look != after.appearance.look:
            self.theme.choose(after.appearance.look)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        """Apply changed preferences to both engines."""
        self.session.translate(after.translation_choice)
        self.assistant.follow(before, after)
        try:
            self.session.change(Hearing(after.models.hearing, after.captions, _threads(after)))
        except OptionError as error:
            self.window.message.show_problem(str(error))

    def _tell_refusal(self, path: str, problem: str) -> None:
        if problem:
            self.window.message.show_problem(problem, self.actions.settings)
        self.dialogs.say_refused(path, problem)

    def _restore_hearing(self, reason: str) -> None:
        """Report that the captions' settings could not be changed, and restore them in the preferences."""
        hearing = self.session.hearing
        self.window.message.show_problem(reason)
        self.settings.alter(
            lambda now: replace(now, captions=hearing.options, models=replace(now.models, hearing=hearing.model))
        )


def with_models(preferences: Preferences, hearing: str | None, translation: str | None) -> Preferences:
    """Return preferences with other models, if any are given."""
    models = preferences.models
    chosen = replace(models, hearing=hearing or models.hearing, translation=translation or models.translation)
    return replace(preferences, models=chosen)


def _threads(preferences: Preferences) -> ThreadAllocation | None:
    """Return the user's thread allocation; None is the profiled one. Raises OptionError for more than there are."""
    threads = preferences.threads
    return None if threads.automatic else ThreadAllocation(threads.cpu_threads, threads.gpu_threads)
