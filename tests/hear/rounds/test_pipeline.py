"""Two executors hear the same words as one, in order, and the death of one of them loses nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.errors import AudioError
from engine.events import Hypothesis
from engine.hear.recognizer import NO_REFERENCE, Stage, WhisperRecognizer
from engine.hear.rounds import pipeline as pipelines
from engine.hear.rounds.pipeline import FinishedRound, Pipeline, Stages, why_serial
from engine.hear.whisper.load import HearingModel
from engine.machine import backend
from engine.machine.device_turn import DeviceTurn, evaluate
from engine.machine.threads import ThreadAllocation
from engine.options import DecodeOptions
from tests.hear.short_decoding import short_decoding

MakeModel = Callable[..., HearingModel]
Alone = Callable[[int], Hypothesis]
PATIENCE_SECONDS = 120
UNCERTAIN = DecodeOptions(beam_size=3)


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    """Decodings end after 12 tokens, and pass."""
    with short_decoding(12):
        yield


@pytest.fixture
def recognizer(tiny_model: MakeModel) -> WhisperRecognizer:
    return WhisperRecognizer(tiny_model(0), UNCERTAIN)


def noise(seed: int, seconds: float = 1.0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))).astype(np.float32)


def stages(recognizer: WhisperRecognizer, seed: int, language: str | None = "en") -> Stages:
    how = {"offset_seconds": float(seed), "prompt": "before that", "final": False, "reference": NO_REFERENCE}
    return recognizer.stages(noise(seed), language=language, **how)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def alone(tiny_model: MakeModel) -> Alone:
    """Hear a noise with nothing beside it, without times; asked for again and again."""
    recognizer = WhisperRecognizer(tiny_model(0), UNCERTAIN)
    return cache(lambda seed: without_times(hear_alone(recognizer, seed)))


def hear_alone(recognizer: WhisperRecognizer, seed: int) -> Hypothesis:
    return recognizer.hear(noise(seed), offset_seconds=float(seed), prompt="before that", language="en")


def without_times(heard: Hypothesis) -> Hypothesis:
    return replace(heard, encode_seconds=0, decode_seconds=0, align_seconds=0)


def hear_all(pipeline: Pipeline, starts: list[Callable[[], Stages]]) -> list[FinishedRound]:
    """Begin each round as soon as there is room; return what came back, in the order in which it came."""
    waiting, done = list(starts), []
    while len(done) < len(starts):
        if waiting and pipeline.has_room:
            pipeline.begin(waiting.pop(0))
        pipeline.wait(PATIENCE_SECONDS, for_room=bool(waiting))
        while (landed := pipeline.next_done()) is not None:
            done.append(landed)
    pipeline.close()
    return done


@pytest.mark.parametrize("turns", [False, True])
def test_overlapping_rounds_are_heard_as_they_are_alone_and_come_back_in_order(
    recognizer: WhisperRecognizer, alone: Alone, turns: bool
) -> None:
    seeds = range(6)
    pipeline = Pipeline(turns=turns)
    done = hear_all(pipeline, [lambda seed=seed: stages(recognizer, seed) for seed in seeds])  # type: ignore[misc]
    assert [without_times(landed.hypothesis) for landed in done] == [alone(seed) for seed in seeds]
    assert all(landed.busy_seconds > 0 for landed in done)
    assert pipeline.next_done() is None
    assert pipeline.incidents() == ()


@pytest.mark.parametrize("padding", ["full", "none", "zeros:0.5", "silence_cache"])
@pytest.mark.parametrize("language", ["en", None])
@pytest.mark.parametrize("reuse", ["none", "prune", "verify"])
def test_any_thread_may_go_on_with_a_round_at_every_pause(
    tiny_model: MakeModel, padding: str, language: str | None, reuse: str
) -> None:
    hearing = tiny_model(0)
    options = replace(UNCERTAIN, reuse=reuse)  # type: ignore[arg-type]
    recognizer = WhisperRecognizer(hearing, options, padding=padding)
    expected = recognizer.hear(noise(1), offset_seconds=1.0, prompt="before that", language=language)
    round_ = stages(recognizer, 1, language)
    heard: list[Hypothesis] = []
    passed: list[Stage] = []

    def one_step() -> None:
        try:
            passed.append(next(round_))
        except StopIteration as end:
            heard.append(end.value)
        mx.clear_streams()

    while not heard:
        before = len(passed)
        thread = threading.Thread(target=one_step)
        thread.start()
        thread.join()
        assert heard or len(passed) > before, "the step failed in its thread"
    assert without_times(heard[0]) == without_times(expected)
    assert passed[0] == "encoded" and passed[-1] == "decoded" and "decoding" in passed


class Trace:
    """Rounds that note who did which step, and decode no further than they are let."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, str, str]] = []
        self.permits = [threading.Semaphore(0) for _ in range(3)]

    def round(self, number: int, forwards: int = 6) -> Stages:
        def note(stage: str) -> None:
            self.steps.append((number, stage, threading.current_thread().name.split()[0]))

        note("encode")
        yield "encoded"
        for _ in range(forwards):
            assert self.permits[number].acquire(timeout=PATIENCE_SECONDS)
            note("decode")
            yield "decoding"
        yield "decoded"
        note("align")
        return Hypothesis((), "en", tokens=number)

    def who(self, number: int, stage: str) -> list[str]:
        return [name for round_, what, name in self.steps if (round_, what) == (number, stage)]


