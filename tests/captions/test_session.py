from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import RealClock, SimulatedClock
from engine.events import Caption, Word, text_of
from engine.hear.rounds.schedule import step_for
from engine.hear.rounds.transcriber import Transcriber
from engine.metrics import committed_words
from engine.options import MIN_STEP_SECONDS, CaptionOptions
from tests.hear.planted import FakeTimer, PlantedRecognizer, is_voiced, numbered, plant
from tests.people_clips import people_clips


def session_for(recognizer: PlantedRecognizer, **options: object) -> CaptionSession:
    chosen: dict[str, object] = {"step_seconds": 0.5, "policy": "local-agreement"} | options
    choices = CaptionOptions(**chosen)  # type: ignore[arg-type]
    return CaptionSession(recognizer, choices, SimulatedClock(recognizer.timer), voice=is_voiced)


def chunked(samples: np.ndarray, size: int = 1600) -> list[np.ndarray]:
    return [samples[first : first + size] for first in range(0, len(samples), size)]


def caption(recognizer: PlantedRecognizer, chunks: Iterable[np.ndarray], **options: object) -> list[Caption]:
    return list(feed(chunks, session_for(recognizer, **options), pace="fast"))


def test_captions_that_are_translated_into_english_are_english() -> None:
    words = numbered([(0.0, 0.4), (0.5, 0.9)])
    decode = replace(CaptionOptions().decode, into_english=True)
    for options, language in (({}, "de"), ({"decode": decode}, "en")):
        shown = caption(PlantedRecognizer(words), chunked(plant(words, 3.0)), language="de", **options)
        assert {each.language for each in shown} == {language}


def kept_by(transcriber: Transcriber) -> int:
    """Count the words and characters that a transcriber and its policy remember."""
    policy = transcriber._policy
    words = [*transcriber._in_audio, *policy.pending, *policy._recent]
    return len(words) + sum(map(len, policy._earlier)) + len(transcriber._scrolled)


def texts(captions: Iterable[Caption]) -> list[str]:
    return [word.text for word, _ in committed_words(captions)]


def even(count: int, start: float = 0.5, step: float = 0.4) -> list[Word]:
    return numbered([(start + i * step, start + i * step + 0.3) for i in range(count)])


# --- properties ---

GAPS = st.one_of(st.floats(0.0, 0.3), st.floats(0.0, 0.3), st.floats(0.6, 2.5))
SPANS = st.lists(st.tuples(GAPS, st.floats(0.13, 0.6)), min_size=1, max_size=30)


@st.composite
def planted_words(draw: st.DrawFn) -> list[Word]:
    now, spans = 0.0, []
    for gap, length in draw(SPANS):
        spans.append((now + gap, now + gap + length))
        now += gap + length
    stops = draw(st.lists(st.sampled_from(["", "", "", ",", "."]), min_size=len(spans), max_size=len(spans)))
    return [Word(word.text + stop, word.start, word.end) for word, stop in zip(numbered(spans), stops, strict=True)]


OPTIONS = st.fixed_dictionaries(
    {
        "step_seconds": st.sampled_from([0.25, 0.5, 1.0]),
        "policy": st.sampled_from(["local-agreement", "alignatt"]),
        "agreement": st.sampled_from([2, 2, 3]),
        "buffer_seconds": st.sampled_from([5.0, 8.0, 15.0]),
        "voice_gate": st.booleans(),
    }
)


