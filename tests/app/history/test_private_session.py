"""A private session: nothing of it is kept, and the window says so as long as it lasts."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.history.kept.audio_files import audio_folder
from app.preferences.paths import with_value
from engine.audio import SAMPLE_RATE_HZ
from engine.turns import Turn
from tests.app.made_captions import caption


def kept(application: Application, qtbot: QtBot) -> list[str]:
    """Return the texts of all captions and questions in the history."""
    answers: list[list[str]] = []

    def read(store: object) -> list[str]:
        transcripts = [store.transcript(each.id) for each in store.sessions()]  # type: ignore[attr-defined]
        captions = [each.text for transcript in transcripts for each in transcript.captions]
        return captions + [each.turn.prompt for transcript in transcripts for each in transcript.turns]

    application.archive.ask(read, answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    return answers[0]


def test_nothing_said_in_private_is_kept_neither_words_nor_marks_nor_sound(
    application: Application, qtbot: QtBot
) -> None:
    application.settings.alter(lambda now: with_value(now, "history.audio", True))
    bar, recorder, model = (
        application.captions_page.transport,
        application.history_wiring.recorder,
        application.session.captions,
    )
    assert not bar.private.isVisible()
    application.actions.private.trigger()
    assert bar.private.isVisible() and bar.private.text() == "Private: nothing is kept"
    recorder.begin_captions("Microphone", "starter", "en")
    assert recorder.audio_listener is None
    model.show(caption(1, "A secret.", final=True))
    application.captions_page.refresh()
    application.actions.mark_place.trigger()
    model.correct({1: "Another secret."})
    recorder.begin_conversation("starter-assistant")
    recorder.keep_turn(Turn(1, 0, "A secret question?", "No."))
    recorder.end_captions()
    assert kept(application, qtbot) == []
    folder = audio_folder(application.archive.path)
    assert not folder.exists() or not list(folder.iterdir())
    application.actions.private.trigger()
    assert not bar.private.isVisible()
    recorder.begin_captions("Microphone", "starter", "en")
    model.show(caption(2, "No secret.", start=5.0, final=True))
    assert kept(application, qtbot) == ["No secret."]


def test_what_was_said_before_and_after_private_words_is_kept(application: Application, qtbot: QtBot) -> None:
    recorder, model = application.history_wiring.recorder, application.session.captions
    recorder.begin_captions("Microphone", "starter", "en")
    model.show(caption(1, "Before.", final=True))
    application.actions.private.trigger()
    model.show(caption(2, "A secret.", start=5.0, final=True))
    application.actions.private.trigger()
    model.show(caption(3, "Afterwards.", start=9.0, final=True))
    model.show(caption(2, "A secret secret.", revision=1, start=5.0, final=True))
    assert kept(application, qtbot) == ["Before.", "Afterwards."]


def test_the_sound_of_a_recording_that_becomes_private_ends_there(application: Application) -> None:
    application.settings.alter(lambda now: with_value(now, "history.audio", True))
    recorder = application.history_wiring.recorder
    recorder.begin_captions("Microphone", "starter", "en")
    listener = recorder.audio_listener
    assert listener is not None
    listener(np.zeros(SAMPLE_RATE_HZ, np.float32))
    application.actions.private.trigger()
    assert recorder.audio_listener is None
    QCoreApplication.processEvents()
