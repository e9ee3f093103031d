"""The whole way of a chunk with a trained model: speech in, captions out."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.audio.source import read_audio
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, Word
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.rounds.policy import key_of
from engine.hear.whisper.load import load_hearing_model
from engine.metrics import committed_words, word_errors
from engine.options import CaptionOptions
from tests.hear.planted import FakeTimer
from tests.toy_models import TOY, TOY_MEETING

SECONDS = 7.5  # four sentences by two voices


@pytest.fixture(scope="module")
def meeting() -> np.ndarray:
    return read_audio(TOY_MEETING)[: round(SECONDS * SAMPLE_RATE_HZ)]


@pytest.fixture(scope="module")
def sentences() -> list[dict[str, object]]:
    told = json.loads(TOY_MEETING.with_suffix(".json").read_text(encoding="utf-8"))
    return [sentence for sentence in told["sentences"] if sentence["end"] < SECONDS]


@pytest.fixture(scope="module")
def recognizer() -> WhisperRecognizer:
    return WhisperRecognizer(load_hearing_model(TOY), CaptionOptions().decode)


def captions_of(recognizer: WhisperRecognizer, meeting: np.ndarray, chunk: int) -> list[Caption]:
    session = CaptionSession(recognizer, CaptionOptions(language="en"), SimulatedClock(FakeTimer()))
    chunks = [meeting[first : first + chunk] for first in range(0, len(meeting), chunk)]
    return list(feed(chunks, session, pace="fast"))


@pytest.fixture(scope="module")
def captions(recognizer: WhisperRecognizer, meeting: np.ndarray) -> list[Caption]:
    return captions_of(recognizer, meeting, 1600)


def test_a_meeting_is_understood(captions: list[Caption], sentences: list[dict[str, object]]) -> None:
    heard = " ".join(caption.text for caption in captions if caption.final)
    assert word_errors(" ".join(str(sentence["text"]) for sentence in sentences), heard).rate <= 0.25


def test_words_are_dated_within_the_sentences_they_are_from(
    captions: list[Caption], sentences: list[dict[str, object]]
) -> None:
    spans = [(float(str(sentence["start"])) - 0.2, float(str(sentence["end"])) + 0.2) for sentence in sentences]
    words = [word for word, _ in committed_words(captions)]
    inside = [word for word in words if any(start <= word.start and word.end <= end for start, end in spans)]
    assert len(inside) >= 0.9 * len(words)


def test_words_are_shown_soon_computation_aside(captions: list[Caption]) -> None:
    delays = [shown - word.end for word, shown in committed_words(captions)]
    assert max(delays) < 2.0
    assert sum(delays) / len(delays) < 1.5


def test_the_size_of_chunks_makes_no_difference_to_a_real_model(
    recognizer: WhisperRecognizer, meeting: np.ndarray, captions: list[Caption]
) -> None:
    again = captions_of(recognizer, meeting, len(meeting))
    assert [(c.id, c.revision, c.text, c.pending_text) for c in again] == [
        (c.id, c.revision, c.text, c.pending_text) for c in captions
    ]


def shown(recognizer: WhisperRecognizer, meeting: np.ndarray, **changes: object) -> list[tuple[Word, float]]:
    """Return the words of the meeting, with the moments they are shown at, computation aside."""
    options = replace(CaptionOptions(language="en", step_seconds=0.3), **changes)  # type: ignore[arg-type]
    session = CaptionSession(recognizer, options, SimulatedClock(FakeTimer()))
    chunks = [meeting[first : first + 1600] for first in range(0, len(meeting), 1600)]
    return committed_words(feed(chunks, session, pace="fast"))


def test_alignatt_as_published_hears_the_same_and_sooner_than_agreement(
    recognizer: WhisperRecognizer, meeting: np.ndarray
) -> None:
    at_once = shown(recognizer, meeting, policy="alignatt", certain_probability=0.0)
    agreed = shown(recognizer, meeting, policy="local-agreement")
    assert len(at_once) > 15
    assert [key_of(word) for word, _ in at_once] == [key_of(word) for word, _ in agreed]
    sooner = [late - early for (_, early), (_, late) in zip(at_once, agreed, strict=True)]
    assert sum(sooner) / len(sooner) > 0.03
    assert all(word.tokens and word.attended is not None for word, _ in at_once)
