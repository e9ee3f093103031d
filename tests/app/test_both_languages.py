"""A newcomer's way, one step after the other, in English and in German: the whole window, by its controls.

One window in each language is walked through in order; what hears is a script, all else is real. That everything fits
a small screen at every scaling is in window/test_small_screens.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app import application as shell
from app.application import Application
from app.assistant.exchange import Phase
from app.captions.session import LiveSession
from app.captions.state import State, Status
from app.desktop.single_start import request_of
from app.history import archive as archive_module
from app.history.kept.audio_files import audio_folder
from app.history.kept.audio_writer import AudioWriter
from app.history.store import HistoryStore
from app.look import interface_language
from app.models.uses import Use
from app.preferences.preferences import Preferences
from app.silence.silence_watch import Suspicion
from app.sound import playback
from app.sound.audio_devices import InputDevice
from app.sound.audio_sources import AudioFile, Microphone, TwoSides
from app.sound.device_search import DeviceSearch
from app.transcription import queue
from app.transcription.job import Stage
from app.widgets import open_audio
from app.widgets.action_button import ActionButton
from engine.audio import SAMPLE_RATE_HZ
from engine.machine.pace import MachinePace
from engine.process.process import serve
from engine.turns import Heard, Turn, TurnStats
from tests.app.conftest import SHORT
from tests.app.desktop.test_dictation import Desk
from tests.app.fake_player import FakePlayer
from tests.app.made_captions import caption, translation
from tests.app.planted_recording import FastFile
from tests.app.scenes import settle
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say, write_wav
from tests.app.transcription.spoken_files import WORDS, hearing_model, spoken_files

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
MICROPHONE = InputDevice(0, "default", True, "Laptop")
SPEAKERS = InputDevice(2, "speakers.monitor", False, "Speakers", is_monitor=True)
NOON = 1_700_000_000.0
PACE = MachinePace(94.0, False, {"tiny.en": 0.17, "tiny": 0.17, "base.en": 0.37, "base": 0.37, "small": 0.98})


@dataclass(frozen=True)
class Walk:
    """The window in one of the languages.

    Attributes:
        folder: where all of it is kept.
    """

    application: Application
    language: str
    folder: Path

    def say(self, english: str, german: str) -> str:
        """Return the words in the language of this window."""
        return german if self.language == "de" else english


@pytest.fixture(autouse=True)
def speaks_english_again() -> None:
    """Leave the language alone from test to test: the window's own fixture takes it back."""


@pytest.fixture(scope="module", params=["en", "de"])
def walk(
    qapp: QApplication, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Walk]:
    language, folder = request.param, tmp_path_factory.mktemp(f"walk-{request.param}")
    speech = say(SHORT)
    demo = write_wav(folder / "demo.wav", speech.samples)

    def given(now: Preferences) -> Preferences:
        models = replace(now.models, hearing="scripted", translation="scripted")
        return replace(now, models=models, appearance=replace(now.appearance, language=language))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shell, "demo_clip", lambda: demo)
        patch.setattr(queue, "serve", partial(serve, load=hearing_model(folder)))
        patch.setattr(playback, "Player", lambda *device: FakePlayer())
        patch.setattr(DeviceSearch, "start", lambda search: search.found.emit((MICROPHONE, SPEAKERS)))
        application = Application(qapp, folder / "data", scripted_client(speech), given=given)
        application.window.resize(800, 600)
        application.window.show()
        application.devices.start()
        application.session.prepare()
        yield Walk(application, language, folder)
        application.shut_down()
        application.window.hide()
        for part in (application.window, application.theme, application):
            part.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    interface_language.install(qapp, "en")


def finish(walk: Walk, qtbot: QtBot) -> None:
    session = walk.application.session
    qtbot.waitUntil(lambda: session.status.state in (State.FINISHED, State.IDLE) and not session.is_busy)


