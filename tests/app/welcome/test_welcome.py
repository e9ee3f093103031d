"""The first run: four steps that can be skipped, none of which does anything that was not asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QRadioButton
from pytestqt.qtbot import QtBot

from app.actions import Actions
from app.look.theme import Theme
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.welcome.welcome import Welcome
from app.widgets.screen_room import Scrolled
from engine.models.catalogue import catalogue


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(PreferencesFile(tmp_path))


@pytest.fixture
def welcome(qapp: QApplication, qtbot: QtBot, settings: Settings) -> Welcome:
    theme = Theme(qapp)
    offered = [catalogue()["base"], catalogue()["small"]]
    dialog = Welcome(settings, theme, Actions(theme, theme), QLabel("a microphone test"), offered, "base")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


def visible_text(welcome: Welcome) -> str:
    return "\n".join(each.text() for each in welcome.findChildren(QLabel) if each.isVisible())


def button(welcome: Welcome, text: str) -> QPushButton:
    (found,) = [each for each in welcome.findChildren(QPushButton) if text in each.text().replace("&", "")]
    return found


def test_it_leads_by_the_return_key_alone_from_what_it_is_to_being_ready(
    welcome: Welcome, qtbot: QtBot, settings: Settings
) -> None:
    said = []
    for _ in range(4):
        said.append(visible_text(welcome))
        qtbot.keyClick(QApplication.focusWidget() or welcome, Qt.Key.Key_Return)
    assert "Nothing you say leaves it" in said[0]
    assert "a microphone test" in said[1]
    assert "What do you hear and read?" in said[2]
    assert "Ctrl+L" in said[3]
    assert not welcome.isVisible()
    assert settings.preferences.behaviour.welcomed


def test_one_can_go_back(welcome: Welcome) -> None:
    assert not welcome.back.isEnabled()
    welcome.next.click()
    welcome.back.click()
    assert welcome.step == 0


@pytest.mark.parametrize("step", [0, 2])
def test_skipped_at_any_step_it_does_not_come_again(welcome: Welcome, settings: Settings, step: int) -> None:
    for _ in range(step):
        welcome.next.click()
    welcome.skip.click()
    assert settings.preferences.behaviour.welcomed


def test_the_escape_key_skips_it_too(welcome: Welcome, qtbot: QtBot, settings: Settings) -> None:
    qtbot.keyClick(welcome, Qt.Key.Key_Escape)
    assert not welcome.isVisible()
    assert settings.preferences.behaviour.welcomed


def test_nothing_is_downloaded_unless_it_was_chosen(welcome: Welcome, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(welcome.model_wanted):
        for _ in range(4):
            welcome.next.click()


def test_a_chosen_model_is_asked_for_at_the_end(welcome: Welcome, qtbot: QtBot) -> None:
    welcome.next.click()
    welcome.next.click()
    (choice,) = [each for each in welcome.findChildren(QRadioButton) if each.text() == "Whisper small"]
    assert "483 MB" in choice.accessibleDescription()
    choice.click()
    welcome.next.click()
    with qtbot.waitSignal(welcome.model_wanted) as wanted:
        welcome.next.click()
    assert wanted.args == ["small"]


def told_after_choosing(welcome: Welcome, *, heard: str, read: str) -> list[object]:
    """Choose languages and go on; return the list of what is told, which grows."""
    told: list[object] = []
    welcome.languages_chosen.connect(lambda *languages: told.append(languages))
    welcome.model_wanted.connect(told.append)
    for _ in range(2):
        welcome.next.click()
    choose(welcome, heard=heard, read=read)
    welcome.next.click()
    return told


def test_who_goes_back_and_changes_their_mind_gets_the_last_choice_alone(welcome: Welcome) -> None:
    told = told_after_choosing(welcome, heard="fr", read="de")
    welcome.back.click()
    choose(welcome, heard="en", read="")
    welcome.next.click()
    button(welcome, "Start captions").click()
    assert told == [("en", "")], "no model, and no translation"


@pytest.mark.parametrize("steps", [1, 2])
def test_what_was_chosen_and_taken_back_does_not_count(welcome: Welcome, steps: int) -> None:
    told = told_after_choosing(welcome, heard="fr", read="de")
    for _ in range(steps):
        welcome.back.click()
    welcome.skip.click()
    assert told == []


def test_what_was_chosen_on_a_step_that_is_skipped_does_not_count(welcome: Welcome, qtbot: QtBot) -> None:
    for _ in range(2):
        welcome.next.click()
    choose(welcome, heard="fr")
    with qtbot.assertNotEmitted(welcome.model_wanted):
        welcome.skip.click()


@pytest.mark.parametrize(("text", "signal"), [("Play the demo", "demo_wanted"), ("Start captions", "captions_wanted")])
def test_it_ends_with_what_one_wants_to_do(welcome: Welcome, qtbot: QtBot, text: str, signal: str) -> None:
    for _ in range(3):
        welcome.next.click()
    assert button(welcome, text).accessibleDescription(), "what it captions"
    with qtbot.waitSignal(getattr(welcome, signal)):
        button(welcome, text).click()
    assert not welcome.isVisible()


def test_a_short_step_does_not_scroll_because_another_is_long(welcome: Welcome) -> None:
    scrolls = []
    welcome.resize(welcome.width(), 380)
    for step in range(4):
        QApplication.processEvents()
        scrolls.append(
            [each.verticalScrollBar().isVisible() for each in welcome.findChildren(Scrolled) if each.isVisible()]
        )
        if step < 3:
            welcome.next.click()
    assert scrolls[2] == [True], "four models"
    assert scrolls[1] == scrolls[3] == [False]


def choose(welcome: Welcome, heard: str | None = None, read: str | None = None) -> None:
    """Choose languages as a person does."""
    for box, code in ((welcome.models.heard, heard), (welcome.models.read, read)):
        if code is not None:
            box.setCurrentIndex(box.findData(code))
            box.activated.emit(box.currentIndex())


@pytest.mark.parametrize(("heard", "model"), [("en", None), ("de", "base"), ("", "base")])
def test_the_language_that_is_heard_selects_the_model_that_it_needs(
    welcome: Welcome, heard: str, model: str | None
) -> None:
    choose(welcome, heard=heard)
    assert welcome.models.wanted == welcome.models.recommended == model
    recommended = [each.text() for each in welcome.findChildren(QRadioButton) if "recommended" in each.text()]
    assert recommended == ["&Starter (recommended)" if model is None else "Whisper base (recommended)"]


@pytest.mark.parametrize("chooses", [True, False])
def test_languages_are_told_if_they_were_chosen(welcome: Welcome, chooses: bool) -> None:
    told: list[object] = []
    welcome.languages_chosen.connect(lambda *languages: told.append(languages))
    welcome.model_wanted.connect(told.append)
    if chooses:
        choose(welcome, heard="fr", read="de")
    for _ in range(4):
        welcome.next.click()
    assert told == ([("fr", "de"), "base"] if chooses else [])


def test_a_small_model_by_hand_wins_over_the_recommended_one(welcome: Welcome) -> None:
    choose(welcome, heard="de")
    welcome.models.choose("small")
    choose(welcome, read="en")
    assert welcome.models.wanted == "small"
