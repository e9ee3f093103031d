"""A computer that is too slow: what the window says of it, and the mark where speech was not captioned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.session import LiveSession, State, Status
from app.engine_link.uncovered_audio import RECALLED_SECONDS
from app.history.kept.schema import FILE_NAME
from app.history.store import HistoryStore
from app.sound.audio_sources import AudioFile
from app.transcript.caption_text import composed
from engine.audio import SAMPLE_RATE_HZ
from engine.events import GAP, Caption, LoadShed, Word
from engine.options import CaptionOptions
from engine.process.messages import Progress, Start
from tests.app.made_captions import caption
from tests.app.scripted_hearing import write_wav
from tests.app.silent_client import SilentClient

MARK = "… part not captioned: this computer is too slow for the model"


def gap(number: int, start: float, end: float) -> Caption:
    return Caption(number, 0, start, end, (Word(f" {GAP}", start, end),), (), True, end, end)


@pytest.fixture
def session(qapp: object, tmp_path: Path) -> Iterator[LiveSession]:
    """A microphone that is captioned by a silent engine."""
    session = LiveSession(SilentClient(), "m", CaptionOptions())
    path = write_wav(tmp_path / "long.wav", np.ones(60 * SAMPLE_RATE_HZ))
    session.start(replace(AudioFile(path, "long"), passes_by=True))
    yield session
    session.shut_down()


def test_only_what_passes_by_is_heard_with_less_effort(session: LiveSession, tmp_path: Path) -> None:
    (start,) = session._client.sent  # type: ignore[attr-defined]
    assert isinstance(start, Start)
    assert start.live
    client = SilentClient()
    other = LiveSession(client, "m", CaptionOptions())
    other.start(AudioFile(tmp_path / "long.wav", "long"))
    (start,) = client.take()
    assert isinstance(start, Start)
    assert not start.live
    other.shut_down()


def test_what_is_shed_is_part_of_the_status_until_another_session_begins(session: LiveSession) -> None:
    session._client.progressed.emit(Progress(1.0, speaking=True, shed=LoadShed.CONTEXT))
    session._look()
    assert session.status.shed == LoadShed.CONTEXT
    session.restart_engine()
    session._look()
    assert session.status.shed == LoadShed.NOTHING


def test_nothing_is_said_of_it_while_the_last_words_are_written(session: LiveSession, qtbot: QtBot) -> None:
    session._client.session_started.emit()
    session._client.progressed.emit(Progress(1.0, speaking=True, shed=LoadShed.CONTEXT))
    session._look()
    assert session.status.shed == LoadShed.CONTEXT
    session.stop()
    qtbot.waitUntil(lambda: session.status.state is State.FINISHING, timeout=120_000)
    session._look()
    assert session.status == Status(State.FINISHING)


def test_the_window_says_in_one_line_what_is_left_out_and_leads_to_the_models(application: Application) -> None:
    page, message = application.captions_page, application.window.message
    said = []
    for shed in LoadShed:
        page.session.status_changed.emit(Status(State.HEARING, 0.0, shed))
        said.append(message.text if message.isVisible() else "")
    assert said[0] == ""
    assert "translations wait for a pause" in said[LoadShed.TRANSLATION]
    assert "captions get worse" in said[LoadShed.CANDIDATES]
    assert said[LoadShed.CANDIDATES] == said[LoadShed.CONTEXT] == said[LoadShed.REHEARING]
    assert "parts are not captioned" in said[LoadShed.AUDIO]
    assert all("too slow" in text for text in said[1:])
    assert message.way_out is not None
    message.way_out.click()
    assert application.models_page.isVisible()
    application.actions.captions_page.trigger()
    page.session.status_changed.emit(Status(State.HEARING))
    assert not message.isVisible()


def test_a_line_that_was_closed_stays_closed_while_nothing_else_is_left_out(application: Application) -> None:
    page, message = application.captions_page, application.window.message
    page.session.status_changed.emit(Status(State.HEARING, 0.0, LoadShed.CONTEXT))
    message.close_message()
    page.session.status_changed.emit(Status(State.LISTENING, 0.0, LoadShed.REHEARING))
    assert not message.isVisible()
    page.session.status_changed.emit(Status(State.HEARING, 0.0, LoadShed.AUDIO))
    assert message.isVisible()


def test_speech_that_was_not_captioned_leaves_a_mark_on_the_page(application: Application, qtbot: QtBot) -> None:
    model, page = application.session.captions, application.captions_page
    model.show(caption(1, "This was heard.", final=True))
    model.show(gap(2, 4.0, 9.0))
    model.show(caption(3, "And this.", start=9.0))
    qtbot.waitUntil(lambda: "And this." in page.stage.captions.toPlainText(), timeout=120_000)
    assert page.stage.captions.toPlainText().split("\n") == ["This was heard.", MARK, "And this."]


def test_the_mark_is_certain_from_the_start() -> None:
    assert composed(gap(1, 0.0, 4.0)) == (MARK, len(MARK))
    assert composed(gap(1, 0.0, 4.0), stable_only=True) == (MARK, len(MARK))


def test_the_mark_is_kept_and_another_engine_is_told_neither_it_nor_what_it_stands_for(session: LiveSession) -> None:
    client = session._client
    assert isinstance(client, SilentClient)
    for _ in range(20):
        session._recording._audio.add(np.ones(SAMPLE_RATE_HZ, np.float32))
    client.caption_changed.emit(caption(1, "This was heard.", final=True))
    client.caption_changed.emit(gap(2, 2.0, 15.0))
    client.take()
    session.restart_engine()
    (start,) = client.take()
    assert isinstance(start, Start)
    (side,) = start.sides
    assert side.start_seconds >= 15.0 - RECALLED_SECONDS
    assert [word.text for word in side.known] == [" This", " was", " heard."]
    assert side.begun is None
    assert [each.text for each in session.captions.final_captions()] == ["This was heard.", GAP]


def test_the_history_has_the_mark_where_it_stood(application: Application, qtbot: QtBot) -> None:
    application.history_wiring.recorder.begin_captions("Microphone", "m", "en")
    application.session.captions.show(caption(1, "This was heard.", final=True))
    application.session.captions.show(gap(2, 4.0, 9.0))
    application.history_wiring.recorder.end_captions()
    kept: list[str] = []

    def is_kept() -> bool:
        store = HistoryStore(application.archive.path.parent / FILE_NAME)
        kept[:] = [each.text for one in store.sessions() for each in store.captions(one.id)]
        store.close()
        return len(kept) == 2

    qtbot.waitUntil(is_kept, timeout=120_000)
    assert kept == ["This was heard.", GAP]
