"""Builds the window's objects and wires them; the only place that does."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, SignalInstance, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication

from app.actions import Actions
from app.assistant.assistant_page import AssistantPage
from app.assistant.live_assistant import LiveAssistant
from app.assistant.tools.timers import SetTimer
from app.assistant.tools.toolbox import Toolbox
from app.captions.captions_page import CaptionsPage
from app.captions.session import LiveSession
from app.desktop.desktop import Desktop
from app.desktop.qt_application import QtApplication
from app.desktop.single_start import Request, SingleStart, request_of, take_tokens
from app.engine_link.engine_client import EngineClient
from app.history.archive import Archive
from app.history.earlier import take_over
from app.history.page import HistoryPage
from app.history.recorder import HistoryRecorder
from app.history.records import Transcript
from app.history.schema import FILE_NAME as HISTORY_FILE
from app.history.store import HistoryStore
from app.look import interface_language
from app.look.theme import Theme
from app.models.downloads import Downloads
from app.models.model_library import ModelLibrary
from app.models.models_page import ModelsPage
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.sound.audio_sources import AudioFile, demo_clip
from app.sound.device_search import DeviceSearch
from app.sound.device_watch import DeviceWatch
from app.sound.recording_sound import RecordingSound
from app.tuning.panel import TuningPanel
from app.window.dialogs import Dialogs
from app.window.interrupts import Interrupts
from app.window.main_window import MainWindow
from engine.answer.tools.outcomes import Outcome, Quote, words_of
from engine.errors import OptionError
from engine.machine.threads import ThreadAllocation

if TYPE_CHECKING:
    from app.sound.playback import Player

Given = Callable[[Preferences], Preferences]


class Application(QObject):
    """The whole app but for Qt's event loop.

    Attributes:
        window: not shown yet.
        desktop: tray, hotkeys and overlay.
        dialogs: what opens beside the window.
    """

    def __init__(
        self,
        qt: QApplication,
        data_folder: Path | None = None,
        client: EngineClient | None = None,
        assistant_client: EngineClient | None = None,
        given: Given | None = None,
    ) -> None:
        """Everything is kept in `data_folder`: the user's own where none is given.

        Captions and conversations have an engine process each, so that neither waits for the other. `given` is what
        was chosen at the start, beyond what is saved.
        """
        super().__init__()
        self._is_over = False
        folder = data_folder or _data_folder()
        self.settings = Settings(PreferencesFile(folder), self)
        problems: list[str] = []
        self.settings.failed.connect(problems.append)
        self.settings.load()
        if given is not None:
            self.settings.alter(given)
        chosen = self.settings.preferences
        interface_language.install(qt, chosen.appearance.language)
        self.theme = Theme(qt)
        self.theme.choose(chosen.appearance.look)
        self.actions = Actions(self.theme, self)
        self.client = client or EngineClient(self)
        try:
            threads = _threads(chosen)
        except OptionError as error:  # settings may come from a larger machine
            threads = None
            problems.append(str(error))
        self.session = LiveSession(self.client, chosen.models.hearing, chosen.captions, self, threads=threads)
        self.assistant = LiveAssistant(assistant_client or EngineClient(self), self.settings, self)
        self.archive = Archive(folder / "history" / HISTORY_FILE, self)
        self.recorder = HistoryRecorder(self.archive, self.settings, self)
        self.devices = DeviceSearch(self)
        self.device_watch = DeviceWatch(self)
        self.downloads = Downloads(self.settings, self)
        self.library = ModelLibrary(self)
        self.desktop = Desktop(self.session, self.assistant, self.settings, self.theme, self.actions, self)
        self._make_window()
        self._make_dialogs(folder)
        self._connect_system(qt)
        self._connect_settings()
        self.window.restore(chosen.window)
        self._connect_history()
        self._connect_devices()
        for problem in problems:
            self.window.message.show_problem(problem, lasts=True)  # each is read, one after the other
        self.settings.failed.connect(self.window.message.show_problem)
        self._follow_saving(self.settings.unsaved)
        self._follow_saving(self.archive.unsaved)
        self.archive.start()
        self._take_over_last_captions(folder)

    def _make_window(self) -> None:
        theme, settings, actions = self.theme, self.settings, self.actions
        demo = AudioFile(demo_clip(), self.tr("Demo"), sound=RecordingSound(self._make_player))
        self.captions_page = CaptionsPage(self.session, settings, theme, actions, demo)
        self.assistant_page = AssistantPage(self.assistant, settings, theme, actions.assistant)
        self.toolbox = Toolbox(self.captions_page, self.assistant.conversation, settings, self.archive, self)
        self.assistant.carry_out = self.toolbox.carry_out
        self.toolbox.timers.rang.connect(self._ring)
        self.history_page = HistoryPage(self.archive, settings, theme, self._make_player)
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
        self.assistant_page.quote_chosen.connect(self._show_quote)
        self.assistant_page.models_wanted.connect(actions.models_page.trigger)
        for page in (self.captions_page, self.history_page):
            page.problem_found.connect(self.window.message.show_problem)
            page.notice_given.connect(self.window.message.show_notice)
            page.message_outdated.connect(self.window.message.drop_passing)
        self.captions_page.message_over.connect(self.window.message.withdraw)
        for action in (actions.captions_page, actions.assistant_page, actions.tuning):
            action.toggled.connect(self._tune_what_is_shown)
        actions.compare.triggered.connect(self.tuning.compare)
        self.tuning.closed.connect(lambda: actions.tuning.setChecked(False))
        self.tuning.profiled.connect(self.session.restart_engine)
        self.session.figure_measured.connect(self.tuning.take_figure)
        self.assistant.figure_measured.connect(self.tuning.take_figure)
        self.session.began.connect(lambda: self.tuning.set_recording(True))
        self.session.finished.connect(lambda: self.tuning.set_recording(False))

    def _show_quote(self, quote: Quote) -> None:
        """Show a line where it was said: in the captions, or in the history."""
        if quote.session is None:
            self.actions.captions_page.trigger()
            self.captions_page.stage.captions.show_line(quote.seconds, quote.text)
        else:
            self.actions.history_page.trigger()
            self.history_page.show_line(quote.text)

    def _ring(self, timer: SetTimer) -> None:
        """A timer is over: say so wherever the window is."""
        (sentence,) = words_of(Outcome("timer_over", {"seconds": str(timer.seconds)}), timer.language)
        self.window.message.show_notice(sentence)
        QApplication.alert(self.window)
        QApplication.beep()

    def _make_player(self) -> Player:
        from app.sound.playback import Player  # it loads what the window does not need to be shown

        return Player(self.settings.preferences.sound.output)

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
        )
        self.dialogs.session_wanted.connect(self._show_session)
        self.dialogs.history_deletion_confirmed.connect(self.archive.delete_all)
        desktop.window_wanted.connect(self.show_window)
        desktop.overlay_settings_wanted.connect(lambda: self.dialogs.open_settings("overlay"))
        desktop.hotkeys.refused.connect(self._tell_refusal)
        self.window.stays = lambda: desktop.tray.hide_window(self.window)

    def _connect_system(self, qt: QApplication) -> None:
        if isinstance(qt, QtApplication):
            qt.end_wanted.connect(self._leave)
            qt.window_wanted.connect(self._show_hidden_window)
            qt.file_given.connect(self.window.open_file)

    def _leave(self) -> None:
        """Leave as from the menu, and return when that is done: at log-out the system waits no longer."""
        if self._is_over:
            return
        done = QEventLoop()
        self.window.left.connect(done.quit)
        self.window.leave()
        if not self._is_over:  # the last words of a recording are on their way
            done.exec()

    def _connect_settings(self) -> None:
        actions = self.actions
        self._bind(
            actions.overlay,
            lambda now: now.overlay.shown,
            lambda now, on: replace(now, overlay=replace(now.overlay, shown=on)),
        )
        self._bind(
            actions.click_through,
            lambda now: now.overlay.click_through,
            lambda now, on: replace(now, overlay=replace(now.overlay, click_through=on)),
        )
        self._bind(
            actions.stable_only,
            lambda now: now.appearance.stable_only,
            lambda now, on: replace(now, appearance=replace(now.appearance, stable_only=on)),
        )
        self._bind(
            actions.details,
            lambda now: now.appearance.details,
            lambda now, on: replace(now, appearance=replace(now.appearance, details=on)),
        )
        self.settings.changed.connect(self._dress)
        self._offer_delays(self.settings.preferences)
        self.settings.rested.connect(self._follow)
        self.session.change_refused.connect(self._take_back)

    def _bind(
        self, action: QAction, read: Callable[[Preferences], bool], write: Callable[[Preferences, bool], Preferences]
    ) -> None:
        """Have an action switch one of the preferences, and show how it is."""
        action.setChecked(read(self.settings.preferences))
        action.toggled.connect(lambda on: self.settings.alter(lambda now: write(now, on)))
        self.settings.changed.connect(lambda before, after: action.setChecked(read(after)))

    def _connect_history(self) -> None:
        session, recorder = self.session, self.recorder
        recorder.follow(session.captions, lambda: session.clock_seconds)
        session.began.connect(self._begin_recording)
        session.finished.connect(recorder.end_captions)
        self.assistant.conversation_began.connect(
            lambda: recorder.begin_conversation(self.settings.preferences.models.assistant)
        )
        self.assistant.turn_ended.connect(recorder.keep_turn)
        self.assistant.conversation_ended.connect(recorder.end_conversation)
        self.actions.reopen.triggered.connect(lambda: self.archive.ask(_newest_captions, self.captions_page.reopen))
        self.captions_page.export_chosen.connect(self.history_page.exports.write)
        self.history_page.changes.corrected.connect(recorder.show_corrected)
        recorder.audio_failed.connect(self.window.message.show_problem)
        self._offer_history_keys()
        self.archive.noticed.connect(lambda text: self.window.message.show_problem(text, lasts=True))
        self.archive.failed.connect(self.window.message.show_problem)

    def _follow_saving(self, unsaved: SignalInstance) -> None:
        """Say why something is not saved for as long as it is not."""
        said = ""

        def say(why: str) -> None:
            nonlocal said
            if said:
                self.window.message.withdraw(said)
                if not why:
                    self.window.message.show_notice(self.tr("Everything is saved again; nothing is missing."))
            said = why
            if why:
                self.window.message.show_problem(why, lasts=True)

        unsaved.connect(say)

    def _offer_history_keys(self) -> None:
        """On the history page the keys for copying, exporting and finding are its own."""
        page = self.history_page
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

    def _take_over_last_captions(self, folder: Path) -> None:
        """What was kept before there was a history becomes a part of it."""
        if self.settings.preferences.history.keeps:
            self.archive.write(lambda store: take_over(store, folder / "last-captions.json"))

    def _connect_devices(self) -> None:
        self.captions_page.picker.opened.connect(self.devices.start)
        self.device_watch.changed.connect(self.devices.start)
        self.devices.found.connect(self.captions_page.show_microphones)
        self.devices.failed.connect(self.captions_page.show_no_microphones)

    def start(self) -> None:
        """Show the window, then get everything behind it ready."""
        self.window.show()
        self.desktop.start()
        QTimer.singleShot(0, self.session.prepare)
        QTimer.singleShot(0, self.devices.start)
        QTimer.singleShot(0, self.device_watch.start)
        QTimer.singleShot(0, self.recorder.purge)
        if not self.settings.preferences.behaviour.welcomed:
            QTimer.singleShot(0, self.dialogs.open_welcome)

    def _show_hidden_window(self) -> None:
        if not self._is_over and not self.window.isVisible():
            self.show_window()

    def _show_session(self, session: int) -> None:
        self.show_window()
        self.actions.history_page.trigger()
        self.history_page.choose(session)

    def show_window(self) -> None:
        """Bring the window to the front, wherever it is."""
        if self.window.isMinimized():
            self.window.showNormal()
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    @Slot(object)
    def take_request(self, request: Request) -> None:
        """Do what another start of Earshot was for: come to the front, and caption its file."""
        take_tokens(request)
        self.show_window()
        self.settings.alter(lambda now: _with_models(now, request.model, request.translation_model))
        if request.file:
            self.window.open_file(Path(request.file))

    def shut_down(self) -> None:
        """Leave nothing running."""
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
        self.assistant.shut_down()
        self.history_page.translation.stop()
        self.history_page.sound.shut_down()
        self.recorder.shut_down()
        self.archive.close()
        self.settings.settle()
        self.device_watch.stop()
        self.devices.wait(seconds=1.0)

    def _dress(self, before: Preferences, after: Preferences) -> None:
        if before.appearance.look != after.appearance.look:
            self.theme.choose(after.appearance.look)
        self._offer_delays(after)

    def _offer_delays(self, now: Preferences) -> None:
        """Offer the delays of kept captions to who wants details."""
        delays = self.history_page.commands.delays
        delays.setVisible(now.appearance.details)
        delays.setChecked(delays.isChecked() and now.appearance.details)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        """Have all that the engines do done as is chosen now."""
        self.captions_page.translation.follow(before, after)
        self.assistant.follow(before, after)
        try:
            self.session.change(model=after.models.hearing, options=after.captions, threads=_threads(after))
        except OptionError as error:
            self.window.message.show_problem(str(error))

    def _tell_refusal(self, path: str, problem: str) -> None:
        if problem:
            self.window.message.show_problem(problem, self.actions.settings)
        self.dialogs.say_refused(path, problem)

    def _take_back(self, reason: str) -> None:
        """What hears could not be changed: say so, and have the settings say what is so."""
        hearing = self.session.hearing
        self.window.message.show_problem(reason)
        self.settings.alter(
            lambda now: replace(now, captions=hearing.options, models=replace(now.models, hearing=hearing.model))
        )

    def _begin_recording(self) -> None:
        source = self.captions_page.picker.source
        if source is not None and source == self.captions_page.demo:
            return  # nobody looks for it later
        options = self.session.hearing.options
        name = source.name if source is not None else ""
        file = source.path if isinstance(source, AudioFile) else None
        self.recorder.begin_captions(name, self.session.model, options.language or "", file)
        self.session.give_audio_to(self.recorder.audio_listener)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and stay until it is closed."""
    parser = argparse.ArgumentParser(prog="earshot", description="Open the window.")
    parser.add_argument("--model", help="name or folder of the hearing model, from now on")
    parser.add_argument("--translation-model", help="name or folder of the language model, from now on")
    parser.add_argument("file", nargs="?", type=Path, help="audio file to caption at once")
    arguments = parser.parse_args(argv)
    qt = QtApplication(sys.argv[:1])
    qt.setApplicationName("earshot")
    qt.setApplicationDisplayName("Earshot")
    qt.setDesktopFileName("earshot")
    qt.setQuitOnLastWindowClosed(False)  # the window may be in the tray, the overlay or a dialog be the last one
    first = SingleStart(_data_folder(), qt)
    if first.hand_over(request_of(arguments.file, arguments.model, arguments.translation_model)):
        return 0
    application = Application(qt, given=lambda now: _with_models(now, arguments.model, arguments.translation_model))
    application.window.left.connect(first.close)
    application.window.left.connect(qt.quit)
    first.requested.connect(application.take_request)
    application.start()
    spare_the_collector()
    if arguments.file is not None:
        QTimer.singleShot(0, lambda: application.window.open_file(arguments.file))
    with Interrupts(application.window):
        return qt.exec()


def spare_the_collector() -> None:
    """Have the memory collector leave alone what lasts as long as the app: going through all of it took 50 ms."""
    gc.collect()
    gc.freeze()


def _with_models(preferences: Preferences, hearing: str | None, translation: str | None) -> Preferences:
    models = preferences.models
    chosen = replace(models, hearing=hearing or models.hearing, translation=translation or models.translation)
    return replace(preferences, models=chosen)


def _newest_captions(store: HistoryStore) -> Transcript:
    newest = store.newest()
    return store.transcript(newest.id) if newest is not None else Transcript()


def _threads(preferences: Preferences) -> ThreadAllocation | None:
    """What a person says about threads; None is what was found best. OptionError for more than the machine has."""
    threads = preferences.threads
    return None if threads.automatic else ThreadAllocation(threads.cpu_threads, threads.gpu_threads)


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False)
