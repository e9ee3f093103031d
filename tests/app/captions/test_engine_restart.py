"""An engine process that is killed or stopped in the middle of it: the captions are those of an undisturbed run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.session import State, Status
from app.engine_link.engine_client import EngineClient
from engine.audio import SAMPLE_RATE_HZ
from engine.events import text_of
from engine.process.process import serve
from tests.app.planted_recording import IMPATIENT, PATIENCE, WORDS, FastFile, Recording, engine
from tests.app.scripted_models import StubbornModel


@pytest.fixture(scope="module")
def client(qapp: QApplication) -> Iterator[EngineClient]:
    yield from engine()


@pytest.fixture
def recording(client: EngineClient, qtbot: QtBot) -> Iterator[Recording]:
    """One that has just begun."""
    recording = Recording(client, qtbot)
    yield recording
    recording.close()


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_undisturbed_run_hears_every_word(recording: Recording) -> None:
    recording.end()
    recording.check()
    assert recording.notices == []


def test_an_engine_that_is_killed_in_mid_caption_loses_no_word(recording: Recording) -> None:
    states: list[State] = []
    recording.session.status_changed.connect(lambda status: states.append(status.state))
    recording.when_said("w4")
    process_id = recording.strike(signal.SIGKILL)
    recording.end()
    recording.check()
    assert not is_running(process_id)
    assert [notice.split(" was")[0] for notice in recording.notices] == ["The engine stopped unexpectedly and"]
    assert State.RESTARTING in states
    assert State.ENGINE_STOPPED not in states


def test_an_engine_that_is_stopped_is_noticed_killed_and_replaced(recording: Recording, qtbot: QtBot) -> None:
    recording.when_said("w4")
    with qtbot.waitSignal(recording.client.got_stuck, timeout=PATIENCE):
        process_id = recording.strike(signal.SIGSTOP)
    recording.end()
    recording.check()
    assert not is_running(process_id)
    assert [notice.split(" and")[0] for notice in recording.notices] == ["The engine stopped responding"]


def test_two_kills_in_a_row_lose_no_word(recording: Recording, qtbot: QtBot) -> None:
    recording.when_said("w4")
    for _ in range(2):
        with qtbot.waitSignal(recording.client.crashed, timeout=PATIENCE):
            recording.strike(signal.SIGKILL)
    recording.end()
    recording.check()
    assert len(recording.notices) == 2


def test_an_engine_that_is_killed_while_it_finishes_loses_no_word(recording: Recording) -> None:
    killed: list[int] = []

    def kill(status: Status) -> None:
        if status.state is State.FINISHING and not killed:
            killed.append(recording.strike(signal.SIGKILL))

    recording.session.status_changed.connect(kill)
    recording.end()
    recording.check()
    assert len(recording.notices) == len(killed) == 1


def test_after_three_crashes_in_a_minute_people_are_asked_and_nothing_is_lost_meanwhile(
    recording: Recording, qtbot: QtBot
) -> None:
    recording.when_said("w3")
    for _ in range(2):
        with qtbot.waitSignal(recording.client.crashed, timeout=PATIENCE):
            recording.strike(signal.SIGKILL)
    with qtbot.waitSignal(recording.session.engine_crashed, timeout=PATIENCE):
        recording.strike(signal.SIGKILL)
    assert recording.session.status.state is State.ENGINE_STOPPED
    assert not recording.client.is_running
    recording.session.restart_engine()
    assert recording.session.status.state is State.RESTARTING
    recording.end()
    recording.check()


def test_a_recording_can_be_stopped_while_the_engine_is_gone(recording: Recording, qtbot: QtBot) -> None:
    recording.when_said("w4")
    for _ in range(3):
        with qtbot.waitSignal(recording.client.crashed, timeout=PATIENCE):
            recording.strike(signal.SIGKILL)
    assert recording.session.status.state is State.ENGINE_STOPPED
    recording.session.stop()
    assert recording.session.status.state is State.FINISHED
    assert text_of(recording.words).startswith("w1 w2 w3 w4")
    assert all(caption.final for caption in recording.session.captions.captions)


def test_an_engine_that_dies_at_rest_comes_back_by_itself(recording: Recording, qtbot: QtBot) -> None:
    recording.end()
    with qtbot.waitSignal(recording.client.model_loaded, timeout=PATIENCE):
        recording.strike(signal.SIGKILL)
    assert recording.session.status.state is State.IDLE
    assert len(recording.notices) == 1


def test_a_recording_that_is_begun_after_three_crashes_brings_the_engine_back(
    recording: Recording, qtbot: QtBot
) -> None:
    recording.end()
    for _ in range(3):
        with qtbot.waitSignal(recording.client.crashed, timeout=PATIENCE):
            recording.strike(signal.SIGKILL)
    with qtbot.waitSignal(recording.session.finished, timeout=PATIENCE):
        recording.session.start(FastFile(np.zeros(SAMPLE_RATE_HZ // 2, np.float32)))
    assert recording.failures == []


def test_an_engine_can_be_renewed_while_it_hears(recording: Recording) -> None:
    recording.when_said("w5")
    before = recording.client.process_id
    recording.session.restart_engine()
    assert recording.client.process_id != before
    recording.end()
    recording.check()
    assert recording.notices == []


def test_an_engine_that_hangs_in_a_round_is_noticed_although_its_process_lives(
    qapp: QApplication, tmp_path: Path, qtbot: QtBot
) -> None:
    model = StubbornModel(tuple(WORDS), seconds=2.0, file=str(tmp_path / "has-hung"))
    patience = replace(IMPATIENT, stuck_seconds=2.0)
    client = EngineClient(serve=partial(serve, load=model, beat_seconds=0.05), patience=patience)
    recording = Recording(client, qtbot)
    recording.end()
    recording.check()
    assert [notice.split(" and")[0] for notice in recording.notices] == ["The engine stopped responding"]
    recording.session.shut_down()