def keep(walk: Walk, qtbot: QtBot, title: str, audio: str = "") -> int:
    """Put a session of three translated lines into the history, and show it; return its number."""
    made: list[int] = []

    def write(store: HistoryStore) -> int:
        session = store.begin("captions", title, "Laptop", "starter", "en", NOON, audio=audio)
        for number, said in enumerate(("Good mourning.", "It rains.", "Good night.")):
            store.put_caption(session, caption(number, said, start=5.0 * number, final=True))
            store.put_translation(session, translation(number, f"Satz {number}", final=True))
        store.end(session, NOON + 15)
        return session

    walk.application.archive.write(lambda store: made.append(write(store)))
    page = walk.application.history_page
    walk.application.actions.history_page.trigger()
    qtbot.waitUntil(lambda: bool(made) and any(each.id == made[0] for each in page.sessions.model.sessions))
    page.choose(made[0])
    qtbot.waitUntil(lambda: page.pane.header.title.text() == title and page.pane.view.is_complete)
    return made[0]


def plain(text: str) -> str:
    return text.replace("&", "")


def test_1_welcome_opens_in_the_middle_and_all_of_it_is_on_the_screen(walk: Walk, qtbot: QtBot) -> None:
    window = walk.application.window
    welcome = walk.application.dialogs.open_welcome()
    settle()
    for _ in range(4):
        assert window.screen().availableGeometry().contains(welcome.frameGeometry())
        assert abs(welcome.frameGeometry().center().x() - window.frameGeometry().center().x()) <= 4
        button = QRect(welcome.next.mapTo(welcome, QPoint(0, 0)), welcome.next.size())
        assert welcome.next.isVisible() and welcome.rect().contains(button)
        last = plain(welcome.next.text())
        welcome.next.click()
        settle()
    assert last == walk.say("Done", "Fertig")
    assert not welcome.isVisible()


def test_2_the_demo_ends_its_session_and_the_microphone_is_next(walk: Walk, qtbot: QtBot) -> None:
    application = walk.application
    qtbot.waitUntil(lambda: application.client.is_running)
    application.actions.demo.trigger()
    qtbot.waitUntil(lambda: application.session.captions.text() == SHORT)
    finish(walk, qtbot)
    picker = application.captions_page.picker
    assert picker.currentText() == walk.say("Default microphone (Laptop)", "Standardmikrofon (Laptop)")
    assert isinstance(picker.source, Microphone)
    application.window.open_file(write_wav(walk.folder / "own.wav", say(SHORT).samples))
    assert application.session.captions.rowCount() == 0
    finish(walk, qtbot)
    assert application.session.captions.text() == SHORT
    assert isinstance(picker.source, Microphone)