@settings(max_examples=60)
@given(planted_words(), OPTIONS, st.sampled_from([0.0, 0.1, 0.7]), st.sampled_from([0.0, 0.04]))
def test_every_word_is_committed_once_in_order_and_never_changes(
    words: list[Word], options: dict[str, object], cost_seconds: float, jitter_seconds: float
) -> None:
    recognizer = PlantedRecognizer(words, cost_seconds=cost_seconds, jitter_seconds=jitter_seconds)
    captions = caption(recognizer, chunked(plant(words)), **options)
    assert texts(captions) == [word.text for word in words]
    latest: dict[int, Caption] = {}
    for shown in captions:
        before = latest.get(shown.id)
        if before:
            assert not before.final
            assert shown.revision > before.revision
            assert shown.committed[: len(before.committed)] == before.committed
        latest[shown.id] = shown
    assert all(shown.final for shown in latest.values() if shown.committed)
    assert not any(shown.pending for shown in latest.values())
    moments = [moment for word, _ in committed_words(captions) for moment in (word.start, word.end)]
    assert moments == sorted(moments)
    assert all(a.emitted_seconds <= b.emitted_seconds for a, b in pairwise(captions))
    assert all(shown.emitted_seconds >= shown.audio_seconds - 1e-9 for shown in captions)


@settings(max_examples=40)
@given(planted_words(), OPTIONS, st.sampled_from([0.0, 0.1, 0.7, 1.3]), st.data())
def test_any_chunking_gives_the_same_captions(
    words: list[Word], options: dict[str, object], cost_seconds: float, data: st.DataObject
) -> None:
    samples = plant(words, seconds=words[-1].end + data.draw(st.floats(0, 2)))
    cuts = data.draw(st.lists(st.integers(0, len(samples)), max_size=30))
    expected = caption(PlantedRecognizer(words, cost_seconds=cost_seconds), chunked(samples, 800), **options)
    whole = caption(PlantedRecognizer(words, cost_seconds=cost_seconds), [samples], **options)
    pieces = np.split(samples, sorted(cuts))
    assert caption(PlantedRecognizer(words, cost_seconds=cost_seconds), pieces, **options) == expected
    assert whole == expected


# --- rounds in time ---


def test_rounds_are_due_by_steps_of_audio() -> None:
    words = even(12, start=0.0)
    recognizer = PlantedRecognizer(words)
    caption(recognizer, [plant(words)], voice_gate=False, step_seconds=1.0)
    assert [end for _, end, _ in recognizer.calls] == pytest.approx([1.0, 2.0, 3.0, 4.0, 4.7])


def test_a_round_that_takes_longer_than_a_step_postpones_the_next_which_hears_all_that_arrived() -> None:
    words = even(12, start=0.0)
    recognizer = PlantedRecognizer(words, cost_seconds=1.5)
    captions = caption(recognizer, [plant(words)], voice_gate=False, step_seconds=0.5, step_follows_cost=False)
    assert [end for _, end, _ in recognizer.calls] == pytest.approx([0.5, 2.0, 3.5, 4.7])
    assert [shown.emitted_seconds for shown in captions] == pytest.approx([2.0, 3.5, 5.0, 6.5])


@pytest.mark.parametrize("cost", [0.01, 0.1, 0.4, 1.5])
def test_the_step_follows_what_rounds_cost_and_leaves_time_to_spare(cost: float) -> None:
    words = even(60, start=0.0)
    recognizer = PlantedRecognizer(words, cost_seconds=cost)
    caption(recognizer, [plant(words)], voice_gate=False, step_seconds=MIN_STEP_SECONDS)
    ends = [end for _, end, _ in recognizer.calls]
    steps = [after - before for before, after in pairwise(ends)][1:-1]
    assert steps == pytest.approx([max(MIN_STEP_SECONDS, step_for(cost))] * len(steps), abs=0.002)
    assert cost * (len(ends) - 2) < 24  # of what was said; the first round and the last have steps of their own


def test_latency_counts_waiting_and_computation() -> None:
    words = numbered([(0.0, 0.5), (0.5, 1.0)])
    recognizer = PlantedRecognizer(words, unsteady_seconds=0.0, cost_seconds=0.25)
    session = session_for(recognizer, voice_gate=False, step_seconds=0.5)
    list(feed([plant(words, 2.0)], session, pace="fast"))
    latency = session.summary.word_latency_seconds
    assert latency is not None
    # Heard at 0.5 and 1.0 s the first, at 1.0 and 1.5 s the second; shown a quarter of a second later.
    assert latency.mean == pytest.approx(0.75)


