"""Speech in a language that the model does not hear is told once; an accent is not told at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.source import read_audio
from engine.captions.for_files import for_files
from engine.captions.foreign_speech import (
    DOUBTFUL_PROBABILITY,
    MOST_QUESTIONS,
    STRANGE_PROBABILITY,
    STRETCHES,
    ForeignSpeech,
)
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Hypothesis, Incident, Reference, Word
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.rounds.audio_span import AudioSpan
from engine.hear.rounds.transcriber import Round
from engine.hear.whisper.load import load_hearing_model
from engine.options import CaptionOptions, DecodeOptions
from tests.conftest import TEST_DATA

FLEURS = TEST_DATA / "speech" / "fleurs"


def heard(probability: float, start: float = 0.0, *, count: int = 8, final: bool = True) -> Round:
    """Make a round of words of a second each, all as likely."""
    words = tuple(Word(f" w{i}", start + i, start + i + 1, probability) for i in range(count))
    samples = np.zeros(count * SAMPLE_RATE_HZ, np.float32)
    span = AudioSpan(samples, start, "", "en", Reference(), final, None)
    return Round((), (), Hypothesis((), "en"), "discarded", span, words)


def told(watch: ForeignSpeech, probabilities: Sequence[float]) -> list[int]:
    """Hear rounds one after another; return the places of those at which something was said."""
    return [i for i, each in enumerate(probabilities) if watch.add(heard(each, 10.0 * i)) is not None]


STRANGE, ACCENTED = STRANGE_PROBABILITY - 0.04, STRANGE_PROBABILITY + 0.02


@pytest.mark.parametrize(
    ("probabilities", "places"),
    [
        ([STRANGE] * 6, [STRETCHES - 1]),
        ([STRANGE] * (STRETCHES - 1), []),
        ([ACCENTED] * 9, []),
        ([STRANGE, 0.9, STRANGE, 0.9, STRANGE, 0.9], []),
        ([0.9] * 9 + [STRANGE] * 6, [9 + STRETCHES - 1]),
    ],
)
def test_case_words_that_are_unlikely_for_long_are_told_once(probabilities: list[float], places: list[int]) -> None:
    assert told(ForeignSpeech(("en",)), probabilities) == places


def test_case_a_model_of_several_languages_names_the_language_at_once() -> None:
    said = ForeignSpeech(("en",), lambda samples: "de").add(heard(STRANGE))
    assert said == Incident(
        "This sounds like German, but the model hears English only. "
        "A model on this computer knows it: choose it under Models or with --model."
    )


def test_case_a_model_of_several_languages_that_hears_english_prevents_a_false_alarm() -> None:
    asked: list[int] = []

    def identify(samples: Samples) -> str:
        asked.append(len(samples))
        return "en"

    assert told(ForeignSpeech(("en",), identify), [STRANGE] * STRETCHES) == []
    assert asked == [8 * SAMPLE_RATE_HZ] * MOST_QUESTIONS
    assert told(ForeignSpeech(("en",), identify), [DOUBTFUL_PROBABILITY] * 9) == []
    assert len(asked) == MOST_QUESTIONS, "there was no doubt"


def test_without_an_answer_the_probabilities_decide() -> None:
    assert told(ForeignSpeech(("en",), lambda samples: None), [STRANGE] * 6) == [STRETCHES - 1]


def test_a_model_of_several_languages_is_never_doubted() -> None:
    assert told(ForeignSpeech(("en", "de")), [0.1] * 9) == []


def test_words_are_counted_once_and_not_while_they_are_the_newest() -> None:
    watch = ForeignSpeech(("en",))
    assert not any(watch.add(heard(STRANGE, final=False)) for _ in range(20)), "it is the same audio each time"


@pytest.mark.skipif(not FLEURS.is_dir(), reason="needs recordings of people")
@pytest.mark.parametrize(("language", "expected"), [("de", True), ("en", False)])
def test_case_german_heard_by_the_starter_is_told_and_english_is_not(language: str, expected: bool) -> None:
    options = for_files(CaptionOptions(), own_search=True)
    recognizer = WhisperRecognizer(load_hearing_model("starter"), DecodeOptions())
    session = CaptionSession(recognizer, options, SimulatedClock())
    clips = [read_audio(path) for path in sorted(FLEURS.glob(f"fleurs-{language}-*.ogg"))[:4]]
    for _ in feed(iter(clips), session, pace="fast"):
        pass
    said = [each.message for each in session.incidents]
    assert [each.startswith("This does not sound like English") for each in said] == [True] * expected
