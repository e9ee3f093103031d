"""The way of somebody who has just installed Earshot, from the first run to the next day, with all that is real.

Window, engine processes, starter models, and a sound system with a microphone that is spoken into.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captioning import demo_clip
from app.history.export_dialog import ExportDialog
from app.history.schema import FILE_NAME
from app.welcome.steps import LastStep
from app.welcome.welcome import Welcome
from engine.audio import SAMPLE_RATE_HZ
from engine.models.catalogue import ASSETS
from tests.app.pulse import Pulse
from tests.app.scripted_hearing import write_wav

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(180)]

PATIENCE = 20_000  # milliseconds
SAID_SECONDS = 11.0
QUESTION = "What can you do?"
DAY_SECONDS = 86_400
CONTROL = Qt.KeyboardModifier.ControlModifier
NO_WINDOW_SYSTEM = "This plugin does not support"  # Qt's offscreen platform: raising windows, popups' keyboard

if not all((ASSETS / "starter" / each).is_dir() for each in ("hearing", "language", "assistant")):
    pytest.skip("the starter models are not in assets/starter", allow_module_level=True)


@contextmanager
def started(qt: QApplication, folder: Path) -> Iterator[Application]:
    """The app as `earshot` starts it, with a folder of its own."""
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


def return_to_window(application: Application, qtbot: QtBot) -> None:
    """Have the window take the keyboard back, as a desktop gives it when a dialog closes; Qt's offscreen has none."""
    application.window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is application.window, timeout=PATIENCE)


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
    qtbot.waitUntil(lambda: application.settings.preferences.translation_options is not None, timeout=PATIENCE)


def caption(application: Application, pulse: Pulse, folder: Path, qtbot: QtBot) -> str:
    """Speak into the microphone, read along in window and overlay, stop; give what was read."""
    window, overlay = application.window, application.desktop.overlay
    press(qtbot, Qt.Key.Key_L, CONTROL)
    qtbot.waitUntil(overlay.isVisible, timeout=PATIENCE)
    return_to_window(application, qtbot)
    qtbot.waitUntil(lambda: window.captions.transport.state.text() == "Listening", timeout=PATIENCE)
    samples, rate_hz = soundfile.read(demo_clip(), dtype="float32", frames=round(SAID_SECONDS * SAMPLE_RATE_HZ))
    speaking = pulse.speak(write_wav(folder / "said.wav", samples, samplerate=rate_hz))
    qtbot.waitUntil(lambda: "morning" in " ".join(overlay.face.shown[0]).lower(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: any(overlay.face.shown[1]), timeout=PATIENCE)
    view = window.captions.stage.captions
    qtbot.waitUntil(lambda: "talk about" in view.toPlainText().lower(), timeout=PATIENCE)
    speaking.wait()
    press(qtbot, Qt.Key.Key_Period, CONTROL)
    qtbot.waitUntil(lambda: not application.session.is_busy, timeout=PATIENCE)
    press(qtbot, Qt.Key.Key_L, CONTROL)
    return_to_window(application, qtbot)
    return view.toPlainText()


def ask(application: Application, qtbot: QtBot) -> str:
    """Write a question to the assistant; give what it answers."""
    press(qtbot, Qt.Key.Key_2, CONTROL)
    page = application.assistant_page
    qtbot.waitUntil(page.isVisible, timeout=PATIENCE)
    page.focus_field()
    qtbot.keyClicks(page.bar.field, QUESTION)
    with qtbot.waitSignal(application.assistant.turn_ended, timeout=PATIENCE):
        press(qtbot, Qt.Key.Key_Return)
    newest = application.assistant.conversation.newest
    assert newest is not None
    assert newest.asked == QUESTION
    return newest.answer


def export(application: Application, qtbot: QtBot, path: Path) -> str:
    """Export the captions as subtitles; give the file."""
    press(qtbot, Qt.Key.Key_1, CONTROL)
    press(qtbot, Qt.Key.Key_S, CONTROL)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), ExportDialog), timeout=PATIENCE)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ExportDialog)
    dialog.activateWindow()
    qtbot.waitUntil(lambda: dialog.isAncestorOf(QApplication.focusWidget() or application.window), timeout=PATIENCE)
    tab_to(qtbot, dialog.export_button)
    press(qtbot, Qt.Key.Key_Space)
    qtbot.waitUntil(path.is_file, timeout=PATIENCE)
    qtbot.waitUntil(lambda: str(path) in application.window.message.text, timeout=PATIENCE)
    return path.read_text(encoding="utf-8")


def let_a_day_pass(folder: Path) -> None:
    """Have everything in the history be a day older."""
    with closing(sqlite3.connect(folder / "history" / FILE_NAME)) as db, db:
        db.execute("UPDATE session SET began = began - ?, ended = ended - ?", (DAY_SECONDS, DAY_SECONDS))


def find_again(application: Application, qtbot: QtBot, word: str) -> str:
    """Look a word up in the history; give the transcript in which it is."""
    return_to_window(application, qtbot)
    press(qtbot, Qt.Key.Key_3, CONTROL)
    page = application.history_page
    qtbot.waitUntil(lambda: page.sessions.model.rowCount() > 0, timeout=PATIENCE)
    tab_to(qtbot, page.sessions.field)
    qtbot.keyClicks(page.sessions.field, word)

    def found() -> bool:
        session = page.transcript.session if page.transcript is not None else None
        return session is not None and session.kind == "captions" and page.pane.view.is_complete

    qtbot.waitUntil(found, timeout=PATIENCE)
    return page.pane.view.toPlainText()


@pytest.mark.qt_log_ignore(NO_WINDOW_SYSTEM, extend=True)
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
        exported = export(today, qtbot, subtitles)
    assert exported.startswith("1\n00:00:0")
    assert captions[0].text.split()[0] in exported
    let_a_day_pass(tmp_path / "data")
    with started(qapp, tmp_path / "data") as tomorrow:
        qtbot.waitUntil(lambda: tomorrow.client.is_running, timeout=PATIENCE)
        assert QApplication.activeModalWidget() is None
        again = find_again(tomorrow, qtbot, "captions" if "captions" in read else "morning")
        assert captions[0].text in again
        assert translations[0].text in again
        newest = tomorrow.history_page.transcript
        assert newest is not None and newest.session is not None
        yesterday = datetime.now() - timedelta(days=1)
        assert abs(datetime.fromtimestamp(newest.session.began) - yesterday) < timedelta(minutes=10)