def test_with_the_wall_clock_a_round_hears_all_that_piled_up() -> None:
    words = even(12, start=0.0)
    timer = FakeTimer()
    recognizer = PlantedRecognizer(words, timer=timer, cost_seconds=0.1)
    session = CaptionSession(recognizer, CaptionOptions(voice_gate=False), RealClock(timer))
    for chunk in chunked(plant(words), 1600)[:30]:
        session.add_audio(chunk)
    captions = list(session.update())
    assert [end for _, end, _ in recognizer.calls] == pytest.approx([3.0])
    assert captions[0].emitted_seconds == pytest.approx(3.1)
    timer.seconds += 5.0  # the caller was away; what it brings is heard at once
    session.add_audio(plant(words)[48_000:])
    assert list(session.finish())[-1].final
    assert session.summary.text == text_of(words)


def test_realtime_feeding_waits_for_each_chunk_to_be_spoken() -> None:
    timer = FakeTimer()

    def sleep(seconds: float) -> None:
        timer.seconds += seconds

    words = even(6, start=0.0)
    recognizer = PlantedRecognizer(words, timer=timer)
    session = CaptionSession(recognizer, CaptionOptions(voice_gate=False), RealClock(timer, sleep))
    captions = list(feed(chunked(plant(words)), session, pace="realtime"))
    assert texts(captions) == [word.text for word in words]
    assert timer.seconds == pytest.approx(session.audio_seconds - 0.1)  # the clock starts when the first is there
    for shown in captions:
        assert shown.emitted_seconds == pytest.approx(shown.audio_seconds, abs=0.01)


# --- the gate ---


def test_silence_costs_no_round() -> None:
    recognizer = PlantedRecognizer([])
    session = session_for(recognizer)
    assert list(feed(chunked(np.zeros(30 * SAMPLE_RATE_HZ, np.float32)), session, pace="fast")) == []
    assert recognizer.calls == []
    summary = session.summary
    assert (summary.text, summary.rounds, summary.audio_seconds) == ("", 0, 30.0)
    assert summary.word_latency_seconds is None


def test_without_the_gate_silence_is_heard() -> None:
    recognizer = PlantedRecognizer([])
    caption(recognizer, [np.zeros(3 * SAMPLE_RATE_HZ, np.float32)], voice_gate=False)
    assert len(recognizer.calls) == 7  # by half seconds, and once at the end


def test_a_second_from_before_speech_is_heard_with_it() -> None:
    words = even(3, start=10.0)
    recognizer = PlantedRecognizer(words)
    caption(recognizer, chunked(plant(words, 14.0)))
    start, end, _ = recognizer.calls[0]
    assert start == pytest.approx(9.0, abs=0.04)
    assert end == pytest.approx(10.5, abs=0.04)


def test_the_last_words_are_committed_soon_after_speech_ends() -> None:
    words = even(4)  # until 2.0 s
    recognizer = PlantedRecognizer(words, cost_seconds=0.05)
    captions = caption(recognizer, chunked(plant(words, 20.0)))
    shown = dict((word.text, moment) for word, moment in committed_words(captions))
    assert shown[" w4"] < 2.0 + 0.5 + 0.1
    assert recognizer.calls[-1][1] < 2.6


def test_no_last_round_is_spent_where_one_has_heard_all_the_speech() -> None:
    words = even(4)  # until 2.0 s; rounds at about 1.0, 1.5, 2.0 and 2.5 s
    recognizer = PlantedRecognizer(words)
    caption(recognizer, chunked(plant(words, 6.0)))
    assert [round(end, 1) for _, end, _ in recognizer.calls] == [1.0, 1.5, 2.0, 2.5]


