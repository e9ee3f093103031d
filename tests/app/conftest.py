"""Fixtures for tests of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.engine_link.engine_client import EngineClient
from app.look import interface_language
from app.preferences import autostart
from app.preferences.preferences import Preferences
from engine.options import CaptionOptions
from lab.recipes.speech.espeak import Speech
from tests.app.pulse import Pulse, private_pulse
from tests.app.scripted_engine import scripted_client
from tests.app.scripted_hearing import say, write_wav

MakeApplication = Callable[..., Application]
SHORT = "Can you hear me?"


@pytest.fixture(autouse=True)
def speaks_english_again() -> Iterator[None]:
    """Reset the language of the interface after a test: the application is the same for all."""
    yield
    if (qt := QCoreApplication.instance()) is not None:
        interface_language.install(qt, "en")


@pytest.fixture(autouse=True)
def starts_with_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a test that turns on every switch from starting Earshot with the session of whoever runs it."""
    monkeypatch.setattr(autostart, "_place", lambda: tmp_path / "autostart" / "earshot.desktop")


@pytest.fixture
def make_application(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MakeApplication]:
    """Build the app with its window shown and nothing started behind it: make_application(client, model, …)."""
    made: list[Application] = []

    def make(
        client: EngineClient | None = None,
        model: str = "scripted",
        options: CaptionOptions | None = None,
        translation_model: str = "scripted",
    ) -> Application:
        def given(now: Preferences) -> Preferences:
            models = replace(now.models, hearing=model, translation=translation_model)
            return replace(now, models=models, captions=options or now.captions)

        application = Application(qapp, tmp_path / "data", client, given=given)
        made.append(application)
        application.window.show()
        qtbot.waitExposed(application.window)
        return application

    yield make
    for application in made:
        application.shut_down()
        application.window.hide()
        for part in (application.window, application.theme, application):
            part.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def application(make_application: MakeApplication) -> Application:
    """The app with no engine behind it."""
    return make_application()


@pytest.fixture
def speech() -> Speech:
    return say(SHORT)


@pytest.fixture
def live(make_application: MakeApplication, speech: Speech) -> Application:
    """The app with an engine process that hears `speech`, started."""
    application = make_application(scripted_client(speech))
    application.session.prepare()
    return application


@pytest.fixture
def speech_file(speech: Speech, tmp_path: Path) -> Path:
    return write_wav(tmp_path / "speech.wav", speech.samples)


@pytest.fixture
def pulse(tmp_path: Path) -> Iterator[Pulse]:
    """A sound system of its own, with a microphone that is spoken into."""
    folder = tmp_path / "pulse"
    folder.mkdir()
    with private_pulse(folder) as running:
        yield running
