"""The whole way of a chunk with the model that ships: real speech in, captions out."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.source import read_audio
from engine.captions import CaptionSession, SimulatedClock, caption_stream
from engine.events import Caption
from engine.hear.recognizer import WhisperRecognizer
from engine.metrics import committed_words, word_error_rate
from engine.models.load import load_hearing_model
from engine.options import CaptionOptions
from tests.hear.planted import FakeTimer

ASSETS = Path(__file__).resolve().parents[1] / "assets"
SECONDS = 7.5  # four sentences of the demo, by two voices


@pytest.fixture(scope="module")
def meeting() -> np.ndarray:
    return read_audio(ASSETS / "demo" / "meeting.flac")[: round(SECONDS * SAMPLE_RATE_HZ)]


@pytest.fixture(scope="module")
def sentences() -> list[dict[str, object]]:
    told = json.loads((ASSETS / "demo" / "meeting.json").read_text(encoding="utf-8"))
    return [sentence for sentence in told["sentences"] if sentence["end"] < SECONDS]


@pytest.fixture(scope="module")
def recognizer() -> WhisperRecognizer:
    return WhisperRecognizer(load_hearing_model("starter"), CaptionOptions().decode)


def captions_of(recognizer: WhisperRecognizer, meeting: np.ndarray, chunk: int) -> list[Caption]:
    session = CaptionSession(recognizer, CaptionOptions(language="en"), SimulatedClock(FakeTimer()))
    chunks = [meeting[first : first + chunk] for first in range(0, len(meeting), chunk)]
    return list(caption_stream(chunks, session, pace="fast"))


@pytest.fixture(scope="module")
def captions(recognizer: WhisperRecognizer, meeting: np.ndarray) -> list[Caption]:
    return captions_of(recognizer, meeting, 1600)


def test_the_demo_is_understood(captions: list[Caption], sentences: list[dict[str, object]]) -> None:
    heard = " ".join(caption.text for caption in captions if caption.final)
    assert word_error_rate(" ".join(str(sentence["text"]) for sentence in sentences), heard) <= 0.25


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