def wait_until(pipeline: Pipeline, true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    with pipeline._work.changed:
        while not pipeline._work.changed.wait_for(true, 0.01):
            assert time.monotonic() < end


def test_the_front_begins_the_new_round_while_the_rest_decodes_the_old_one_and_then_they_exchange() -> None:
    trace = Trace()
    pipeline = Pipeline()
    rounds = pipeline._work.rounds
    pipeline.begin(lambda: trace.round(0))
    pipeline.wait(PATIENCE_SECONDS, for_room=True)
    pipeline.begin(lambda: trace.round(1))
    trace.permits[0].release()  # after this step the front leaves round 0 to the rest
    wait_until(pipeline, lambda: rounds[0].holder == "rest")
    trace.permits[1].release()
    wait_until(pipeline, lambda: rounds[1].holder is None)
    assert trace.who(1, "decode") == ["front"]  # which has read its prompt
    trace.permits[0].release()  # after this one the rest exchanges it for round 1
    wait_until(pipeline, lambda: rounds[1].holder == "rest" and rounds[0].holder == "front")
    trace.permits[0].release(4)
    pipeline.wait(PATIENCE_SECONDS)
    first = pipeline.next_done()
    trace.permits[1].release(5)
    pipeline.wait(PATIENCE_SECONDS)
    second = pipeline.next_done()
    pipeline.close()
    assert first is not None and first.hypothesis.tokens == 0
    assert second is not None and second.hypothesis.tokens == 1
    assert trace.who(0, "encode") == trace.who(1, "encode") == ["front"]
    assert trace.who(0, "decode") == ["front", "rest", "front", "front", "front", "front"]
    assert trace.who(1, "decode")[:2] == ["front", "rest"]
    assert trace.who(0, "align") == ["front"]


def test_a_third_round_has_no_room() -> None:
    trace = Trace()
    pipeline = Pipeline()
    assert pipeline.has_room
    pipeline.begin(lambda: trace.round(0))
    pipeline.wait(PATIENCE_SECONDS, for_room=True)
    pipeline.begin(lambda: trace.round(1))
    assert not pipeline.has_room
    with pytest.raises(ValueError, match="No more than 2 rounds"):
        pipeline.begin(lambda: trace.round(2))
    for permits in trace.permits:
        permits.release(6)
    pipeline.close()
    assert pipeline.next_done() is None


class Frail:
    """A recognizer whose worker dies, in a thread of one name, at one of its pauses."""

    def __init__(self, recognizer: WhisperRecognizer, where: str, at: Stage, error: BaseException) -> None:
        self.deaths = 0
        self._recognizer, self._where, self._at, self._error = recognizer, where, at, error

    def stages(self, seed: int) -> Stages:
        inner = stages(self._recognizer, seed)
        while True:
            try:
                stage = next(inner)
            except StopIteration as end:
                heard: Hypothesis = end.value
                return heard
            yield stage
            if stage == self._at and threading.current_thread().name.startswith(self._where):
                self.deaths += 1
                raise self._error


@pytest.mark.parametrize(
    ("where", "at", "error"),
    [
        ("rest", "decoding", RuntimeError("the stream was lost")),
        ("front", "encoded", MemoryError("out of memory")),
        ("front", "decoding", SystemExit(1)),
    ],
)
def test_the_round_of_an_executor_that_dies_is_heard_again_by_the_other(
    recognizer: WhisperRecognizer, alone: Alone, where: str, at: Stage, error: BaseException
) -> None:
    frail = Frail(recognizer, where, at, error)
    pipeline = Pipeline()
    done = hear_all(pipeline, [lambda seed=seed: frail.stages(seed) for seed in range(5)])  # type: ignore[misc]
    assert frail.deaths == 1
    assert [without_times(landed.hypothesis) for landed in done] == [alone(seed) for seed in range(5)]
    (incident,) = pipeline.incidents()
    assert type(error).__name__ in incident.message
    assert "no words are lost" in incident.message


def test_an_executor_whose_thread_is_gone_is_missed(recognizer: WhisperRecognizer, alone: Alone) -> None:
    pipeline = Pipeline()
    wait = pipeline._work.wait_for_round
    pipeline._work.wait_for_round = lambda me: None if me == "front" else wait(me)  # type: ignore[method-assign]
    done = hear_all(pipeline, [lambda: stages(recognizer, 0)])
    assert without_times(done[0].hypothesis) == alone(0)
    assert "its thread is gone" in pipeline.incidents()[0].message


def test_what_kills_both_executors_reaches_the_caller(recognizer: WhisperRecognizer) -> None:
    frail = Frail(recognizer, "", "encoded", RuntimeError("the model is broken"))
    pipeline = Pipeline()
    with pytest.raises(RuntimeError, match="the model is broken"):
        hear_all(pipeline, [lambda: frail.stages(0)])
    pipeline.close()
    assert frail.deaths == 2


def test_the_death_of_a_gpu_s_executor_reaches_the_caller(
    recognizer: WhisperRecognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mac review M9: a processor that heard alone would stand still; the error ends the process, and another starts."""
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    monkeypatch.setattr(backend, "device", lambda: mx.Device(mx.cpu))
    frail = Frail(recognizer, "front", "encoded", RuntimeError("[METAL] Command buffer execution failed"))
    pipeline = Pipeline()
    with pytest.raises(RuntimeError, match="Command buffer execution failed"):
        hear_all(pipeline, [lambda seed=seed: frail.stages(seed) for seed in range(3)])  # type: ignore[misc]
    assert frail.deaths == 1
    assert pipeline.incidents() == ()
    pipeline.close()


def test_what_is_wrong_with_the_audio_is_no_ones_death(recognizer: WhisperRecognizer) -> None:
    broken = np.full(16_000, np.nan, np.float32)
    how = {"offset_seconds": 0.0, "prompt": "", "language": "en", "final": False, "reference": NO_REFERENCE}
    pipeline = Pipeline()
    with pytest.raises(AudioError, match="not numbers"):
        hear_all(pipeline, [lambda: recognizer.stages(broken, **how)])  # type: ignore[arg-type]
    assert len(hear_all(pipeline, [])) == 0
    assert pipeline.incidents() == ()


def test_a_pipeline_that_nobody_holds_lets_its_threads_go(recognizer: WhisperRecognizer) -> None:
    pipeline = Pipeline()
    pipeline.begin(lambda: stages(recognizer, 0))
    threads = pipeline._threads
    del pipeline
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def test_one_core_is_reason_enough_to_hear_one_round_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines, "usable_cores", lambda: 2)
    assert why_serial() is None
    monkeypatch.setattr(pipelines, "usable_cores", lambda: 1)
    assert "there is one core" in (why_serial() or "")
    monkeypatch.setattr(backend, "on_gpu", lambda: True)
    assert "feed the GPU" in (why_serial() or "")


def test_threads_are_shared_while_both_executors_compute(
    recognizer: WhisperRecognizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []
    monkeypatch.setattr(backend, "_use_threads", used.append)
    monkeypatch.setattr("engine.machine.threads.usable_cores", lambda: 8)
    backend.allot(ThreadAllocation(cpu_threads=2, gpu_threads=3))
    try:
        hear_alone(recognizer, 0)
        assert set(used) == {2, 3}
        assert used[0] == used[-1] == 3
        used.clear()
        hear_all(Pipeline(), [lambda seed=seed: stages(recognizer, seed) for seed in range(4)])  # type: ignore[misc]
        assert set(used) == {2, 3}
    finally:
        backend.allot(None)


def test_a_device_is_the_default_only_during_its_turn() -> None:
    usual = mx.default_device()
    other = DeviceTurn(mx.Device(mx.cpu, 0))
    seen: list[mx.Device] = []

    def elsewhere() -> None:
        with other:
            seen.append(mx.default_device())
            evaluate(mx.ones((2,)) + 1)
        mx.clear_streams()

    with DeviceTurn(usual):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        while not seen:  # the other thread gets its turn while this one computes
            evaluate(mx.ones((2,)) + 1)
    thread.join()
    assert mx.default_device() == usual


def test_a_process_that_heard_with_two_executors_leaves_in_peace(tmp_path: Path) -> None:
    from tests.random_whisper import write_random_model

    folder = write_random_model(tmp_path / "tiny")
    program = f"""
import numpy as np
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.audio.feed import feed
from engine.hear.decode import attempts
from engine.options import CaptionOptions
from engine.process.process import load_recognizer
attempts.FEWEST_TOKENS, attempts.TOKENS_PER_SECOND = 4, 1
_, make = load_recognizer({str(folder)!r})
options = CaptionOptions(language="en", pipeline=True, voice_gate=False, step_seconds=0.1)
noise = (0.1 * np.random.default_rng(0).normal(size=6_400)).astype(np.float32)
for _ in range(10):
    session = CaptionSession(make(options), options, SimulatedClock())
    list(feed(np.split(noise, 4), session, pace="fast"))
    assert session.summary.rounds >= 2 and not session.incidents, session.incidents
print("left")
"""
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=400)
        assert (run.returncode, run.stdout.strip()) == (0, "left"), run.stderr
