"""The sessions that a history's page shows, and its messages."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.history.page import HistoryPage

MakePage = Callable[..., HistoryPage]


class Told:
    """Collects a page's messages to its window."""

    def __init__(self, page: HistoryPage) -> None:
        self.texts: list[str] = []
        page.notice_given.connect(lambda text, _: self.texts.append(text))
        page.problem_found.connect(lambda text, _: self.texts.append(text))


def titles(page: HistoryPage) -> list[str]:
    return [page.sessions.model.title_of(each) for each in page.sessions.model.sessions]


def show(page: HistoryPage, qtbot: QtBot, title: str) -> None:
    """Choose a session by its title and wait until it is there."""
    qtbot.waitUntil(lambda: title in titles(page))
    page.choose(page.sessions.model.sessions[titles(page).index(title)].id)
    qtbot.waitUntil(lambda: page.pane.header.title.text() == title and page.pane.view.is_complete)
