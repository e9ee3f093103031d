"""The page in a real browser, of a phone's size: what is said is read there, whatever happens to the network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.share.page_server import PageServer
from app.transcript.caption_model import CaptionModel
from tests.app.browser import chromium
from tests.app.made_captions import caption, translation

SAID = "[...document.querySelectorAll('.said')].filter(each => each.offsetParent).map(each => each.innerText)"


def test_a_phone_reads_along_looks_as_its_owner_likes_and_catches_up(
    qtbot: QtBot, model: CaptionModel, page: PageServer, tmp_path: Path
) -> None:
    (tmp_path / "browser").mkdir()
    with chromium(qtbot, tmp_path / "browser") as phone:
        phone.open(page.url, 390, 844)
        qtbot.waitUntil(lambda: page.readers == 1)
        phone.wait_for("document.getElementById('state').textContent === 'Live'")
        assert phone.value("document.getElementById('hint').offsetParent !== null")

        model.show(replace(caption(1, "Good morning,", pending="every"), speaker="Anna"))
        phone.wait_for(f"{SAID}.join() === 'Good morning, every'")
        model.show(replace(caption(1, "Good morning, everyone.", revision=1, final=True), speaker="Anna"))
        model.translate(translation(1, "Guten Morgen zusammen.", final=True))
        model.show(caption(2, "<b>Let us</b> & begin", pending="with the bud", start=5))
        phone.wait_for("document.querySelectorAll('.line').length === 2")
        phone.wait_for("document.querySelector('.to').innerText === 'Guten Morgen zusammen.'")
        assert phone.value(SAID) == ["Good morning, everyone.", "<b>Let us</b> & begin with the bud"]
        assert phone.value("document.querySelector('.name').innerText") == "Anna"
        assert phone.value("document.querySelector('.to').lang") == "de"
        assert phone.value("document.getElementById('announced').textContent") == "Anna: Good morning, everyone."
        assert phone.value("parseFloat(getComputedStyle(document.getElementById('lines')).fontSize)") == 32
        phone.picture(tmp_path / "phone.png")
        phone.value("document.querySelector('summary').click()")

        phone.value("document.getElementById('larger').click()")
        phone.value("choice = document.getElementById('text'); choice.value = 'to'; choice.onchange()")
        phone.value("document.getElementById('solid').click()")
        assert phone.value("parseFloat(getComputedStyle(document.getElementById('lines')).fontSize)") == 40
        assert phone.value(SAID) == ["<b>Let us</b> & begin"]  # the other has its translation
        phone.picture(tmp_path / "display.png")
        model.show(replace(caption(3, "", pending="perhaps", start=8), speaker="Ben"))
        phone.wait_for("document.querySelectorAll('.line').length === 3")
        assert phone.value("document.querySelectorAll('.line')[2].offsetParent") is None, "no name above nothing"
        model.show(caption(2, "<b>Let us</b> & begin with the budget.", revision=1, start=5, final=True))
        model.translate(translation(2, "Beginnen wir", revision=0))
        model.translate(translation(2, "Beginnen wir mit dem Budget.", revision=1, final=True))
        phone.wait_for("document.getElementById('announced').textContent === 'Beginnen wir mit dem Budget.'")
        assert phone.value("document.documentElement.scrollWidth <= innerWidth")

        phone.be_offline(True)
        for visitor in tuple(page._visitors):  # an emulated network keeps connections that are open
            visitor.abort()
        phone.wait_for("document.getElementById('state').textContent.startsWith('Connection lost')")
        for number in range(3, 30):
            model.show(caption(number, f"Sentence {number}.", start=5.0 * number, revision=1, final=True))
        phone.be_offline(False)
        phone.wait_for("document.querySelectorAll('.line').length === 29")
        phone.wait_for("document.getElementById('lines').scrollTop > 0")
        assert phone.value(f"{SAID}.at(-1)") == "Sentence 29."

        page.close()
        phone.wait_for("document.getElementById('state').textContent === 'The captions have ended.'")
        assert phone.value(f"{SAID}.at(-1)") == "Sentence 29."  # it stays there to be read
