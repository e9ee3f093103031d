"""A microphone and what the computer plays, captioned side by side by a real engine process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.captions.session import LiveSession, State
from app.engine_link.engine_client import EngineClient
from app.sound.audio_sources import TwoSides
from app.sound.mixer import Mixer
from app.sound.sided_feed import SidedFeed
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError
from engine.events import Word, text_of
from tests.app.planted_recording import IMPATIENT, OPTIONS, PATIENCE, FastFile
from tests.app.scripted_engine import planted_client
from tests.hear.planted import FIRST, LAST, MIDDLE, SCALE, numbered

HERE = numbered([(0.3 * i + 0.05, 0.3 * i + 0.3) for i in range(1, 13)], "h{}")
THERE = numbered([(0.3 * i + 0.05, 0.3 * i + 0.3) for i in range(3, 15)], "t{}")
SECONDS = 5.0


def planted(words: Sequence[Word], first_number: int) -> Samples:
    """Make samples in which words are numbers, from `first_number` on."""
    samples = np.zeros(round(SECONDS * SAMPLE_RATE_HZ), np.float32)
    for number, word in enumerate(words, first_number):
        first, last = round(word.start * SAMPLE_RATE_HZ), round(word.end * SAMPLE_RATE_HZ) - 1
        samples[first : last + 1] = (number * 4 + MIDDLE) / SCALE
        samples[first], samples[last] = (number * 4 + FIRST) / SCALE, (number * 4 + LAST) / SCALE
    return samples


def both() -> TwoSides:
    return TwoSides(FastFile(planted(HERE, 1)), FastFile(planted(THERE, 1 + len(HERE))), "both")


@pytest.fixture(scope="module")
def client(qapp: QApplication) -> Iterator[EngineClient]:
    client = planted_client([*HERE, *THERE], IMPATIENT)
    yield client
    client.shut_down()


@pytest.fixture
def session(client: EngineClient, qtbot: QtBot) -> Iterator[LiveSession]:
    parent = QObject()
    session = LiveSession(client, "m", OPTIONS, parent)
    if not client.is_running:
        with qtbot.waitSignal(client.model_loaded, timeout=PATIENCE):
            session.prepare()
    session.start(both())
    yield session
    session.stop()
    session.stop()


def said(session: LiveSession, speaker: str) -> str:
    own = (each for each in session.captions.final_captions() if each.speaker == speaker)
    return text_of([word for each in own for word in each.committed])


def end(session: LiveSession, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: session.status.state is State.FINISHED, timeout=PATIENCE)


def test_both_sides_are_heard_to_their_end_under_their_own_names(session: LiveSession, qtbot: QtBot) -> None:
    levels: set[int] = set()
    session.level_measured.connect(lambda dbfs, side: levels.add(side))
    end(session, qtbot)
    assert said(session, "You") == text_of(HERE)
    assert said(session, "Call") == text_of(THERE)
    assert levels == {0, 1}
    assert session.captions.text().splitlines()[0].startswith("You: h1 h2")
    starts = [each.start for each in session.captions.final_captions()]
    assert starts == sorted(starts)


def test_an_engine_that_is_killed_loses_no_word_of_either_side(session: LiveSession, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: " h4" in words(session) and " t3" in words(session), timeout=PATIENCE)
    process = session._client.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)
    end(session, qtbot)
    assert said(session, "You") == text_of(HERE)
    assert said(session, "Call") == text_of(THERE)
    assert session.captions.rowCount() == 2, "no sentence is cut in two"


def words(session: LiveSession) -> list[str]:
    return [word.text for each in session.captions.captions for word in each.committed]


def test_a_side_that_was_renamed_stays_so_in_what_is_still_to_come(session: LiveSession, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: " t3" in words(session), timeout=PATIENCE)
    theirs = {each.id: "Anna" for each in session.captions.captions if each.speaker == "Call"}
    session.captions.name_speakers(theirs)
    session.call_speakers({"Call": "Anna"})
    end(session, qtbot)
    assert said(session, "Anna") == text_of(THERE)
    assert said(session, "Call") == ""


def test_the_sound_that_is_kept_is_that_of_both_sides(client: EngineClient, qtbot: QtBot) -> None:
    session = LiveSession(client, "m", OPTIONS)
    kept: list[Samples] = []
    session.began.connect(lambda: session.give_audio_to(kept.append))
    session.start(both())
    end(session, qtbot)
    together = planted(HERE, 1) + planted(THERE, 1 + len(HERE))
    assert np.allclose(np.concatenate(kept), together)


@dataclass(frozen=True)
class Late:
    """A device that takes its time to open."""

    began: threading.Event
    waits: threading.Event
    name: str = "late"
    passes_by: bool = True

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        self.waits.wait(120)
        yield np.ones(1600, np.float32)
        self.began.set()


def test_a_side_that_opens_later_begins_with_silence(qtbot: QtBot) -> None:
    taken: tuple[list[Samples], list[Samples]] = ([], [])
    first_heard = threading.Event()

    @dataclass(frozen=True)
    class Prompt(Late):
        def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
            yield np.ones(1600, np.float32)
            self.began.set()
            self.waits.wait(120)

    over = threading.Event()
    source = TwoSides(Prompt(first_heard, over), Late(over, first_heard), "both")
    parent = QObject()
    feed = SidedFeed(source, [taken[0].append, taken[1].append], parent)
    with qtbot.waitSignal(feed.ended, timeout=PATIENCE):
        feed.start()
    assert [len(each) for each in taken[0]] == [1600]
    late = np.concatenate(taken[1])
    assert not late[:-1600].any()
    assert late[-1600:].all()


@dataclass(frozen=True)
class Broken:
    name: str = "broken"
    passes_by: bool = True

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        raise AudioError("It is broken.")


def test_a_side_that_fails_ends_the_other_one_too(qtbot: QtBot) -> None:
    parent = QObject()
    feed = SidedFeed(TwoSides(FastFile(planted(HERE, 1)), Broken(), "both"), [lambda samples: None] * 2, parent)
    with qtbot.waitSignal(feed.failed, timeout=PATIENCE) as failed:
        feed.start()
    assert failed.args == ["It is broken."]
    assert feed.is_over


def test_a_mix_waits_for_the_side_that_is_behind_but_not_for_ever() -> None:
    given: list[Samples] = []
    mixer = Mixer(2, given.append)
    mixer.add(0, np.full(1000, 0.25, np.float32))
    assert given == []
    mixer.add(1, np.full(600, 0.5, np.float32))
    assert np.concatenate(given).tolist() == [0.75] * 600
    second = np.full(SAMPLE_RATE_HZ, 0.25, np.float32)
    for _ in range(8):
        mixer.add(0, second)
    assert sum(map(len, given)) == 1000 + 3 * SAMPLE_RATE_HZ
    mixer.add(1, np.full(400 + 8 * SAMPLE_RATE_HZ, 0.75, np.float32))
    mixer.finish()
    mixed = np.concatenate(given)
    assert len(mixed) == 1000 + 8 * SAMPLE_RATE_HZ
    assert mixed[2000] == 0.25, "what came too late is left out"
    assert mixed[-1] == 1.0


def test_one_side_has_no_name(client: EngineClient, qtbot: QtBot) -> None:
    session = LiveSession(client, "m", OPTIONS)
    session.start(FastFile(planted(HERE, 1)))
    end(session, qtbot)
    assert said(session, "") == text_of(HERE)
