"""Words taken back, counted by hand."""

from __future__ import annotations

import pytest

from app.captions.steadiness import FEWEST_WORDS, SteadinessMeter

SENTENCE = "Guten Morgen zusammen und vielen Dank fürs Kommen heute früh."
WORDS = 10


def finish(meter: SteadinessMeter, first: int) -> None:
    """Show enough finished sentences, each at once, that figures mean something."""
    for number in range(first, first + FEWEST_WORDS // WORDS):
        meter.add(number, SENTENCE, final=True)


def test_nothing_is_said_of_a_few_words() -> None:
    meter = SteadinessMeter()
    meter.add(0, "Guten Tag", final=False)
    meter.add(0, "Guten Morgen.", final=True)
    assert meter.taken_back is None


def test_words_that_only_follow_take_nothing_back() -> None:
    meter = SteadinessMeter()
    for shown in ("", "Guten", "Guten Morgen", "Guten Morgen zusammen"):
        meter.add(9, shown, final=False)
    meter.add(9, SENTENCE, final=True)
    finish(meter, 10)
    assert meter.taken_back == 0


def test_a_changed_word_takes_itself_and_all_behind_it_back() -> None:
    meter = SteadinessMeter()
    meter.add(9, "Guten Tag zusammen und", final=False)
    meter.add(9, "Guten Morgen", final=False)
    meter.add(9, SENTENCE, final=True)
    finish(meter, 10)
    assert meter.taken_back == pytest.approx(3 / (WORDS + FEWEST_WORDS))


def test_captions_do_not_disturb_each_other() -> None:
    meter = SteadinessMeter()
    meter.add(1, "Guten Morgen", final=False)
    meter.add(2, "Und", final=False)
    meter.add(1, SENTENCE, final=True)
    meter.add(2, "Und dann?", final=True)
    finish(meter, 10)
    assert meter.taken_back == 0


def test_characters_count_where_words_have_no_spaces() -> None:
    meter = SteadinessMeter()
    meter.add(1, "今日は雨", final=False)
    meter.add(1, "今日は晴れ" + "です" * 10, final=True)
    assert meter.taken_back == pytest.approx(1 / 25)
