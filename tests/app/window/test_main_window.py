"""The window without an engine behind it: what it shows, what it offers, what it writes, how it is reached by keys."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QAccessible, QAction, QColor, QDropEvent, QGuiApplication, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSlider,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app import actions as actions_module
from app.actions import Actions
from app.application import Application
from app.captions.session import LiveSession, State, Status
from app.look import interface_language
from app.look.theme import DARK, Theme
from app.silence.silence_watch import Suspicion
from app.sound.audio_devices import InputDevice
from app.sound.audio_sources import Microphone
from app.transcription.file_question import FileQuestion
from app.transcription.queue import TranscriptionQueue
from app.window.main_window import MainWindow
from engine.machine import pace
from engine.machine.pace import MachinePace
from tests.app.made_captions import caption

MICROPHONES = (InputDevice(0, "default", True), InputDevice(3, "Headset", False))


@pytest.fixture
def window(application: Application) -> MainWindow:
    application.window.captions.show_microphones(MICROPHONES)
    return application.window


def speak(window: MainWindow) -> None:
    window.session.captions.show(caption(0, "Good morning, everyone.", final=True))
    window.session.captions.show(caption(1, "Can you", pending="here", start=2.0))
    window.captions.stage.captions.refresh()


def press(window: MainWindow, qtbot: QtBot, keys: QKeySequence.StandardKey | str) -> None:
    """Press a shortcut as a person does."""
    combination = QKeySequence(keys)[0]
    qtbot.keyClick(window, combination.key(), combination.keyboardModifiers())


def action(window: MainWindow, text: str) -> QAction:
    found = [
        each for each in window.findChildren(QMenu) for each in each.actions() if text in each.text().replace("&", "")
    ]
    assert len(found) == 1
    return found[0]


def test_an_empty_window_says_what_to_do_and_offers_it(window: MainWindow) -> None:
    assert window.captions.stage.is_empty
    assert window.captions.stage.empty.start.isVisible()
    assert window.captions.stage.empty.demo.isVisible()
    assert any("your words appear here" in label.text() for label in window.captions.stage.empty.findChildren(QLabel))
    assert not window.captions.header.copy.isEnabled()
    assert not window.captions.header.export.isEnabled()


def test_the_picker_offers_the_microphones_and_to_open_a_file(window: MainWindow) -> None:
    texts = [window.captions.picker.itemText(index) for index in range(window.captions.picker.count())]
    assert texts == ["Default microphone", "Headset", "Demo", "Play and caption a file…"]
    assert window.captions.picker.source == Microphone(None, "Default microphone")
    window.captions.picker.setCurrentIndex(1)
    assert window.captions.picker.source == Microphone("Headset", "Headset")


def test_a_chosen_microphone_stays_chosen_when_another_comes(window: MainWindow) -> None:
    window.captions.picker.setCurrentIndex(1)
    window.captions.show_microphones((*MICROPHONES, InputDevice(5, "Webcam", False)))
    assert window.captions.picker.source == Microphone("Headset", "Headset")


def test_without_a_microphone_the_window_says_so_and_offers_a_file(window: MainWindow, qtbot: QtBot) -> None:
    window.captions.show_no_microphones("Microphones need the PortAudio library, which is missing here.")
    assert any("No microphone was found" in label.text() for label in window.captions.stage.empty.findChildren(QLabel))
    assert not window.captions.stage.empty.start.isVisible()
    assert window.captions.stage.empty.open.isVisible()
    press(window, qtbot, "Ctrl+Return")
    assert "PortAudio" in window.message.text
    assert window.message.isVisible()
    assert window.message.way_out is not None
    assert "Play and caption a file" in window.message.way_out.text().replace("&", "")
    assert not window.session.is_busy
    window.captions.show_microphones(MICROPHONES)
    assert not window.message.isVisible(), "it is not so any more"


def test_a_start_before_the_microphones_are_known_waits_for_them(application: Application) -> None:
    page = application.captions_page
    page.start()
    assert not application.window.message.isVisible()
    assert not page.session.is_busy
    page.show_no_microphones("There is no microphone.")
    assert application.window.message.text == "There is no microphone."
    page.start()
    page.show_microphones(MICROPHONES)
    assert not page.session.is_busy, "it was told: nothing starts by itself later"


def test_a_start_before_the_microphones_are_known_is_made_up_for(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(application.session, "start", started.append)
    application.captions_page.start()
    assert started == []
    application.captions_page.show_microphones(MICROPHONES)
    assert [getattr(each, "device", "") for each in started] == [None]


def test_choosing_to_open_a_file_asks_for_one_and_keeps_the_choice_on_cancel(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args, **kwargs: (asked.append("open") or "", ""))
    last = window.captions.picker.count() - 1
    window.captions.picker.setCurrentIndex(last)
    window.captions.picker.activated.emit(last)
    assert asked == ["open"]
    assert window.captions.picker.source == Microphone(None, "Default microphone")


def test_captions_replace_the_invitation(window: MainWindow) -> None:
    speak(window)
    assert not window.captions.stage.is_empty
    assert window.captions.stage.captions.toPlainText() == "Good morning, everyone.\nCan you here"
    assert window.captions.transport.start.isVisible()
    assert window.captions.header.copy.isEnabled()


def test_copy_takes_the_committed_text_or_what_is_selected(window: MainWindow, qtbot: QtBot) -> None:
    speak(window)
    window.captions.header.copy.click()
    assert QGuiApplication.clipboard().text() == "Good morning, everyone.\nCan you"
    assert window.captions.header.copy.text() == "Copied"
    qtbot.waitUntil(lambda: window.captions.header.copy.text() == "Co&py")
    cursor = window.captions.stage.captions.textCursor()
    cursor.setPosition(5)
    cursor.setPosition(12, cursor.MoveMode.KeepAnchor)
    window.captions.stage.captions.setTextCursor(cursor)
    press(window, qtbot, QKeySequence.StandardKey.Copy)
    assert QGuiApplication.clipboard().text() == "morning"


def test_copy_works_by_key_from_within_the_captions(window: MainWindow, qtbot: QtBot) -> None:
    speak(window)
    QGuiApplication.clipboard().clear()
    window.captions.stage.captions.setFocus()
    combination = QKeySequence(QKeySequence.StandardKey.Copy)[0]
    qtbot.keyClick(window.captions.stage.captions, combination.key(), combination.keyboardModifiers())
    assert QGuiApplication.clipboard().text() == "Good morning, everyone.\nCan you"


def export(window: MainWindow, path: Path) -> None:
    """Export what the button offers, to a file, as the dialog proposes it."""
    dialog = window.captions.ask_for_export()
    dialog.chosen.emit(path, replace(dialog.choice, ending=path.suffix))
    dialog.close()


def test_export_writes_the_file_that_was_named(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    speak(window)
    export(window, tmp_path / "talk.srt")
    qtbot.waitUntil(lambda: f"{tmp_path / 'talk.srt'}" in window.message.text)
    text = (tmp_path / "talk.srt").read_text(encoding="utf-8")
    assert "Good morning, everyone." in text
    assert "Can you" in text
    assert "here" not in text


def test_an_export_that_fails_is_a_sentence(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    speak(window)
    export(window, tmp_path / "missing" / "talk.srt")
    qtbot.waitUntil(lambda: "Cannot write" in window.message.text)


def test_a_cleared_transcript_comes_back(window: MainWindow, qtbot: QtBot) -> None:
    speak(window)
    press(window, qtbot, QKeySequence.StandardKey.New)
    assert window.captions.stage.is_empty
    assert window.message.way_out is not None
    window.message.way_out.click()
    assert window.captions.stage.captions.toPlainText().startswith("Good morning")
    assert not window.message.isVisible()


def test_reopening_never_replaces_captions_that_are_there(window: MainWindow) -> None:
    speak(window)
    assert not action(window, "Reopen").isEnabled()


def test_reopening_where_nothing_was_kept_says_so(window: MainWindow, qtbot: QtBot) -> None:
    action(window, "Reopen").trigger()
    qtbot.waitUntil(lambda: window.message.text == "There are no earlier captions.")


def test_text_grows_and_shrinks(window: MainWindow, qtbot: QtBot) -> None:
    speak(window)
    usual = window.captions.stage.captions.font().pointSizeF()
    press(window, qtbot, QKeySequence.StandardKey.ZoomIn)
    assert window.captions.stage.captions.font().pointSizeF() > usual
    press(window, qtbot, "Ctrl+0")
    press(window, qtbot, QKeySequence.StandardKey.ZoomOut)
    assert window.captions.stage.captions.font().pointSizeF() < usual


def test_a_way_back_to_the_newest_words_is_offered_while_reading_older_ones(window: MainWindow, qtbot: QtBot) -> None:
    for number in range(40):
        window.session.captions.show(caption(number, "Nothing leaves this computer.", start=number * 3.0, final=True))
    window.captions.stage.captions.refresh()
    bar = window.captions.stage.captions.verticalScrollBar()
    assert not window.captions.stage.newest.isVisible()
    bar.setValue(0)
    assert window.captions.stage.newest.isVisible()
    qtbot.mouseClick(window.captions.stage.newest, Qt.MouseButton.LeftButton)
    assert bar.value() == bar.maximum()
    assert not window.captions.stage.newest.isVisible()


def test_the_look_of_words_changes_with_the_system_s(window: MainWindow, application: Application) -> None:
    speak(window)
    application.theme.follow(Qt.ColorScheme.Dark)
    view = window.captions.stage.captions
    colour = view.document().findBlockByNumber(0).begin().fragment().charFormat().foreground().color()
    assert colour == QColor(DARK.text)
    assert view.palette().color(QPalette.ColorRole.Base) == QColor(DARK.surface)


@pytest.mark.parametrize("state", State)
def test_every_state_has_words(window: MainWindow, state: State) -> None:
    window.captions.transport.show_status(Status(state, 4.0))
    assert window.captions.transport.state.text()
    assert window.captions.transport.light.property("state")


def test_the_state_is_never_cut_off_while_there_is_less_to_leave_out(window: MainWindow) -> None:
    bar = window.captions.transport
    bar.setParent(None)
    bar.show_controls(True)
    bar.show_recording(True)
    bar.show_status(Status(State.HEARING))
    bar.show()
    for width in range(900, 380, -7):
        bar.resize(width, bar.height())
        assert bar.state.width() >= bar.state.sizeHint().width() or bar.stop.compact, width


def test_every_control_has_a_name_for_screen_readers(window: MainWindow) -> None:
    window.message.show_problem("Something happened.", action(window, "Export"))
    controls = [each for kind in (QAbstractButton, QComboBox, QSlider, QTextEdit) for each in window.findChildren(kind)]
    ours = [each for each in controls if not each.objectName().startswith("qt_")]
    assert len(ours) >= 17
    assert [each for each in ours if not spoken_name(each)] == []


def spoken_name(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def reachable(window: MainWindow, qtbot: QtBot) -> list[QWidget]:
    """Return the controls in the order in which the tabulator key reaches them, without those of the rail."""
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    window.captions.picker.setFocus()
    reached: list[QWidget] = []
    while (focused := QApplication.focusWidget()) is not None and focused not in reached:
        reached.append(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    on_the_rail = [each for each in reached if each in window.rail.buttons]  # arrows lead from page to page
    assert on_the_rail == [window.rail.buttons[0], *window.rail.buttons[4:]]
    return [each for each in reached if each not in window.rail.buttons]


def test_the_tabulator_key_reaches_every_control_of_the_empty_window(window: MainWindow, qtbot: QtBot) -> None:
    page = window.captions
    assert reachable(window, qtbot) == [
        page.picker,
        page.header.translation,
        page.header.notes,
        page.stage.empty.start,
        page.stage.empty.demo,
    ]


def test_the_tabulator_key_reaches_every_control_of_a_window_with_captions(window: MainWindow, qtbot: QtBot) -> None:
    for number in range(40):
        window.session.captions.show(caption(number, "Nothing leaves this computer.", start=number * 3.0, final=True))
    page = window.captions
    page.stage.captions.refresh()
    page.stage.captions.verticalScrollBar().setValue(0)
    window.message.show_problem("Something happened.", action(window, "Export"))
    order = reachable(window, qtbot)
    header = page.header
    assert order[:5] == [page.picker, header.translation, header.copy, header.export, header.notes]
    assert order[5:8] == [page.stage.captions, page.stage.newest, page.transport.start]
    assert set(order[8:]) == set(window.message.buttons)


def mnemonics(texts: list[str]) -> Counter[str]:
    return Counter(str(QKeySequence.mnemonic(text).toString()) for text in texts if "&" in text)


@pytest.mark.parametrize("speaking", [False, True])
def test_no_two_visible_controls_share_a_mnemonic(window: MainWindow, speaking: bool) -> None:
    if speaking:
        speak(window)
        window.message.show_problem("Something happened.", action(window, "Restart engine"))
    texts = [menu.title() for menu in window.menuBar().findChildren(QMenu)]
    visible = [each for each in window.findChildren(QWidget) if each.isVisibleTo(window)]
    texts += [each.text() for each in visible if isinstance(each, QAbstractButton | QLabel)]
    shared = [keys for keys, count in mnemonics(texts).items() if count > 1]
    assert shared == []
    assert len(mnemonics(texts)) >= 7


def test_no_two_actions_share_a_mnemonic_in_their_menu_or_a_shortcut_anywhere(window: MainWindow) -> None:
    menus = window.menuBar().findChildren(QMenu)
    for menu in menus:
        assert [keys for keys, count in mnemonics([each.text() for each in menu.actions()]).items() if count > 1] == []
    keys = Counter(each.shortcut().toString() for menu in menus for each in menu.actions())
    assert [key for key, count in keys.items() if key and count > 1] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_l2_a_mac_can_close_a_window_and_paste_into_fields_that_are_not_qt_s(
    language: str, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review L2: Qt gives an entry of the menu its part in the system's own fields by its words."""
    monkeypatch.setattr(actions_module.sys, "platform", "darwin")
    interface_language.install(qapp, language)
    try:
        actions = Actions(Theme(qapp), qapp)
        words = [QCoreApplication.translate("QCocoaMenuItem", each) for each in ("Cut", "Copy", "Paste", "Select All")]
        (_, file), (_, edit), *_ = actions.menus
    finally:
        interface_language.install(qapp, "en")
    assert actions.close_window in file
    assert [each.text().replace("&", "") for each in edit[:4] if each is not None] == words
    assert all(not each.shortcut().isEmpty() for each in (actions.close_window, *edit[:4]) if each is not None)
    for menu in (file, edit):
        counts = mnemonics([each.text() for each in menu if each is not None])
        assert [key for key, count in counts.items() if count > 1] == []


