"""The icon in the background: what it offers, and that it is honest about whether it is there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop import tray as tray_module
from app.desktop.tray import Tray
from app.look.theme import Theme
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


def test_m5_quit_stays_in_the_menu_of_the_icon_on_a_mac(application: Application, qtbot: QtBot) -> None:
    """Mac review M5: what has the role of Quit is moved into the app's own menu, out of whatever menu it is in."""
    leave = application.desktop.tray.menu.actions()[-1]
    assert leave.text() == application.actions.quit.text()
    assert leave.menuRole() == QAction.MenuRole.NoRole
    assert application.actions.quit.menuRole() == QAction.MenuRole.QuitRole
    with qtbot.waitSignal(application.window.left):
        leave.trigger()


def test_without_a_place_for_it_no_icon_is_claimed(tray: Tray, settings: Settings) -> None:
    if Tray.is_available():
        pytest.skip("this desktop shows icons")
    assert settings.preferences.behaviour.tray
    tray.follow()
    assert not tray.is_shown


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


def test_m13_a_mac_colours_the_icon_itself_and_recording_fills_it(tray: Tray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review M13: a shape for the menu bar, in the sizes that it is drawn at, while recording too."""
    monkeypatch.setattr(tray_module.sys, "platform", "darwin")
    shown = []
    for records in (False, True):
        tray.show_recording(records)
        icon = tray.findChild(QSystemTrayIcon).icon()  # type: ignore[union-attr]
        assert icon.isMask()
        assert sorted(size.height() for size in icon.availableSizes()) == [18, 36, 40, 44]
        shown.append(icon.pixmap(QSize(36, 36)).toImage())
    quiet, recording = (share_covered(image) for image in shown)
    assert 0.05 < quiet < 0.5 * recording
    assert {image.pixelColor(x, y).name() for image in shown for x, y in covered(image)} == {"#000000"}


def covered(image: QImage) -> list[tuple[int, int]]:
    return [(x, y) for x in range(image.width()) for y in range(image.height()) if image.pixelColor(x, y).alpha() > 99]


def share_covered(image: QImage) -> float:
    return len(covered(image)) / (image.width() * image.height())


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
    assert said == ["available", "not shown", "shown", "wanted", "not shown"], done.stderr
