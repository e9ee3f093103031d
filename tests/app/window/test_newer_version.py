"""The window tells whether there is a newer version: on request, or once a week if that was switched on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app.application import Application
from app.window.newer_version import WEEK_SECONDS
from tests.app.conftest import MakeApplication
from tests.release_server import ReleaseServer, release_server, write_package


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReleaseServer]:
    with release_server() as made:
        folder = tmp_path / "package"
        folder.mkdir()
        monkeypatch.syspath_prepend(str(write_package(folder, made.address)))
        yield made


def told(app: Application) -> str:
    return app.window.message.text


def ask_weekly(app: Application, asked_at: float) -> None:
    change = {"asks_weekly": True, "asked_at": asked_at}
    app.settings.alter(lambda now: replace(now, behaviour=replace(now.behaviour, **change)))


def test_the_help_menu_tells_of_a_newer_one_and_shows_its_page(
    server: ReleaseServer, make_application: MakeApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    app = make_application()
    assert not server.asked
    app.actions.newer_version.trigger()
    qtbot.waitUntil(lambda: told(app) == "Earshot 0.2.0 is there. This is 0.1.0.")
    app.window.message.buttons[0].click()
    assert opened == [f"{server.address}/tag/v0.2.0"]


@pytest.mark.parametrize("tag, said", [("v0.1.0", "This is the newest Earshot, 0.1.0."), ("", "no release (404)")])
def test_the_help_menu_tells_other_answers_too(
    server: ReleaseServer, make_application: MakeApplication, qtbot: QtBot, tag: str, said: str
) -> None:
    server.tag = tag
    app = make_application()
    app.actions.newer_version.trigger()
    qtbot.waitUntil(lambda: said in told(app))


def test_nothing_is_asked_unless_it_was_switched_on_and_a_week_is_over(
    server: ReleaseServer, make_application: MakeApplication, qtbot: QtBot
) -> None:
    app = make_application()
    app.newer_version.ask_if_due()
    ask_weekly(app, asked_at=time.time() - WEEK_SECONDS + 3600)
    app.newer_version.ask_if_due()
    assert not app.newer_version._asks and not server.asked
    ask_weekly(app, asked_at=time.time() - WEEK_SECONDS)
    app.newer_version.ask_if_due()
    qtbot.waitUntil(lambda: told(app) == "Earshot 0.2.0 is there. This is 0.1.0.")
    asked = len(server.asked)
    app.newer_version.ask_if_due()
    assert not app.newer_version._asks and len(server.asked) == asked


def test_a_weekly_question_that_fails_is_not_told_and_is_asked_again(
    server: ReleaseServer, make_application: MakeApplication, qtbot: QtBot
) -> None:
    server.tag = ""
    app = make_application()
    ask_weekly(app, asked_at=0)
    app.newer_version.ask_if_due()
    qtbot.waitUntil(lambda: not app.newer_version._asks)
    assert not told(app) and app.settings.preferences.behaviour.asked_at == 0
