"""Scripts that no font here can show."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.look.theme import caption_font
from app.transcript.caption_model import CaptionModel
from app.transcript.glyph_watch import GlyphWatch, MissingGlyphs, words_for_missing
from tests.app.made_captions import caption

UNUSED = "\U0001e900\U0001e901"  # Adlam: two letters of a script that hardly any machine has a font for


@pytest.fixture
def told(qtbot: QtBot) -> tuple[CaptionModel, list[str]]:
    model = CaptionModel()
    told: list[str] = []
    GlyphWatch(model, caption_font(19), model).missing.connect(told.append)
    return model, told


def test_a_script_without_a_font_is_told_once(told: tuple[CaptionModel, list[str]]) -> None:
    model, characters = told
    if QFontMetricsF(caption_font(19)).inFontUcs4(ord(UNUSED[0])):
        pytest.skip("this machine has a font even for Adlam")
    model.show(caption(0, "Good morning,", pending=UNUSED[0]))
    model.show(caption(0, f"Good morning, {UNUSED}", revision=1))
    model.show(caption(1, UNUSED))
    assert len(characters) == 1
    assert characters[0] in UNUSED


def test_both_pages_of_the_window_tell_it_once_together(application: Application) -> None:
    assert application.history_page.glyphs is application.captions_page.glyph_watch.glyphs


def test_plain_text_is_nothing_to_tell(told: tuple[CaptionModel, list[str]]) -> None:
    model, characters = told
    model.show(caption(0, "Good morning, Zoë – “it’s 5 €”."))
    assert characters == []


def test_a_missing_font_for_japanese_is_told_once(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFontMetricsF, "inFontUcs4", lambda *_: False)
    found = list(MissingGlyphs(caption_font(19)).find("東京タワーへ、行く。ＡＢ"))
    assert len(found) == 1
    assert "(CJK)" in words_for_missing(found[0])
