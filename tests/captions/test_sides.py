"""Streams heard side by side: whose words are whose, what a silent one costs, and that rounds take turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.captions.sides import CaptionSides
from engine.clock import Clock, SimulatedClock
from engine.events import FIRST_CAPTION, Caption, SpokenTranslation, Translation, Word
from engine.options import CaptionOptions, TranslationOptions
from engine.translate.live import LiveTranslation
from tests.hear.planted import FakeTimer, PlantedRecognizer, is_voiced, numbered, plant
from tests.scripted_translator import ScriptedTranslator
from tests.speak.scripted_voice import ScriptedVoice

SPEAKERS = ("You", "Call")
OPTIONS = CaptionOptions(step_seconds=0.5, policy="local-agreement")


def even(text: str, count: int, start: float) -> list[Word]:
    return numbered([(start + i * 0.4, start + i * 0.4 + 0.3) for i in range(count)], text)


def sides_of(recognizers: Sequence[PlantedRecognizer], clock: Clock) -> CaptionSides:
    ids = count(FIRST_CAPTION)
    sessions = [
        CaptionSession(each, OPTIONS, clock, voice=is_voiced, ids=ids, speaker=speaker)
        for each, speaker in zip(recognizers, SPEAKERS, strict=True)
    ]
    return CaptionSides(sessions)


def both(words: Sequence[Sequence[Word]], seconds: float, size: int = 1600) -> list[tuple[int, np.ndarray]]:
    """Return the chunks of two streams in turn, as they come from two devices."""
    streams = [plant(each, seconds) for each in words]
    places = range(0, len(streams[0]), size)
    return [(side, stream[at : at + size]) for at in places for side, stream in enumerate(streams)]


def hear(words: Sequence[Sequence[Word]], seconds: float, cost_seconds: float = 0.05) -> tuple[CaptionSides, list]:
    timer = FakeTimer()
    recognizers = [PlantedRecognizer(each, timer=timer, cost_seconds=cost_seconds) for each in words]
    sides = sides_of(recognizers, SimulatedClock(timer))
    return sides, list(feed(both(words, seconds), sides, pace="fast", sides=2))


def open_caption(number: int, words: Sequence[Word], revision: int) -> Caption:
    return Caption(number, revision, words[0].start, words[-1].end, tuple(words), (), False, 1.3, 1.3)


def finals(shown: list[Caption | Translation]) -> list[Caption]:
    return [each for each in shown if isinstance(each, Caption) and each.final]


def test_each_side_hears_its_own_words_and_they_say_whose_they_are() -> None:
    yours, theirs = even("a{}", 6, 0.5), even("b{}", 6, 1.5)  # both speak at once for a while
    _, shown = hear([yours, theirs], 8.0)
    heard = {
        name: [word for each in finals(shown) if each.speaker == name for word in each.committed] for name in SPEAKERS
    }
    assert [word.text for word in heard["You"]] == [word.text for word in yours]
    assert [word.text for word in heard["Call"]] == [word.text for word in theirs]
    assert heard["Call"][0].start == pytest.approx(1.5, abs=0.05)


def test_captions_of_both_sides_are_numbered_together_as_they_appear() -> None:
    _, shown = hear([even("a{}", 3, 0.5), even("b{}", 3, 4.0)], 8.0)
    numbers: dict[int, str] = {}
    for each in shown:
        assert numbers.setdefault(each.id, each.speaker) == each.speaker
    assert list(numbers) == sorted(numbers)
    assert len(numbers) == 2


def test_a_side_on_which_nobody_speaks_has_no_rounds() -> None:
    timer = FakeTimer()
    words = [even("a{}", 6, 0.5), []]
    recognizers = [PlantedRecognizer(each, timer=timer, cost_seconds=0.05) for each in words]
    sides = sides_of(recognizers, SimulatedClock(timer))
    list(feed(both(words, 10.0), sides, pace="fast", sides=2))
    assert len(recognizers[0].calls) > 2
    assert recognizers[1].calls == []


@pytest.mark.parametrize("cost_seconds", [0.3, 0.9, 2.0])
def test_on_a_slow_machine_both_sides_come_later_and_lose_nothing(cost_seconds: float) -> None:
    words = [even("a{}", 25, 0.5), even("b{}", 25, 0.7)]
    _, shown = hear(words, 14.0, cost_seconds)
    for name, said in zip(SPEAKERS, words, strict=True):
        heard = [word.text for each in finals(shown) if each.speaker == name for word in each.committed]
        assert heard == [word.text for word in said]


def test_the_steps_of_two_who_speak_at_once_grow_by_what_the_other_costs() -> None:
    def rounds(words: list[list[Word]]) -> int:
        timer = FakeTimer()
        recognizers = [PlantedRecognizer(each, timer=timer, cost_seconds=0.4) for each in words]
        sides = sides_of(recognizers, SimulatedClock(timer))
        list(feed(both(words, 20.0), sides, pace="fast", sides=2))
        return len(recognizers[0].calls)

    alone = rounds([even("a{}", 45, 0.5), []])
    together = rounds([even("a{}", 45, 0.5), even("b{}", 45, 0.5)])
    assert together < alone


def test_rounds_take_turns() -> None:
    timer = FakeTimer()
    words = [even("a{}", 30, 0.5), even("b{}", 30, 0.5)]
    order: list[int] = []
    recognizers = [PlantedRecognizer(each, timer=timer, cost_seconds=0.5) for each in words]
    for side, each in enumerate(recognizers):
        hears = each.hear
        each.hear = lambda *given, side=side, hears=hears, **how: order.append(side) or hears(*given, **how)  # type: ignore[method-assign]
    list(feed(both(words, 14.0), sides_of(recognizers, SimulatedClock(timer)), pace="fast", sides=2))
    longest = max(len(run) for run in "".join(map(str, order)).replace("01", "0 1").replace("10", "1 0").split())
    assert longest <= 2
    assert abs(order.count(0) - order.count(1)) <= 2


def test_the_summary_adds_the_sides_up() -> None:
    sides, _ = hear([even("a{}", 3, 0.5), even("b{}", 3, 4.0)], 8.0)
    summary = sides.summary
    assert summary.text == "You: a1 a2 a3\nCall: b1 b2 b3"
    assert summary.audio_seconds == 8.0
    assert summary.compute_seconds == pytest.approx(summary.rounds * 0.05, rel=0.2)
    assert summary.word_latency_seconds is not None
    stats = list(sides.new_stats())
    assert {each.side for each in stats} == {0, 1}
    assert len(stats) == summary.rounds
    assert list(sides.new_stats()) == []


def test_both_sides_are_translated_beneath_their_own_captions() -> None:
    words = [even("a{}", 3, 0.5), even("b{}", 3, 4.0)]
    timer = FakeTimer()
    sides = sides_of([PlantedRecognizer(each, timer=timer) for each in words], SimulatedClock(timer))
    sides.translate_with(lambda: LiveTranslation(ScriptedTranslator(TranslationOptions("de"))))
    shown = list(feed(both(words, 8.0), sides, pace="fast", sides=2))
    translated = {each.id: each.source for each in shown if isinstance(each, Translation) and each.final}
    assert translated == {each.id: each.text for each in finals(shown)}
    assert sides.summary.translation is not None


def test_of_a_call_only_the_other_side_is_spoken() -> None:
    words = [even("a{}", 3, 0.5), even("b{}", 3, 4.0)]
    timer = FakeTimer()
    sides = sides_of([PlantedRecognizer(each, timer=timer) for each in words], SimulatedClock(timer))
    sides.translate_with(lambda: LiveTranslation(ScriptedTranslator(TranslationOptions("de"))), ScriptedVoice())
    shown = list(feed(both(words, 8.0), sides, pace="fast", sides=2))
    assert [each.text for each in shown if isinstance(each, SpokenTranslation) and each.text] == ["B1 B2 B3"]


def test_a_caption_that_was_begun_before_keeps_its_number_on_each_side() -> None:
    words = [even("a{}", 4, 0.5), even("b{}", 4, 0.5)]
    begun = [open_caption(7, words[0][:2], revision=3), open_caption(5, words[1][1:2], revision=0)]
    timer, ids, sessions = FakeTimer(), count(8), []
    for each, known, speaker in zip(words, begun, SPEAKERS, strict=True):
        recognizer, clock = PlantedRecognizer(each, timer=timer), SimulatedClock(timer)
        sessions.append(CaptionSession(recognizer, OPTIONS, clock, voice=is_voiced, ids=ids, speaker=speaker))
        sessions[-1].recall(each[:2], known)
    fed = feed(both(words, 8.0), CaptionSides(sessions), pace="fast", sides=2)
    shown = [each for each in fed if isinstance(each, Caption)]
    last = {each.id: each for each in shown}
    assert last[7].text == "a1 a2 a3 a4"
    assert last[5].text == "b2 b3 b4"
    assert next(each for each in shown if each.id == 7).revision == 4
    assert set(last) == {5, 7}


def test_a_session_that_begins_later_in_the_transcript_says_the_same_at_other_times_and_numbers() -> None:
    words = even("a{}", 6, 0.5)

    def heard(start_seconds: float, first_id: int) -> tuple[list[Caption], CaptionSession]:
        timer = FakeTimer()
        later = [replace(word, start=word.start + start_seconds, end=word.end + start_seconds) for word in words]
        recognizer = PlantedRecognizer(later, timer=timer, cost_seconds=0.05)
        session = CaptionSession(
            recognizer,
            OPTIONS,
            SimulatedClock(timer),
            voice=is_voiced,
            live=True,
            ids=count(first_id),
            start_seconds=start_seconds,
        )
        samples = plant(words, 6.0)
        chunks = [samples[at : at + 1600] for at in range(0, len(samples), 1600)]
        return [each for each in feed(chunks, session, pace="fast") if isinstance(each, Caption)], session

    plain, first = heard(0.0, 1)
    shown, second = heard(3600.0, 41)
    for there, here in zip(shown, plain, strict=True):
        assert there.text == here.text
        assert (there.id, there.revision, there.final) == (here.id + 40, here.revision, here.final)
        assert there.start - 3600.0 == pytest.approx(here.start)
        assert [word.end - 3600.0 for word in there.committed] == pytest.approx([word.end for word in here.committed])
        assert there.emitted_seconds - 3600.0 == pytest.approx(here.emitted_seconds)
    assert second.summary.audio_seconds == pytest.approx(first.summary.audio_seconds)
    assert second.audio_seconds == pytest.approx(3606.0)


def test_one_side_is_what_its_session_is() -> None:
    words = even("a{}", 4, 0.5)
    timer = FakeTimer()
    session = CaptionSession(PlantedRecognizer(words, timer=timer), OPTIONS, SimulatedClock(timer), voice=is_voiced)
    sides = CaptionSides([session])
    samples = plant(words, 4.0)
    chunks = [(0, samples[at : at + 1600]) for at in range(0, len(samples), 1600)]
    shown = list(feed(chunks, sides, pace="fast"))
    assert finals(shown)[0].speaker == ""
    assert sides.summary == session.summary
    assert sides.audio_seconds == len(samples) / SAMPLE_RATE_HZ
