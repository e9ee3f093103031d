"""The desktop ends the app, brings its window back, and hands it files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop import qt_application
from app.preferences.paths import with_value

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def show_overlay(application: Application) -> None:
    application.settings.alter(lambda now: with_value(now, "overlay.shown", True))
    assert application.desktop.overlay.isVisible()


@pytest.fixture(autouse=True)
def goes_on(qapp: QApplication) -> Iterator[None]:
    """Let the other tests have event loops again: Qt enters none after it was told to quit until it was run anew."""
    yield
    QTimer.singleShot(0, lambda: qapp.exit(0))
    qapp.exec()


def tell(qapp: QApplication, kind: QEvent.Type) -> bool:
    """Send an event as the system does; tell whether it was accepted."""
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


def test_a_click_on_the_dock_brings_a_hidden_window_back(
    application: Application, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    application.window.hide()
    tell(qapp, QEvent.Type.ApplicationActivate)
    assert not application.window.isVisible(), "elsewhere a window that is hidden stays so"
    monkeypatch.setattr(qt_application.sys, "platform", "darwin")
    tell(qapp, QEvent.Type.ApplicationActivate)
    assert application.window.isVisible()


def test_a_file_that_is_opened_with_the_app_is_captioned(
    application: Application, qapp: QApplication, tmp_path: Path
) -> None:
    path = tmp_path / "talk.wav"
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(path))))
    assert application.captions_page.picker.source is not None
    assert application.captions_page.picker.source.name == "talk.wav"
    QCoreApplication.sendEvent(qapp, QFileOpenEvent(QUrl("https://example.org/talk.wav")))
    assert application.captions_page.picker.source.name == "talk.wav"
