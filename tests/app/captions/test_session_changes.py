"""Changes while captions are heard: another model, other options, other threads; no word is lost."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.session import Hearing, State
from app.engine_link.engine_client import EngineClient
from engine.audio import SAMPLE_RATE_HZ
from engine.machine.threads import ThreadAllocation
from engine.process.messages import Command, Load, Ready, Start
from tests.app.planted_recording import OPTIONS, PATIENCE, FastFile, Recording, engine

COARSE = replace(OPTIONS, step_seconds=0.5)


@pytest.fixture(scope="module")
def client(qapp: QApplication) -> Iterator[EngineClient]:
    yield from engine()


@pytest.fixture
def recording(client: EngineClient, qtbot: QtBot) -> Iterator[Recording]:
    """One that has just begun."""
    recording = Recording(client, qtbot)
    yield recording
    recording.close()


def change(recording: Recording, **chosen: Any) -> None:
    """Change some of what hears."""
    recording.session.change(replace(recording.session.hearing, **chosen))


def sent(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> list[Start | Load]:
    """Record what the engine is asked to load and to begin from now on."""
    commands: list[Start | Load] = []
    send = recording.client._send

    def note(command: Command) -> None:
        if isinstance(command, Start | Load):
            commands.append(command)
        send(command)

    monkeypatch.setattr(recording.client, "_send", note)
    return commands


def test_other_options_hold_at_once_and_no_word_is_lost_or_shown_twice(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    states: list[State] = []
    recording.session.status_changed.connect(lambda status: states.append(status.state))
    commands = sent(recording, monkeypatch)
    recording.when_said("w4")
    change(recording, options=COARSE)
    recording.when_said("w9")
    (start,) = commands
    assert isinstance(start, Start)
    assert start.options == COARSE
    assert [word.text for word in start.sides[0].known][:4] == [" w1", " w2", " w3", " w4"]
    recording.end()
    recording.check()
    assert State.LOADING not in states, "nobody has to be told of it"


def test_another_model_is_loaded_while_the_recording_goes_on(recording: Recording) -> None:
    loaded: list[Ready] = []
    recording.session.model_loaded.connect(loaded.append)
    recording.when_said("w4")
    change(recording, model="other")
    recording.end()
    recording.check()
    assert [ready.model for ready in loaded] == ["other"]
    assert recording.session.model == "other"


def test_a_model_that_is_not_there_is_refused_and_captions_go_on_as_before(recording: Recording, qtbot: QtBot) -> None:
    recording.when_said("w4")
    with qtbot.waitSignal(recording.session.change_refused, timeout=PATIENCE) as refused:
        change(recording, model="missing", options=COARSE)
    assert refused.args == ["There is no model called missing. Captions go on as before."]
    assert recording.session.hearing == Hearing("m", OPTIONS)
    recording.end()
    recording.check()


def test_a_change_that_is_taken_back_at_once_loses_no_word(recording: Recording) -> None:
    recording.when_said("w3")
    change(recording, options=COARSE)
    change(recording, options=OPTIONS)
    recording.end()
    recording.check()
    assert recording.session.hearing.options == OPTIONS


def test_what_is_as_it_was_is_no_change(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = sent(recording, monkeypatch)
    recording.when_said("w3")
    change(recording, model="m", options=OPTIONS, threads=None)
    recording.end()
    recording.check()
    assert commands == []


def test_a_change_and_a_crash_at_once_lose_no_word(recording: Recording) -> None:
    recording.when_said("w4")
    change(recording, options=COARSE)
    recording.strike(signal.SIGKILL)
    recording.end()
    recording.check()
    assert recording.session.hearing.options == COARSE


def test_threads_go_to_the_engine_with_every_session(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = sent(recording, monkeypatch)
    recording.when_said("w4")
    change(recording, threads=ThreadAllocation(1, 1))
    recording.when_said("w7")
    change(recording, options=COARSE)
    recording.end()
    recording.check()
    assert {each.threads for each in commands} == {ThreadAllocation(1, 1)}


def test_at_rest_a_model_is_loaded_ahead_and_what_was_chosen_holds_for_the_next_recording(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    recording.end()
    commands = sent(recording, monkeypatch)
    with qtbot.waitSignal(recording.session.model_loaded, timeout=PATIENCE):
        change(recording, model="other", options=COARSE, threads=ThreadAllocation(1, 1))
    assert recording.session.status.state is State.IDLE
    with qtbot.waitSignal(recording.session.finished, timeout=PATIENCE):
        recording.session.start(FastFile(np.zeros(SAMPLE_RATE_HZ // 2, np.float32)))
    load, start = commands
    assert (load.model, load.threads) == ("other", ThreadAllocation(1, 1))
    assert isinstance(start, Start)
    assert (start.model, start.options, start.threads) == ("other", COARSE, ThreadAllocation(1, 1))


def test_a_change_while_the_last_words_are_written_down_waits_for_the_next_recording(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = sent(recording, monkeypatch)
    recording.when_said("w4")
    recording.session.stop()
    change(recording, options=COARSE)
    recording.end()
    assert commands == []
    assert recording.session.hearing.options == COARSE
