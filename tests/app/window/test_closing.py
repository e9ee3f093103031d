"""Closing and quitting the window: what goes on in the tray, what is asked first, and what nobody is asked about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop.tray import Tray
from app.preferences.paths import with_value
from engine.audio import SAMPLE_RATE_HZ
from lab.recipes.speech.espeak import Speech
from tests.app.scripted_hearing import write_wav

PATIENCE = 120_000  # milliseconds
YES, NO, KEEP = (
    QMessageBox.ButtonRole.DestructiveRole,
    QMessageBox.ButtonRole.RejectRole,
    QMessageBox.ButtonRole.AcceptRole,
)
Answer = Callable[[QMessageBox.ButtonRole], None]


@pytest.fixture
def asked() -> list[str]:
    """All that was asked."""
    return []


@pytest.fixture
def answer(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Answer every question from now on by the button of a role."""

    def prepare(role: QMessageBox.ButtonRole) -> None:
        def click(question: QMessageBox) -> int:
            asked.append(question.text())
            next(each for each in question.buttons() if question.buttonRole(each) is role).click()
            return 0

        monkeypatch.setattr(QMessageBox, "exec", click)

    return prepare


@pytest.fixture
def captioning(live: Application, speech: Speech, tmp_path: Path, qtbot: QtBot) -> Application:
    """The app while it captions a minute of sound."""
    qtbot.waitSignal(live.client.model_loaded, timeout=PATIENCE).wait()
    silence = np.zeros(60 * SAMPLE_RATE_HZ, np.float32)
    live.window.open_file(write_wav(tmp_path / "long.wav", np.concatenate([speech.samples, silence])))
    qtbot.waitUntil(lambda: live.session.captions.rowCount() > 0, timeout=PATIENCE)
    return live


@pytest.mark.parametrize("way", ["close", "quit"])
def test_captions_that_run_end_only_if_the_person_agrees(
    captioning: Application, answer: Answer, asked: list[str], way: str, qtbot: QtBot
) -> None:
    leave = captioning.actions.quit.trigger if way == "quit" else captioning.window.close
    answer(NO)
    leave()
    assert asked == ["Stop captions and quit?"]
    assert captioning.window.isVisible() and captioning.session.is_recording
    answer(YES)
    with qtbot.waitSignal(captioning.window.left, timeout=PATIENCE):
        leave()
    assert len(asked) == 2


def test_an_idle_window_without_a_tray_closes_unasked(
    application: Application, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("somebody was asked"))
    with qtbot.waitSignal(application.window.left):
        application.window.close()


def test_the_demo_ends_unasked(live: Application, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("somebody was asked"))
    qtbot.waitSignal(live.client.model_loaded, timeout=PATIENCE).wait()
    live.captions_page.play_demo()
    assert live.session.is_recording
    with qtbot.waitSignal(live.window.left, timeout=PATIENCE):
        live.window.close()


def test_with_a_tray_captions_go_on_and_that_is_said_once(
    captioning: Application, answer: Answer, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tray, "is_shown", property(lambda _: True))
    answer(NO)
    captioning.window.close()
    assert captioning.window.isVisible(), "cancelled"
    answer(KEEP)
    captioning.window.close()
    assert not captioning.window.isVisible() and captioning.session.is_recording
    captioning.show_window()
    captioning.window.close()
    assert not captioning.window.isVisible() and captioning.session.is_recording
    assert asked == ["Captions go on in the background."] * 2, "it was said, and is not said again"


def test_whoever_would_rather_quit_than_stay_in_the_tray_is_asked_no_second_time(
    captioning: Application, answer: Answer, asked: list[str], monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(Tray, "is_shown", property(lambda _: True))
    answer(YES)
    with qtbot.waitSignal(captioning.window.left, timeout=PATIENCE):
        captioning.window.close()
    assert len(asked) == 1
    assert not captioning.settings.preferences.behaviour.tray_explained


def test_what_would_be_lost_without_a_history_is_said(captioning: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    red: list[str] = []

    def note(question: QMessageBox) -> None:
        told.append(question.informativeText())
        red.extend(each.text() for each in question.findChildren(QPushButton) if each.property("role") == "stop")

    monkeypatch.setattr(QMessageBox, "exec", note)
    captioning.window.close()
    captioning.settings.alter(lambda now: with_value(now, "history.audio", True))
    captioning.session.clock = ((0.0, 1.0),)  # as of a microphone
    captioning.window.close()
    captioning.settings.alter(lambda now: with_value(now, "history.keeps", False))
    captioning.window.close()
    assert red == ["&Quit"] * 3
    assert told == [
        "What was said so far is kept in the history.",
        "What was said so far is kept in the history, and so is its sound.",
        "What was said so far is lost, because the history is off.",
    ]
    assert captioning.window.isVisible()
