"""Everything that the app can show, one after the other: every page, dialog and popup, with something in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.figures import Figures
from app.captions.state import State, Status
from app.history.store import HistoryStore
from app.preferences.preferences import Interpreting, Look
from app.silence.silence import Cause, Finding
from app.sound.audio_devices import InputDevice
from app.sound.output_devices import OutputDevice
from app.transcription.job import Job
from app.transcription.job import Stage as JobStage
from engine.notes.records import NoteLine, Notes, NotesSection
from engine.turns import AnswerStats, Heard, ToolCall, Turn, TurnStats
from tests.app.made_captions import caption, translation

INPUTS = (
    InputDevice(0, "default", True),
    InputDevice(3, "headset", False, "Headset"),
    InputDevice(4, "speakers.monitor", False, "Speakers", is_monitor=True),
)
OUTPUTS = (OutputDevice("speakers", True, "Speakers"),)
NOON = 1_700_000_000.0
SAID = (
    ("Good morning, everyone.", "Guten Morgen zusammen."),
    ("Let us begin with the budget for next year.", "Beginnen wir mit dem Haushalt für das nächste Jahr."),
)
STATS = TurnStats(
    endpoint_seconds=0.26,
    first_sentence_seconds=0.3,
    first_sound_seconds=0.34,
    premade=True,
    answer=AnswerStats(drafted=40, accepted=31, verify_seconds=0.05),
)
JOBS = (
    Job(1, Path("lecture.mp4"), ".srt", JobStage.DONE, 60, 60, 9, (Path("lecture.srt"),), 1),
    Job(2, Path("interview with a rather long name.m4a"), ".srt", JobStage.HEARING, 600, 3000, 100),
    Job(
        3, Path("broken.mp3"), ".srt", JobStage.FAILED, problem="broken.mp3 is damaged: no audio in it can be decoded."
    ),
    Job(4, Path("meeting.opus"), ".srt"),
)
NOTES = Notes(
    "meeting",
    (
        NotesSection("decisions", "Decisions", (NoteLine("Let us begin with the budget for next year.", (1,)),)),
        NotesSection("tasks", "Tasks", (NoteLine("I'll write it down.", (0, 1), "Anna", "by Friday"),)),
    ),
)
SETTINGS_PAGES = ("general", "captions", "translation", "overlay", "assistant", "sound", "history", "privacy")


@dataclass(frozen=True)
class Scene:
    """The picture that a person has before them.

    Attributes:
        name: for messages of tests and names of files.
        widget: the window or popup.
        is_dialog: whether Escape leaves it.
    """

    name: str
    widget: QWidget
    is_dialog: bool = False


@contextmanager
def application_in(
    qt: QApplication, folder: Path, language: str, look: Look = "light", size: tuple[int, int] = (1080, 720)
) -> Iterator[Application]:
    """Run the app in a language, its window shown, with no engine behind it."""
    made = Application(
        qt,
        folder,
        given=lambda now: replace(now, appearance=replace(now.appearance, language=language, look=look, details=True)),
    )
    made.window.resize(*size)
    made.window.show()
    made.captions_page.show_microphones(INPUTS)
    settle()
    try:
        yield made
    finally:
        made.shut_down()
        made.window.hide()
        for part in (made.window, made.theme, made):
            part.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def settle() -> None:
    """Let layouts come to rest: wrapped texts find their height in a second round or a third."""
    for _ in range(4):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)


class Stage:
    """Brings the scenes of an app about.

    Attributes:
        application: the app.
    """

    def __init__(self, application: Application, qtbot: QtBot) -> None:
        self.application = application
        self._qtbot = qtbot

    def scenes(self) -> Iterator[Scene]:
        """Yield all scenes; each exists until the next is asked for."""
        yield from self._captions()
        yield from self._tuning()
        yield from self._assistant()
        yield from self._history()
        yield from self._models()
        yield from self._settings()
        yield from self._welcome()
        yield from self._dialogs()
        yield from self._overlay()

    def _window(self, name: str) -> Scene:
        settle()
        return Scene(name, self.application.window)

    @contextmanager
    def _shown(self, name: str, dialog: QWidget) -> Iterator[Scene]:
        if not dialog.isVisible():
            dialog.show()
        settle()
        yield Scene(name, dialog, True)
        dialog.close()
        settle()

    def _captions(self) -> Iterator[Scene]:
        application = self.application
        page, actions = application.captions_page, application.actions
        yield self._window("captions-empty")
        model = application.session.captions
        for number, (said, translated) in enumerate(SAID):
            model.show(caption(number, said, start=4.0 * number, final=True))
            model.translate(translation(number, translated, final=True))
        for number in range(2, 40):
            model.show(caption(number, "Nothing leaves this computer.", start=4.0 * number, final=True))
        page.stage.captions.refresh()
        application.window.message.show_problem("Something happened.", actions.restart_engine)
        page.transport.show_model("large-v3-turbo")
        page.transport.show_figures(Figures(delay_seconds=1.6, real_time_factor=0.18))
        page.transport.show_status(Status(State.BEHIND, 7.0))
        yield self._window("captions-spoken")
        model.name_speakers({number: "Anna" if number % 2 else "Ben" for number in range(40)})
        page.transport.show_sides(("Anna", "Ben"))
        page.stage.captions.refresh()
        yield self._window("captions-of-two-sides")
        page.transport.show_sides(("",))
        page.stage.captions.verticalScrollBar().setValue(0)
        actions.find.trigger()
        page.stage.find_bar.field.setText("nothing")
        yield self._window("captions-search")
        page.stage.find_bar.close_search()
        application.window.message.close_message()
        page.corrections.begin(39, 0)
        page.corrections.editor.saved.emit("Nothing leaves Ruggedo.")
        page.corrections.editor.leave()
        yield self._window("captions-corrected")
        application.window.message.close_message()
        actions.translation.trigger()
        panel = page.translation.panel
        settle()
        yield Scene("translation-panel", panel, True)
        usual = application.settings.preferences
        application.settings.change(replace(usual, translates=True, interpreting=Interpreting(speaks=True)))
        application.interpreter.behind_changed.emit(3.2)
        settle()
        yield Scene("translation-panel-spoken", panel, True)
        application.interpreter.behind_changed.emit(None)
        application.settings.change(usual)
        panel.more.click()
        settle()
        yield Scene("translation-panel-more", panel, True)
        panel.close()

    def _tuning(self) -> Iterator[Scene]:
        application = self.application
        application.actions.tuning.setChecked(True)
        pages = application.tuning.pages
        for place in range(pages.count()):
            pages.setCurrentIndex(place)
            yield self._window(f"tuning-{place + 1}")
        application.tuning.compare()
        comparison = application.tuning.comparison
        assert comparison is not None
        with self._shown("comparison", comparison) as scene:
            yield scene
        application.actions.tuning.setChecked(False)

    def _assistant(self) -> Iterator[Scene]:
        application = self.application
        application.actions.assistant_page.trigger()
        yield self._window("assistant-empty")
        client = application.assistant._client
        client.turn_event_came.emit(Heard(1, 0, "Where does the river go?", final=True))
        client.turn_event_came.emit(Turn(1, 0, "Where does the river go?", "It goes down to the sea.", stats=STATS))
        client.turn_event_came.emit(Heard(2, 0, "And then"))
        yield self._window("assistant-spoken")
        client.turn_event_came.emit(Heard(2, 0, "And then make the text bigger", final=True))
        client.turn_event_came.emit(ToolCall(2, 0, "text_larger", "en"))
        client.turn_event_came.emit(Turn(2, 0, "And then make the text bigger", "The text is larger now.", stats=STATS))
        yield self._window("assistant-done")
        application.assistant.conversation.undo(2)
        client.turn_event_came.emit(Heard(3, 0, "What was said about this computer?", final=True))
        client.turn_event_came.emit(ToolCall(3, 0, "said_about", "en", {"topic": "this computer"}))
        client.turn_event_came.emit(Turn(3, 0, "What was said about this computer?", "At 0:04: “…”", stats=STATS))
        yield self._window("assistant-quoted")

    def _history(self) -> Iterator[Scene]:
        application = self.application
        page = application.history_page
        sessions = page.sessions.model
        application.actions.history_page.trigger()
        self._qtbot.waitUntil(lambda: page.sessions.nothing.isVisible() or bool(sessions.sessions))  # it has been read
        yield self._window("history-empty")
        application.archive.write(_fill)
        self._qtbot.waitUntil(lambda: any(each.kind == "captions" for each in sessions.sessions))
        page.choose(next(each.id for each in sessions.sessions if each.kind == "captions"))
        self._qtbot.waitUntil(lambda: page.commands.export.isEnabled())
        yield self._window("history-session")
        self._qtbot.waitUntil(lambda: page.pane.view.is_complete)
        application.actions.notes.setChecked(True)
        page.pane.notes.show_notes(NOTES, {0: 0.0, 1: 4.0})
        yield self._window("history-notes")
        yield Scene("history-menu-notes", page.pane.notes.menu())
        application.actions.notes.setChecked(False)
        page.corrections.begin(0)
        yield self._window("history-correcting")
        page.corrections.editor.leave()
        page.pane.sound.show()
        yield self._window("history-sound")
        page.pane.sound.hide()
        page.sessions.list.selectAll()
        yield self._window("history-several")
        for name, menu in (("sessions", page.commands.session_menu(page)), ("line", page.corrections.menu(0))):
            yield Scene(f"history-menu-{name}", menu)
            menu.deleteLater()
        page.start_search()
        page.sessions.field.setText("budget")
        self._qtbot.waitUntil(lambda: len(sessions.sessions) == 1)
        page.choose(sessions.sessions[0].id)
        yield self._window("history-search")

    def _models(self) -> Iterator[Scene]:
        application = self.application
        application.actions.models_page.trigger()
        self._qtbot.waitUntil(lambda: bool(application.library.models))
        yield self._window("models")
        application.models_page.server.open()
        yield self._window("models-server")
        application.models_page.server.hide()

    def _settings(self) -> Iterator[Scene]:
        dialog = self.application.dialogs.settings
        dialog.show_inputs(INPUTS)
        dialog.show_outputs(OUTPUTS)
        for page in SETTINGS_PAGES:
            dialog.open_page(page)
            settle()
            yield Scene(f"settings-{page}", dialog, True)
        dialog.close()

    def _welcome(self) -> Iterator[Scene]:
        welcome = self.application.dialogs.open_welcome()
        for step in range(4):
            settle()
            yield Scene(f"welcome-{step + 1}", welcome, True)
            welcome.next.click() if step < 3 else welcome.reject()

    def _dialogs(self) -> Iterator[Scene]:
        application = self.application
        silence = application.dialogs.silence
        silence.show()
        silence._show(tuple(Finding(cause, INPUTS[1], "headset", "It is in use.", -40.0, 7.0) for cause in Cause))
        with self._shown("silence", silence) as scene:
            yield scene
        application.actions.captions_page.trigger()
        with self._shown("speaker", application.captions_page.names.ask((0,))) as scene:
            yield scene
        with self._shown("export", application.captions_page.ask_for_export()) as scene:
            yield scene
        with self._shown("file-question", application.dialogs.ask_about_file(Path("lecture.mp4"))) as scene:
            yield scene
        application.actions.shortcuts.trigger()
        application.dialogs.open_transcription()
        transcription = application.dialogs.transcription
        transcription._queue.jobs = JOBS
        transcription._queue.listed.emit()
        with self._shown("transcription", transcription) as scene:
            yield scene
        transcription._queue.jobs = ()
        transcription._queue.listed.emit()
        with self._shown("shortcuts", _newest(QWidget, "ShortcutList")) as scene:
            yield scene
        with self._shown("documentation", application.dialogs.open_documentation()) as scene:
            yield scene
        sharing = application.dialogs.open_sharing()
        with self._shown("share", sharing) as scene:
            yield scene
        application.sharing.page.open("127.0.0.1")
        with self._shown("share-open", sharing) as scene:
            yield scene
        yield self._window("captions-shared")
        application.desktop.meetings.offered.emit("Firefox")
        yield self._window("captions-meeting")
        application.desktop.meetings.withdrawn.emit("Firefox")
        application.sharing.page.close()
        with self._shown("report", application.dialogs.open_report()) as scene:
            yield scene
        with self._shown("replace", application.captions_page.corrections.ask_to_replace()) as scene:
            yield scene

    def _overlay(self) -> Iterator[Scene]:
        overlay = self.application.desktop.overlay
        self.application.actions.overlay.setChecked(True)
        settle()
        yield Scene("overlay", overlay)
        yield Scene("overlay-menu", overlay.controls.menu)
        self.application.actions.overlay.setChecked(False)


def _fill(store: HistoryStore) -> None:
    lecture = store.begin("captions", "", "Microphone", "starter", "en", NOON)
    for number, (said, translated) in enumerate(SAID):
        store.put_caption(lecture, caption(number, said, start=5.0 * number, final=True), 5.0 * number + 2.6)
        store.put_translation(lecture, translation(number, translated, final=True))
    store.end(lecture, NOON + 10)
    talk = store.begin("conversation", "", "", "starter-assistant", "en", NOON + 100)
    store.put_turn(talk, Turn(1, 0, "What is the capital of France?", "Paris.", stats=STATS), NOON + 101)
    store.end(talk, NOON + 110)


def _newest(kind: type[QWidget], name: str) -> QWidget:
    return [each for each in QApplication.topLevelWidgets() if type(each).__name__ == name and each.isVisible()][-1]
