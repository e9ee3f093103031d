"""The dialogs of the main window, each created on first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction

from app.actions import Actions
from app.history.archive import Archive
from app.look.language_names import language_name
from app.look.theme import Theme
from app.models.downloads import Downloads
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.share.share_strip import ShareStrip
from app.share.sharing import Sharing
from app.silence.silence_watch import SilenceWatch, Suspicion
from app.sound.device_search import DeviceSearch
from app.transcription.queue_file import FILE_NAME, load
from app.window.main_window import MainWindow
from engine.loading.advice import knows
from engine.machine.pace import load_pace, verdict_of
from engine.models.catalogue import catalogue
from engine.translate.targets import STARTER, model_for, translation_targets

if TYPE_CHECKING:  # imported when they are first asked for: the window is not to wait for them
    from app.settings.dialog import SettingsDialog
    from app.share.share_dialog import ShareDialog
    from app.silence.microphone_test import MicrophoneTest
    from app.silence.silence_dialog import SilenceDialog
    from app.transcription.dialog import TranscriptionDialog
    from app.transcription.file_question import FileQuestion
    from app.transcription.queue import TranscriptionQueue
    from app.welcome.welcome import Welcome
    from app.window.documentation import Documentation
    from app.window.problem_report import ProblemReport

OFFERED = ("base", "small", "large-v3-turbo")
"""Models of the first run: one small enough for most machines, a better one, the best one."""


class Dialogs(QObject):
    """Opens settings, the first run, the diagnosis of silence, and the queue of transcriptions.

    Signals:
        history_deletion_confirmed: delete the whole history; the user has confirmed it.
        session_wanted: show the session of this id in the history.
        translators_wanted: show the models that translate into the language of this code.
    """

    history_deletion_confirmed = Signal()
    session_wanted = Signal(int)
    translators_wanted = Signal(str)

    def __init__(
        self,
        window: MainWindow,
        settings: Settings,
        theme: Theme,
        actions: Actions,
        devices: DeviceSearch,
        downloads: Downloads,
        surroundings: Surroundings,
        archive: Archive,
        sharing: Sharing,
    ) -> None:
        super().__init__(window)
        self._sharing = sharing
        self._archive = archive
        self._window = window
        self._settings = settings
        self._theme = theme
        self._actions = actions
        self._devices = devices
        self._downloads = downloads
        self._surroundings = surroundings
        self._watch = SilenceWatch(window.session, self)
        self._watch.suspected.connect(self._offer_doctor)
        self._spoken: str | None = None  # the language to hear as soon as a model knows it
        self._wanted: str | None = None  # a model to use for captions as soon as it is downloaded
        self._microphone_test: MicrophoneTest | None = None  # of the first run
        self._transcribes: TranscriptionQueue | None = None
        self._sound_test: MicrophoneTest | None = None  # of the settings
        self._refused: dict[str, str] = {}  # why keys are unavailable, by path of the preferences
        downloads.finished.connect(self._use_model)
        actions.settings.triggered.connect(lambda: self.open_settings())
        actions.welcome.triggered.connect(lambda: self.open_welcome())
        actions.why_silent.triggered.connect(self.ask_why_silent)
        actions.transcribe.triggered.connect(lambda: self.open_transcription())
        actions.documentation.triggered.connect(self.open_documentation)
        actions.share.triggered.connect(lambda: self.open_sharing())
        strip = ShareStrip(sharing.page)
        strip.show_wanted.connect(lambda: self.open_sharing())
        window.show_below(strip)
        actions.report.triggered.connect(self.open_report)
        window.files_given.connect(self.open_transcription)
        window.file_given.connect(self.ask_about_file)

    @cached_property
    def settings(self) -> SettingsDialog:
        """Dialog of all preferences."""
        from app.settings.dialog import SettingsDialog
        from app.silence.microphone_test import MicrophoneTest

        dialog = SettingsDialog(self._settings, self._theme, self._surroundings, self._window)
        dialog.history_deletion_confirmed.connect(self.history_deletion_confirmed)
        self._devices.found.connect(dialog.show_inputs)
        self._devices.outputs_found.connect(dialog.show_outputs)
        dialog.show_inputs(self._devices.inputs or ())
        dialog.show_outputs(self._devices.outputs or ())
        self._sound_test = MicrophoneTest(self._settings, self._devices, self._theme, chooses=False)
        dialog.sound.put_widget(self.tr("Try it"), self._sound_test)
        for path, problem in self._refused.items():
            dialog.say_refused(path, problem)
        return dialog

    @cached_property
    def silence(self) -> SilenceDialog:
        """Dialog that explains why nothing is captioned."""
        from app.silence.silence_dialog import SilenceDialog

        captions = self._window.captions
        dialog = SilenceDialog(lambda: self._watch.circumstances(captions.picker.source), self._theme, self._window)
        dialog.device_chosen.connect(captions.choose_input)
        dialog.restart_wanted.connect(captions.session.restart_engine)
        return dialog

    @cached_property
    def transcription(self) -> TranscriptionDialog:
        """Dialog that transcribes recordings."""
        from app.transcription.dialog import TranscriptionDialog
        from app.transcription.queue import TranscriptionQueue
        from app.transcription.strip import TranscriptionStrip

        file = self._surroundings.data_folder / FILE_NAME
        queue = self._transcribes = TranscriptionQueue(self._archive, self._settings, file, self)
        queue.known_voices = self._window.captions.session.known_voices
        dialog = TranscriptionDialog(queue, self._settings, self._window)
        strip = TranscriptionStrip(queue)
        strip.show_wanted.connect(lambda: self.open_transcription())
        self._window.show_below(strip)
        dialog.session_wanted.connect(self.session_wanted)
        dialog.settings_wanted.connect(lambda: self.open_settings("captions"))
        return dialog

    @Slot(object)
    def open_transcription(self, places: object = ()) -> None:
        """Show the transcriptions, and add these files and folders."""
        assert isinstance(places, list | tuple)
        dialog = self.transcription
        dialog.show()
        dialog.raise_()
        if places:
            dialog.add(places)

    @Slot(object)
    def ask_about_file(self, path: object) -> FileQuestion:
        """Ask whether to transcribe a recording or to play it with captions."""
        from app.transcription.expected_time import expected_speed
        from app.transcription.file_question import FileQuestion
        from engine.machine.pace import load_pace

        assert isinstance(path, Path)
        question = FileQuestion(
            path, expected_speed(self._settings.preferences.models.hearing, load_pace()), self._window
        )
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.transcription_wanted.connect(lambda path: self.open_transcription([path]))
        question.playback_wanted.connect(self._window.open_file)
        question.open()
        return question

    @Slot(object, str)
    def transcribe_again(self, sound: object, name: str) -> None:
        """Transcribe the audio of a session in the history, and show the progress."""
        assert isinstance(sound, Path)
        self.open_transcription()
        self.transcription.add_again(sound, name)

    def resume_transcriptions(self) -> None:
        """Go on with the recordings that were not finished when the app ended."""
        if load(self._surroundings.data_folder / FILE_NAME):
            dialog = self.transcription
            text = self.tr("Transcriptions that were not finished go on: {}").format(dialog.resume())
            self._window.message.show_notice(text, self._actions.transcribe)

    def is_transcribing(self) -> bool:
        """Return whether files are being transcribed."""
        return self._transcribes is not None and self._transcribes.is_busy

    def would_lose_transcripts(self) -> bool:
        """Return whether a transcript is not saved."""
        return self._transcribes is not None and self._transcribes.would_lose

    def open_settings(self, page: str = "general") -> None:
        """Show the settings, at one of their pages."""
        self._devices.start()
        self.settings.open_page(page)

    @Slot()
    def ask_why_silent(self) -> None:
        """Run the diagnosis of silence, and show its findings."""
        self.silence.show()
        self.silence.look()

    @Slot()
    def open_documentation(self) -> Documentation:
        """Show the documentation."""
        from app.window.documentation import Documentation

        dialog = Documentation(parent=self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        return dialog

    @Slot()
    def open_report(self) -> ProblemReport:
        """Show a report of a problem, to be completed and copied."""
        from app.window.problem_report import ProblemReport

        dialog = ProblemReport(self._settings.preferences, tuple(self._window.message.problems), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def open_welcome(self) -> Welcome:
        """Show the first run, for the first time or again."""
        from app.silence.microphone_test import MicrophoneTest
        from app.welcome.welcome import Welcome

        self._microphone_test = MicrophoneTest(self._settings, self._devices, self._theme)
        offered = [catalogue()[name] for name in OFFERED]
        given = self._settings, self._theme, self._actions, self._microphone_test
        welcome = Welcome(*given, offered, _best_of(OFFERED), self._window)
        welcome.demo_wanted.connect(self._actions.demo.trigger)
        welcome.captions_wanted.connect(self._actions.start.trigger)
        welcome.languages_chosen.connect(self._choose_languages)
        welcome.model_wanted.connect(self._fetch_model)
        welcome.finished.connect(self._end_welcome)
        welcome.open()
        return welcome

    @cached_property
    def sharing(self) -> ShareDialog:
        """Dialog that lets others read along."""
        from app.share.share_dialog import ShareDialog

        return ShareDialog(self._sharing, self._window)

    def open_sharing(self) -> ShareDialog:
        """Show what others can read."""
        self.sharing.show()
        self.sharing.raise_()
        return self.sharing

    def say_refused(self, path: str, problem: str) -> None:
        """Show why the keys at a path of the preferences are unavailable; an empty text hides the message."""
        self._refused[path] = problem
        if "settings" in self.__dict__:
            self.settings.say_refused(path, problem)

    def shut_down(self) -> None:
        """Stop everything that runs in the dialogs."""
        for test in (self._microphone_test, self._sound_test):
            if test is not None:
                test.shut_down()
        if "settings" in self.__dict__:
            self.settings.shut_down()
        if "silence" in self.__dict__:
            self.silence.close()
        if self._transcribes is not None:
            self._transcribes.shut_down()

    def _end_welcome(self) -> None:
        if self._microphone_test is not None:
            self._microphone_test.shut_down()
            self._microphone_test = None

    @Slot(str, str)
    def _choose_languages(self, spoken: str, read: str) -> None:
        """Hear a language and read another, by their codes; "" is any, and the spoken one."""
        now = self._settings.preferences
        hearing = catalogue().get(now.models.hearing)
        self._spoken = spoken
        if hearing is not None and (knows(hearing, spoken) if spoken else not hearing.languages.startswith("English")):
            self._hear_with(now.models.hearing)
        if read in ("", spoken):
            return
        used = model_for(now.models.translation, read, spoken or None)
        entry = catalogue().get(used)
        pair = ("en", read) if used == STARTER else entry.pair if entry is not None else None
        if read in translation_targets(now.models.translation) and (pair is None or spoken == pair[0]):
            translation = replace(now.translation, target=read)
            self._settings.alter(lambda all: replace(all, translates=True, translation=translation))
        else:
            text = self.tr("To read {} here, get a model that translates into it.").format(language_name(read))
            models = QAction(self._actions.models_page.icon(), self._actions.models_page.text(), self)
            models.triggered.connect(lambda: self.translators_wanted.emit(read))
            self._window.message.show_notice(text, models)

    def _fetch_model(self, name: str) -> None:
        """Download a model with visible progress, and use it for captions once it is here."""
        if catalogue()[name].local_folder() is not None:
            self._hear_with(name)
            return
        self._wanted = name
        self._downloads.start(name)
        self._actions.models_page.trigger()

    def _use_model(self, name: str) -> None:
        if name == self._wanted:
            self._wanted = None
            self._hear_with(name)

    def _hear_with(self, name: str) -> None:
        def chosen(now: Preferences) -> Preferences:
            captions = now.captions
            if self._spoken is not None:
                captions = replace(captions, language=self._spoken or None, allowed_languages=())
            return replace(now, models=replace(now.models, hearing=name), captions=captions)

        self._settings.alter(chosen)

    @Slot(object)
    def _offer_doctor(self, suspicion: Suspicion) -> None:
        texts = {
            Suspicion.SILENT: self.tr("Your microphone is silent."),
            Suspicion.SPEECHLESS: self.tr("There is sound, but no speech so far."),
        }
        for about, text in texts.items():
            if about is suspicion:
                self._window.message.show_notice(text, self._actions.why_silent, lasts=True)
            else:
                self._window.message.withdraw(text)


def _best_of(names: Sequence[str]) -> str:
    """Return the last of these models that keeps up with speech here; the first where that is not known."""
    pace = load_pace()
    rounds = pace.rounds if pace is not None else {}
    quick = [name for name in names if name in rounds and verdict_of(rounds[name]) == "keeps up"]
    return quick[-1] if quick else names[0]
