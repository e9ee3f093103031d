"""A model that hears one's language is one click from the captions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.application import Application
from app.models import model_library
from app.models.uses import Use
from engine.machine.pace import MachinePace
from tests.app.scenes import application_in, settle


def hear(application: Application, model: str, language: str | None) -> None:
    application.settings.alter(
        lambda now: replace(
            now, models=replace(now.models, hearing=model), captions=replace(now.captions, language=language)
        )
    )
    settle()


def test_where_the_model_does_not_hear_the_language_one_that_does_is_a_click_away(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    with application_in(qapp, tmp_path, "en") as application:
        link = application.captions_page.stage.empty.other_language
        assert not link.isVisible(), "the starter hears English"
        hear(application, "starter", "fr")
        assert link.isVisible() and "French" in link.text()
        link.click()
        page = application.models_page
        assert page.isVisible() and page.filters.use is Use.CAPTIONS and page.filters.code == "fr"
        qtbot.waitUntil(lambda: "small" in page.cards and page.cards["small"].isVisible(), timeout=120_000)
        assert not page.cards["base.en"].isVisible()
        application.actions.captions_page.trigger()
        hear(application, "small", "fr")
        assert not link.isVisible()


@pytest.mark.parametrize(("model", "offered"), [("starter", True), ("small", False), ("/a/folder", False)])
def test_who_reads_german_is_taken_to_speak_it(model: str, offered: bool, qapp: QApplication, tmp_path: Path) -> None:
    with application_in(qapp, tmp_path, "de") as application:
        hear(application, model, None)
        link = application.captions_page.stage.empty.other_language
        assert link.isVisible() == offered
        assert not offered or "Deutsch" in link.text()


@pytest.mark.parametrize(
    ("language", "model", "offered"),
    [("de", "starter-assistant", True), ("de", "qwen3-1.7b", False), ("en", "starter-assistant", False)],
)
def test_where_the_assistant_answers_in_english_alone_one_that_does_otherwise_is_a_click_away(
    language: str, model: str, offered: bool, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.uses.is_installed", lambda: False)
    with application_in(qapp, tmp_path, language) as application:
        application.settings.alter(lambda now: replace(now, models=replace(now.models, assistant=model)))
        application.actions.assistant_page.trigger()
        settle()
        link = application.assistant_page.empty.other_model
        assert link.isVisible() == offered
        if offered:
            assert "Deutsch" in link.text()
            link.click()
            page = application.models_page
            assert page.isVisible() and page.filters.use is Use.ANSWERS and page.filters.code == "de"


@pytest.mark.parametrize(("model", "offered"), [("starter-assistant", True), ("qwen3-0.6b", False)])
def test_where_llama_cpp_is_a_model_that_answers_more_than_the_starter_is_a_click_away(
    model: str, offered: bool, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.uses.is_installed", lambda: True)
    with application_in(qapp, tmp_path, "en") as application:
        application.settings.alter(lambda now: replace(now, models=replace(now.models, assistant=model)))
        application.actions.assistant_page.trigger()
        settle()
        link = application.assistant_page.empty.other_model
        assert link.isVisible() == offered
        if offered:
            assert link.text() == "Get a model that answers anything (1.1 GB)…"
            link.click()
            page = application.models_page
            assert page.isVisible() and page.filters.use is Use.ANSWERS and not page.filters.code


def test_a_server_elsewhere_is_named_where_people_ask(qapp: QApplication, tmp_path: Path) -> None:
    with application_in(qapp, tmp_path, "en") as application:
        empty = application.assistant_page.empty
        for model, said in (
            ("http://localhost:11434", "Nothing leaves it."),
            ("http://10.0.0.7:11434", "Your questions go to 10.0.0.7."),
            ("starter-assistant", "Nothing leaves it."),
        ):
            application.settings.alter(lambda now, m=model: replace(now, models=replace(now.models, assistant=m)))
            assert any(label.text().endswith(said) for label in empty.findChildren(QLabel))


def test_a_machine_is_measured_once_and_only_while_nothing_else_computes(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with application_in(qapp, tmp_path, "en") as application:
        library = application.library
        library.refresh()
        qtbot.waitUntil(lambda: bool(library.models), timeout=120_000)
        started: list[list[str]] = []
        monkeypatch.setattr(library._measurement, "start", started.append)
        library.measure()
        assert started == [], "captions might be running"
        library.may_measure = lambda: True
        library.measure()
        library.measure()
        assert started == [["doctor", "--plan", "--json"]]


@pytest.mark.parametrize(("round_seconds", "again"), [(0.8, 1), (0.2, 0)])
def test_that_no_model_keeps_up_is_measured_again(
    round_seconds: float, again: int, qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        model_library, "load_pace", lambda: MachinePace(20.0, False, {"tiny": round_seconds, "base": 2.0})
    )
    with application_in(qapp, tmp_path, "en") as application:
        library = application.library
        library.refresh()
        qtbot.waitUntil(lambda: bool(library.models), timeout=120_000)
        started: list[list[str]] = []
        monkeypatch.setattr(library._measurement, "start", started.append)
        library.may_measure = lambda: True
        library.measure()
        library.measure()
        assert len(started) == again
