"""The icon in the background: what it offers, and that it is honest about whether it is there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.tray import Tray
from app.look.theme import Theme
from app.preferences.paths import with_value
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from tests.app.displays import HAS_BUS, HAS_X, session_bus, x_display


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    made = Settings(PreferencesFile(tmp_path))
    yield made
    made.settle()


@pytest.fixture
def start(qapp: QApplication) -> QAction:
    return QAction("Start captions", qapp)


@pytest.fixture
def tray(settings: Settings, start: QAction, qapp: QApplication) -> Iterator[Tray]:
    theme = Theme(qapp)
    made = Tray(settings, theme, (None, start))
    yield made
    made.close()
    theme.deleteLater()


def test_the_menu_offers_the_window_and_its_actions(tray: Tray, start: QAction, qtbot: QtBot) -> None:
    shown, line, offered = tray.menu.actions()
    assert shown is tray.show_window
    assert line.isSeparator()
    assert offered is start
    with qtbot.waitSignal(tray.window_wanted):
        tray.show_window.trigger()


def test_without_a_place_for_it_no_icon_is_claimed_and_closing_is_leaving(
    tray: Tray, settings: Settings, qtbot: QtBot
) -> None:
    if Tray.is_available():
        pytest.skip("this desktop shows icons")
    settings.alter(lambda now: with_value(now, "behaviour.tray", True))
    assert not tray.is_shown
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    assert not tray.hide_window(window)
    assert window.isVisible()


def test_the_icon_tells_that_something_is_listened_to(tray: Tray) -> None:
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    quiet = icon.icon().pixmap(32, 32).toImage()
    tray.show_recording(True)
    assert tray.tool_tip == "Earshot is listening"
    assert icon.icon().pixmap(32, 32).toImage() != quiet
    tray.show_recording(False)
    assert tray.tool_tip == "Earshot"
    assert icon.icon().pixmap(32, 32).toImage() == quiet


def test_a_click_brings_the_window(tray: Tray, qtbot: QtBot) -> None:
    icon = tray.findChild(QSystemTrayIcon)
    assert icon is not None
    with qtbot.waitSignal(tray.window_wanted):
        icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)


@pytest.mark.skipif(not (HAS_X and HAS_BUS), reason="needs Xvfb and dbus-daemon")
def test_on_a_desktop_that_shows_icons_the_window_hides_and_a_click_brings_it_back(tmp_path: Path) -> None:
    with x_display() as display, session_bus() as address:
        desktop = {"DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": address, "QT_QPA_PLATFORM": "xcb"}
        environment = {**os.environ, **desktop, "PYTHONPATH": os.getcwd()}
        environment.pop("WAYLAND_DISPLAY", None)
        host = [sys.executable, "-m", "tests.app.desktop.tray_host"]
        with subprocess.Popen(host, env=environment, stdout=subprocess.PIPE, text=True) as place:
            assert place.stdout is not None and place.stdout.readline() == "ready\n"
            program = [sys.executable, "-m", "tests.app.desktop.tray_program", str(tmp_path)]
            done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=400)
            place.terminate()
    said = done.stdout.splitlines()
    assert said == ["available", "not shown", "shown", "hidden", "wanted", "not shown"], done.stderr
