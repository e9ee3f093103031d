import itertools
import math

import pytest

from engine.audio.endpoint import is_short, needed_silence, soft_end
from engine.options import TurnOptions


@pytest.mark.parametrize(
    ("probability", "seconds"),
    [
        (None, 0.5),
        (1.0, 0.1),
        (0.3, 0.1),
        (0.1, 0.5),
        (0.02, 0.8),
        (0.0, 0.8),
    ],
)
def test_a_turn_ends_after_the_silence_that_its_probability_asks_for(probability: float | None, seconds: float) -> None:
    assert needed_silence(TurnOptions(), probability) == pytest.approx(seconds)


def test_the_likelier_the_end_the_less_silence_it_takes_without_a_jump() -> None:
    silences = [needed_silence(TurnOptions(), place / 1000) for place in range(1001)]
    assert silences == sorted(silences, reverse=True)
    steps = [before - after for before, after in itertools.pairwise(silences)]
    assert max(steps) < 0.05
    assert len(set(silences)) > 250


def test_the_silences_are_those_of_the_options() -> None:
    options = TurnOptions(
        silence_seconds=1.0,
        sure_silence_seconds=0.4,
        doubtful_silence_seconds=3.0,
    )
    silences = [needed_silence(options, probability) for probability in (0.95, 0.1, 0.02)]
    assert silences == pytest.approx([0.4, 1.0, 3.0])


def test_with_push_to_talk_no_silence_ends_a_turn() -> None:
    assert needed_silence(TurnOptions(push_to_talk=True), 1.0) == math.inf


def test_the_soft_end_never_comes_after_the_earliest_end() -> None:
    assert soft_end(TurnOptions()) < TurnOptions().sure_silence_seconds
    assert soft_end(TurnOptions(sure_silence_seconds=0.1)) < 0.1


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("", True),
        ("Yes.", True),
        ("All right.", True),
        ("All right then.", False),
        ("Go to it.", False),
        ("Unquestionably a", True),
        ("Unquestionably so.", False),
        ("Donaudampfschifffahrt.", False),
        ("はい。", True),
        ("お名前は何ですか。", False),
        ("明日の天気はどうなりますか、教えてください。", False),
    ],
)
def test_short_is_by_words_and_by_characters(text: str, short: bool) -> None:
    assert is_short(text) is short
