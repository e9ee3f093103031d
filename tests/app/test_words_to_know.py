"""A name that came out wrong: corrected, known by one click, and right in the next sentence."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.state import State
from app.engine_link.engine_client import EngineClient
from app.sound.audio_sources import AudioFile
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
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
OTHER = PEOPLE / "librispeech" / "2078-142845-0013.ogg"


ONE_ROUND = for_files(CaptionOptions(language="en"))  # it hears the whole sentence, however slow the machine is
CHUNK = SAMPLE_RATE_HZ // 10


@dataclass
class TwiceSaid:
    """A sentence, a pause as long as somebody needs to correct it, and the same sentence once more."""

    sentence: Samples
    corrected: threading.Event = field(default_factory=threading.Event)
    name: str = "Anna"
    passes_by: bool = False

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        yield self.sentence
        while not self.corrected.is_set():
            yield np.zeros(CHUNK, np.float32)
            if stop.wait(CHUNK / SAMPLE_RATE_HZ):
                return
        yield self.sentence


def know(app: Application, qtbot: QtBot, word: str) -> None:
    """Click on what is offered with the correction."""
    message = app.window.message
    qtbot.waitUntil(lambda: message.text == "The line was corrected.")
    next(button for button in message.buttons if word in button.text()).click()
    assert message.text == f"“{word}” is among the words to know now."
    assert app.settings.preferences.captions.decode.vocabulary == (word,)


def captions_of(app: Application, qtbot: QtBot) -> str:
    """Return the captions of the sentence, with the settings of the app as they are."""
    app.session.start(AudioFile(SENTENCE, at_once=True))
    qtbot.waitUntil(lambda: app.session.status.state in (State.FINISHED, State.IDLE), timeout=PATIENCE)
    return app.session.captions.text()


def test_a_name_that_was_wrong_is_right_after_one_click_on_its_correction(
    make_application: MakeApplication, qtbot: QtBot
) -> None:
    app = make_application(EngineClient(), model="starter", options=ONE_ROUND)
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
    know(app, qtbot, "Ruggedo")
    assert "begged Ruggedo" in captions_of(app, qtbot)


def test_a_name_that_is_corrected_while_one_listens_is_right_in_the_next_sentence(
    make_application: MakeApplication, qtbot: QtBot
) -> None:
    app = make_application(EngineClient(), model="starter", options=ONE_ROUND)
    source, captions, page = TwiceSaid(read_audio(OTHER)), app.session.captions, app.captions_page
    app.session.start(source)
    qtbot.waitUntil(lambda: bool(captions.captions) and captions.captions[-1].final, timeout=PATIENCE)
    wrong = captions.captions[-1]
    assert "puttings" in wrong.text
    page.corrections.begin(wrong.id, 0)
    page.corrections.editor.selectAll()
    qtbot.keyClicks(page.corrections.editor, wrong.text.replace("puttings", "puddings"))
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Return)
    know(app, qtbot, "puddings")
    assert app.session.is_recording
    source.corrected.set()
    qtbot.waitUntil(lambda: app.session.status.state in (State.FINISHED, State.IDLE), timeout=PATIENCE)
    later = " ".join(each.text for each in captions.captions if each.id > wrong.id)
    assert "puddings" in later and "puttings" not in later
