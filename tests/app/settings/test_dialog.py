"""Every setting by mouse, by keyboard and by name; obeyed at once, and taken back."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QKeySequence, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QColorDialog,
    QComboBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.actions import AssistantActions
from app.look.interface_language import install
from app.look.language_names import language_name
from app.look.theme import Theme
from app.models.uses import title_of
from app.preferences.autostart import start_with_session, starts_with_session
from app.preferences.heard_languages import HEARD_LANGUAGES
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings import general_page, history_page
from app.settings.colour_row import ColourRow
from app.settings.dialog import SettingsDialog
from app.settings.general_page import GeneralSettings
from app.settings.glossary_row import GlossaryRow
from app.settings.language_list import LanguageList
from app.settings.lines_row import LinesRow
from app.settings.page import SettingsPage
from app.settings.session_start import SessionStartRow
from app.settings.words_row import WordsRow
from app.sound.audio_devices import InputDevice
from app.widgets.labels import plain
from app.widgets.rows import ChoiceRow, KeysRow, NumberRow, Row, SliderRow, SwitchRow, TextRow
from engine.options import TranslationOptions

NOT_HERE = "(missing)"


def all_rows(dialog: SettingsDialog) -> list[Row]:
    return [row for page in dialog.pages for row in page.rows]


def row_at(dialog: SettingsDialog, path: str) -> Row:
    (row,) = (row for row in all_rows(dialog) if row.path == path)
    return row


def show(dialog: SettingsDialog, row: Row, qtbot: QtBot) -> None:
    """Open the page that a row is on, with all that it offers."""
    names = [name for name in page_names() if row in getattr(dialog, name).rows]
    dialog.open_page(names[0])
    wait_for_offers(dialog, qtbot)


def wait_for_offers(dialog: SettingsDialog, qtbot: QtBot) -> None:
    answers: list[int] = []
    dialog._inquiry.ask(lambda: 1, answers.append)
    qtbot.waitUntil(lambda: bool(answers))


def use(row: Row, qtbot: QtBot) -> None:
    """Do what a person would do to another value."""
    control = row.control
    if isinstance(row, SwitchRow):
        qtbot.keyClick(control, Qt.Key.Key_Space)
    elif isinstance(row, ChoiceRow | SliderRow | NumberRow):
        before = value_at(row._settings.preferences, row.path)
        qtbot.keyClick(control, Qt.Key.Key_Down)
        if value_at(row._settings.preferences, row.path) == before:
            qtbot.keyClick(control, Qt.Key.Key_Up)
    elif isinstance(row, TextRow):
        qtbot.keyClicks(control, "https://mirror.example")
        qtbot.keyClick(control, Qt.Key.Key_Return)
    elif isinstance(row, KeysRow):
        row.control.setKeySequence(QKeySequence("Ctrl+Alt+E"))
        row.control.editingFinished.emit()
    elif isinstance(row, LanguageList):
        row.control.item(3).setCheckState(Qt.CheckState.Checked)
    elif isinstance(row, LinesRow):
        qtbot.keyClicks(control, "mask = Maske")
        row.store_text()
    else:
        raise AssertionError(f"nobody knows how to use {row}")


def test_every_setting_is_obeyed_at_once(dialog: SettingsDialog, settings: Settings, qtbot: QtBot) -> None:
    settings.alter(lambda now: with_value(with_value(now, "translates", True), "assistant.answer.verifier", "top-k"))
    for row in all_rows(dialog):
        show(dialog, row, qtbot)
        if isinstance(row, ColourRow | SessionStartRow) or (isinstance(row, ChoiceRow) and row.control.count() < 2):
            continue
        if not row.isEnabled():
            settings.alter(lambda now: with_value(now, "captions.language", None))
            settings.alter(lambda now: with_value(now, "captions.decode.decoder", "beam"))
            settings.alter(lambda now: with_value(now, "captions.second_look", True))
            settings.alter(lambda now: with_value(now, "translates", True))
            settings.alter(lambda now: with_value(now, "behaviour.speaks", True))
            settings.alter(lambda now: with_value(now, "assistant.answer.speculate", True))
            settings.alter(lambda now: with_value(now, "assistant.answer.verifier", "top-k"))
            settings.alter(lambda now: with_value(now, "assistant.turns.push_to_talk", False))
            settings.alter(lambda now: with_value(now, "interpreting.speaks", False))
        assert row.isEnabled(), row.path
        before = value_at(settings.preferences, row.path)
        use(row, qtbot)
        assert value_at(settings.preferences, row.path) != before, row.path
        assert row.problem == ""
    settings.save()
    assert settings.file.load() == settings.preferences
    assert settings.file.ignored == ()


def test_the_start_with_the_session_shows_the_truth(
    dialog: SettingsDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = (each for each in all_rows(dialog) if isinstance(each, SessionStartRow))
    show(dialog, row, qtbot)
    row.control.click()
    assert starts_with_session() and row.control.isChecked()
    start_with_session(False)  # as the desktop's own settings may
    dialog.hide()
    dialog.show()
    assert not row.control.isChecked()

    def refuse(on: bool) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("app.settings.session_start.start_with_session", refuse)
    row.control.click()
    assert not row.control.isChecked()
    assert row.problem == "This cannot be changed here: Read-only file system."


def test_what_changes_elsewhere_is_shown(dialog: SettingsDialog, settings: Settings) -> None:
    settings.alter(lambda now: with_value(now, "overlay.lines", 3))
    dialog.open_page("overlay")
    lines = row_at(dialog, "overlay.lines")
    assert isinstance(lines, NumberRow) and lines.control.value() == 3
    settings.alter(lambda now: with_value(now, "overlay.lines", 4))
    assert lines.control.value() == 4
    dialog.open_page("general")
    settings.alter(lambda now: with_value(now, "appearance.look", "dark"))
    look = row_at(dialog, "appearance.look")
    assert isinstance(look, ChoiceRow) and look.control.currentText() == "Dark"


def test_a_colour_is_chosen_in_the_usual_dialog(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QColorDialog, "getColor", lambda *_: QColor("#123456"))
    row = row_at(dialog, "overlay.text")
    dialog.open_page("overlay")
    qtbot.keyClick(row.control, Qt.Key.Key_Space)
    assert settings.preferences.overlay.text == "#123456"
    assert row.control.text() == "#123456"
    monkeypatch.setattr(QColorDialog, "getColor", lambda *_: QColor())
    qtbot.keyClick(row.control, Qt.Key.Key_Space)
    assert settings.preferences.overlay.text == "#123456"


def test_what_is_wrong_with_a_setting_is_scrolled_into_sight(dialog: SettingsDialog, qtbot: QtBot) -> None:
    dialog.resize(800, 420)
    dialog.open_page("translation")
    row = row_at(dialog, "translation.glossary")
    assert isinstance(row, GlossaryRow)
    row.control.setPlainText("no translation")
    row.control.setFocus()
    qtbot.waitUntil(row.control.hasFocus)
    qtbot.keyClick(row.control, Qt.Key.Key_Tab)
    told = row._problem
    qtbot.waitUntil(lambda: told.isVisible() and told.visibleRegion().boundingRect() == told.rect())


def test_a_glossary_that_is_none_is_said_and_left_to_be_corrected(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot
) -> None:
    dialog.open_page("translation")
    row = row_at(dialog, "translation.glossary")
    assert isinstance(row, GlossaryRow)
    row.control.setPlainText("mask = Maske\nno translation")
    row.store_text()
    assert row.problem == "Line 2: expected 'term = translation', not 'no translation'."
    assert settings.preferences.translation.glossary == ()
    settings.alter(lambda now: with_value(now, "translates", True))
    assert row.control.toPlainText() == "mask = Maske\nno translation"
    row.control.setPlainText("mask = Maske")
    row.store_text()
    assert row.problem == ""
    assert settings.preferences.translation.glossary == (("mask", "Maske"),)


def test_words_of_a_file_are_added_to_those_that_are_known(
    dialog: SettingsDialog, settings: Settings, tmp_path: Path
) -> None:
    dialog.open_page("captions")
    row = row_at(dialog, "captions.decode.vocabulary")
    assert isinstance(row, WordsRow)
    row.control.setPlainText("Ruggedo\n\nAnna  Kowalczyk\nruggedo")
    row.store_text()
    assert row.control.toPlainText() == "Ruggedo\nAnna Kowalczyk"
    (tmp_path / "words.txt").write_text("Kaliko\nRuggedo\n")
    row.add_file(tmp_path / "words.txt")
    assert settings.preferences.captions.decode.vocabulary == ("Ruggedo", "Anna Kowalczyk", "Kaliko")
    assert row.control.toPlainText() == "Ruggedo\nAnna Kowalczyk\nKaliko" and not row.problem
    row.add_file(tmp_path / "missing.txt")
    assert "cannot be read" in row.problem
    row.control.setPlainText("\n".join(f"word{number}" for number in range(1001)))
    row.store_text()
    assert "1000 entries at most" in row.problem
    assert len(settings.preferences.captions.decode.vocabulary) == 3


def test_a_shorter_pause_takes_the_others_with_it(dialog: SettingsDialog, settings: Settings) -> None:
    row = row_at(dialog, "assistant.turns.silence_seconds")
    for value in (0.2, 3.0, 0.5):
        row.put(value)
        assert row.problem == ""
        assert settings.preferences.assistant.turns.silence_seconds == value
    assert settings.preferences.assistant == Preferences().assistant


def test_a_value_that_is_refused_is_said_and_taken_back(dialog: SettingsDialog, settings: Settings) -> None:
    row = row_at(dialog, "overlay.lines")
    row.put(99)
    assert row.problem.startswith("overlay lines must be between 1 and 8")
    assert isinstance(row, NumberRow) and row.control.value() == 2


def test_an_address_that_is_none_is_refused(dialog: SettingsDialog, settings: Settings, qtbot: QtBot) -> None:
    dialog.open_page("privacy")
    row = row_at(dialog, "behaviour.mirror")
    assert isinstance(row, TextRow)
    qtbot.keyClicks(row.control, "the mirror")
    qtbot.keyClick(row.control, Qt.Key.Key_Return)
    assert row.problem == "mirror must be an address such as https://huggingface.co, not 'the mirror'."
    assert settings.preferences.behaviour.mirror == row.control.text() == ""


def test_a_chosen_language_needs_no_list(dialog: SettingsDialog, settings: Settings) -> None:
    dialog.open_page("captions")
    settings.alter(lambda now: with_value(now, "captions.allowed_languages", ("de", "en")))
    row_at(dialog, "captions.language").put("fr")
    assert settings.preferences.captions.allowed_languages == ()
    assert not row_at(dialog, "captions.allowed_languages").isEnabled()


def test_what_is_chosen_and_gone_is_shown_as_gone(dialog: SettingsDialog, settings: Settings) -> None:
    settings.alter(lambda now: with_value(now, "sound.input", "Old microphone"))
    row = dialog.sound.input
    assert row.control.currentText() == f"Old microphone {NOT_HERE}"
    dialog.show_inputs((InputDevice(0, "Old microphone", True, "My microphone"),))
    assert row.control.currentText() == "My microphone"


def test_where_a_voice_has_one_speaker_there_is_nothing_to_choose(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot
) -> None:
    page = dialog.assistant
    settings.alter(lambda now: with_value(now, "assistant.voice.speaker", "a stranger"))
    page.offer_speakers(())
    page.show_preferences(settings.preferences)
    assert page.speaker.isEnabled()  # so that it can be taken back
    page.speaker.put(None)
    page.show_preferences(settings.preferences)
    assert not page.speaker.isEnabled()
    assert page.speaker.control.currentText() == "Only one"
    page.offer_speakers(("anna", "ben"))
    assert page.speaker.isEnabled()


def test_speakers_are_those_of_the_voice(dialog: SettingsDialog, settings: Settings, qtbot: QtBot) -> None:
    speaker = dialog.assistant.speaker
    settings.alter(lambda now: with_value(now, "assistant.voice.voice", "espeak"))
    show(dialog, speaker, qtbot)
    assert speaker.control.count() > 50
    settings.alter(lambda now: with_value(now, "assistant.voice.speaker", "de"))
    assert speaker.control.currentText() == "German (de)"
    row_at(dialog, "assistant.voice.voice").put("kokoro")
    wait_for_offers(dialog, qtbot)
    assert speaker.control.count() == 1
    assert settings.preferences.assistant.voice.speaker is None


@pytest.mark.parametrize("language", ["en", "de"])
def test_answering_aloud_is_called_the_same_as_on_the_assistant_s_page(
    qapp: QApplication, settings: Settings, tmp_path: Path, language: str, request: pytest.FixtureRequest
) -> None:
    install(qapp, language)
    dialog: SettingsDialog = request.getfixturevalue("dialog")
    row = row_at(dialog, "behaviour.speaks")
    assert isinstance(row, SwitchRow)
    assert plain(row.control.text()) == plain(AssistantActions(Theme(qapp)).aloud.text())


def test_the_target_of_a_model_that_is_missing_is_named_for_people(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot
) -> None:
    settings.alter(lambda now: with_value(with_value(now, "models.translation", "/nowhere/at/all"), "translates", True))
    dialog.open_page("translation")
    row = dialog.translation.target
    row.control.clear()
    dialog.translation.offer_targets(dialog.translation._here.targets("/nowhere/at/all"))
    assert [row.control.itemText(place) for place in range(row.control.count())] == ["German"]


def test_target_languages_are_those_of_the_model(dialog: SettingsDialog, qtbot: QtBot) -> None:
    show(dialog, dialog.translation.target, qtbot)
    offered = {dialog.translation.target.control.itemText(place) for place in range(2)}
    assert "German" in offered
    assert not any(NOT_HERE in each for each in offered)


@pytest.mark.parametrize(
    ("words", "page", "path"),
    [
        ("opacity", "overlay", "overlay.opacity"),
        ("clearly finished", "assistant", "assistant.turns.silence_seconds"),
        ("MIRROR", "privacy", "behaviour.mirror"),
    ],
)
def test_a_search_finds_a_setting(dialog: SettingsDialog, qtbot: QtBot, words: str, page: str, path: str) -> None:
    qtbot.keyClicks(dialog.search, words)
    shown = [row.path for row in all_rows(dialog) if row.isVisible()]
    assert shown == [path]
    assert dialog.sidebar.currentRow() == dialog.pages.index(getattr(dialog, page))
    dialog.search.clear()
    assert len([row for row in getattr(dialog, page).rows if row.isVisible()]) == len(getattr(dialog, page).rows)


def test_a_search_finds_what_is_no_setting(dialog: SettingsDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.search, "export")
    assert dialog.sidebar.currentRow() == dialog.pages.index(dialog.privacy)
    assert next(each for each in dialog.findChildren(QAbstractButton) if each.text() == "&Export…").isVisible()


def test_a_search_that_finds_nothing_says_so(dialog: SettingsDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.search, "xylophone")
    visible = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    assert "No setting matches." in visible
    dialog.search.clear()
    assert all(not dialog.sidebar.item(row).isHidden() for row in range(dialog.sidebar.count()))


def test_a_reset_is_offered_to_be_undone(dialog: SettingsDialog, settings: Settings) -> None:
    settings.alter(lambda now: with_value(now, "translation", TranslationOptions("fr")))
    chosen = settings.preferences
    dialog.privacy.reset_wanted.emit()
    assert settings.preferences == Preferences()
    assert dialog.message.isVisible()
    assert dialog.message.way_out is not None
    dialog.message.way_out.click()
    assert settings.preferences == chosen
    assert not dialog.message.isVisible()


def test_settings_go_to_a_file_and_come_back(dialog: SettingsDialog, settings: Settings, tmp_path: Path) -> None:
    settings.alter(lambda now: with_value(now, "overlay.lines", 3))
    dialog.export_to(tmp_path / "mine.json")
    assert "mine.json" in dialog.message.text
    settings.reset()
    dialog.import_from(tmp_path / "mine.json")
    assert settings.preferences.overlay.lines == 3
    (tmp_path / "mine.json").write_text('{"overlay": {"lines": 30, "points": 30.0}}')
    dialog.import_from(tmp_path / "mine.json")
    assert "The setting overlay.lines was ignored" in dialog.message.text
    assert settings.preferences.overlay.points == 30
    dialog.import_from(tmp_path / "none.json")
    assert "cannot be read" in dialog.message.text


def test_audio_is_kept_only_where_that_is_wanted_and_its_size_is_shown(
    dialog: SettingsDialog, settings: Settings
) -> None:
    assert not settings.preferences.history.audio
    folder = dialog.history._audio_folder
    folder.mkdir(parents=True)
    (folder / "sound.ogg").write_bytes(bytes(2_500_000))
    dialog.open_page("history")
    dialog.show()
    assert dialog.history.kept.text() == "Audio that is kept now: 2.5 MB"


def test_the_history_is_deleted_only_after_a_question(
    dialog: SettingsDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        QMessageBox, "exec", lambda box: next(each for each in box.buttons() if "Delete" in each.text()).click()
    )
    with qtbot.waitSignal(dialog.history.deletion_confirmed):
        dialog.history.delete.click()
    monkeypatch.setattr(QMessageBox, "exec", lambda box: box.defaultButton().click())
    with qtbot.assertNotEmitted(dialog.history.deletion_confirmed):
        dialog.history.delete.click()


def test_the_question_about_the_history_names_the_sound_and_marks_the_dangerous_button(
    dialog: SettingsDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, list[object]]] = []

    def note(box: QMessageBox) -> None:
        asked.append((box.informativeText(), [each.property("role") for each in box.buttons()]))
        box.defaultButton().click()

    monkeypatch.setattr(QMessageBox, "exec", note)
    dialog.history.delete.click()
    monkeypatch.setattr(history_page, "size_bytes", lambda folder: 12_000_000)
    dialog.history.delete.click()
    (without, roles), (with_sound, _) = asked
    assert "sound" not in without and "12.0 MB" in with_sound
    assert "stop" in roles


def test_the_sample_follows_the_overlay(dialog: SettingsDialog, settings: Settings) -> None:
    dialog.open_page("overlay")
    before = dialog.overlay.sample.grab().toImage()
    settings.alter(lambda now: with_value(now, "overlay.background", "#AA0000"))
    assert dialog.overlay.sample.grab().toImage() != before


def test_what_cannot_be_had_here_is_disabled_and_says_why(
    settings: Settings, dialog: SettingsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    assert row_at(dialog, "behaviour.tray").isEnabled()
    bare = SettingsDialog(settings, dialog.message._theme, Surroundings(tmp_path, False, "No keys here."))
    qtbot.addWidget(bare)
    assert not row_at(bare, "behaviour.tray").isEnabled()
    assert not row_at(bare, "behaviour.hotkey").isEnabled()
    assert row_at(bare, "behaviour.hotkey").problem == "No keys here."


def test_l14_a_mac_s_person_is_told_that_nobody_says_whether_keys_are_taken(
    settings: Settings, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review L14: Carbon gives the same keys to two programs."""
    here = Surroundings(tmp_path)

    def explained() -> str:
        page = GeneralSettings("General", settings, here)
        qtbot.addWidget(page)
        (row,) = [each for each in page.rows if each.path == "behaviour.hotkey"]
        return row.control.accessibleDescription()

    assert "macOS" not in explained()
    monkeypatch.setattr(general_page.sys, "platform", "darwin")
    assert "macOS does not tell whether another program" in explained()


