"""The menu of languages into which a kept transcript can be translated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.records import Session, Transcript
from app.history.translating import TranscriptTranslation
from app.preferences.preferences import Models
from app.preferences.settings import Settings
from tests.app.made_captions import caption

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen when a menu opens
SAID = (caption(0, "Good morning.", final=True),)


@pytest.fixture
def bar(archive: Archive, settings: Settings, tmp_path: Path, qtbot: QtBot) -> TranscriptTranslation:
    tmp_path.joinpath("config.json").write_text(json.dumps({"earshot": {"translates_to": ["fr", "de"]}}))
    settings.alter(lambda now: replace(now, models=Models(translation=str(tmp_path))))
    made = TranscriptTranslation(archive, settings)
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(("target", "marked"), [("de", ["German"]), ("", [])])
def test_the_language_that_a_transcript_has_been_translated_into_is_marked(
    bar: TranscriptTranslation, target: str, marked: list[str]
) -> None:
    session = Session(1, "captions", "", "Microphone", "starter", "en", target, 0.0, 9.0, False, 9.0, "Good morning.")
    menu = bar.ask(Transcript(session, SAID))
    assert [each.text() for each in menu.actions() if each.isChecked()] == marked
    assert [each.text() for each in menu.actions()] == ["French", "German", "Portuguese"]
    menu.close()


def test_it_opens_below_the_button_that_has_the_keyboard_wherever_the_mouse_is(
    bar: TranscriptTranslation, qtbot: QtBot
) -> None:
    button = QPushButton("Translate…")
    qtbot.addWidget(button)
    button.move(60, 40)
    button.show()
    button.activateWindow()
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    menu = bar.ask(Transcript(None, SAID))
    assert menu.pos() - button.mapToGlobal(button.rect().bottomLeft()) == QPoint(0, 0)
    menu.close()