def test_l2_elsewhere_the_menus_are_as_before(window: MainWindow) -> None:
    """Mac review L2: fields have menus of their own there, and so have windows."""
    shown = [each for menu in window.menuBar().findChildren(QMenu) for each in menu.actions()]
    actions = window._actions
    assert not {actions.close_window, actions.cut, actions.paste, actions.select_all} & set(shown)


def test_l2_what_the_menu_edits_is_the_field_that_has_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    """Mac review L2."""
    actions = window._actions
    field = QLineEdit("Good morning")
    qtbot.addWidget(field)
    field.show()
    field.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    actions.select_all.trigger()
    actions.cut.trigger()
    assert field.text() == ""
    actions.paste.trigger()
    assert field.text() == "Good morning"
    actions.close_window.trigger()
    assert not field.isVisible() and window.isVisible()
    button = QPushButton()
    qtbot.addWidget(button)
    button.show()
    button.setFocus()
    actions.paste.trigger()


def test_what_to_do_with_a_dropped_file_is_asked(
    application: Application, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "load_pace", lambda: MachinePace(100.0, False, {"tiny.en": 0.2, "base": 0.2}))
    application.settings.alter(lambda now: replace(now, models=replace(now.models, hearing="base")))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "talk.wav"))])
    drop = QDropEvent(
        QPointF(QPoint(50, 50)), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    )
    assert drop.type() == QEvent.Type.Drop
    window.dropEvent(drop)
    assert not window.session.is_busy
    question = window.findChild(FileQuestion)
    assert question is not None and question.isVisible()
    question.show_length(1500.0)
    assert "about 4 min" in question.work.text() and "25:00" in question.pace.text()
    question.play.click()
    assert not question.isVisible()
    assert getattr(window.captions.picker.source, "path", None) == tmp_path / "talk.wav"
    assert window.session.is_busy and application.dialogs._transcribes is None


