"""Utterances are cut off inside a word and between two, and only what was said before the cut is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Word
from lab.recipes.speech.cut_off import INSIDE, LONGEST_SECONDS, SHORTEST_SECONDS, CutOff, cut_off

WORDS = [Word(f" w{i}", 0.5 * i + 0.1, 0.5 * i + 0.4) for i in range(30)]
SAMPLES = np.arange(16 * SAMPLE_RATE_HZ, dtype=np.float32)


@pytest.mark.parametrize("seed", range(20))
def test_one_cut_is_inside_a_word_and_one_between_two(seed: int) -> None:
    inside, between = cut_off(SAMPLES, WORDS, "en", str(seed))
    for part, is_inside in ((inside, True), (between, False)):
        begin, end = part.samples[0] / SAMPLE_RATE_HZ, (part.samples[-1] + 1) / SAMPLE_RATE_HZ
        whole = [word for word in WORDS if begin <= word.start and word.end <= end + 1e-3]
        assert part.said == "".join(word.text for word in whole).strip()
        assert SHORTEST_SECONDS - 0.2 <= end - begin <= LONGEST_SECONDS + 0.4
        if is_inside:
            word = next(word for word in WORDS if word.text.strip() == part.begun)
            share = (end - word.start) / (word.end - word.start)
            assert INSIDE[0] - 0.01 <= share <= INSIDE[1] + 0.01
        else:
            assert not any(word.start < end - 1e-3 < word.end - 2e-3 for word in WORDS)


def test_cuts_are_the_same_each_time_and_others_of_another_clip() -> None:
    first, again, other = ([each.said for each in cut_off(SAMPLES, WORDS, "en", seed)] for seed in ("a", "a", "b"))
    assert first == again != other


def test_what_is_written_of_the_word_that_was_cut_is_right() -> None:
    part = CutOff(SAMPLES, "red blue", "sometimes", "en")
    for heard in ("red blue", "Red blue some", "red blue sometimes", "red blue summer."):
        assert part.errors(heard).edits == 0
    assert part.errors("red").edits == 1
    assert part.errors("red blue some of them").edits == 2
    assert part.errors("red blue some of them").reference_words == 2
    assert CutOff(SAMPLES, "red blue", "green", "en").errors("red blue and so on").edits == 2


def test_an_utterance_that_is_too_short_is_left_out() -> None:
    assert not list(cut_off(SAMPLES, WORDS[:2], "en", "a"))
