"""The way of somebody who has just installed Earshot, from the first run to the next day, with all that is real.

Window and a display, engine processes, starter models, and a sound system with a microphone that is spoken into.

Qt has one display for the life of a process: the newcomer gets a process with a display of its own.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.assistant.exchange import Phase
from app.captions.state import State
from app.history.export.export_dialog import ExportDialog
from app.history.kept.schema import FILE_NAME
from app.welcome.steps import LastStep
from app.welcome.welcome import Welcome
from engine.models.catalogue import ASSETS
from tests.app.displays import HAS_X, x_display
from tests.app.pulse import Pulse
from tests.app.scripted_hearing import write_wav
from tests.people_clips import people_clips

pytestmark = pytest.mark.realtime

PATIENCE = 120_000  # milliseconds
SAID = np.concatenate([clip.samples for clip in people_clips() if clip.name in ("LJ001-0030", "2035-147961-0016")])
QUESTION = "What can you do?"
DAY_SECONDS = 86_400
CONTROL = Qt.KeyboardModifier.ControlModifier
SCREEN = "1600x1200"
HAS_DISPLAY = os.environ.get("QT_QPA_PLATFORM") == "xcb"

if not all((ASSETS / "starter" / each).is_dir() for each in ("hearing", "language", "assistant")):
    pytest.skip("the starter models are not in assets/starter", allow_module_level=True)


@contextmanager
def started(qt: QApplication, folder: Path) -> Iterator[Application]:
    """Run the app as `earshot` starts it, with a folder of its own."""
    application = Application(qt, folder)
    application.start()
    try:
        yield application
    finally:
        application.window.leave()
        application.shut_down()
        for part in (application.window, application.theme, application):
            part.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def press(qtbot: QtBot, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key wherever the keyboard is."""
    focus = QApplication.focusWidget() or QApplication.activeWindow()
    assert focus is not None
    qtbot.keyClick(focus, key, modifiers)


def give_keyboard(window: QWidget, qtbot: QtBot) -> None:
    """Activate a window, as a desktop does when one opens or closes: here is no window manager."""
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window, timeout=PATIENCE)


def return_to_window(application: Application, qtbot: QtBot) -> None:
    give_keyboard(application.window, qtbot)


def tab_to(qtbot: QtBot, widget: QWidget) -> None:
    """Go to a control as the keyboard does."""
    for _ in range(40):
        if widget.hasFocus():
            return
        press(qtbot, Qt.Key.Key_Tab)
    raise AssertionError(f"{widget} is not reached by Tab")


def get_welcomed(application: Application, qtbot: QtBot) -> None:
    """Go through the first run by keys, and start captions at its end."""
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), Welcome), timeout=PATIENCE)
    welcome = QApplication.activeModalWidget()
    assert isinstance(welcome, Welcome)
    give_keyboard(welcome, qtbot)
    qtbot.waitUntil(lambda: application.captions_page.picker.source is not None, timeout=PATIENCE)
    for step in range(3):
        assert welcome.step == step
        press(qtbot, Qt.Key.Key_Return)
    last = welcome.findChild(LastStep)
    assert isinstance(last, LastStep)
    tab_to(qtbot, last.captions)
    press(qtbot, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: application.session.is_recording, timeout=PATIENCE)
    assert application.settings.preferences.behaviour.welcomed
    return_to_window(application, qtbot)


def translate_into_german(application: Application, qtbot: QtBot) -> None:
    """Choose it in the panel, by keys."""
    press(qtbot, Qt.Key.Key_T, CONTROL)
    panel = application.captions_page.translation.panel
    qtbot.waitUntil(panel.isVisible, timeout=PATIENCE)
    qtbot.keyClicks(panel.language, "German")
    qtbot.keyClick(panel.language, Qt.Key.Key_Return)
    panel.hide()
    return_to_window(application, qtbot)
    qtbot.waitUntil(lambda: application.settings.preferences.translation_choice is not None, timeout=PATIENCE)


