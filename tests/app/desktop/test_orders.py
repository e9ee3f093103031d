"""Orders of the command line, carried out by the app as a whole."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.application import Application
from tests.app.conftest import MakeApplication

OFF = {"captions": False, "overlay": False, "dictation": False, "microphone": False}


def test_captions_are_turned_on_and_off_and_stopped(application: Application, qtbot: QtBot) -> None:
    orders = application.desktop.orders
    assert orders.carry_out("status") == OFF
    application.actions.demo.trigger()
    qtbot.waitUntil(lambda: orders.carry_out("status")["captions"] is True, timeout=60_000)
    orders.carry_out("toggle captions")
    qtbot.waitUntil(lambda: orders.carry_out("status") == OFF, timeout=60_000)


def test_the_overlay_is_shown_and_hidden(application: Application) -> None:
    orders = application.desktop.orders
    assert orders.carry_out("toggle overlay")["overlay"] is True
    assert application.desktop.overlay.isVisible()
    assert orders.carry_out("toggle overlay") == OFF


def test_an_order_that_is_not_known_is_told(application: Application) -> None:
    assert application.desktop.orders.carry_out("toggle gravity") == {"unknown": "toggle gravity"}


def test_every_order_of_the_command_line_is_known(application: Application) -> None:
    from app.terminal.commands.running import COMMANDS

    for command in COMMANDS:
        for part in command.parts or ("",):
            order = f"{command.NAME} {part}".strip()
            assert order in application.desktop.orders._ways


def test_a_hidden_start_without_a_tray_is_minimised(make_application: MakeApplication) -> None:
    application = make_application()
    application.window.hide()
    application.start(hidden=True)
    assert application.desktop.tray.is_shown or application.window.isMinimized()
