"""Corrected words over the words that were heard."""

from __future__ import annotations

import pytest

from app.transcript.correcting import corrected
from engine.events import text_of
from tests.app.made_captions import words


def test_words_that_stay_keep_their_times_and_a_new_one_takes_the_old_ones_time() -> None:
    heard = words("we meat at nine", 2.0)
    found = corrected(heard, "we meet at nine")
    assert [each.place for each in found] == [0, None, 2, 3]
    assert (found[1].word.start, found[1].word.end) == (heard[1].start, heard[1].end)
    assert text_of(each.word for each in found) == "we meet at nine"


def test_several_words_share_the_time_of_those_they_replace() -> None:
    found = corrected(words("call Miss Understood now", 0.0), "call Misunderstood please now")
    times = [(each.word.start, each.word.end) for each in found]
    assert times == sorted(times)
    assert times[1][0] == pytest.approx(0.4) and times[2][1] == pytest.approx(1.2)
    assert found[-1].place == 3


def test_a_word_that_was_missing_stands_in_the_pause_between_its_neighbours() -> None:
    found = corrected(words("good everyone", 1.0), "good morning everyone")
    assert [each.place for each in found] == [0, None, 1]
    assert found[1].word.start == found[1].word.end == pytest.approx(1.4)


def test_nothing_that_was_heard_may_stay() -> None:
    assert text_of(each.word for each in corrected(words("hm", 1.0), "Good morning.")) == "Good morning."
    assert corrected(words("hm", 1.0), "") == ()
    assert [each.word.start for each in corrected((), "Good")] == [0.0]