@pytest.mark.parametrize("chance", [0.0, 0.6])
def test_the_end_is_heard_as_soon_as_speech_fades_where_speech_ends_soon(chance: float) -> None:
    words = numbered([(0.512, 0.9), (0.9, 1.3), (1.3, 1.632)])  # rounds at about 1.0 and 1.5 s
    recognizer = PlantedRecognizer(words, unsteady_seconds=0.02)
    quiet = 0

    def fading(window: np.ndarray) -> float:
        nonlocal quiet
        quiet = 0 if np.any(window) else quiet + 1
        return 1.0 if not quiet else chance if quiet <= 2 else 0.0  # the gate believes what is no longer clear

    options = CaptionOptions(step_seconds=0.5, policy="local-agreement")
    session = CaptionSession(
        recognizer, options, SimulatedClock(recognizer.timer), voice=fading, end_silence_seconds=0.064
    )
    shown = [caption for chunk in chunked(plant(words, 3.0), 512) for caption in _taken(session, chunk)]
    assert texts(shown) == [" w1", " w2", " w3"]
    heard_until = [end for _, end, _ in recognizer.calls if end > 1.632]
    assert heard_until == pytest.approx([1.664])
    assert not session.pending


def test_speech_that_is_never_clear_is_heard_to_its_end() -> None:
    words = numbered([(0.512, 0.9), (0.9, 1.3), (1.3, 1.632)])
    recognizer = PlantedRecognizer(words)
    options = CaptionOptions(step_seconds=0.5, policy="local-agreement")
    session = CaptionSession(
        recognizer,
        options,
        SimulatedClock(recognizer.timer),
        voice=lambda window: 0.6 * is_voiced(window),
        end_silence_seconds=0.064,
    )
    shown = [caption for chunk in chunked(plant(words, 3.0), 512) for caption in _taken(session, chunk)]
    assert texts(shown) == [" w1", " w2", " w3"]


def _taken(session: CaptionSession, chunk: np.ndarray) -> Iterator[Caption]:
    session.add_audio(chunk)
    for shown in session.update():
        assert isinstance(shown, Caption)
        yield shown


def test_what_was_heard_is_not_heard_again_when_speech_goes_on() -> None:
    words = numbered([(1.0, 1.4), (1.4, 1.8), (2.5, 2.9), (2.9, 3.3)])
    recognizer = PlantedRecognizer(words)
    assert texts(caption(recognizer, chunked(plant(words, 5.0)))) == [" w1", " w2", " w3", " w4"]
    assert recognizer.calls[-1][0] > 1.8


def test_a_sentence_is_final_when_its_speaker_pauses_and_half_a_sentence_when_the_pause_is_long() -> None:
    first = [Word(" Hello", 0.5, 0.8), Word(" there.", 0.8, 1.2)]
    second = [Word(" and", 3.5, 3.8), Word(" so", 3.8, 4.2)]
    recognizer = PlantedRecognizer([*first, *second])
    finals = [c for c in caption(recognizer, chunked(plant([*first, *second], 8.0))) if c.final]
    assert [c.text for c in finals] == ["Hello there.", "and so"]
    assert finals[0].emitted_seconds < 2.0
    assert 5.7 < finals[1].emitted_seconds < 5.8


def test_speech_that_breaks_off_with_the_audio_is_heard_to_its_end() -> None:
    words = even(2, start=0.9)
    recognizer = PlantedRecognizer(words)
    assert texts(caption(recognizer, chunked(plant(words)))) == [" w1", " w2"]


def test_a_word_too_short_to_open_the_gate_is_heard_where_the_audio_ends_with_it() -> None:
    words = numbered([(1.0, 1.06)])
    recognizer = PlantedRecognizer(words)
    assert texts(caption(recognizer, chunked(plant(words)))) == [" w1"]


# --- bounds ---


