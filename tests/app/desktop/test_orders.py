"""Orders of the command line, carried out by the app as a whole."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.application import Application
from tests.app.conftest import MakeApplication
from tests.app.made_captions import caption

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


def test_a_moment_is_marked_while_captions_run_whichever_page_is_shown(application: Application, qtbot: QtBot) -> None:
    orders, marks = application.desktop.orders, application.captions_page.stage.captions.marks
    assert orders.carry_out("mark") == {"problem": "No captions are running, so there is nothing to mark."}
    application.actions.demo.trigger()
    qtbot.waitUntil(lambda: application.session.is_busy)
    assert orders.carry_out("mark") == {"problem": "Nothing has been said yet that could be marked."}
    application.session.captions.show(caption(1, "It is said now."))
    application.actions.assistant_page.trigger()
    assert "problem" not in orders.carry_out("mark")
    assert len(marks.places) == 1
    application.actions.stop.trigger()
    qtbot.waitUntil(lambda: not application.session.is_busy, timeout=60_000)
    assert "problem" in orders.carry_out("mark")
    assert len(marks.places) == 1


def test_why_there_is_no_dictation_is_told(application: Application) -> None:
    application.desktop.dictation.chosen_source = lambda: None
    told = {"problem": "Dictation needs a microphone: choose one on the Captions page."}
    assert application.desktop.orders.carry_out("toggle dictation") == told


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
