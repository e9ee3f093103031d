"""Translation in the window: choosing it, how steady it is, reading it, keeping it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.application import Application
from app.history.last_captions import LastCaptions
from app.main_window import MainWindow
from app.settings.preferences import Preferences
from app.settings.preferences_file import FILE_NAME, PreferencesFile
from app.window.translation_panel import MOST_BIAS, TranslationPanel, language_name
from engine.messages import TranslationChoice
from engine.options import TranslationOptions
from tests.app.captions import caption, translation
from tests.app.conftest import MakeApplication

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
    window.header.translation.click()
    return window.translation.panel


def offered(panel: TranslationPanel) -> list[str]:
    return [panel.language.itemText(index) for index in range(panel.language.count())]


def choose(panel: TranslationPanel, name: str) -> None:
    """Choose a language as a person does."""
    index = panel.language.findText(name)
    assert index >= 0
    panel.language.setCurrentIndex(index)
    panel.language.activated.emit(index)


def chosen(window: MainWindow) -> TranslationOptions | None:
    choice = window.session.translation
    return None if choice is None else choice.options


def saved(tmp_path: Path) -> Preferences:
    return PreferencesFile(tmp_path / "data").load()


def test_the_panel_offers_what_the_model_translates_into(panel: TranslationPanel) -> None:
    assert panel.isVisible()
    assert offered(panel) == [OFF, "French", "German", "Spanish"]
    assert panel.language.currentText() == OFF
    assert not panel.steadiness.isEnabled()


def test_a_model_that_does_not_say_is_offered_all_languages(
    panel: TranslationPanel, window: MainWindow, language_model: Path
) -> None:
    language_model.joinpath("config.json").write_text("{}")
    window.header.translation.click()
    assert {"German", "Japanese", "Arabic"} <= set(offered(panel))


def test_choosing_a_language_translates_into_it_and_the_button_says_so(
    panel: TranslationPanel, window: MainWindow, language_model: Path, tmp_path: Path
) -> None:
    choose(panel, "French")
    assert window.session.translation == TranslationChoice(TranslationOptions("fr"), str(language_model))
    assert "French" in window.header.translation.text()
    assert saved(tmp_path) == Preferences(True, TranslationOptions("fr"))
    choose(panel, OFF)
    assert window.session.translation is None
    assert "French" not in window.header.translation.text()
    assert not panel.held_back.isEnabled()


def test_sliders_and_the_box_set_the_options(panel: TranslationPanel, window: MainWindow, qtbot: QtBot) -> None:
    choose(panel, "German")
    with qtbot.waitSignal(panel.chosen):
        panel.steadiness.setValue(panel.steadiness.maximum())
        panel.held_back.setValue(0)
    assert chosen(window) == TranslationOptions("de", bias=MOST_BIAS, mask=0)
    panel.stable.click()
    assert chosen(window) == TranslationOptions("de", bias=MOST_BIAS, mask=0, stable=True)
    panel.usual.click()
    assert chosen(window) == TranslationOptions("de")
    assert not panel.usual.isEnabled()


def test_a_slider_that_is_being_moved_is_told_once(panel: TranslationPanel, qtbot: QtBot) -> None:
    choose(panel, "German")
    told: list[Preferences] = []
    panel.chosen.connect(told.append)
    for value in range(panel.steadiness.maximum() + 1):
        panel.steadiness.setValue(value)
    assert told == []
    qtbot.waitUntil(lambda: len(told) == 1)
    assert told[0].translation.bias == MOST_BIAS


def test_closing_the_panel_waits_for_no_slider(panel: TranslationPanel, window: MainWindow, qtbot: QtBot) -> None:
    choose(panel, "German")
    panel.held_back.setValue(7)
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()
    assert chosen(window) == TranslationOptions("de", mask=7)


def test_every_place_of_a_slider_is_a_valid_option_with_words_for_it(
    panel: TranslationPanel, window: MainWindow
) -> None:
    choose(panel, "German")
    words: dict[str, set[str]] = {"bias": set(), "mask": set()}
    for name, slider in (("bias", panel.steadiness), ("mask", panel.held_back)):
        for value in range(slider.maximum() + 1):
            slider.setValue(value)
            words[name].add(slider.accessibleDescription())
    assert "never changes a word" in words["bias"]
    assert len(words["bias"]) >= 4
    assert len(words["mask"]) == panel.held_back.maximum() + 1
    assert "" not in words["bias"] | words["mask"]


def test_what_was_chosen_is_there_the_next_time(
    panel: TranslationPanel, make_application: MakeApplication, language_model: Path, tmp_path: Path
) -> None:
    choose(panel, "Spanish")
    panel.stable.click()
    again = make_application(translation_model=str(language_model)).window
    assert chosen(again) == TranslationOptions("es", stable=True)
    assert "Spanish" in again.header.translation.text()
    again.header.translation.click()
    assert again.translation.panel.language.currentText() == "Spanish"
    assert again.translation.panel.stable.isChecked()


def test_how_steady_it_is_is_measured_anew_for_every_setting(panel: TranslationPanel, window: MainWindow) -> None:
    def measured() -> str:
        return next(each.text() for each in panel.findChildren(QLabel) if "easured" in each.text())

    choose(panel, "German")
    assert "will be measured" in measured()
    long = "Wort " * 25
    window.session.translation_changed.emit(translation(0, "Wort Wort falsch"))
    window.session.translation_changed.emit(translation(0, long, final=True))
    assert "for every 100 words that stayed, 4 were taken back" in measured()
    panel.stable.click()
    assert "will be measured" in measured()
    window.session.translation_changed.emit(translation(1, long, final=True))
    assert "no word" in measured()


def test_a_missing_model_is_a_sentence_where_the_language_would_be_chosen(make_application: MakeApplication) -> None:
    window = make_application(translation_model="/nowhere/at/all").window
    window.header.translation.click()
    panel = window.translation.panel
    assert offered(panel) == [OFF]
    assert not panel.language.isEnabled()
    assert any("/nowhere/at/all" in label.text() for label in panel.findChildren(QLabel))


def test_damaged_settings_are_a_sentence_and_translation_is_off(
    make_application: MakeApplication, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE_NAME).write_text("{")
    window = make_application().window
    assert "settings" in window.message.text
    assert window.session.translation is None


def test_settings_that_cannot_be_saved_are_a_sentence_and_hold_all_the_same(
    panel: TranslationPanel, window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("a file where the folder would be")
    choose(panel, "German")
    assert "cannot be saved" in window.message.text
    assert chosen(window) == TranslationOptions("de")


def speak(window: MainWindow) -> None:
    captions = window.session.captions
    captions.show(caption(0, "Good morning, everyone.", final=True))
    captions.translate(translation(0, "Guten Morgen zusammen.", final=True))
    captions.show(caption(1, "Can you", pending="here", start=2.0))
    captions.translate(translation(1, "Könnt", hidden=" ihr hier"))
    window.stage.captions.refresh()


def test_both_languages_are_copied_exported_kept_and_put_back(window: MainWindow, tmp_path: Path) -> None:
    speak(window)
    window.header.copy.click()
    assert QGuiApplication.clipboard().text() == "Good morning, everyone.\nGuten Morgen zusammen.\n\nCan you\nKönnt"
    for ending in ("srt", "vtt", "txt", "json"):
        window.export_to(tmp_path / f"talk.{ending}")
        written = (tmp_path / f"talk.{ending}").read_text(encoding="utf-8")
        assert written.index("Good morning, everyone.") < written.index("Guten Morgen zusammen.")
        assert "Könnt" in written
        assert "ihr hier" not in written
    before = window.stage.captions.toPlainText()
    window.close()
    kept = LastCaptions(tmp_path / "data").give_back_translations()
    assert [each.text for each in kept] == ["Guten Morgen zusammen.", "Könnt"]
    window.show()
    window._actions.new.trigger()
    assert window.stage.is_empty
    window._actions.undo_new.trigger()
    window.stage.captions.refresh()
    assert window.stage.captions.toPlainText() == before


def test_a_selection_over_both_languages_is_copied_as_lines(window: MainWindow) -> None:
    speak(window)
    window.stage.captions.selectAll()
    window.header.copy.click()
    assert QGuiApplication.clipboard().text().split("\n")[:2] == ["Good morning, everyone.", "Guten Morgen zusammen."]


def test_the_panel_opens_by_key_and_the_tabulator_reaches_all_of_it(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    combination = QKeySequence("Ctrl+T")[0]
    qtbot.keyClick(window, combination.key(), combination.keyboardModifiers())
    panel = window.translation.panel
    qtbot.waitUntil(panel.isVisible)
    choose(panel, "German")
    panel.held_back.setValue(0)
    reached = []
    focused = panel.language
    while focused not in reached:
        reached.append(focused)
        focused = focused.nextInFocusChain()
        while not (focused.focusPolicy() & Qt.FocusPolicy.TabFocus and focused.isVisible() and focused.isEnabled()):
            focused = focused.nextInFocusChain()
    assert reached == [panel.language, panel.steadiness, panel.held_back, panel.stable, panel.usual]


def test_no_two_controls_of_the_panel_share_a_mnemonic(panel: TranslationPanel) -> None:
    texts = [each.text() for kind in (QAbstractButton, QLabel) for each in panel.findChildren(kind)]
    keys = Counter(QKeySequence.mnemonic(text).toString() for text in texts if "&" in text)
    assert len(keys) == 5
    assert max(keys.values()) == 1


def test_the_panel_stays_on_the_screen(window: MainWindow) -> None:
    window.resize(400, 400)
    window.move(0, 0)
    window.header.translation.click()
    QApplication.processEvents()
    assert window.screen().availableGeometry().contains(window.translation.panel.geometry())


@pytest.mark.parametrize(("code", "name"), [("de", "German"), ("pt-br", "Brazilian Portuguese"), ("qqq", "qqq")])
def test_languages_are_named_for_people(code: str, name: str) -> None:
    assert language_name(code) == name
