"""A session whose rounds overlap commits the same words in the same order as one whose rounds do not."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import RealClock, SimulatedClock
from engine.errors import AudioError
from engine.events import Caption, Hypothesis, Word
from engine.hear.rounds import pipeline as pipelines
from engine.hear.rounds.audio_span import AudioSpan
from engine.hear.rounds.pipeline import Pipeline
from engine.hear.rounds.transcriber import Round, Transcriber
from engine.metrics import committed_words
from engine.options import CaptionOptions
from tests.hear.planted import FakeTimer, PlantedRecognizer, is_voiced, numbered, plant
from tests.hear.staged import StagedRecognizer

PATIENCE_SECONDS = 120


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines, "usable_cores", lambda: 2)


def words_spoken(count: int, start: float = 0.4) -> list[Word]:
    """Make words in two sentences, with a pause between them that closes the gate."""
    half = count // 2
    spans = [(start + i * 0.4 + (1.5 if i >= half else 0.0), start + i * 0.4 + (1.5 if i >= half else 0.0) + 0.3)
             for i in range(count)]  # fmt: skip
    return numbered(spans)


def chunked(samples: np.ndarray, size: int = 1600) -> list[np.ndarray]:
    return [samples[first : first + size] for first in range(0, len(samples), size)]


def caption(recognizer: PlantedRecognizer, samples: Samples, **options: object) -> tuple[CaptionSession, list[Caption]]:
    choices = CaptionOptions(**{"step_seconds": 0.1, **options})  # type: ignore[arg-type]
    session = CaptionSession(recognizer, choices, SimulatedClock(), voice=is_voiced)
    return session, list(feed(chunked(samples), session, pace="fast"))


def texts(captions: Iterable[Caption]) -> list[str]:
    return [word.text for word, _ in committed_words(captions)]


def check(captions: Sequence[Caption], words: Sequence[Word]) -> None:
    """Check that all words were committed once, in order, none before it was spoken or changed later, and are final."""
    assert texts(captions) == [word.text for word in words]
    latest: dict[int, Caption] = {}
    for shown in captions:
        if before := latest.get(shown.id):
            assert not before.final
            assert shown.revision > before.revision
            assert shown.committed[: len(before.committed)] == before.committed
        latest[shown.id] = shown
    assert all(shown.final for shown in latest.values() if shown.committed)
    assert all(a.emitted_seconds <= b.emitted_seconds for a, b in pairwise(captions))
    assert all(shown.emitted_seconds >= shown.audio_seconds - 1e-9 for shown in captions)


@pytest.mark.parametrize("lasting_seconds", [0.0, 0.15])
@pytest.mark.parametrize("voice_gate", [True, False])
def test_overlapping_rounds_commit_the_words_of_serial_ones_in_order(lasting_seconds: float, voice_gate: bool) -> None:
    words = words_spoken(8)
    samples = plant(words, words[-1].end + 1.0)
    _, serial = caption(PlantedRecognizer(words), samples, voice_gate=voice_gate, pipeline=False)
    recognizer = StagedRecognizer(words, lasting_seconds=lasting_seconds)
    session, piped = caption(recognizer, samples, voice_gate=voice_gate, pipeline=True)
    check(piped, words)
    assert texts(piped) == texts(serial)
    assert session.summary.rounds == recognizer.begun == len(session.stats)
    assert [stats.round for stats in session.stats] == list(range(1, recognizer.begun + 1))
    if lasting_seconds:
        assert recognizer.overlaps
    assert not session.incidents


def test_a_long_stream_over_a_short_buffer_loses_nothing_while_rounds_overlap() -> None:
    words = numbered([(i * 0.4, i * 0.4 + 0.35) for i in range(60)])
    recognizer = StagedRecognizer(words, lasting_seconds=0.02)
    options = {"voice_gate": False, "buffer_seconds": 5.0, "step_seconds": 1.0, "pipeline": True}
    _, captions = caption(recognizer, plant(words), **options)
    check(captions, words)
    assert max(end - start for start, end, _ in recognizer.calls) <= 28


def test_rounds_that_take_longer_than_the_buffer_is_long_lose_nothing_that_was_not_heard() -> None:
    """The clock runs forty times as fast as the wall: each round takes several seconds of it."""
    words = numbered([(i * 0.4, i * 0.4 + 0.35) for i in range(120)])
    recognizer = StagedRecognizer(words, lasting_seconds=0.1)
    options = CaptionOptions(voice_gate=False, buffer_seconds=5.0, step_seconds=0.5, pipeline=True)
    clock = SimulatedClock(lambda: time.perf_counter() * 40)
    session = CaptionSession(recognizer, options, clock, voice=is_voiced)
    captions = list(feed(chunked(plant(words)), session, pace="fast"))
    # Where the buffer had to be cut by force the newest word may have been heard in part.
    assert [text.partition("~")[0] for text in texts(captions)] == [word.text for word in words]


def test_what_is_heard_again_at_the_end_of_a_round_counts_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    words, again_seconds = words_spoken(4), 0.02
    finish = Transcriber.finish_round

    def finish_late(self: Transcriber, span: AudioSpan, heard: Hypothesis) -> Round:
        time.sleep(again_seconds)
        return finish(self, span, heard)

    monkeypatch.setattr(Transcriber, "finish_round", finish_late)
    session, captions = caption(StagedRecognizer(words), plant(words, 5.0), pipeline=True)
    check(captions, words)
    assert session.compute_seconds >= again_seconds * session.summary.rounds > 0


def test_a_worker_that_dies_in_a_session_is_reported_and_nothing_is_lost() -> None:
    words = numbered([(i * 0.4, i * 0.4 + 0.3) for i in range(60)])  # long enough for two rounds on any machine
    for name in ("front", "rest"):
        recognizer = StagedRecognizer(words, deadly=name)
        samples = plant(words, words[-1].end + 1.0)
        session, captions = caption(recognizer, samples, pipeline=True, voice_gate=False, step_seconds=0.5)
        check(captions, words)
        assert recognizer.deadly == "", "nobody died"
        (incident,) = session.incidents
        assert "RuntimeError: the stream was lost" in incident.message


def test_where_there_is_one_core_rounds_are_serial_and_the_session_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines, "usable_cores", lambda: 1)
    words = words_spoken(4)
    recognizer = StagedRecognizer(words)
    session, captions = caption(recognizer, plant(words, 5.0), pipeline=True)
    check(captions, words)
    assert session._pipeline is None
    assert "there is one core" in session.incidents[0].message


def test_a_profile_decides_where_nobody_has_said_whether_rounds_overlap() -> None:
    recognizer = StagedRecognizer(words_spoken(4))
    recognizer.prefers_pipeline = True
    session, _ = caption(recognizer, plant(recognizer.words, 5.0))
    assert session._pipeline is not None
    session, _ = caption(recognizer, plant(recognizer.words, 5.0), pipeline=False)
    assert session._pipeline is None


def test_the_wall_clock_takes_rounds_as_they_are_done() -> None:
    words = numbered([(0.0, 0.4), (0.4, 0.8), (0.8, 1.2)])
    timer = FakeTimer()
    recognizer = StagedRecognizer(words, timer=timer)
    told = threading.Event()
    choices = CaptionOptions(voice_gate=False, pipeline=True, step_seconds=0.3)
    session = CaptionSession(recognizer, choices, RealClock(timer))
    session.on_round_done = told.set
    captions: list[Caption] = []
    for chunk in chunked(plant(words, 2.0), 6400):
        timer.seconds += 0.4
        told.clear()
        session.add_audio(chunk)
        captions += session.update()  # begins a round and waits for nothing
        assert told.wait(PATIENCE_SECONDS)
        captions += session.update()
    captions += session.finish()
    assert texts(captions) == [" w1", " w2", " w3"]
    assert recognizer.begun >= 4
    assert not any(thread.name.endswith("executor") for thread in threading.enumerate())


def test_realtime_feeding_shows_what_is_done_before_the_next_chunk_comes() -> None:
    words = numbered([(0.0, 0.2), (0.2, 0.4)])
    recognizer = StagedRecognizer(words)
    choices = CaptionOptions(voice_gate=False, pipeline=True, step_seconds=0.1)
    slept: list[float] = []
    slow = RealClock(lambda: time.perf_counter() / 1000 + sum(slept), slept.append)  # of a machine that is quick enough
    session = CaptionSession(recognizer, choices, slow)
    captions = list(feed(chunked(plant(words, 0.8), 4800), session, pace="realtime"))
    assert texts(captions) == [" w1", " w2"]
    assert captions[0].emitted_seconds < 0.55  # heard at 0.3 s; the next chunk comes at 0.6 s


def test_what_is_wrong_with_a_round_ends_the_session_and_lets_its_workers_go() -> None:
    class Deaf(StagedRecognizer):
        def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
            raise AudioError("The audio holds values that are not numbers.")

    words = words_spoken(4)
    session = CaptionSession(Deaf(words), CaptionOptions(pipeline=True), SimulatedClock(), voice=is_voiced)
    with pytest.raises(AudioError):
        list(feed(chunked(plant(words)), session, pace="fast"))
    session.close()
    assert not any(thread.name.endswith("executor") for thread in threading.enumerate())


def test_simulated_time_stands_still_for_nobody_but_waits_for_no_audio(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three seconds of speech and twenty of silence: nobody sleeps until they are over."""
    words = words_spoken(4)
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    session, captions = caption(
        StagedRecognizer(words), plant(words, 23.0), pipeline=True, step_seconds=0.5, voice_gate=False
    )
    check(captions, words)
    assert slept == []
    assert session.summary.rounds == pytest.approx(46, abs=2)
    assert session.clock.now() >= 23.0