@pytest.mark.parametrize("policy", ["local-agreement", "alignatt"])
def test_an_hour_of_speech_keeps_memory_and_rounds_bounded(policy: str) -> None:
    """A stretch of two minutes is fed thirty times over: the words repeat, the clock goes on."""
    words = even(280, start=0.0)
    minutes = plant(words, 120.0)
    recognizer = PlantedRecognizer(words)
    session = session_for(recognizer, step_seconds=5.0, policy=policy, buffer_seconds=15.0, voice_gate=False)
    count = 0
    longest_inbox_seconds, most_kept = 0.0, 0
    for _ in range(30):
        for chunk in chunked(minutes, SAMPLE_RATE_HZ):
            session.add_audio(chunk)
            count += sum(c.final for c in session.update())
            longest_inbox_seconds = max(longest_inbox_seconds, session._audio._inbox.waiting_seconds)
            most_kept = max(most_kept, kept_by(session._transcriber))
    list(session.finish())
    assert session.audio_seconds == 3600
    assert count > 250
    assert longest_inbox_seconds <= 6
    assert most_kept < 1000
    assert max(end - start for start, end, _ in recognizer.calls) <= 28
    assert max(len(prompt) for _, _, prompt in recognizer.calls) <= 200
    assert len(session.stats) <= session.stats.maxlen
    assert len(session.summary.text.split()) == 30 * len(words)


def test_a_step_longer_than_the_buffer_still_loses_nothing() -> None:
    words = even(140, start=0.0)
    recognizer = PlantedRecognizer(words)
    captions = caption(recognizer, [plant(words)], voice_gate=False, step_seconds=30.0)
    assert max(end - start for start, end, _ in recognizer.calls) <= 28
    assert [text for text in texts(captions) if "~" not in text] == [word.text for word in words]


# --- what the window reads ---


def test_pending_and_speaking_follow_the_audio() -> None:
    words = even(3)
    recognizer = PlantedRecognizer(words)
    session = session_for(recognizer)
    samples = plant(words, 4.0)
    assert (session.speaking, session.pending) == (False, ())
    session.add_audio(samples[: round(1.2 * SAMPLE_RATE_HZ)])
    list(session.update())
    assert session.speaking
    assert session.pending
    session.add_audio(samples[round(1.2 * SAMPLE_RATE_HZ) :])
    list(session.update())
    assert not session.speaking
    assert session.pending == ()


def test_every_round_leaves_its_figures() -> None:
    words = even(6)
    recognizer = PlantedRecognizer(words, cost_seconds=0.1)
    session = session_for(recognizer)
    list(feed(chunked(plant(words)), session, pace="fast"))
    assert [stats.round for stats in session.stats] == list(range(1, len(recognizer.calls) + 1))
    assert sum(stats.committed_words for stats in session.stats) == len(words)
    summary = session.summary
    assert summary.rounds == len(recognizer.calls)
    assert summary.compute_seconds == pytest.approx(0.1 * summary.rounds)
    assert summary.real_time_factor == pytest.approx(summary.compute_seconds / summary.audio_seconds)
    assert summary.language == "en"
    assert summary.forwards == len(recognizer.calls)
    assert summary.tokens == sum(stats.tokens for stats in session.stats) >= len(words)


def test_a_chunk_belongs_to_the_caller_again_as_soon_as_it_is_added() -> None:
    words = even(3)
    samples = plant(words)
    recognizer = PlantedRecognizer(words)
    session = session_for(recognizer)
    reused = np.zeros(1600, np.float32)

    def chunks() -> Iterator[np.ndarray]:
        for first in range(0, len(samples), 1600):
            part = samples[first : first + 1600]
            reused[: len(part)] = part
            yield reused[: len(part)]

    assert texts(feed(chunks(), session, pace="fast")) == [word.text for word in words]


def test_a_session_without_audio_ends_in_peace() -> None:
    session = session_for(PlantedRecognizer([]))
    session.add_audio(np.zeros(0, np.float32))
    assert list(session.finish()) == []
    assert session.summary.real_time_factor == 0.0


class Counting(PlantedRecognizer):
    """Hears no word, but notes what it was asked to hear."""

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        return iter(())


def test_real_speech_opens_the_real_gate() -> None:
    recognizer = Counting([])
    samples = np.concatenate([clip.samples for clip in people_clips()[-2:]])
    session = CaptionSession(recognizer, CaptionOptions(), SimulatedClock(recognizer.timer))
    list(feed(chunked(np.concatenate([np.zeros(80_000, np.float32), samples])), session, pace="fast"))
    assert recognizer.calls[0][0] > 3.9  # nothing of the first four seconds
    assert recognizer.calls[-1][1] > 15
