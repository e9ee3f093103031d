"""The engine process says that it is alive, uses the threads it is told to, and is never left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from engine.machine import backend
from engine.machine.threads import ThreadAllocation
from engine.options import CaptionOptions
from engine.process.heartbeat import Heartbeat
from engine.process.messages import AudioChunk, Beat, Load, Ready, Sent, Shutdown, Start
from engine.process.process import EngineServer, RecognizerMaker, serve
from tests.app.scripted_hearing import say, scripted
from tests.app.scripted_models import ScriptedModel
from tests.hear.planted import numbered, plant
from tests.hear.staged import StagedRecognizer
from tests.process.test_process import PATIENCE_SECONDS, Loader

OPTIONS = CaptionOptions(language="en")


class SlowLoader:
    """Loads a model slowly: until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, model: str) -> tuple[Ready, RecognizerMaker]:
        self.begun.set()
        assert self.may_end.wait(PATIENCE_SECONDS)
        return Ready(model, "cpu", 0.1), lambda options: scripted(say())  # type: ignore[return-value]


def test_a_heart_beats_until_it_is_stopped_and_says_nothing_afterwards() -> None:
    beats: list[Beat] = []
    three = threading.Event()

    def take(beat: Beat) -> None:
        beats.append(beat)
        if len(beats) == 3:
            three.set()

    heart = Heartbeat(take, every_seconds=0.001)
    heart.start()
    assert three.wait(PATIENCE_SECONDS)
    heart.stop()
    count = len(beats)
    assert not three.wait(0.0) or len(beats) == count
    assert set(beats) == {Beat(0.0, loading=False)}


def test_a_beat_tells_how_long_the_present_work_takes_and_whether_a_model_is_loaded() -> None:
    heart = Heartbeat(lambda beat: None)
    assert heart.beat() == Beat(0.0, loading=False)
    with heart.working():
        first = heart.beat().working_seconds
        assert 0 < first < heart.beat().working_seconds
        with heart.loading():
            assert heart.beat().loading
        assert not heart.beat().loading
        before = heart.beat().working_seconds
        heart.got_on()
        assert heart.beat().working_seconds < before
    assert heart.beat() == Beat(0.0, loading=False)


def test_the_loading_of_a_model_is_told_apart_from_a_round_that_hangs() -> None:
    loader, heart = SlowLoader(), Heartbeat(lambda beat: None)
    server = EngineServer(lambda event: None, loader, heartbeat=heart)

    def work() -> None:
        with heart.working():
            server.carry_out(Load("m"))

    thread = threading.Thread(target=work)
    thread.start()
    assert loader.begun.wait(PATIENCE_SECONDS)
    assert heart.beat().loading
    loader.may_end.set()
    thread.join(PATIENCE_SECONDS)
    assert not heart.beat().loading


def test_what_is_loaded_on_another_thread_is_no_work_that_hearing_waits_for() -> None:
    heart = Heartbeat(lambda beat: None)

    def load() -> None:
        with heart.loading():
            loading.append(heart.beat().loading)
        heart.got_on()

    loading: list[bool] = []
    thread = threading.Thread(target=load)
    with heart.working():
        thread.start()
        thread.join(PATIENCE_SECONDS)
    assert loading == [False]
    assert heart.beat() == Beat(0.0, loading=False)


def test_every_stage_of_a_round_shows_that_it_gets_on() -> None:
    class Counting(Heartbeat):
        count = 0

        def got_on(self) -> None:
            self.count += 1

    told: list[object] = []
    words = numbered([(0.2, 0.5), (0.6, 0.9), (1.0, 1.3)])
    recognizer = StagedRecognizer(words)
    heart = Counting(lambda beat: None)
    server = EngineServer(told.append, Loader(recognizer), heartbeat=heart)
    server.carry_out(Start(1, "m", CaptionOptions(language="en", pipeline=False, voice_gate=False), live=True))
    server.carry_out(AudioChunk(plant(words).tobytes()))
    told.clear()
    heart.count = 0
    server.hear()
    assert recognizer.begun == 1
    assert heart.count >= len(told) + 3  # it was encoded, decoded in steps, and done


@pytest.fixture
def threads() -> Iterator[None]:
    """Reset the allotted threads after a test."""
    yield
    backend.allot(None)


def test_threads_that_were_chosen_by_hand_are_allotted_and_given_back(threads: None) -> None:
    loader = Loader(scripted(say()))
    server = EngineServer(lambda event: None, loader)
    server.carry_out(Load("m"))
    server.carry_out(Start(1, "m", OPTIONS, threads=ThreadAllocation(1, 1)))
    assert backend._allocation == ThreadAllocation(1, 1)
    assert loader.loads == ["m"], "the model that is there can do with other threads"
    server.carry_out(Start(2, "m", OPTIONS))
    assert loader.loads == ["m", "m"], "loading brings back those that were measured"


def test_a_real_process_beats_while_it_waits() -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    load = ScriptedModel(())
    process = context.Process(target=partial(serve, load=load, beat_seconds=0.01), args=(there,), daemon=True)
    process.start()
    there.close()
    try:
        for _ in range(3):
            assert here.poll(PATIENCE_SECONDS)
            message: Sent = here.recv()
            assert message == Beat(0.0, loading=False)
        here.send(Shutdown())
        process.join(PATIENCE_SECONDS)
        assert process.exitcode == 0
    finally:
        process.kill()
        process.join()


APP = """
    import sys
    from PySide6.QtCore import QCoreApplication
    from app.engine_link.engine_client import EngineClient
    from engine.options import AssistantOptions, CaptionOptions
    from tests.app.scripted_engine import conversing_client, planted_client
    from tests.app.planted_recording import WORDS
    from tests.app.scripted_hearing import say

    if __name__ == "__main__":
        qt = QCoreApplication([])
        clients = planted_client(WORDS), conversing_client(say(), {})
        ready = []
        for client in clients:
            client.start()
            client.session_started.connect(lambda: ready.append(1))
            client.session_started.connect(lambda: len(ready) == 2 and print(
                *(each.process_id for each in clients), flush=True))
        clients[0].start_session("m", CaptionOptions())
        clients[1].start_conversation(None, "a", AssistantOptions(), CaptionOptions(), False)
        qt.exec()
"""


def is_alive(process_id: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_engine_is_left_behind_by_an_app_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "an_app.py"
    script.write_text(textwrap.dedent(APP))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.getcwd()}
    app = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert app.stdout is not None
        engines = [int(number) for number in app.stdout.readline().split()]
        assert len(engines) == 2
        assert all(map(is_alive, engines))
        app.send_signal(signal.SIGKILL)
        app.wait(PATIENCE_SECONDS)
        gone = threading.Event()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(map(is_alive, engines)) and time.monotonic() < deadline:
            gone.wait(0.01)
        assert not any(map(is_alive, engines))
    finally:
        app.kill()
        app.wait()
        assert app.stdout is not None
        app.stdout.close()