class Ready(Pipeline):
    """A pipeline that hears on the spot, for hours of audio."""

    def begin(self, start: object) -> None:
        super().begin(start)  # type: ignore[arg-type]
        self.wait(PATIENCE_SECONDS)


def test_two_hours_of_overlapping_rounds_leave_memory_as_it_was_after_ten_minutes() -> None:
    words = numbered([(0.4 * i, 0.4 * i + 0.3) for i in range(140)])
    minute = plant(words, 60.0)
    recognizer = PlantedRecognizer(words)
    options = CaptionOptions(step_seconds=4.0, buffer_seconds=8.0, voice_gate=False, pipeline=True)
    session = CaptionSession(recognizer, options, SimulatedClock(), pipeline=Ready())
    after: list[int] = []
    for minutes in range(120):
        for chunk in chunked(minute, 4 * SAMPLE_RATE_HZ):
            session.add_audio(chunk)
            assert sum(1 for _ in session.update()) < 100
        recognizer.calls.clear()
        if minutes in (9, 119):
            after.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    list(session.finish())
    assert len(session.summary.text.split()) == 120 * len(words)
    assert after[1] - after[0] < 12 * 1024  # KiB: the text and the latencies of two hours, with room to spare


def test_hypotheses_come_back_to_the_stretch_they_are_of() -> None:
    heard: list[Hypothesis] = []

    class Noting(StagedRecognizer):
        def hear(self, samples: Samples, **how: object) -> Hypothesis:  # type: ignore[override]
            heard.append(super().hear(samples, **how))  # type: ignore[arg-type]
            return heard[-1]

    words = words_spoken(6)
    session, captions = caption(Noting(words, lasting_seconds=0.12), plant(words, words[-1].end + 0.5), pipeline=True)
    check(captions, words)
    assert len(heard) == session.summary.rounds
