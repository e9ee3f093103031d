"""A name that came out wrong: corrected in the history, known by one click, and right in the next captions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.state import State
from app.engine_link.engine_client import EngineClient
from app.sound.audio_sources import AudioFile
from engine.captions.for_files import for_files
from engine.models.catalogue import ASSETS
from engine.options import CaptionOptions
from tests.app.conftest import MakeApplication
from tests.people_clips import PEOPLE

pytestmark = pytest.mark.skipif(
    not (ASSETS / "starter" / "hearing").is_dir(), reason="the starter model is not in assets/starter/hearing"
)
PATIENCE = 120_000  # milliseconds
SENTENCE = PEOPLE / "librispeech" / "1272-135031-0005.ogg"


def captions_of(app: Application, qtbot: QtBot) -> str:
    """What is captioned of the sentence, with the settings of the app as they are."""
    app.session.start(AudioFile(SENTENCE, at_once=True))
    qtbot.waitUntil(lambda: app.session.status.state in (State.FINISHED, State.IDLE), timeout=PATIENCE)
    return app.session.captions.text()


def test_a_name_that_was_wrong_is_right_after_one_click_on_its_correction(
    make_application: MakeApplication, qtbot: QtBot
) -> None:
    # One round hears the whole sentence, however slow the machine is.
    app = make_application(EngineClient(), model="starter", options=for_files(CaptionOptions(language="en")))
    heard = captions_of(app, qtbot)
    assert "Ruggedo" not in heard
    app.actions.history_page.trigger()
    page = app.history_page
    qtbot.waitUntil(lambda: page.transcript is not None and bool(page.transcript.captions), timeout=PATIENCE)
    qtbot.waitUntil(lambda: not page.transcript.session.is_running, timeout=PATIENCE)
    page.corrections.begin(0)
    page.corrections.editor.selectAll()
    qtbot.keyClicks(page.corrections.editor, heard.split("\n")[0].replace(heard.split()[2], "Ruggedo"))
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Return)
    message = app.window.message
    qtbot.waitUntil(lambda: message.text == "The line was corrected.")
    know = next(button for button in message.buttons if "Ruggedo" in button.text())
    know.click()
    assert message.text == "“Ruggedo” is among the words to know now."
    assert app.settings.preferences.captions.decode.vocabulary == ("Ruggedo",)
    assert "begged Ruggedo" in captions_of(app, qtbot)