def caption(application: Application, pulse: Pulse, folder: Path, qtbot: QtBot) -> str:
    """Speak into the microphone, read along in window and overlay, stop; return what was read."""
    window, overlay = application.window, application.desktop.overlay
    press(qtbot, Qt.Key.Key_L, CONTROL)
    qtbot.waitUntil(overlay.isVisible, timeout=PATIENCE)
    return_to_window(application, qtbot)
    heard = (State.LISTENING, State.NO_SOUND)  # nothing but zeros, while nobody speaks
    qtbot.waitUntil(lambda: application.session.status.state in heard, timeout=PATIENCE)
    speaking = pulse.speak(write_wav(folder / "said.wav", SAID))
    qtbot.waitUntil(lambda: "lantern" in " ".join(overlay.face.shown[0]).lower(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: any(overlay.face.shown[1]), timeout=PATIENCE)
    view = window.captions.stage.captions
    qtbot.waitUntil(lambda: "germany" in view.toPlainText().lower(), timeout=PATIENCE)
    speaking.wait()
    press(qtbot, Qt.Key.Key_Period, CONTROL)
    qtbot.waitUntil(lambda: not application.session.is_busy, timeout=PATIENCE)
    press(qtbot, Qt.Key.Key_L, CONTROL)
    return_to_window(application, qtbot)
    return view.toPlainText()


def ask(application: Application, qtbot: QtBot, question: str = QUESTION) -> str:
    """Write a question to the assistant; return what it answers."""
    press(qtbot, Qt.Key.Key_2, CONTROL)
    page = application.assistant_page
    qtbot.waitUntil(page.isVisible, timeout=PATIENCE)
    page.focus_field()
    qtbot.keyClicks(page.bar.field, question)
    press(qtbot, Qt.Key.Key_Return)
    conversation = application.assistant.conversation

    def is_answered() -> bool:
        newest = conversation.newest
        return newest is not None and newest.asked == question and newest.phase is Phase.DONE

    qtbot.waitUntil(is_answered, timeout=PATIENCE)
    return conversation.exchanges[-1].answer


def ask_for_more(application: Application, qtbot: QtBot, last_word: str) -> None:
    """Ask what was said, and have the text made larger and back again."""
    assert last_word in ask(application, qtbot, "Read me the last two sentences")
    assert last_word in ask(application, qtbot, "What was said?")
    appearance = application.settings.preferences.appearance
    assert ask(application, qtbot, "Make the text bigger") == "The text is larger now."
    assert application.settings.preferences.appearance.points > appearance.points
    assert ask(application, qtbot, "Undo that") == "I took that back."
    assert application.settings.preferences.appearance == appearance


def export(application: Application, qtbot: QtBot, path: Path) -> str:
    """Export the captions as subtitles; return the file."""
    press(qtbot, Qt.Key.Key_1, CONTROL)
    press(qtbot, Qt.Key.Key_S, CONTROL)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), ExportDialog), timeout=PATIENCE)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ExportDialog)
    give_keyboard(dialog, qtbot)
    tab_to(qtbot, dialog.export_button)
    press(qtbot, Qt.Key.Key_Space)
    qtbot.waitUntil(path.is_file, timeout=PATIENCE)
    qtbot.waitUntil(lambda: str(path) in application.window.message.text, timeout=PATIENCE)
    return path.read_text(encoding="utf-8")


def let_a_day_pass(folder: Path) -> None:
    """Make everything in the history a day older."""
    with closing(sqlite3.connect(folder / "history" / FILE_NAME)) as db, db:
        db.execute("UPDATE session SET began = began - ?, ended = ended - ?", (DAY_SECONDS, DAY_SECONDS))


def find_again(application: Application, qtbot: QtBot, word: str) -> str:
    """Look a word up in the history; return the transcript in which it is."""
    return_to_window(application, qtbot)
    press(qtbot, Qt.Key.Key_3, CONTROL)
    page = application.history_page
    qtbot.waitUntil(lambda: page.sessions.model.rowCount() > 0, timeout=PATIENCE)
    tab_to(qtbot, page.sessions.field)
    qtbot.keyClicks(page.sessions.field, word)

    def found() -> bool:
        session = page.transcript.session if page.transcript is not None else None
        if session is not None and session.kind != "captions":  # the assistant was told of it later
            qtbot.keyClick(page.sessions.list, Qt.Key.Key_Down)
        return session is not None and session.kind == "captions" and page.pane.view.is_complete

    qtbot.waitUntil(found, timeout=PATIENCE)
    return page.pane.view.toPlainText()


@pytest.mark.skipif(HAS_DISPLAY, reason="this is the process with the display")
@pytest.mark.skipif(not HAS_X, reason="not installed: apt install xvfb xdotool")
def test_the_newcomer_s_way_on_a_display_of_its_own() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    with x_display(SCREEN) as display:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "WAYLAND"))}
        environment |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "QT_ACCESSIBILITY": "0"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "1 passed" in done.stdout, done.stdout[-4000:]


@pytest.mark.skipif(not HAS_DISPLAY, reason="runs in a process with a display")
def test_a_newcomer_captions_translates_asks_exports_and_finds_it_again_tomorrow(
    qapp: QApplication, qtbot: QtBot, pulse: Pulse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subtitles = tmp_path / "meeting.srt"
    names: Callable[..., tuple[str, str]] = lambda *_: (str(subtitles), "")  # noqa: E731 (a signature to be typed)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", names)
    with started(qapp, tmp_path / "data") as today:
        get_welcomed(today, qtbot)
        translate_into_german(today, qtbot)
        read = caption(today, pulse, tmp_path, qtbot)
        captions = today.session.captions.final_captions()
        translations = today.session.captions.final_translations()
        assert translations and translations[0].text in read
        assert ask(today, qtbot)
        ask_for_more(today, qtbot, captions[-1].text.split()[-1])
        exported = export(today, qtbot, subtitles)
    assert exported.startswith("1\n00:0")  # a busy machine hears the first words late
    assert captions[0].text.split()[0] in exported
    let_a_day_pass(tmp_path / "data")
    with started(qapp, tmp_path / "data") as tomorrow:
        qtbot.waitUntil(lambda: tomorrow.client.is_running, timeout=PATIENCE)
        assert QApplication.activeModalWidget() is None
        again = find_again(tomorrow, qtbot, "Germany")
        assert captions[0].text in again
        assert translations[0].text in again
        newest = tomorrow.history_page.transcript
        assert newest is not None and newest.session is not None
        yesterday = datetime.now() - timedelta(days=1)
        assert abs(datetime.fromtimestamp(newest.session.began) - yesterday) < timedelta(minutes=10)
