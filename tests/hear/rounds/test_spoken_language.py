"""A detected language is believed when it is certain, or likely and found twice."""

from __future__ import annotations

import pytest

from engine.hear.rounds.spoken_language import (
    CERTAIN_PROBABILITY,
    DETECTION_SECONDS,
    LEAST_PROBABILITY,
    LONGEST_DOUBT_SECONDS,
    SpokenLanguage,
)

SURE, LIKELY, DOUBTFUL = CERTAIN_PROBABILITY, LEAST_PROBABILITY, LEAST_PROBABILITY - 0.01


def learn(language: SpokenLanguage, *detections: tuple[str, float], seconds: float = 1.0) -> list[bool]:
    """Note detections one after another; return which of them are believed."""
    return [language.learn(language.to_hear(seconds), code, p, seconds) for code, p in detections]


@pytest.mark.parametrize(
    ("detections", "believed"),
    [
        ([("de", SURE)], [True]),
        ([("de", LIKELY), ("de", LIKELY)], [False, True]),
        ([("en", LIKELY), ("de", LIKELY), ("de", LIKELY)], [False, False, True]),
        ([("de", DOUBTFUL), ("de", DOUBTFUL), ("de", DOUBTFUL)], [False, False, False]),
        ([("de", LIKELY), ("de", DOUBTFUL), ("de", LIKELY)], [False, False, False]),
    ],
)
def test_case_a_language_is_believed_when_it_is_certain_or_found_twice(
    detections: list[tuple[str, float]], believed: list[bool]
) -> None:
    assert learn(SpokenLanguage(None), *detections) == believed


def test_doubt_ends_after_some_seconds() -> None:
    assert learn(SpokenLanguage(None), ("de", 0.2), seconds=LONGEST_DOUBT_SECONDS) == [True]


def test_a_believed_language_holds_until_the_speaker_pauses_and_in_short_audio_after_that() -> None:
    language = SpokenLanguage(None)
    learn(language, ("de", SURE))
    assert language.to_hear(30.0) == "de"
    language.begin_utterance()
    assert language.to_hear(DETECTION_SECONDS - 0.1) == "de"
    assert language.to_hear(DETECTION_SECONDS) is None


def test_case_another_language_is_believed_only_when_it_is_found_twice() -> None:
    language = SpokenLanguage(None)
    learn(language, ("es", SURE))
    language.begin_utterance()
    assert learn(language, ("pt", SURE), ("es", LIKELY), seconds=4.0) == [False, True]
    language.begin_utterance()
    assert learn(language, ("pt", LIKELY), ("pt", LIKELY), seconds=4.0) == [False, True]
    assert language.to_hear(1.0) == "pt"


def test_a_chosen_language_is_never_detected() -> None:
    language = SpokenLanguage("fr")
    assert learn(language, ("fr", 1.0)) == [True]
    language.begin_utterance()
    assert language.to_hear(10.0) == "fr"