def page_names() -> list[str]:
    return ["general", "captions", "translation", "overlay", "assistant", "sound", "history", "privacy"]


@pytest.mark.parametrize("name", page_names())
def test_every_control_has_a_name_and_its_own_letter(dialog: SettingsDialog, name: str) -> None:
    page: SettingsPage = getattr(dialog, name)
    dialog.open_page(name)
    letters: Counter[str] = Counter()
    for widget in page.findChildren(QWidget):
        if isinstance(widget, QAbstractButton | QComboBox | QSlider | QAbstractSpinBox | QLineEdit):
            assert widget.accessibleName() or widget.objectName().startswith("qt_spinbox"), widget
        text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
        if (letter := re.search("&([^&])", text)) and (not isinstance(widget, QLabel) or widget.buddy()):
            letters[letter[1].casefold()] += 1
    assert all(count == 1 for count in letters.values()), letters


@pytest.mark.parametrize("name", page_names())
def test_tab_reaches_every_control_in_order(dialog: SettingsDialog, qtbot: QtBot, name: str) -> None:
    page: SettingsPage = getattr(dialog, name)
    dialog.open_page(name)
    dialog.sidebar.setFocus()
    reached: list[QWidget | None] = []
    for _ in range(60):
        QApplication.focusWidget()
        dialog.focusNextChild()
        reached.append(dialog.focusWidget())
    wanted = [row.control for row in page.rows if row.isEnabled()]
    places = [
        min(reached.index(each) for each in reached if each is control or control.isAncestorOf(each))
        for control in wanted
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("name", page_names())
def test_nothing_is_cut_off_in_a_narrow_dialog(dialog: SettingsDialog, qtbot: QtBot, name: str) -> None:
    page: SettingsPage = getattr(dialog, name)
    dialog.resize(dialog.minimumSize())
    dialog.open_page(name)
    QApplication.processEvents()
    content = page.widget()
    assert content.width() <= page.viewport().width()
    for row in page.rows:
        right = row.control.mapTo(content, QPoint(row.control.width(), 0)).x()
        assert right <= content.width(), row.path


def test_a_wheel_scrolls_the_page_and_changes_nothing(dialog: SettingsDialog, settings: Settings) -> None:
    dialog.open_page("overlay")
    before = settings.preferences
    for path in ("overlay.lines", "overlay.points", "overlay.font"):
        control = row_at(dialog, path).control
        centre = QPointF(control.rect().center())
        turn = QWheelEvent(
            centre,
            control.mapToGlobal(centre),
            QPoint(0, -120),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(control, turn)
        assert not turn.isAccepted()
    assert settings.preferences == before


def test_enter_ends_typing_and_presses_no_button(dialog: SettingsDialog, settings: Settings, qtbot: QtBot) -> None:
    dialog.open_page("privacy")
    row = row_at(dialog, "behaviour.mirror")
    qtbot.keyClicks(row.control, "https://mirror.example")
    with qtbot.assertNotEmitted(dialog.privacy.export_wanted):
        qtbot.keyClick(row.control, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert settings.preferences.behaviour.mirror == "https://mirror.example"
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_models_that_are_here_are_offered(dialog: SettingsDialog, qtbot: QtBot) -> None:
    show(dialog, dialog.captions.model, qtbot)
    offered = [dialog.captions.model.control.itemText(place) for place in range(dialog.captions.model.control.count())]
    assert "Starter" in offered
    assert "Starter language" not in offered


def test_finished_lines_are_corrected_with_the_same_model_or_another_that_is_here(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot
) -> None:
    row = dialog.captions.second_model
    show(dialog, row, qtbot)
    assert row.control.currentText() == "The same model"
    row.control.setCurrentText("Starter")
    row.control.activated.emit(row.control.currentIndex())
    assert settings.preferences.captions.second_model == "starter"
    settings.alter(lambda now: with_value(now, "captions.second_look", False))
    assert not row.isEnabled()


def test_models_of_research_are_offered_only_to_who_wants_details(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot
) -> None:
    row = dialog.captions.model

    def offered() -> list[str]:
        return [row.control.itemText(place) for place in range(row.control.count())]

    def want(details: bool) -> None:
        settings.alter(lambda now: replace(now, appearance=replace(now.appearance, details=details)))

    show(dialog, row, qtbot)
    qtbot.waitUntil(lambda: "Starter Speech-LLaMA" in offered())
    want(False)
    qtbot.waitUntil(lambda: "Starter" in offered() and "Starter Speech-LLaMA" not in offered())
    settings.alter(lambda now: replace(now, models=replace(now.models, hearing="starter-speech-llama")))
    want(True)
    qtbot.waitUntil(lambda: row.control.currentText() == "Starter Speech-LLaMA")
    want(False)
    qtbot.waitUntil(lambda: row.control.currentText() == "Starter Speech-LLaMA" and "Starter" in offered())


def test_languages_are_those_that_whisper_hears() -> None:
    folder = importlib.util.find_spec("mlx_whisper")
    assert folder is not None and folder.submodule_search_locations is not None
    tree = ast.parse((Path(folder.submodule_search_locations[0]) / "tokenizer.py").read_text(encoding="utf-8"))
    tables = (each for each in tree.body if isinstance(each, ast.Assign))
    whisper = next(ast.literal_eval(each.value) for each in tables if ast.unparse(each.targets[0]) == "LANGUAGES")
    assert tuple(whisper) == HEARD_LANGUAGES
    assert all(language_name(code) != code for code in HEARD_LANGUAGES)


def test_escape_leaves_a_field_for_keys_as_it_was(dialog: SettingsDialog, settings: Settings, qtbot: QtBot) -> None:
    settings.alter(lambda now: with_value(now, "behaviour.hotkey", "Ctrl+Alt+D"))
    dialog.open_page("general")
    qtbot.keyClick(row_at(dialog, "behaviour.hotkey").control, Qt.Key.Key_Escape)
    assert settings.preferences.behaviour.hotkey == "Ctrl+Alt+D"
    assert not dialog.isVisible()


def test_a_model_has_its_title_before_it_is_known_which_there_are(settings: Settings, qtbot: QtBot) -> None:
    row = ChoiceRow(settings, "models.hearing", "Model", "", title_of=title_of)
    qtbot.addWidget(row)
    row.show_preferences(settings.preferences)
    assert row.control.currentText() == title_of(settings.preferences.models.hearing)
