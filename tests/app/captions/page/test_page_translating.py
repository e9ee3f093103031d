"""The window with a real engine process that translates: live, changed meanwhile, and failing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.session import State
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile
from app.window.main_window import MainWindow
from engine.options import TranslationOptions
from lab.recipes.speech.espeak import Speech
from tests.app.conftest import MakeApplication
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say

PATIENCE = 120_000  # milliseconds
TWO_SENTENCES = "They appear on the screen while we are speaking. Nothing leaves this computer."
INTO_GERMAN = Preferences(True, TranslationOptions("de"))


@pytest.fixture
def speech() -> Speech:
    return say(TWO_SENTENCES)


@pytest.fixture
def live(make_application: MakeApplication, speech: Speech, tmp_path: Path) -> Application:
    """The app with an engine that writes capitals for a translation; translation was on the last time."""
    PreferencesFile(tmp_path / "data").save(INTO_GERMAN)
    application = make_application(scripted_client(speech))
    application.session.prepare()
    return application


def finish(application: Application, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: application.session.status.state is State.FINISHED, timeout=PATIENCE)


def choose(window: MainWindow, preferences: Preferences) -> None:
    window.captions.translation.panel.settings.change(preferences)


def lines(application: Application) -> list[str]:
    return [line for line in application.session.captions.text().split("\n") if line]


def test_captions_are_translated_while_they_are_spoken(live: Application, speech_file: Path, qtbot: QtBot) -> None:
    seen: list[str] = []
    view = live.window.captions.stage.captions
    view.textChanged.connect(lambda: seen.append(view.toPlainText()))
    live.window.open_file(speech_file)
    finish(live, qtbot)
    said = [caption.text for caption in live.session.captions.captions]
    assert " ".join(said) == TWO_SENTENCES
    assert lines(live) == [line for text in said for line in (text, text.upper())]
    live.window.captions.stage.captions.refresh()
    assert [each for each in live.window.captions.stage.captions.toPlainText().split("\n") if each] == lines(live)
    assert any("THEY" in text and "SPEAKING." not in text for text in seen)


def test_turning_translation_off_while_it_is_spoken_leaves_no_half_sentence(
    live: Application, speech_file: Path, qtbot: QtBot
) -> None:
    live.window.open_file(speech_file)
    qtbot.waitUntil(lambda: any(each.text for each in live.session.captions.translations), timeout=PATIENCE)
    assert not live.session.captions.translations[0].final
    choose(live.window, Preferences(False, INTO_GERMAN.translation))
    assert live.session.captions.translations == ()
    finish(live, qtbot)
    assert live.session.captions.translations == ()
    assert live.session.captions.text().replace("\n", " ") == TWO_SENTENCES


def test_a_change_while_it_is_spoken_loses_no_caption_and_no_translation(
    live: Application, speech_file: Path, qtbot: QtBot
) -> None:
    live.window.open_file(speech_file)
    qtbot.waitUntil(lambda: any(each.text for each in live.session.captions.translations), timeout=PATIENCE)
    choose(live.window, Preferences(True, TranslationOptions("fr", bias=0.5, mask=0)))
    finish(live, qtbot)
    assert " ".join(caption.text for caption in live.session.captions.captions) == TWO_SENTENCES
    translations = live.session.captions.translations
    assert [each.text for each in translations] == [each.text.upper() for each in live.session.captions.captions]
    assert {each.language for each in translations} == {"fr"}


def test_a_missing_language_model_is_one_sentence_and_captions_go_on(
    make_application: MakeApplication, speech: Speech, speech_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    PreferencesFile(tmp_path / "data").save(INTO_GERMAN)
    application = make_application(scripted_client(speech, None), translation_model="/nowhere/at/all")
    application.session.prepare()
    application.window.open_file(speech_file)
    message = application.window.message
    qtbot.waitUntil(lambda: message.isVisible() and "/nowhere/at/all" in message.text)
    finish(application, qtbot)
    assert application.session.captions.text().replace("\n", " ") == TWO_SENTENCES
