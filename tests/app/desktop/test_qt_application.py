"""The desktop ends the app, brings its window back, and hands it files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import application as application_module
from app.application import Application
from app.desktop import qt_application
from app.preferences.paths import with_value
from app.transcription.file_question import FileQuestion

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def show_overlay(application: Application) -> None:
    application.settings.alter(lambda now: with_value(now, "overlay.shown", True))
    assert application.desktop.overlay.isVisible()


@pytest.fixture(autouse=True)
def goes_on(qapp: QApplication) -> Iterator[None]:
    """Run Qt's event loop once after a test: after it was told to quit, it would enter none in the next test."""
    yield
    QTimer.singleShot(0, lambda: qapp.exit(0))
    qapp.exec()


def tell(qapp: QApplication, kind: QEvent.Type) -> bool:
    """Send an event as the system does; return whether it was accepted."""
    event = QEvent(kind)
    QCoreApplication.sendEvent(qapp, event)
    return event.isAccepted()


def test_quitting_from_the_dock_ends_the_app_although_its_window_stays_in_the_tray(
    application: Application, qapp: QApplication, qtbot: QtBot
) -> None:
    show_overlay(application)
    application.window.stays = lambda: application.window.hide() is None
    with qtbot.waitSignal(application.window.left):
        assert tell(qapp, QEvent.Type.Quit)
    assert not application.window.isVisible() and not application.desktop.overlay.isVisible()
    assert application.settings.preferences.overlay.shown, "it is there again when the app is"


def test_quitting_while_recording_waits_for_the_last_words_and_then_ends(
    application: Application, qapp: QApplication, qtbot: QtBot
) -> None:
    application.actions.demo.trigger()
    assert application.session.is_busy
    with qtbot.waitSignal(application.window.left):
        assert tell(qapp, QEvent.Type.Quit), "log-out would be called off"
    assert not application.window.isVisible()
    assert tell(qapp, QEvent.Type.Quit), "Qt asks once more when the event loop ends"


@pytest.mark.parametrize("is_recording", [False, True])
def test_h7_at_log_out_the_process_is_gone_before_qt_can_call_it_off(
    application: Application, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, is_recording: bool
) -> None:
    """Mac review H7: with everything put in order before, the last words of a recording too."""
    ends: list[tuple[int, bool]] = []
    monkeypatch.setattr(application_module, "is_session_ending", lambda: True)
    monkeypatch.setattr(os, "_exit", lambda status: ends.append((status, application._is_over)))
    if is_recording:
        application.actions.demo.trigger()
    tell(qapp, QEvent.Type.Quit)
    assert ends == [(0, True)]


def test_h7_quitting_from_the_dock_ends_the_event_loop_and_no_more(
    application: Application, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review H7."""
    monkeypatch.setattr(os, "_exit", lambda status: pytest.fail("the process was ended"))
    assert tell(qapp, QEvent.Type.Quit)


def test_a_click_on_the_dock_brings_a_hidden_window_back(
    application: Application, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    application.window.hide()
    tell(qapp, QEvent.Type.ApplicationActivate)
    assert not application.window.isVisible(), "elsewhere a window that is hidden stays so"
    monkeypatch.setattr(qt_application.sys, "platform", "darwin")
    tell(qapp, QEvent.Type.ApplicationActivate)
    assert application.window.isVisible()


def test_a_file_that_is_opened_with_the_app_is_asked_about_and_captioned(
    application: Application, qapp: QApplication, tmp_path: Path
) -> None:
    path = tmp_path / "talk.wav"
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl("https://example.org/talk.wav")))
    assert application.window.findChildren(FileQuestion) == []
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(path))))
    (question,) = application.window.findChildren(FileQuestion)
    assert application.captions_page.picker.source is None
    question.play.click()
    assert application.captions_page.picker.source is not None
    assert application.captions_page.picker.source.name == "talk.wav"
