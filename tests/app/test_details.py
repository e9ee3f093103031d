"""Figures, licences and the settings of research stand behind “Show details”; all else is there without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.widgets.rows import Row
from engine.process.messages import Ready
from tests.app.scenes import Stage, application_in, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PAGES = ("captions", "assistant", "history", "models")
FIGURES = ("s delay", "% busy", "tokens", "first sound after", "Show delays", "MIT", "Speech-LLaMA")
TUNED = ("captions.padding", "captions.decode.beam_size", "translation.bias", "assistant.answer.verifier")


@pytest.fixture(params=[True, False], ids=["with details", "without"])
def application(request: pytest.FixtureRequest, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    with application_in(qapp, tmp_path, "en") as made:
        show_details(made, request.param)
        yield made


def show_details(application: Application, shown: bool) -> None:
    application.settings.alter(lambda now: replace(now, appearance=replace(now.appearance, details=shown)))


def texts(window: QWidget) -> str:
    """Return all that can be read in a window or heard of it."""
    seen = [each for each in window.findChildren(QWidget) if each.isVisible()]
    read = [each.text() for each in seen if isinstance(each, QLabel | QAbstractButton)]
    return "\n".join([*read, *(each.toolTip() for each in seen), *(each.accessibleName() for each in seen)])


def test_only_who_wants_details_meets_figures(application: Application, qtbot: QtBot) -> None:
    wanted = application.settings.preferences.appearance.details
    found = ""
    for scene in Stage(application, qtbot).scenes():
        if scene.name.startswith("settings"):
            break
        if scene.name.startswith(PAGES):
            application.assistant_page.view.refresh()  # else it waits a moment
            found += texts(scene.widget)
    assert [figure for figure in FIGURES if (figure in found) != wanted] == []


def test_models_are_called_by_their_titles(application: Application) -> None:
    wanted = application.settings.preferences.appearance.details
    application.captions_page._show_model(Ready("large-v3-turbo", "gpu", 2.1))
    application.assistant_page._show_model(Ready("qwen3-0.6b", "gpu", 2.1, kind="language"))
    assert application.captions_page.transport.figures.text() == ("Whisper large-v3-turbo" if wanted else "")
    assert application.assistant_page.model.text() == ("Qwen3 0.6B on the GPU" if wanted else "")


def test_settings_of_research_are_details_and_are_found_by_who_looks_for_them(application: Application) -> None:
    wanted = application.settings.preferences.appearance.details
    dialog = application.dialogs.settings
    rows = {row.path: row for page in dialog.pages for row in page.rows}
    for name in ("captions", "translation", "assistant"):
        dialog.open_page(name)
        shown = [path for path in TUNED if path.startswith(name)]
        assert [rows[path].isVisibleTo(dialog) for path in shown] == [wanted] * len(shown)
    dialog.search.setText("padding")
    assert is_found(rows["captions.padding"])
    dialog.search.clear()
    assert is_found(rows["captions.padding"]) == wanted
    show_details(application, not wanted)
    settle()
    assert is_found(rows["captions.padding"]) != wanted
    dialog.close()


def is_found(row: Row) -> bool:
    page = row.parentWidget()
    assert page is not None
    return row.isVisibleTo(page)


def test_the_menu_and_the_settings_switch_the_same(application: Application) -> None:
    action = application.actions.details
    before = action.isChecked()
    (row,) = (each for each in application.dialogs.settings.general.rows if each.path == "appearance.details")
    row.control.click()
    assert action.isChecked() != before
    action.trigger()
    assert application.settings.preferences.appearance.details == before