def test_a_file_that_was_chosen_may_be_transcribed_instead(
    application: Application, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args, **kwargs: (str(tmp_path / "talk.wav"), ""))
    monkeypatch.setattr(TranscriptionQueue, "_go_on", lambda self: None)
    window.captions.ask_for_file()
    question = window.findChild(FileQuestion)
    assert question is not None
    question.transcribe.click()
    assert [row.job.path.name for row in application.dialogs.transcription.rows.values()] == ["talk.wav"]
    assert not window.session.is_busy


@pytest.mark.parametrize("size", [(360, 320), (420, 700), (1600, 1000)])
def test_nothing_is_cut_off_at_any_size(window: MainWindow, size: tuple[int, int]) -> None:
    speak(window)
    window.message.show_problem("The captioning engine stopped unexpectedly.", action(window, "Export"))
    window.resize(*size)
    QApplication.processEvents()
    header = window.captions.header
    for control in (
        window.captions.picker,
        header.translation,
        header.copy,
        header.export,
        window.captions.transport.start,
    ):
        place = control.geometry().translated(control.parentWidget().mapTo(window, QPoint(0, 0)))
        assert window.rect().contains(place), control
        assert control.width() >= control.minimumSizeHint().width()


def test_it_comes_back_as_it_was_left(qapp: QApplication, tmp_path: Path) -> None:
    left = Application(qapp, tmp_path)
    left.window.show()
    left.window.resize(700, 560)
    left.window.move(60, 40)
    left.actions.history_page.trigger()
    left.actions.tuning.setChecked(True)
    left.shut_down()
    left.window.hide()
    again = Application(qapp, tmp_path)
    again.window.show()
    assert again.window.size() == QSize(700, 560)
    assert again.window.pos() == QPoint(60, 40)
    assert again.history_page.isVisible()
    assert again.actions.tuning.isChecked()
    again.shut_down()
    again.window.hide()
    for part in (left.window, left.theme, left, again.window, again.theme, again):
        part.deleteLater()


