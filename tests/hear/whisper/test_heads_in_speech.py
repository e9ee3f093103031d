"""Trained heads on speech: the same text, with half of the decoder's forwards."""

from __future__ import annotations

import numpy as np
import pytest

from engine.bench.captions.clips import PAUSE_SECONDS, VOICES, bench_sentences
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.heads import needed_heads
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.options import DecodeOptions
from engine.recipes.speech.espeak import espeak
from tests.toy_models import TOY

GREEDY = DecodeOptions()
MULTITOKEN = DecodeOptions(decoder="multitoken")
SENTENCES = 16


@pytest.fixture(scope="module")
def hearing() -> HearingModel:
    return load_hearing_model(TOY)


@pytest.fixture(scope="module")
def speech() -> list[np.ndarray]:
    """Sentences that neither the model nor its heads were trained on, two in each recording."""
    pytest.importorskip("espeakng_loader", reason="the sentences are spoken by espeak-ng")
    pause = np.zeros(round(PAUSE_SECONDS * 16_000), np.float32)
    sentences = bench_sentences()[:SENTENCES]
    spoken = [espeak().speak(text, VOICES[index % len(VOICES)]).samples for index, text in enumerate(sentences)]
    return [
        np.concatenate([pause, one, pause, other, pause]) for one, other in zip(spoken[::2], spoken[1::2], strict=True)
    ]


def test_heads_halve_the_forwards_and_change_no_text(hearing: HearingModel, speech: list[np.ndarray]) -> None:
    heads = needed_heads(hearing)
    assert (heads.kind, heads.ahead) == ("block", 4)
    plain = WhisperRecognizer(hearing, GREEDY)
    ahead = WhisperRecognizer(hearing, MULTITOKEN, heads=heads)
    alone = together = 0
    for samples in speech:
        one, several = plain.hear(samples), ahead.hear(samples)
        assert [word.text for word in several.words] == [word.text for word in one.words]
        assert several.tokens == one.tokens
        alone += one.forwards
        together += several.forwards
    assert alone >= 2 * together, f"{alone} forwards became {together}"
