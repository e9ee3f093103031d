"""The suspicion that captions are missing: when a person may ask why, and what is known then."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.captions.state import State, Status
from app.silence.silence import Circumstances, InputSound
from app.silence.silence_watch import SilenceWatch, Suspicion
from app.sound.audio_sources import AudioFile, Microphone
from app.sound.loudness import QUIETEST_DBFS

YETI = Microphone("usb_yeti", "Yeti")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(application: Application, clock: Clock) -> SilenceWatch:
    made = SilenceWatch(application.session, application, clock)
    made.told = []  # type: ignore[attr-defined]
    made.suspected.connect(made.told.append)  # type: ignore[attr-defined]
    return made


def told(watch: SilenceWatch) -> list[Suspicion]:
    return watch.told  # type: ignore[attr-defined, no-any-return]


def be(application: Application, state: State, behind_seconds: float = 0.0, *, of_computer: bool = False) -> None:
    application.session.status = Status(state, behind_seconds, of_computer=of_computer)
    application.session.status_changed.emit(application.session.status)


def hear(watch: SilenceWatch, clock: Clock, dbfs: float, seconds: float) -> None:
    for _ in range(round(seconds * 20)):
        clock.now += 0.05
        watch.note_level(dbfs)


def test_nothing_but_zeros_is_suspected_at_once_and_no_longer_when_there_is_sound(
    application: Application, watch: SilenceWatch
) -> None:
    be(application, State.LISTENING)
    be(application, State.NO_SOUND)
    be(application, State.HEARING)
    assert told(watch) == [Suspicion.SILENT, Suspicion.NONE]


def test_sound_without_speech_is_suspected_after_a_while(
    application: Application, watch: SilenceWatch, clock: Clock
) -> None:
    be(application, State.LISTENING)
    hear(watch, clock, -30.0, 9.0)
    assert told(watch) == []
    hear(watch, clock, -30.0, 2.0)
    assert told(watch) == [Suspicion.SPEECHLESS]
    be(application, State.HEARING)
    assert told(watch) == [Suspicion.SPEECHLESS, Suspicion.NONE]


def test_a_quiet_room_and_a_pause_after_speech_are_no_reason_to_ask(
    application: Application, watch: SilenceWatch, clock: Clock
) -> None:
    be(application, State.LISTENING)
    hear(watch, clock, -70.0, 30.0)
    be(application, State.HEARING)
    be(application, State.LISTENING)
    hear(watch, clock, -30.0, 30.0)
    assert told(watch) == []


def test_a_computer_that_plays_nothing_or_music_is_no_reason_to_ask(
    application: Application, watch: SilenceWatch, clock: Clock
) -> None:
    be(application, State.NO_SOUND, of_computer=True)
    be(application, State.LISTENING, of_computer=True)
    hear(watch, clock, -30.0, 30.0)
    assert told(watch) == []


def test_what_is_known_is_the_input_its_loudness_and_the_engine(
    application: Application, watch: SilenceWatch, clock: Clock, qtbot: QtBot
) -> None:
    assert watch.circumstances(YETI) == Circumstances("usb_yeti")
    assert watch.circumstances(Microphone(None, "Default")) == Circumstances()
    assert watch.circumstances(AudioFile(Path("talk.wav"))) == Circumstances()
    be(application, State.LOADING)
    assert watch.circumstances(YETI).is_loading
    be(application, State.ENGINE_STOPPED)
    assert watch.circumstances(YETI).has_stopped
    be(application, State.LISTENING)
    hear(watch, clock, -20.0, 1.0)
    hear(watch, clock, QUIETEST_DBFS, 1.0)
    assert watch.circumstances(YETI).heard == InputSound(-20.0)
    hear(watch, clock, QUIETEST_DBFS, 11.0)
    assert watch.circumstances(YETI).heard == InputSound(QUIETEST_DBFS)
    be(application, State.HEARING)
    be(application, State.BEHIND, behind_seconds=7.0)
    hear(watch, clock, -20.0, 1.0)
    assert watch.circumstances(YETI) == Circumstances("usb_yeti", InputSound(-20.0, speech=True), behind_seconds=7.0)
    be(application, State.FINISHED)
    assert watch.circumstances(YETI).heard is None
