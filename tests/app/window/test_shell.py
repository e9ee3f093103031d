"""The shell of the pages: ways from one to another, dialogs, and settings that are carried out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.history.store import HistoryStore
from app.models.uses import Use
from app.preferences.preferences import OverlayOptions, Preferences, Threads
from app.preferences.preferences_file import PreferencesFile
from app.welcome.welcome import Welcome
from app.window.shortcut_list import ShortcutList
from tests.app.conftest import MakeApplication
from tests.app.made_captions import caption


def press(widget: QWidget, qtbot: QtBot, keys: QKeySequence.StandardKey | str) -> None:
    combination = QKeySequence(keys)[0]
    qtbot.keyClick(widget, combination.key(), combination.keyboardModifiers())


def saved(tmp_path: Path) -> Preferences:
    return PreferencesFile(tmp_path / "data").load()


def active(application: Application, qtbot: QtBot) -> QWidget:
    application.window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is application.window)
    return application.window


def test_every_page_is_a_key_away(application: Application, qtbot: QtBot) -> None:
    window = active(application, qtbot)
    pages = (
        ("Ctrl+2", application.assistant_page),
        ("Ctrl+3", application.history_page),
        ("Ctrl+4", application.models_page),
        ("Ctrl+1", application.captions_page),
    )
    for keys, page in pages:
        press(window, qtbot, keys)
        assert page.isVisible()
        assert sum(each.isVisible() for _, each in pages) == 1


def test_the_rail_shows_where_one_is(application: Application) -> None:
    application.window.rail.buttons[2].click()
    assert application.history_page.isVisible()
    assert [each.isChecked() for each in application.window.rail.buttons[:4]] == [False, False, True, False]


def test_a_narrow_window_has_a_narrow_rail(application: Application) -> None:
    wide = application.window.rail.width()
    application.window.resize(480, 600)
    QApplication.processEvents()
    assert application.window.rail.width() < wide
    assert all(button.accessibleName() for button in application.window.rail.buttons)


def test_tuning_stands_beside_what_it_tunes(application: Application, qtbot: QtBot) -> None:
    press(active(application, qtbot), qtbot, "Ctrl+U")
    assert application.tuning.isVisible()
    application.actions.models_page.trigger()
    assert not application.tuning.isVisible()
    application.actions.assistant_page.trigger()
    assert application.tuning.isVisible()
    assert application.tuning.pages.currentWidget() is application.tuning.pages.assistant
    application.tuning.closed.emit()
    assert not application.tuning.isVisible()
    assert not application.actions.tuning.isChecked()


def test_in_a_narrow_window_tuning_takes_the_place_of_the_page_until_it_is_closed(application: Application) -> None:
    application.window.resize(520, 600)
    application.actions.tuning.setChecked(True)
    QApplication.processEvents()
    assert application.tuning.isVisible()
    assert not application.captions_page.stage.isVisible()
    assert application.captions_page.transport.isVisible(), "a recording can still be ended"
    assert application.tuning.width() >= application.tuning.minimumWidth()
    application.tuning.close_button.click()
    assert application.captions_page.isVisible()
    application.actions.tuning.setChecked(True)
    application.window.resize(1000, 600)
    QApplication.processEvents()
    assert application.captions_page.isVisible()
    assert application.tuning.isVisible()


def test_starting_from_another_page_leads_to_the_captions(application: Application) -> None:
    application.actions.models_page.trigger()
    application.actions.demo.trigger()
    assert application.captions_page.isVisible()
    assert application.session.is_busy


def test_settings_open_by_key_and_close_by_escape(application: Application, qtbot: QtBot) -> None:
    press(active(application, qtbot), qtbot, "Ctrl+,")
    dialog = application.dialogs.settings
    qtbot.waitUntil(dialog.isVisible)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_f1_lists_every_key(application: Application, qtbot: QtBot) -> None:
    press(active(application, qtbot), qtbot, "F1")
    (shown,) = [each for each in application.window.findChildren(ShortcutList) if each.isVisible()]
    texts = {each.text() for each in shown.findChildren(QWidget) if hasattr(each, "text")}
    with_keys = [
        each for _, menu in application.actions.menus for each in menu if each and not each.shortcut().isEmpty()
    ]
    assert {each.shortcut().toString(QKeySequence.SequenceFormat.NativeText) for each in with_keys} <= texts
    shown.close()


def test_the_first_run_is_shown_once(make_application: MakeApplication, qtbot: QtBot) -> None:
    application = make_application(model="/nowhere/at/all")
    application.start()
    qtbot.waitUntil(lambda: bool(application.window.findChildren(Welcome)))
    (welcome,) = application.window.findChildren(Welcome)
    qtbot.waitUntil(welcome.isVisible)
    welcome.skip.click()
    assert application.settings.preferences.behaviour.welcomed
    application.shut_down()
    again = make_application(model="/nowhere/at/all")
    again.start()
    with qtbot.waitSignal(again.client.failed, timeout=120_000):
        pass
    assert not again.window.findChildren(Welcome)


def test_a_hidden_start_shows_the_first_run_with_the_window(make_application: MakeApplication, qtbot: QtBot) -> None:
    application = make_application(model="/nowhere/at/all")
    application.start(hidden=True)
    with qtbot.waitSignal(application.client.failed, timeout=120_000):
        pass
    assert not application.window.findChildren(Welcome)
    application.show_window()
    application.show_window()
    (welcome,) = application.window.findChildren(Welcome)
    assert application.window.isVisible() and welcome.isVisible()
    welcome.skip.click()


def test_the_overlay_is_a_key_away_and_remembered(application: Application, tmp_path: Path, qtbot: QtBot) -> None:
    window = active(application, qtbot)
    press(window, qtbot, "Ctrl+L")
    assert application.desktop.overlay.isVisible()
    press(window, qtbot, "Ctrl+Shift+L")
    application.settings.save()
    assert saved(tmp_path).overlay == OverlayOptions(
        shown=True, click_through=True, places=saved(tmp_path).overlay.places
    )
    press(window, qtbot, "Ctrl+L")
    assert not application.desktop.overlay.isVisible()
    assert application.actions.click_through.isChecked()


def test_the_size_of_the_text_is_remembered(application: Application, tmp_path: Path) -> None:
    application.actions.larger.trigger()
    application.settings.settle()
    assert saved(tmp_path).appearance.points > Preferences().appearance.points


def test_another_look_leaves_the_size_of_the_text_as_it_is(application: Application) -> None:
    application.actions.larger.trigger()
    view = application.captions_page.stage.captions
    before = view.font().pointSizeF()
    application.settings.alter(lambda now: replace(now, appearance=replace(now.appearance, look="dark")))
    assert application.theme.is_dark
    assert view.font().pointSizeF() == before
    application.settings.alter(lambda now: replace(now, appearance=replace(now.appearance, look="system")))


def test_what_is_chosen_reaches_what_hears(application: Application) -> None:
    application.settings.alter(lambda now: replace(now, captions=replace(now.captions, step_seconds=0.5)))
    assert application.session.hearing.options.step_seconds == 0.5
    application.settings.alter(lambda now: replace(now, threads=Threads(automatic=False, cpu_threads=1, gpu_threads=1)))
    assert application.session.hearing.threads is not None
    assert application.session.hearing.threads.cpu_threads == 1


def test_more_threads_than_the_machine_has_are_a_sentence(application: Application) -> None:
    application.settings.alter(lambda now: replace(now, threads=Threads(automatic=False, cpu_threads=256)))
    assert "cpu_threads must be between 1 and" in application.window.message.text
    assert application.session.hearing.threads is None


def test_settings_of_a_larger_machine_do_not_keep_the_window_from_opening(
    make_application: MakeApplication, tmp_path: Path
) -> None:
    PreferencesFile(tmp_path / "data").save(Preferences(threads=Threads(automatic=False, cpu_threads=256)))
    application = make_application()
    assert application.session.hearing.threads is None
    assert "cpu_threads must be between 1 and" in application.window.message.text


def test_a_change_that_cannot_be_made_is_taken_back_in_the_settings(application: Application) -> None:
    before = application.session.hearing
    application.settings.preferences = replace(
        application.settings.preferences, models=replace(application.settings.preferences.models, hearing="other")
    )
    application.session.change_refused.emit("There is no model called 'other'.")
    assert application.settings.preferences.models.hearing == before.model
    assert "no model called" in application.window.message.text


def test_a_window_that_stays_in_the_tray_is_hidden_and_left_by_quitting(application: Application, qtbot: QtBot) -> None:
    application.window.stays = lambda: application.window.hide() is None
    application.window.close()
    assert not application.window.isVisible()
    with qtbot.waitSignal(application.window.left):
        application.actions.quit.trigger()


def test_keys_that_cannot_be_had_are_a_sentence(application: Application) -> None:
    application.desktop.hotkeys.refused.emit("behaviour.hotkey", "Another program has these keys.")
    assert application.window.message.text == "Another program has these keys."


def test_an_input_that_is_chosen_is_remembered(application: Application) -> None:
    application.captions_page.picker.input_chosen.emit("Headset", False)
    assert application.settings.preferences.sound.input == "Headset"


@pytest.mark.parametrize("keys", [QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.Find])
def test_keys_mean_the_page_that_is_shown(
    application: Application, qtbot: QtBot, keys: QKeySequence.StandardKey
) -> None:
    window = active(application, qtbot)
    application.session.captions.show(caption(0, "These are captions.", final=True))
    application.actions.history_page.trigger()
    QGuiApplication.clipboard().setText("nothing")
    press(window, qtbot, keys)
    assert QGuiApplication.clipboard().text() == "nothing"
    assert not application.captions_page.stage.find_bar.isVisible()
    if keys == QKeySequence.StandardKey.Find:
        assert application.history_page.sessions.field.hasFocus()
    application.actions.captions_page.trigger()
    press(window, qtbot, QKeySequence.StandardKey.Copy)
    assert QGuiApplication.clipboard().text() == "These are captions."


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("place", ["list", "transcript"])
def test_the_menu_of_a_session_and_of_a_line_opens_without_a_menu_key(
    application: Application, qtbot: QtBot, place: str
) -> None:
    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en")
        store.put_caption(session, caption(0, "Good morning.", final=True))
        store.end(session)

    application.archive.write(write)
    active(application, qtbot)
    page = application.history_page
    application.actions.history_page.trigger()
    qtbot.waitUntil(lambda: page.transcript is not None)
    (page.sessions.list if place == "list" else page.pane.view).setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert ("&Delete" if place == "list" else "C&orrect…") in [each.text() for each in menu.actions()]
    menu.close()


def test_a_model_of_the_first_run_hears_once_it_is_here(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(application.downloads, "start", asked.append)
    welcome = application.dialogs.open_welcome()
    welcome.model_wanted.emit("small")
    assert asked == ["small"]
    assert application.models_page.isVisible()
    assert application.settings.preferences.models.hearing == "scripted"
    application.downloads.finished.emit("small")
    assert application.settings.preferences.models.hearing == "small"
    welcome.close()


def test_the_languages_of_the_first_run_reach_captions_and_translation(
    make_application: MakeApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = make_application(model="starter", translation_model="starter-language")
    monkeypatch.setattr(application.downloads, "start", lambda name: None)
    welcome = application.dialogs.open_welcome()
    welcome.languages_chosen.emit("en", "de")
    now = application.settings.preferences
    assert (now.captions.language, now.translates, now.translation.target) == ("en", True, "de")
    welcome.languages_chosen.emit("de", "en")
    welcome.model_wanted.emit("base")
    assert "get a model that translates into it" in application.window.message.text
    assert application.window.message.way_out is not None
    application.window.message.way_out.click()
    filters = application.models_page.filters
    assert (filters.use, filters.code) == (Use.TRANSLATION, "en"), "one that translates into English"
    assert application.settings.preferences.captions.language == "en", "the starter hears no German"
    application.downloads.finished.emit("base")
    now = application.settings.preferences
    assert (now.models.hearing, now.captions.language) == ("base", "de")
    welcome.languages_chosen.emit("", "")
    assert application.settings.preferences.captions.language is None, "base hears all of them"
    welcome.close()
