"""A session that translates: captions come as they would without, and every one of them is translated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.captions.timetable import TRANSLATION_SHARE
from engine.clock import RealClock, SimulatedClock
from engine.errors import EngineError
from engine.events import Caption, Translation, Word
from engine.hear.rounds import pipeline as pipelines
from engine.metrics import committed_words
from engine.options import CaptionOptions, TranslationOptions
from tests.hear.planted import FakeTimer, PlantedRecognizer, is_voiced, numbered, plant
from tests.hear.staged import StagedRecognizer
from tests.scripted_translator import ScriptedTranslator, translating

Shown = Caption | Translation


def sentences(count: int, pause: float = 0.8) -> list[Word]:
    """Make sentences of three words, with a pause after each."""
    words = []
    for number in range(count):
        start = 0.4 + number * (1.2 + pause)
        three = [(start + 0.4 * i, start + 0.4 * i + 0.3) for i in range(3)]
        words += [Word(f" {number}{name}", *span) for name, span in zip(("a", "b", "c."), three, strict=True)]
    return words


def chunked(samples: np.ndarray, size: int = 1600) -> list[np.ndarray]:
    return [samples[first : first + size] for first in range(0, len(samples), size)]


def hear(
    words: Sequence[Word],
    translator: ScriptedTranslator | None,
    chunks: Iterable[np.ndarray] | None = None,
    cost_seconds: float = 0.05,
    **options: object,
) -> tuple[CaptionSession, list[Shown]]:
    """Caption planted words on a simulated clock, where hearing and translating take what they are said to take."""
    timer = translator.timer if translator else FakeTimer()
    recognizer = PlantedRecognizer(words, 0.2, timer=timer, cost_seconds=cost_seconds)
    choices = CaptionOptions(**{"step_seconds": 0.5, "policy": "local-agreement", **options})  # type: ignore[arg-type]
    live = translating(translator) if translator else None
    session = CaptionSession(recognizer, choices, SimulatedClock(timer), voice=is_voiced, translation=live)
    return session, list(feed(chunks or chunked(plant(words, words[-1].end + 2)), session, pace="fast"))


def captions(shown: Iterable[Shown]) -> list[Caption]:
    return [each for each in shown if isinstance(each, Caption)]


def translations(shown: Iterable[Shown]) -> list[Translation]:
    return [each for each in shown if isinstance(each, Translation)]


def check(shown: Sequence[Shown]) -> None:
    """Check that every final caption has one final translation, of its last revision, in order, after it."""
    finals = [each for each in captions(shown) if each.final and each.committed]
    done = [each for each in translations(shown) if each.final and each.source]
    assert [(each.id, each.revision, each.source) for each in done] == [(c.id, c.revision, c.text) for c in finals]
    assert all(each.text == each.source.upper() and not each.hidden for each in done)
    emitted = {(each.id, each.revision): each.emitted_seconds for each in captions(shown)}
    assert all(each.emitted_seconds >= emitted[each.id, each.revision] for each in translations(shown))
    assert all(a.emitted_seconds <= b.emitted_seconds for a, b in pairwise(shown))


@settings(max_examples=40)
@given(st.integers(1, 5), st.floats(0.0, 2.5), st.sampled_from([0.0, 0.01, 0.2, 1.5]), st.booleans())
def test_every_caption_is_translated_to_its_end(count: int, pause: float, cost: float, gate: bool) -> None:
    session, shown = hear(sentences(count, pause), ScriptedTranslator(cost_seconds=cost), voice_gate=gate)
    check(shown)
    assert session.summary.text == " ".join(word.text.strip() for word in sentences(count))


def test_growing_captions_are_translated_while_they_grow_and_the_end_is_held_back() -> None:
    _, shown = hear(sentences(2), ScriptedTranslator(cost_seconds=0.01))
    growing = [each for each in translations(shown) if not each.final]
    assert growing
    assert all(f"{each.text}{each.hidden}".strip() == each.source.upper() for each in growing)


def test_captions_come_as_they_would_without_translation_where_it_takes_no_time() -> None:
    _, alone = hear(sentences(4), None)
    _, shown = hear(sentences(4), ScriptedTranslator())
    assert captions(shown) == alone


@pytest.mark.parametrize("cost", [0.01, 0.1, 0.3])
def test_hearing_waits_for_no_more_than_the_step_of_translation_that_is_under_way(cost: float) -> None:
    words = sentences(5)
    _, alone = hear(words, None, step_follows_cost=False)
    _, shown = hear(words, ScriptedTranslator(cost_seconds=cost), step_follows_cost=False)
    before = {word.text: moment for word, moment in committed_words(captions(alone))}
    after = {word.text: moment for word, moment in committed_words(captions(shown))}
    assert list(after) == list(before)
    # A round that begins a step later may miss its turn to agree, and the word waits for the next one.
    assert all(after[text] <= before[text] + cost + 0.5 + 1e-6 for text in before)


def test_translation_goes_on_where_hearing_would_take_all_the_time() -> None:
    """Rounds that take longer than they are apart leave it half as long again, and no more."""
    translator = ScriptedTranslator(cost_seconds=0.1)
    words = numbered([(0.4 * i, 0.4 * i + 0.4) for i in range(12)])
    session, shown = hear(words, translator, cost_seconds=0.6, voice_gate=False)
    check(shown)
    last_caption = max(index for index, each in enumerate(shown) if isinstance(each, Caption))
    assert all(isinstance(each, Translation) for each in shown[last_caption + 1 :])
    before = translations(shown[:last_caption])
    rounds = session.summary.rounds
    assert rounds < sum(each.stats.forwards for each in before) <= rounds * (0.6 * TRANSLATION_SHARE / 0.1 + 1)


def test_a_translation_is_dated_after_its_work_on_the_clock_of_the_captions() -> None:
    _, shown = hear(sentences(1), ScriptedTranslator(cost_seconds=0.1))
    final, translation = captions(shown)[-1], translations(shown)[-1]
    assert translation.emitted_seconds == pytest.approx(final.emitted_seconds + 0.3)


@settings(max_examples=30)
@given(st.sampled_from([0.0, 0.03, 0.4]), st.sampled_from([0.0, 0.1, 0.7]), st.data())
def test_any_chunking_gives_the_same_captions_and_translations(
    cost: float, hearing: float, data: st.DataObject
) -> None:
    words = sentences(3)
    samples = plant(words, words[-1].end + 2)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(samples)), max_size=20)))
    _, expected = hear(words, ScriptedTranslator(cost_seconds=cost), chunked(samples, 800), hearing)
    _, shown = hear(words, ScriptedTranslator(cost_seconds=cost), np.split(samples, cuts), hearing)
    assert shown == expected


def test_the_summary_says_what_translation_cost() -> None:
    session, shown = hear(sentences(2), ScriptedTranslator(TranslationOptions("fr"), cost_seconds=0.01))
    summary = session.summary.translation
    assert summary is not None
    made = translations(shown)
    assert (summary.language, summary.updates) == ("fr", len(made))
    assert (summary.drafted, summary.accepted) == (2 * summary.output, summary.output)
    assert summary.output == summary.forwards == sum(each.stats.output for each in made)
    # Translations that were given up for newer ones took time too.
    assert summary.seconds >= 0.01 * summary.forwards - 1e-9
    assert hear(sentences(1), None)[0].summary.translation is None


def failing(error: Exception, after: int) -> Callable[[], None]:
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if count > after:
            raise error

    return step


@pytest.mark.parametrize("after", [0, 4, 9])
@pytest.mark.parametrize("error", [EngineError("The model is gone."), RuntimeError("out of memory")])
def test_a_translation_that_fails_costs_no_caption_and_is_told_once(error: Exception, after: int) -> None:
    _, alone = hear(sentences(4), None)
    session, shown = hear(sentences(4), ScriptedTranslator(on_step=failing(error, after)))
    assert captions(shown) == alone
    (incident,) = session.incidents
    assert incident.message.startswith("Translation stopped, and captions go on without it: ")
    assert incident.message.endswith("The model is gone." if isinstance(error, EngineError) else "out of memory.")
    assert not session.translating


def test_captions_in_a_language_that_cannot_be_translated_are_captions_all_the_same() -> None:
    session, shown = hear(sentences(2), ScriptedTranslator(sources=("fr",)))
    assert len([each for each in captions(shown) if each.final]) == 2
    assert not translations(shown)
    (incident,) = session.incidents
    assert "English" in incident.message


# --- with the wall clock ---


def real(words: Sequence[Word], translator: ScriptedTranslator) -> CaptionSession:
    timer = translator.timer

    def sleep(seconds: float) -> None:
        timer.seconds += seconds

    options = CaptionOptions(voice_gate=False, step_seconds=0.5)
    recognizer = PlantedRecognizer(words, timer=timer)
    return CaptionSession(recognizer, options, RealClock(timer, sleep), translation=translating(translator))


def test_what_is_fed_at_the_pace_of_speech_is_translated_between_the_chunks() -> None:
    words = sentences(2)
    translator = ScriptedTranslator(cost_seconds=0.03)
    shown = list(feed(chunked(plant(words)), real(words, translator), pace="realtime"))
    check(shown)
    assert any(isinstance(a, Translation) and isinstance(b, Caption) for a, b in pairwise(shown))
    for each in captions(shown):
        chunk = 0.1 if each.audio_seconds == words[-1].end else 0.0  # that there is no further one is known after it
        assert each.emitted_seconds <= each.audio_seconds + chunk + 0.03 + 0.01  # a step may just have begun


class Device:
    """A microphone that has its next chunk ready after as much time, and notes how late it is asked for it."""

    def __init__(self, samples: np.ndarray, timer: FakeTimer) -> None:
        self.chunks = chunked(samples)
        self.timer = timer
        self.late: list[float] = []

    def __iter__(self) -> Iterator[np.ndarray]:
        for number, chunk in enumerate(self.chunks, 1):
            self.late.append(self.timer.seconds - 0.1 * number)
            self.timer.seconds = max(self.timer.seconds, 0.1 * number)
            yield chunk


def test_a_microphone_is_asked_for_its_next_chunk_in_time_and_the_wait_for_it_is_used() -> None:
    words = sentences(2)
    translator = ScriptedTranslator(cost_seconds=0.03)
    device = Device(plant(words, words[-1].end + 1), translator.timer)
    shown = list(feed(device, real(words, translator), pace="realtime"))
    check(shown)
    assert max(device.late) <= 0.03 + 1e-9
    assert [each.text for each in translations(shown) if each.final] == ["0A 0B 0C.", "1A 1B 1C."]


def test_update_never_translates_where_time_is_real_so_that_nobody_waits_for_it() -> None:
    words = sentences(1)
    translator = ScriptedTranslator()
    session = real(words, translator)
    session.add_audio(plant(words, 4.0))
    assert captions(session.update())
    assert session.translating
    assert translator.steps_taken == 0
    while session.translating:
        session.do_spare_work()
    assert translator.steps_taken > 0


# --- beginning, changing, ending ---


def test_another_translation_may_take_over_or_none() -> None:
    words = sentences(3)
    first, second = ScriptedTranslator(), ScriptedTranslator(TranslationOptions("fr"))
    samples = plant(words, words[-1].end + 2)
    recognizer = PlantedRecognizer(words)
    session = CaptionSession(
        recognizer, CaptionOptions(), SimulatedClock(recognizer.timer), voice=is_voiced, translation=translating(first)
    )
    shown: list[Shown] = []
    for part, translator in zip(np.split(samples, [32_000, 64_000]), (second, None, None), strict=True):
        session.add_audio(part)
        shown += session.update()
        session.translate_with(translating(translator) if translator else None)
    shown += session.finish()
    assert {each.language for each in translations(shown)} == {"de", "fr"}
    assert len([each for each in captions(shown) if each.final]) == 3
    assert len([each for each in translations(shown) if each.final]) < 3


def test_captions_of_another_session_are_translated_too() -> None:
    recognizer = PlantedRecognizer([])
    session = CaptionSession(recognizer, CaptionOptions(), SimulatedClock(recognizer.timer), translation=translating())
    old = Caption(-2, 7, 0.0, 1.0, (Word(" left", 0, 1), Word(" over", 0, 1)), (), True, 1.0, 1.0)
    session.translate_also([old])
    (translation,) = session.finish()
    assert isinstance(translation, Translation)
    assert (translation.id, translation.revision, translation.text) == (-2, 7, "LEFT OVER")


def test_a_session_that_is_closed_gives_up_what_is_being_translated() -> None:
    words = sentences(1)
    translator = ScriptedTranslator()
    session = real(words, translator)
    session.add_audio(plant(words))
    list(session.update())
    session.do_spare_work()
    session.close()
    assert translator.closed == 1
    assert not session.translating
    assert session.do_spare_work() is None


@pytest.mark.parametrize("cost", [0.0, 0.002])
def test_captions_are_translated_while_rounds_overlap(monkeypatch: pytest.MonkeyPatch, cost: float) -> None:
    monkeypatch.setattr(pipelines, "usable_cores", lambda: 2)
    words = sentences(2)
    recognizer = StagedRecognizer(words, lasting_seconds=0.05)
    options = CaptionOptions(step_seconds=0.2, pipeline=True)
    session = CaptionSession(
        recognizer, options, SimulatedClock(), voice=is_voiced, translation=translating(ScriptedTranslator())
    )
    shown = list(feed(chunked(plant(words, words[-1].end + 1.0)), session, pace="fast"))
    check(shown)
    assert session.summary.text == " ".join(word.text.strip() for word in words)
