"""Links to the lines that an answer quotes."""

from __future__ import annotations

from datetime import date

import pytest
from pytestqt.qtbot import QtBot

from app.assistant.quote_links import QuoteLinks
from engine.answer.tools.outcomes import MOST_QUOTED, Quote
from tests.app.scenes import settle

NOW = tuple(Quote(f"Point {number} was agreed.", 60.0 * number) for number in range(MOST_QUOTED))
THEN = tuple(Quote(f"Point {number} was agreed.", 3600.0 + number, date(2026, 11, 25)) for number in range(3))


@pytest.mark.parametrize("quotes", [NOW, THEN])
def test_all_links_are_in_sight_however_narrow_the_page_becomes(qtbot: QtBot, quotes: tuple[Quote, ...]) -> None:
    links = QuoteLinks()
    qtbot.addWidget(links)
    links.limit(660)
    links.show_quotes(quotes)
    assert len(links.buttons) == len(quotes)
    for pixels in (660, 240, 660):
        links.limit(pixels)
        links.show()
        settle()
        links.adjustSize()
        assert links.sizeHint().width() <= pixels
        assert all(links.rect().contains(each.geometry()) for each in links.buttons)
        tops = {each.y() for each in links.buttons}
        assert (len(tops) == 1) == (pixels == 660 and quotes is THEN)
