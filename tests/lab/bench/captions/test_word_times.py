"""Times of the words of a recording, found by a model that is told the words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Word
from engine.hear.whisper.load import HearingModel
from lab.bench.captions.clips import Clip, Utterance
from lab.bench.captions.word_times import with_word_times

Made = Callable[..., HearingModel]
SAMPLES = np.random.default_rng(0).normal(0, 0.1, 4 * SAMPLE_RATE_HZ).astype(np.float32)
PARTS = (Utterance("ONE MORE RIVER", 0.0, 1.5), Utterance("to cross", 2.0, 4.0))


@pytest.fixture
def clip() -> Clip:
    return Clip("two", "ONE MORE RIVER to cross", samples=SAMPLES, utterances=PARTS)


def test_every_word_is_timed_within_its_utterance(tiny_model: Made, clip: Clip) -> None:
    hearing = tiny_model(n_audio_ctx=1500)
    words = with_word_times(clip, hearing).words
    assert "".join(word.text for word in words[:3]).split() == ["one", "more", "river"][: len(words[:3])]
    assert words
    for word in words:
        part = PARTS[word.start >= PARTS[1].start]
        assert part.start <= word.start <= word.end <= part.end


def test_the_times_are_the_same_whenever_they_are_asked_for(tiny_model: Made, clip: Clip) -> None:
    hearing = tiny_model(n_audio_ctx=1500)
    assert with_word_times(clip, hearing).words == with_word_times(clip, hearing).words


def test_known_times_are_kept_and_unknown_utterances_have_none(tiny_model: Made, clip: Clip) -> None:
    hearing = tiny_model(n_audio_ctx=1500)
    known = Clip("known", "one", samples=SAMPLES, words=(Word(" one", 0.1, 0.2),), utterances=PARTS)
    assert with_word_times(known, hearing) is known
    assert with_word_times(Clip("bare", "one", samples=SAMPLES), hearing).words == ()
    long = Clip("long", "one", samples=SAMPLES, utterances=(Utterance("one", 0.0, 31.0),))
    assert with_word_times(long, hearing).words == ()
