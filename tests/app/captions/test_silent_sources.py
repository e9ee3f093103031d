"""Silence is reported where it is a fault: not while another side sounds, and not where a computer plays nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.session import LiveSession, State, Status
from app.engine_link.engine_client import EngineClient
from app.sound.audio_sources import Microphone, Source, TwoSides
from app.sound.source_notes import Note
from engine.audio import Samples
from tests.app.planted_recording import IMPATIENT, OPTIONS, PATIENCE, WORDS
from tests.app.scripted_engine import planted_client
from tests.hear.planted import plant

SECONDS = 4.5
SPEECH = plant(WORDS, SECONDS)
ZEROS = np.zeros(len(SPEECH), np.float32)


@dataclass(frozen=True)
class Device(Microphone):
    """A device that delivers these samples several times as fast as they would be spoken."""

    samples: tuple[Samples, ...] = ()

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        (samples,) = self.samples
        for at in range(0, len(samples), 800):
            if stop.wait(0.015):
                return
            yield samples[at : at + 800]


def device(samples: Samples, *, computer: bool = False) -> Device:
    return Device("it", "it", is_monitor=computer, samples=(samples,))


@pytest.fixture(scope="module")
def client(qapp: QApplication) -> Iterator[EngineClient]:
    client = planted_client(WORDS, IMPATIENT)
    yield client
    client.shut_down()


def statuses_of(source: Source, client: EngineClient, qtbot: QtBot) -> Sequence[Status]:
    """Caption a source to its end and return what was shown meanwhile."""
    session = LiveSession(client, "m", OPTIONS)
    if not client.is_running:
        with qtbot.waitSignal(client.model_loaded, timeout=PATIENCE):
            session.prepare()
    shown: list[Status] = []
    session.status_changed.connect(shown.append)
    with qtbot.waitSignal(session.finished, timeout=PATIENCE):
        session.start(source)
    return shown


def test_a_muted_microphone_beside_a_call_is_no_alarm_but_is_said(client: EngineClient, qtbot: QtBot) -> None:
    shown = statuses_of(TwoSides(device(ZEROS), device(SPEECH, computer=True), "both"), client, qtbot)
    assert State.NO_SOUND not in [each.state for each in shown]
    assert any(each.half_silent and each.state in (State.HEARING, State.LISTENING) for each in shown)


def test_a_call_that_is_silent_while_the_microphone_sounds_is_nothing_to_tell(
    client: EngineClient, qtbot: QtBot
) -> None:
    shown = statuses_of(TwoSides(device(SPEECH), device(ZEROS, computer=True), "both"), client, qtbot)
    assert State.NO_SOUND not in [each.state for each in shown]
    assert not any(each.half_silent for each in shown)


def test_two_sides_that_both_deliver_zeros_are_silent(client: EngineClient, qtbot: QtBot) -> None:
    shown = statuses_of(TwoSides(device(ZEROS), device(ZEROS, computer=True), "both"), client, qtbot)
    assert State.NO_SOUND in [each.state for each in shown]


@pytest.mark.parametrize("computer", [True, False])
def test_a_single_source_of_zeros_is_silent_and_it_is_known_which(
    client: EngineClient, qtbot: QtBot, computer: bool
) -> None:
    shown = statuses_of(device(ZEROS, computer=computer), client, qtbot)
    (silent,) = {each for each in shown if each.state is State.NO_SOUND}
    assert silent.of_computer is computer


def test_a_microphone_that_falls_silent_without_going_away_is_told(client: EngineClient, qtbot: QtBot) -> None:
    shown = statuses_of(device(np.concatenate([SPEECH, ZEROS])), client, qtbot)
    states = [each.state for each in shown]
    assert State.NO_SOUND in states
    assert State.HEARING in states[: states.index(State.NO_SOUND)]
