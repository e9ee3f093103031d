"""Translation in the window: choosing it, how steady it is, reading it, keeping it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.page.translation_panel import TranslationPanel
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import FILE_NAME, PreferencesFile
from app.window.main_window import MainWindow
from engine.options import TranslationOptions
from engine.process.messages import TranslationChoice
from tests.app.conftest import MakeApplication
from tests.app.made_captions import caption, translation

OFF = "Off"
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen when a panel opens


@pytest.fixture
def language_model(tmp_path: Path) -> Path:
    """A folder that says what its model translates into."""
    folder = tmp_path / "language"
    folder.mkdir()
    folder.joinpath("config.json").write_text(json.dumps({"earshot": {"translates_to": ["de", "fr", "es"]}}))
    return folder


@pytest.fixture
def application(make_application: MakeApplication, language_model: Path) -> Application:
    return make_application(translation_model=str(language_model))


@pytest.fixture
def window(application: Application) -> MainWindow:
    return application.window


@pytest.fixture
def panel(window: MainWindow) -> TranslationPanel:
    """The panel, opened by its button."""
    window.captions.header.translation.click()
    return window.captions.translation.panel


def offered(panel: TranslationPanel) -> list[str]:
    return [panel.language.itemText(index) for index in range(panel.language.count())]


def choose(panel: TranslationPanel, name: str) -> None:
    """Choose a language as a person does."""
    index = panel.language.findText(name)
    assert index >= 0
    panel.language.setCurrentIndex(index)
    panel.language.activated.emit(index)


def box(panel: TranslationPanel) -> QAbstractButton:
    """Return the control that keeps words from changing once they are shown."""
    control = panel.rows[3].control
    assert isinstance(control, QAbstractButton)
    return control


def chosen(window: MainWindow) -> TranslationOptions | None:
    choice = window.session.translation
    return None if choice is None else choice.options


def saved(tmp_path: Path) -> Preferences:
    return PreferencesFile(tmp_path / "data").load()


def test_choosing_a_language_translates_into_it_and_the_button_says_so(
    panel: TranslationPanel, window: MainWindow, language_model: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(panel, "French")
    assert window.session.translation == TranslationChoice(TranslationOptions("fr"), str(language_model))
    assert "French" in window.captions.header.translation.text()
    qtbot.waitUntil(lambda: saved(tmp_path).translates and saved(tmp_path).translation == TranslationOptions("fr"))
    choose(panel, OFF)
    assert window.session.translation is None
    assert "French" not in window.captions.header.translation.text()
    assert not panel.rows[1].isEnabled()


def test_what_was_chosen_is_there_the_next_time(
    panel: TranslationPanel, make_application: MakeApplication, language_model: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(panel, "Spanish")
    box(panel).click()
    qtbot.waitUntil(lambda: saved(tmp_path).translation.stable)
    again = make_application(translation_model=str(language_model)).window
    assert chosen(again) == TranslationOptions("es", stable=True)
    assert "Spanish" in again.captions.header.translation.text()
    again.captions.header.translation.click()
    assert again.captions.translation.panel.language.currentText() == "Spanish"
    assert box(again.captions.translation.panel).isChecked()


def test_damaged_settings_are_a_sentence_and_translation_is_off(
    make_application: MakeApplication, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE_NAME).write_text("{")
    window = make_application().window
    assert "settings" in window.message.text
    assert window.session.translation is None


def test_settings_that_cannot_be_saved_are_a_sentence_and_hold_all_the_same(
    panel: TranslationPanel, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    panel.settings.settle()
    file = tmp_path / "data" / FILE_NAME
    file.unlink(missing_ok=True)
    file.mkdir()  # a folder where the file would be
    choose(panel, "German")
    qtbot.waitUntil(lambda: "cannot be saved" in window.message.text)
    assert chosen(window) == TranslationOptions("de")


def speak(window: MainWindow) -> None:
    captions = window.session.captions
    captions.show(caption(0, "Good morning, everyone.", final=True))
    captions.translate(translation(0, "Guten Morgen zusammen.", final=True))
    captions.show(caption(1, "Can you", pending="here", start=2.0))
    captions.translate(translation(1, "Könnt", hidden=" ihr hier"))
    window.captions.stage.captions.refresh()


def test_both_languages_are_copied_and_put_back(window: MainWindow) -> None:
    speak(window)
    window.captions.header.copy.click()
    assert QGuiApplication.clipboard().text() == "Good morning, everyone.\nGuten Morgen zusammen.\n\nCan you\nKönnt"
    before = window.captions.stage.captions.toPlainText()
    window._actions.new.trigger()
    assert window.captions.stage.is_empty
    window._actions.undo_new.trigger()
    window.captions.stage.captions.refresh()
    assert window.captions.stage.captions.toPlainText() == before


def test_a_selection_over_both_languages_is_copied_as_lines(window: MainWindow) -> None:
    speak(window)
    window.captions.stage.captions.selectAll()
    window.captions.header.copy.click()
    assert QGuiApplication.clipboard().text().split("\n")[:2] == ["Good morning, everyone.", "Guten Morgen zusammen."]


def test_the_panel_opens_by_key(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    combination = QKeySequence("Ctrl+T")[0]
    qtbot.keyClick(window, combination.key(), combination.keyboardModifiers())
    qtbot.waitUntil(window.captions.translation.panel.isVisible)
