import itertools
import math

import pytest

from engine.audio.endpoint import is_short, needed_silence, soft_end
from engine.options import TurnOptions

QUESTION = "How far is the moon from here?"


@pytest.mark.parametrize(
    ("text", "probability", "seconds"),
    [
        (QUESTION, None, 0.5),
        (QUESTION, 1.0, 0.1),
        (QUESTION, 0.5, 0.1),
        (QUESTION, 0.2, 0.5),
        (QUESTION, 0.05, 1.2),
        (QUESTION, 0.0, 1.2),
        ("Yes.", 0.99, 0.5),  # models are sure of short turns for no reason
        ("Yes.", 0.01, 0.5),
        ("All right.", 0.01, 0.5),
        ("All right then.", 0.01, 1.2),
        ("Unquestionably so.", 0.01, 1.2),
        ("はい。", 0.01, 0.5),
        ("お名前は何ですか。", 0.01, 1.2),
        ("明日の天気はどうなりますか、教えてください。", 0.01, 1.2),
        ("", 0.9, 0.5),
    ],
)
def test_a_turn_ends_after_the_silence_that_its_text_asks_for(
    text: str, probability: float | None, seconds: float
) -> None:
    assert needed_silence(TurnOptions(), text, probability) == pytest.approx(seconds)


def test_the_likelier_the_end_the_less_silence_it_takes_without_a_jump() -> None:
    silences = [needed_silence(TurnOptions(), QUESTION, place / 1000) for place in range(1001)]
    assert silences == sorted(silences, reverse=True)
    steps = [before - after for before, after in itertools.pairwise(silences)]
    assert max(steps) < 0.05
    assert len(set(silences)) > 400


def test_the_silences_are_those_of_the_options() -> None:
    options = TurnOptions(
        silence_seconds=1.0,
        sure_silence_seconds=0.4,
        doubtful_silence_seconds=3.0,
    )
    silences = [needed_silence(options, QUESTION, probability) for probability in (0.95, 0.2, 0.05)]
    assert silences == pytest.approx([0.4, 1.0, 3.0])


def test_with_push_to_talk_no_silence_ends_a_turn() -> None:
    assert needed_silence(TurnOptions(push_to_talk=True), QUESTION, 1.0) == math.inf


def test_the_soft_end_never_comes_after_the_earliest_end() -> None:
    assert soft_end(TurnOptions()) < TurnOptions().sure_silence_seconds
    assert soft_end(TurnOptions(sure_silence_seconds=0.1)) < 0.1


def test_short_is_by_words_and_by_characters() -> None:
    assert is_short("Okay.")
    assert not is_short("Go to it.")
    assert not is_short("Donaudampfschifffahrt.")