def test_nothing_is_said_to_be_silent_once_it_is_not(application: Application) -> None:
    watch = application.dialogs._watch
    watch.suspected.emit(Suspicion.SILENT)
    assert application.window.message.text == "Your microphone is silent."
    watch.suspected.emit(Suspicion.NONE)
    assert not application.window.message.isVisible()


def test_what_is_told_of_the_engine_holds_no_longer_than_the_recording(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, message = application.session, application.window.message
    speak(application.window)
    monkeypatch.setattr(LiveSession, "is_busy", True)
    session.noticed.emit("The engine stopped unexpectedly and was restarted.")
    assert message.isVisible()
    monkeypatch.undo()
    session.finished.emit()
    assert not message.isVisible()
    session.engine_crashed.emit()
    assert message.way_out is not None
    session.status_changed.emit(Status(State.RESTARTING))
    assert not message.isVisible()


def test_a_warning_that_nothing_is_saved_stays_until_it_is(application: Application) -> None:
    message = application.window.message
    application.archive.unsaved.emit("The disk is full.")
    application.captions_page.message_outdated.emit()
    assert message.text == "The disk is full." and message.isVisible()
    application.archive.unsaved.emit("")
    assert message.text == "Everything is saved again; nothing is missing."


def test_lost_sound_is_not_said_to_be_saved(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    message, full = application.window.message, "The disk is full: the sound of this session is kept no further."
    monkeypatch.setattr(LiveSession, "clock_seconds", 8.2)
    application.archive.unsaved.emit("The disk is full.")
    application.history_wiring.recorder.audio_failed.emit(full)
    application.archive.unsaved.emit("")
    assert message.text == "All words are saved again. The sound is missing from 0:08 on."
    message.close_message()
    assert message.text == full, "it stays until the next recording"
    application.session.began.emit()
    assert not message.isVisible()


def test_names_of_the_rail_give_way_to_icons_where_they_would_be_cut_off(window: MainWindow) -> None:
    window.resize(1080, window.rail.names_height + 200)
    QApplication.processEvents()
    assert window.rail.buttons[0].toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextUnderIcon
    window.resize(1080, window.rail.names_height - 40)
    QApplication.processEvents()
    assert window.rail.buttons[0].toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly


def test_after_new_transcript_the_state_is_ready_and_the_last_one_is_said_to_be_kept(window: MainWindow) -> None:
    speak(window)
    window.captions.transport.show_status(Status(State.FINISHED))
    action(window, "New transcript").trigger()
    assert window.message.text == "New transcript. The last one is in the history."
    assert window.captions.transport.state.text() == "Ready"


def test_captions_that_begin_on_another_page_leave_the_keyboard_where_it_is(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application.session, "start", lambda source: None)
    application.captions_page.show_microphones(MICROPHONES)
    application.actions.assistant_page.trigger()
    application.assistant_page.focus_field()
    application.captions_page.start()
    assert application.assistant_page.bar.field.hasFocus()


def test_a_language_that_the_model_does_not_hear_leads_to_models_that_do(application: Application) -> None:
    models = replace(application.settings.preferences.models, hearing="starter")
    application.settings.alter(lambda now: replace(now, models=models, captions=replace(now.captions, language="de")))
    application.session.failed.emit("starter hears English only. Choose another model.")
    way_out = application.window.message.way_out
    assert way_out is not None and "hears German" in way_out.text()
    way_out.click()
    assert application.models_page.isVisible() and application.models_page.filters.code == "de"


def test_an_interrupted_session_is_offered_for_reading(application: Application) -> None:
    application.history_wiring._offer_interrupted(True)
    message = application.window.message
    assert "ended unexpectedly" in message.text
    assert message.way_out is not None and message.way_out.action is application.actions.reopen