def test_3_what_is_told_goes_with_its_cause(walk: Walk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    application, message = walk.application, walk.application.window.message
    application.actions.captions_page.trigger()
    watch = application.dialogs._watch
    watch.suspected.emit(Suspicion.SILENT)
    assert message.text == walk.say("Your microphone is silent.", "Das Mikrofon liefert keinen Ton.")
    watch.suspected.emit(Suspicion.NONE)
    assert not message.isVisible()
    with monkeypatch.context() as patch:
        patch.setattr(LiveSession, "is_busy", True)
        application.session.engine_crashed.emit()
    assert message.text.startswith(walk.say("The captioning engine stopped", "Die Spracherkennung ist abgestürzt"))
    application.session.status_changed.emit(Status(State.RESTARTING))
    assert not message.isVisible()
    application.window.open_file(walk.folder / "missing.wav")
    qtbot.waitUntil(lambda: "missing.wav" in message.text)
    application.actions.history_page.trigger()
    assert not message.isVisible(), "another page has nothing to do with it"
    application.actions.captions_page.trigger()
    application.archive.unsaved.emit("The disk is read-only.")
    application.captions_page.message_outdated.emit()
    assert message.text == "The disk is read-only." and message.isVisible()
    application.archive.unsaved.emit("")
    assert message.text == walk.say(
        "Everything is saved again; nothing is missing.", "Alles wird wieder gespeichert, und nichts fehlt."
    )
    message.close_message()


def test_4_every_format_of_an_export_has_room(walk: Walk) -> None:
    application = walk.application
    application.session.captions.show(caption(900, "Good morning.", start=900.0, final=True))
    dialog = application.captions_page.ask_for_export()
    settle()
    dialog.format.showPopup()
    settle()
    view = dialog.format.view()
    rows = [view.visualRect(view.model().index(row, 0)) for row in range(dialog.format.count())]
    assert len(rows) >= 7 and dialog.format.itemText(0) == walk.say("SubRip subtitles", "SubRip-Untertitel")
    assert all(row.height() >= view.fontMetrics().height() for row in rows)
    assert all(not one.intersects(other) for one, other in pairwise(rows))
    assert rows[-1].bottom() <= view.viewport().height()
    dialog.format.hidePopup()
    dialog.reject()


def test_5_a_second_start_brings_the_window_and_its_file(walk: Walk, qtbot: QtBot) -> None:
    application = walk.application
    application.window.hide()
    application.carry_out_request(request_of(write_wav(walk.folder / "second.wav", say(SHORT).samples), None, None))
    assert application.window.isVisible() and application.captions_page.isVisible()
    assert application.captions_page.picker.source == AudioFile(walk.folder / "second.wav")
    finish(walk, qtbot)
    assert application.session.captions.text() == SHORT


def test_6_size_page_and_tuning_are_as_they_were_left(walk: Walk) -> None:
    application = walk.application
    application.window.resize(790, 590)
    application.actions.history_page.trigger()
    application.actions.tuning.setChecked(True)
    left = application.window.how_it_is()
    application.actions.tuning.setChecked(False)
    application.actions.captions_page.trigger()
    application.window.resize(800, 600)
    application.window.restore(left)
    assert (application.window.width(), application.window.height()) == (790, 590)
    assert application.history_page.isVisible() or application.tuning.isVisible()
    assert application.actions.history_page.isChecked() and application.actions.tuning.isChecked()
    assert application.actions.tuning.text() == walk.say("&Tuning", "&Feinabstimmung")
    application.actions.tuning.setChecked(False)
    application.window.resize(800, 600)


def test_7_saving_goes_on_by_itself_once_there_is_room(
    walk: Walk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    application, message = walk.application, walk.application.window.message
    monkeypatch.setattr(archive_module, "RETRY_SECONDS", 0.05)
    recorder, model = application.history_wiring.recorder, application.session.captions
    recorder.begin_captions("Laptop", "starter", "en")
    application.archive.write(lambda store: store._db.execute("PRAGMA max_page_count = 1"))
    for number in range(1000, 1060):
        model.show(caption(number, "Many words " * 40, start=3.0 * number, final=True))
    recorder.end_captions()
    qtbot.waitUntil(message.isVisible)
    application.archive.ask(lambda store: store._db.execute("PRAGMA max_page_count = 1000000"), lambda _: None)
    saved = walk.say(
        "Everything is saved again; nothing is missing.", "Alles wird wieder gespeichert, und nichts fehlt."
    )
    qtbot.waitUntil(lambda: message.text == saved)
    page = application.history_page
    application.actions.history_page.trigger()
    sessions = page.sessions.model
    qtbot.waitUntil(lambda: bool(sessions.sessions) and "Many" in sessions.title_of(sessions.sessions[0]))
    newest = sessions.sessions[0]
    assert not newest.is_running
    page.choose(newest.id)
    qtbot.waitUntil(lambda: page.transcript is not None and len(page.transcript.captions) == 60)
    message.close_message()


def test_8_an_answer_that_was_cut_keeps_its_text_and_an_idle_chat_is_open(walk: Walk, qtbot: QtBot) -> None:
    application = walk.application
    application.actions.assistant_page.trigger()
    client, conversation = application.assistant._client, application.assistant.conversation
    whole = "It goes down to the sea. Boats go with it."
    stats = TurnStats(first_sound_seconds=0.4)
    client.turn_event_came.emit(Heard(1, 0, "Where does the river go?", final=True))
    client.turn_event_came.emit(
        Turn(1, 0, "Where does the river go?", whole, "interrupted", said="It goes down", stats=stats)
    )
    settle()
    (exchange,) = conversation.exchanges
    assert (exchange.answer, exchange.heard, exchange.phase) == (whole, "It goes down", Phase.DONE)
    view = application.assistant_page.view.views[0]
    qtbot.waitUntil(lambda: view.answer.text == whole)
    assert view.note.text() == walk.say("Interrupted", "Unterbrochen")
    page = application.history_page
    application.actions.history_page.trigger()
    sessions = page.sessions.model

    def chat() -> int | None:
        return next((each.id for each in sessions.sessions if each.kind == "conversation"), None)

    qtbot.waitUntil(lambda: chat() is not None)
    page.choose(chat() or 0)
    qtbot.waitUntil(lambda: page.pane.view.is_complete and whole in page.pane.view.toPlainText())
    shown = sessions.index(sessions.row_of(chat() or 0)).data(Qt.ItemDataRole.AccessibleTextRole)
    assert walk.say("still open", "noch offen") in shown
    assert not page.commands.delete.isEnabled()
    (bin,) = (each for each in page.findChildren(ActionButton) if each.action is page.commands.delete)
    assert walk.say("begin a new one, then it can be deleted", "erst eine neue beginnen") in bin.toolTip()
    application.assistant.begin_anew()
    qtbot.waitUntil(page.commands.delete.isEnabled)


def test_9_no_dialog_starts_in_the_program_s_folder(walk: Walk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    application, asked = walk.application, dict[str, str]()

    def note(parent: QWidget, title: str, folder: str = "", kinds: str = "") -> tuple[str, str]:
        asked[title] = folder
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", note)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *given: ([], note(*given)[1]))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", note)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *given: note(*given)[0])
    monkeypatch.setattr(open_audio, "_last_folder", "")
    application.actions.open_file.trigger()
    transcription = application.dialogs.transcription
    transcription.add_files.click()
    transcription.add_folder.click()
    export = application.captions_page.ask_for_export()
    export.export_button.click()
    export.reject()
    settings = application.dialogs.settings
    settings._ask_for_export()
    settings._ask_for_import()
    application.models_page.add_folder()
    application.models_page.add_file()
    assert walk.say("Play and caption a file", "Eine Datei mit Untertiteln abspielen") in asked
    assert len(asked) == 8, asked
    for title, folder in asked.items():
        place = Path(folder)
        assert place.is_absolute() and not place.is_relative_to(Path.cwd()), title
        assert place.is_relative_to(Path.home()), title


def test_9_no_button_of_a_dialog_has_a_stock_icon(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    application, seen = walk.application, dict[str, bool]()

    def look(dialog: QWidget) -> None:
        for box in dialog.findChildren(QDialogButtonBox):
            seen[dialog.windowTitle()] = all(button.icon().isNull() for button in box.buttons())

    def look_and_leave() -> None:
        question = QApplication.activeModalWidget()
        assert isinstance(question, QMessageBox)
        look(question)
        question.reject()

    for dialog in (application.captions_page.ask_for_export(), application.captions_page.names.ask((0,))):
        look(dialog)
        dialog.reject()
    QTimer.singleShot(0, look_and_leave)
    application.dialogs.settings.open_page("history")
    deletion = walk.say("Delete the whole history", "Den ganzen Verlauf löschen")
    buttons = application.dialogs.settings.findChildren(QPushButton)
    next(each for each in buttons if each.accessibleName() == deletion).click()
    application.dialogs.settings.close()
    assert seen == {
        walk.say("Export", "Exportieren"): True,
        walk.say("Speaker", "Sprecher"): True,
        walk.say("Delete the history", "Verlauf löschen"): True,
    }


def test_10_files_are_transcribed_with_progress_cancelled_and_exported(walk: Walk, qtbot: QtBot) -> None:
    application = walk.application
    before = application.settings.preferences
    heard_as_planted = replace(before, captions=replace(before.captions, voice_gate=False), translates=False)
    application.settings.alter(lambda now: heard_as_planted)
    dialog = application.dialogs.transcription
    dialog.format.setCurrentIndex(dialog.format.findData(".txt"))
    application.dialogs.open_transcription(spoken_files(walk.folder, "endless.mp4", "talk.m4a"))
    endless, talk = dialog.rows.values()
    done = walk.say("25% done", "25 % fertig")
    qtbot.waitUntil(lambda: endless.state.text().replace("\N{NO-BREAK SPACE}", " ") == done)
    assert endless.bar.isVisible()
    assert talk.state.text() == walk.say("Waiting", "Wartet")
    endless.cancel.click()
    qtbot.waitUntil(lambda: talk.job.stage is Stage.DONE)
    assert endless.state.text() == walk.say("Cancelled", "Abgebrochen")
    assert talk.state.text() == walk.say("Done. Written to talk.txt.", "Fertig. Geschrieben: talk.txt.")
    assert (walk.folder / "talk.txt").read_text().strip() == WORDS[1].text.strip()
    dialog.forget.click()
    dialog.close()
    application.settings.alter(lambda now: before)


def test_11_what_was_said_is_heard_again_from_a_line_on(walk: Walk, qtbot: QtBot) -> None:
    application, page = walk.application, walk.application.history_page
    writer = AudioWriter(audio_folder(application.archive.path) / "sound.ogg", lambda _: None)
    writer.put(np.zeros(20 * SAMPLE_RATE_HZ, np.float32))
    writer.finish()
    writer.wait(120.0)
    keep(walk, qtbot, "With sound", audio="sound.ogg")
    assert page.pane.sound.isVisible()
    assert plain(page.commands.play.text()) == walk.say("Play", "Abspielen")
    page.pane.view.clicked.emit(2)  # the second line, below the first one and its translation
    qtbot.waitUntil(lambda: page.sound.is_playing)
    marked = page.pane.view.extraSelections()
    assert [each.cursor.selectedText() for each in marked] == ["It"]
    assert page.commands.play.text() == walk.say("&Pause", "&Pause")
    page.commands.play.trigger()
    assert not page.sound.is_playing


def test_12_a_call_has_two_named_sides_and_lines_are_named_by_hand(walk: Walk, qtbot: QtBot) -> None:
    application, page = walk.application, walk.application.captions_page
    application.actions.captions_page.trigger()
    assert page.picker.findText(walk.say("Microphone and computer", "Mikrofon und Computer")) >= 0
    here, there = walk.say("You", "Ich"), walk.say("Call", "Anruf")
    application.actions.new.trigger()
    sound = say(SHORT).samples
    # The call speaks a fifth of a second later: what was there before it is no echo of it.
    call = np.concatenate([np.zeros(SAMPLE_RATE_HZ // 5, np.float32), sound])
    application.session.start(TwoSides(FastFile(sound), FastFile(call), "both"))
    page.refresh()
    qtbot.waitUntil(lambda: page.transport.level.names[-1].text() == there)
    assert [label.text() for label in page.transport.level.names] == [here, there]
    finish(walk, qtbot)
    assert set(application.session.captions.text().split("\n")) == {f"{here}: {SHORT}", f"{there}: {SHORT}"}
    line = application.session.captions.caption_at(0)
    dialog, first = page.names.ask((line.id,)), line.speaker
    assert dialog.everywhere.text() == walk.say(f"For &all lines of “{first}”", f"Für &alle Zeilen von „{first}“")
    dialog.name.setCurrentText("Anna")
    dialog.save.click()
    qtbot.waitUntil(lambda: application.session.captions.caption_at(0).speaker == "Anna")
    message = application.window.message.text
    assert message == walk.say("“Anna” said this line.", "Diese Zeile hat „Anna“ gesagt.")
    export = page.ask_for_export()
    export.format.setCurrentIndex(export.format.findData(".txt"))
    assert f"Anna: {SHORT}" in export.preview.toPlainText()
    export.reject()


def test_13_the_best_model_stands_first_and_a_language_is_a_click_away(walk: Walk, qtbot: QtBot) -> None:
    application, page = walk.application, walk.application.models_page
    application.actions.new.trigger()
    application.settings.alter(
        lambda now: replace(
            now, models=replace(now.models, hearing="starter"), captions=replace(now.captions, language="fr")
        )
    )
    application.actions.captions_page.trigger()
    settle()
    link = application.captions_page.stage.empty.other_language
    assert link.text() == walk.say("Get a model that hears French…", "Ein Modell für Französisch holen…")
    link.click()
    assert page.isVisible() and (page.filters.use, page.filters.code) == (Use.CAPTIONS, "fr")
    qtbot.waitUntil(lambda: "small" in page.cards and page.cards["small"].isVisible())
    application.library.pace = PACE
    page._arrange()
    settle()
    assert page._best.text() == walk.say("Recommended for this computer", "Für diesen Computer empfohlen")
    shown = [card for card in page.cards.values() if card.isVisible()]
    assert not page.cards["base.en"].isVisible()
    first = min(shown, key=lambda card: card.y())
    assert page._best.y() < first.y() < page._others.y()
    application.settings.alter(
        lambda now: replace(
            now, models=replace(now.models, hearing="scripted"), captions=replace(now.captions, language=None)
        )
    )


def test_14_a_line_is_corrected_and_several_sessions_have_a_menu(walk: Walk, qtbot: QtBot) -> None:
    application, page = walk.application, walk.application.history_page
    keep(walk, qtbot, "To be corrected")
    page.corrections.begin(0)
    page.corrections.editor.selectAll()
    qtbot.keyClicks(page.corrections.editor, "Good morning.")
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.pane.view.toPlainText().startswith("Good morning."))
    line = page.pane.view.line(0)
    assert line is not None and line.heard == "Good mourning."
    assert application.window.message.text == walk.say("The line was corrected.", "Die Zeile wurde berichtigt.")
    assert walk.say("Show original", "Original anzeigen") in [
        plain(each.text()) for each in page.corrections.menu(0).actions()
    ]
    page.sessions.list.selectAll()
    count = len(page.sessions.selected)
    assert count >= 3
    offered = [
        plain(each.text()) for each in page.commands.session_menu(page).actions() if each.isVisible() and each.text()
    ]
    assert offered == [
        *walk.say("Open|Rename|Join into one", "Öffnen|Umbenennen|Zu einer verbinden").split("|"),
        walk.say(f"Export {count}…", f"{count} exportieren…"),
        walk.say("Show in folder", "Im Ordner zeigen"),
        walk.say(f"Delete {count}", f"{count} löschen"),
    ]


def test_15_what_is_said_is_typed_into_the_program_in_front(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert walk.application.settings.preferences.behaviour.dictation_key == "", "it is off"
    walk.application.captions_page.picker.setCurrentIndex(0)
    desk = Desk(walk.application, monkeypatch)
    walk.application.desktop.hotkeys._press("dictate")
    desk.say(2000, "Good morning,", start=1.0, pending="every")
    desk.say(2000, "Good morning, everyone.", start=1.0, revision=1)
    assert desk.text == "Good morning, everyone."
    walk.application.desktop.hotkeys._press("dictate")
    assert not desk.dictation.is_on
    desk.busy = False
    desk.in_front = True
    walk.application.desktop.hotkeys._press("dictate")
    assert desk.refused[0].startswith(
        walk.say("Dictation types into other programs", "Diktiert wird in andere Programme")
    )
