"""Every window and dialog on a small screen, at each scaling of a desktop: none is larger, and what matters is on it.

Qt reads its scaling once: each gets a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.page.translation_panel import TranslationPanel
from app.captions.state import State, Status
from app.welcome.welcome import Welcome
from tests.app.made_captions import caption
from tests.app.scenes import Stage, application_in, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SCREEN = {"name": "small", "x": 0, "y": 0, "width": 1280, "height": 720}
LANGUAGE = os.environ.get("EARSHOT_TEST_SMALL_SCREEN", "")
IS_SMALL = bool(LANGUAGE)
ELSEWHERE = "runs in a process with a small screen"


@pytest.mark.skipif(IS_SMALL, reason="starts the processes")
# German is longer; English is looked at where there is the least room.
@pytest.mark.parametrize(("scale", "language"), [("1", "de"), ("1.75", "de"), ("2", "de"), ("2", "en")])
def test_all_fits_a_screen_of_1280_by_720(scale: str, language: str, tmp_path: Path) -> None:
    description = tmp_path / "screens.json"
    description.write_text(json.dumps({"screens": [{**SCREEN, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]}))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    environment |= {"QT_QPA_PLATFORM": f"offscreen:configfile={description}", "QT_SCALE_FACTOR": scale}
    environment |= {"EARSHOT_TEST_SMALL_SCREEN": language}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "3 passed" in done.stdout, done.stdout[-4000:]


def screen() -> QRect:
    return QApplication.primaryScreen().availableGeometry()


def shows(window: QWidget, part: QWidget) -> bool:
    """Return whether the whole of a part of a window can be seen, no narrower than it asks to be."""
    place = QRect(part.mapTo(window, QPoint(0, 0)), part.size())
    return part.isVisible() and window.rect().contains(place) and part.width() >= part.minimumSizeHint().width()


@pytest.mark.skipif(not IS_SMALL, reason=ELSEWHERE)
def test_no_window_is_larger_than_the_screen_and_its_buttons_are_on_it(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    wrong: list[tuple[str, object]] = []
    with application_in(qapp, tmp_path, LANGUAGE, size=(1400, 900)) as application:
        for scene in Stage(application, qtbot).scenes():
            if scene.name in ("overlay", "overlay-menu"):
                continue  # put by hand
            frame = scene.widget.frameGeometry()
            if not screen().contains(frame):
                wrong.append((scene.name, frame.getRect()))
            if scene.is_dialog and not isinstance(scene.widget, TranslationPanel):
                buttons = [each for each in scene.widget.findChildren(QPushButton) if each.isVisible()]
                standing = [each for each in buttons if not scrolls(each)]
                assert standing, scene.name
                wrong += [(scene.name, each.text()) for each in standing if not shows(scene.widget, each)]
            if isinstance(scene.widget, Welcome):
                assert abs(frame.center().x() - application.window.frameGeometry().center().x()) <= 4
    assert wrong == []


@pytest.mark.skipif(not IS_SMALL, reason=ELSEWHERE)
def test_a_recording_can_be_stopped_with_and_without_the_tuning_panel(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with application_in(qapp, tmp_path, LANGUAGE, size=(1400, 900)) as application:
        transport = application.captions_page.transport
        window = application.window
        application.session.captions.show(caption(0, "Good morning, everyone."))
        for busy, tunes in ((False, False), (False, True), (True, True), (True, False)):
            monkeypatch.setattr(type(application.session), "is_busy", busy)
            application.actions.tuning.setChecked(tunes)
            application.captions_page.refresh()
            settle()
            assert shows(window, transport.stop if busy else transport.start), (busy, tunes)
            assert all(shows(window, button) for button in window.rail.buttons)


@pytest.mark.skipif(not IS_SMALL, reason=ELSEWHERE)
def test_no_check_box_of_an_export_cuts_its_text_off(qapp: QApplication, tmp_path: Path) -> None:
    with application_in(qapp, tmp_path, LANGUAGE, size=(1400, 900)) as application:
        application.session.captions.show(caption(0, "Good morning, everyone.", final=True))
        dialog = application.captions_page.ask_for_export()
        dialog.show()
        settle()
        box = dialog.part_only
        laid_out = right_of_text(box)
        box.resize(box.width() + 40, box.height())
        assert laid_out == right_of_text(box)
        dialog.close()


def right_of_text(box: QWidget) -> int:
    image = box.grab().toImage()
    ground = image.pixel(image.width() - 1, 0)
    lines = range(image.height())
    return max(x for x in range(image.width()) if any(image.pixel(x, y) != ground for y in lines))


def scrolls(widget: QWidget) -> bool:
    above = widget.parentWidget()
    while above is not None and not above.inherits("QScrollArea"):
        above = above.parentWidget()
    return above is not None


@pytest.mark.skipif(IS_SMALL, reason="one screen is enough")
def test_nothing_of_the_bar_is_cut_off_beside_the_tuning_panel(qapp: QApplication, tmp_path: Path) -> None:
    for size in ((800, 600), (1080, 720)):
        with application_in(qapp, tmp_path / str(size[0]), "en", size=size) as application:
            bar(application)
            transport = application.captions_page.transport
            settle()
            assert transport.start.width() >= transport.start.sizeHint().width()
            assert transport.state.width() >= transport.state.sizeHint().width()


def bar(application: Application) -> None:
    application.session.captions.show(caption(0, "Good morning, everyone."))
    application.actions.tuning.setChecked(True)
    application.captions_page.transport.show_model("large-v3-turbo")
    application.captions_page.transport.show_status(Status(State.IDLE))
