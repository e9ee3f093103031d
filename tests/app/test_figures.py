"""The figures beside the captions: measured on the recording's own clock."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest

from app.captions.figures import (
    CAPTION_ACCEPTANCE,
    CAPTION_ERASURE,
    CAPTION_FORWARDS,
    REAL_TIME_FACTOR,
    TRANSLATION_ACCEPTANCE,
    TRANSLATION_ERASURE,
    WORD_LATENCY,
    FigureMeter,
    Figures,
    Sample,
)
from engine.events import RoundStats, TranslationStats
from tests.app.made_captions import caption, split, translation


def cost(seconds: float, number: int = 0) -> RoundStats:
    return RoundStats(number, 5.0, seconds / 2, seconds / 4, seconds / 4, 1, 1, 0)


def test_nothing_is_claimed_before_anything_is_measured() -> None:
    meter = FigureMeter()
    assert meter.figures == Figures(None, None)
    meter.add_round(cost(0.1), 0.5)
    assert meter.figures == Figures(None, None)


def test_words_that_move_to_another_line_are_measured_once() -> None:
    meter = FigureMeter()
    whole = caption(0, "One two three")
    first, rest = split(whole, 2, 1)
    for moment, each in ((2.0, whole), (9.0, first), (9.0, rest)):
        samples = meter.add_caption(each, moment)
        assert len([sample for sample in samples if sample.figure == WORD_LATENCY]) == (3 if each is whole else 0)


def test_the_delay_is_from_the_end_of_a_word_to_its_commitment() -> None:
    meter = FigureMeter()
    meter.add_caption(caption(0, "One"), 1.0)  # said by 0.4 s
    assert meter.figures.delay_seconds == pytest.approx(0.6)


def test_each_word_counts_once_when_it_is_committed() -> None:
    meter = FigureMeter()
    meter.add_caption(caption(0, "One", pending="two"), 1.0)
    meter.add_caption(caption(0, "One two", revision=1), 1.8)
    meter.add_caption(caption(0, "One two three", revision=2, final=True), 100.0)
    assert meter.figures.delay_seconds == pytest.approx(1.0)  # of 0.6, 1.0 and 98.8


def test_the_real_time_factor_is_computing_over_the_audio_it_was_for() -> None:
    meter = FigureMeter()
    for number in range(5):
        meter.add_round(cost(0.1, number), number * 0.5)
    assert meter.figures.real_time_factor == pytest.approx(0.2)


def values(samples: list[Sample], figure: str) -> list[float]:
    return [sample.value for sample in samples if sample.figure == figure]


def test_every_committed_word_is_a_sample_of_its_own_at_the_moment_it_is_shown() -> None:
    meter = FigureMeter()
    before = time.monotonic()
    samples = meter.add_caption(caption(0, "One two", pending="three"), 2.0)
    assert values(samples, WORD_LATENCY) == pytest.approx([1.6, 1.2])
    assert all(before <= sample.seconds <= time.monotonic() for sample in samples)
    assert not values(meter.add_caption(caption(0, "One two", pending="four", revision=1), 3.0), WORD_LATENCY)


def test_nothing_is_measured_before_the_recording_has_a_clock() -> None:
    assert FigureMeter().add_caption(caption(0, "One"), math.inf) == []


def test_each_round_tells_its_own_factor_forwards_and_acceptance() -> None:
    meter = FigureMeter()
    stats = RoundStats(1, 5.0, 0.1, 0.05, 0.05, 4, 20, 0, reused_tokens=15, audio_seconds=0.5)
    samples = meter.add_round(stats, 0.0)
    assert values(samples, REAL_TIME_FACTOR) == pytest.approx([0.4])
    assert values(samples, CAPTION_FORWARDS) == [4]
    assert values(samples, CAPTION_ACCEPTANCE) == [0.75]
    later = replace(stats, round=2, tokens=0, reused_tokens=0, audio_seconds=0.7)
    samples = meter.add_round(later, 0.0)
    assert values(samples, REAL_TIME_FACTOR) == pytest.approx([1.0])
    assert values(samples, CAPTION_ACCEPTANCE) == [], "where nothing was written there is nothing to be accepted"


def test_a_pause_does_not_make_a_round_look_cheap() -> None:
    meter = FigureMeter()
    stats = RoundStats(1, 2.0, 0.1, 0.05, 0.05, 1, 1, 0, audio_seconds=2.0)
    meter.add_round(stats, 0.0)
    samples = meter.add_round(replace(stats, audio_seconds=62.0), 0.0)
    assert values(samples, REAL_TIME_FACTOR) == pytest.approx([0.1])
    again = meter.add_round(replace(stats, audio_seconds=62.0), 0.0)
    assert values(again, REAL_TIME_FACTOR) == [], "nothing was new to it"


def test_words_that_are_taken_back_are_erasure_until_hearing_changes() -> None:
    meter = FigureMeter()
    text = " ".join(["word"] * 20)
    meter.add_caption(caption(0, text, final=True), 20.0)
    meter.add_caption(caption(1, "One", pending="too tree"), 22.0)
    samples = meter.add_caption(caption(1, "One", pending="two three", revision=1), 22.0)
    assert values(samples, CAPTION_ERASURE) == pytest.approx([2 / 20])
    meter.begin_hearing()
    meter.add_caption(caption(2, text, final=True), 30.0)
    assert meter.add_caption(caption(3, "", pending="One"), 31.0) == [], "counted anew, and nothing was taken back"


def test_translations_tell_their_acceptance_and_erasure() -> None:
    meter = FigureMeter()
    text = " ".join(["Wort"] * 20)
    meter.add_translation(translation(0, text, final=True))
    meter.add_translation(translation(1, "Guten Tag"))
    update = replace(translation(1, "Guten Morgen"), stats=TranslationStats(drafted=8, accepted=6, output=9))
    samples = meter.add_translation(update)
    assert values(samples, TRANSLATION_ACCEPTANCE) == [0.75]
    assert values(samples, TRANSLATION_ERASURE) == pytest.approx([1 / 20])
