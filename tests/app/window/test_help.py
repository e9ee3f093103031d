"""The documentation and the report of a problem: all of it local, nothing sent."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.preferences.preferences import MeetingOptions, Models, OverlayOptions, OverlayPosition, Preferences, Sound
from app.preferences.vocabulary import with_words
from app.window.documentation import Documentation
from app.window.problem_report import changed, facts


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that other programs were asked to open."""
    found: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url.toString()))
    return found


def test_the_documentation_is_read_page_by_page_and_back(application: Application, opened: list[str]) -> None:
    dialog = application.dialogs.open_documentation()
    assert "Live captions of what people say" in dialog.text.toPlainText()
    assert "\N{OBJECT REPLACEMENT CHARACTER}" not in dialog.text.toPlainText(), "pictures are left out"
    assert not dialog.back.isEnabled()
    dialog.text.anchorClicked.emit(QUrl("docs/architecture.md"))
    assert dialog.page == "docs/architecture.md"
    assert "engine" in dialog.text.toPlainText()
    dialog.text.anchorClicked.emit(QUrl("reliability.md#a-machine-that-is-too-slow"))
    assert dialog.page == "docs/reliability.md"
    dialog.back.click()
    dialog.back.click()
    assert dialog.page == "README.md"
    assert opened == []
    dialog.close()


def test_only_a_click_on_a_link_to_the_network_leads_there(application: Application, opened: list[str]) -> None:
    dialog = application.dialogs.open_documentation()
    assert opened == []
    dialog.text.anchorClicked.emit(QUrl("https://docs.astral.sh/uv/"))
    assert opened == ["https://docs.astral.sh/uv/"]
    dialog.close()


def test_a_link_out_of_the_folder_or_to_nothing_leads_nowhere(tmp_path: Path, opened: list[str], qtbot: QtBot) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "README.md").write_text("# Start\n[gone](gone.md)")
    (tmp_path / "secret.md").write_text("secret")
    dialog = Documentation(folder)
    qtbot.addWidget(dialog)
    dialog.text.anchorClicked.emit(QUrl("gone.md"))
    dialog.text.anchorClicked.emit(QUrl("../secret.md"))
    assert dialog.page == "README.md" and dialog.text.toPlainText().startswith("Start")
    assert opened == []


def test_without_its_files_the_documentation_is_that_of_the_package(tmp_path: Path, qtbot: QtBot) -> None:
    dialog = Documentation(tmp_path)
    qtbot.addWidget(dialog)
    assert dialog.page == "README.md"


def test_a_report_can_be_completed_and_copied(application: Application) -> None:
    application.window.message.show_problem("The loudspeaker is gone.")
    dialog = application.dialogs.open_report()
    dialog.text.insertPlainText("It was silent.\n")
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("It was silent.")
    assert "The loudspeaker is gone." in copied and "Qt: " in copied and "Python: " in copied
    assert dialog.told.text() == "Copied."
    dialog.close()


def test_a_report_tells_which_settings_were_changed_and_nothing_personal() -> None:
    mine = replace(
        Preferences(),
        models=Models(hearing="/home/anna/models/whisper"),
        sound=Sound(input="Anna's headset"),
        overlay=OverlayOptions(shown=True, places=(OverlayPosition("Anna's screen", 1, 2, 3, 4),)),
        meetings=MeetingOptions(left_out=("Anna's radio",), allowed=("Anna's telephone",)),
    )
    mine = with_words(mine, ["Anna Kowalczyk"])
    text = facts(mine, ())
    assert "Anna" not in text.replace("anna", "Anna")
    assert changed(asdict(mine), asdict(Preferences())) == {
        "models": {"hearing": "(changed)"},
        "sound": {"input": "(changed)"},
        "overlay": {"shown": True, "places": "(changed)"},
        "meetings": {"left_out": "(changed)", "allowed": "(changed)"},
        "captions": {"decode": {"vocabulary": "(changed)"}},
    }
    assert json.dumps({}) in facts(Preferences(), ()), "nothing was changed"
