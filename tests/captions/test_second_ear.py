"""Finished captions are heard again by the live model, or by another one that follows its words."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from engine.captions.for_files import CANDIDATES
from engine.captions.opening import open_captions
from engine.captions.second_ear import AnotherModel, make_second_ear
from engine.clock import SimulatedClock
from engine.events import Reference, Word
from engine.hear.decode.tokenizer import load_tokenizer
from engine.hear.recognizer import NO_REFERENCE
from engine.options import CaptionOptions, DecodeOptions
from tests.hear.planted import PlantedRecognizer

SAID = (Word(" Shimerda", 0.5, 1.0, tokens=(1, 2, 3)), Word(" came.", 1.1, 1.4, tokens=()))


class Follower(PlantedRecognizer):
    """A recognizer that keeps the references that it was given."""

    def __init__(self) -> None:
        super().__init__([])
        self.followed: list[Reference] = []

    def hear(self, samples: np.ndarray, *, reference: Reference = NO_REFERENCE, **rest: object):  # type: ignore[no-untyped-def, override]
        self.followed.append(reference)
        return super().hear(samples, reference=reference, **rest)  # type: ignore[arg-type]


def test_another_model_gets_the_text_of_the_draft_in_its_own_tokens() -> None:
    tokenizer, follower = load_tokenizer(99, multilingual=True), Follower()
    ear = AnotherModel(follower, tokenizer)
    asked = {"offset_seconds": 0.0, "prompt": "", "language": "en"}
    stages = ear.stages(np.zeros(16_000, np.float32), final=False, reference=Reference((), SAID), **asked)
    with pytest.raises(StopIteration):
        while True:
            next(stages)
    ear.hear(np.zeros(16_000, np.float32), reference=Reference((), SAID), **asked)
    for heard in follower.followed:
        assert [tokenizer.decode(word.tokens) for word in heard.expected] == [" Shimerda", " came."]
        assert [(word.start, word.end) for word in heard.expected] == [(word.start, word.end) for word in SAID]
    assert len(follower.followed) == 2


def test_the_live_model_looks_again_unless_another_is_chosen() -> None:
    asked: list[CaptionOptions] = []
    ear = make_second_ear(lambda options: asked.append(options) or Follower(), CaptionOptions())  # type: ignore[func-returns-value]
    assert isinstance(ear[0], Follower) and ear[1] == ""
    assert [options.decode.beam_size for options in asked] == [CANDIDATES]
    assert make_second_ear(lambda _: Follower(), replace(CaptionOptions(), second_look=False)) == (None, "")


def test_another_model_hears_in_its_own_way_whatever_the_live_one_is_told() -> None:
    live = CaptionOptions(second_model="starter", padding="none", decode=DecodeOptions(decoder="multitoken"))
    ear, problem = make_second_ear(lambda _: Follower(), live)
    assert isinstance(ear, AnotherModel) and not problem
    assert ear._inner.padding.choice.strategy == "hush"  # type: ignore[attr-defined]


@pytest.mark.parametrize("off", [{"second_model": ""}, {"second_look": False}])
def test_the_memory_of_another_model_is_free_once_a_session_does_without_it(off: dict[str, object]) -> None:
    live = CaptionOptions(second_model="starter")
    ear, _ = make_second_ear(lambda _: Follower(), live)
    network = weakref.ref(ear._inner._hearing.model)  # type: ignore[union-attr]
    again, _ = make_second_ear(lambda _: Follower(), live)
    assert again._inner._hearing.model is network()  # type: ignore[union-attr]
    del ear, again
    make_second_ear(lambda _: Follower(), replace(live, **off))  # type: ignore[arg-type]
    gc.collect()
    assert network() is None


@pytest.mark.parametrize(
    ("model", "language", "why"), [("no-such-model", None, "no model called"), ("starter", "de", "English only")]
)
def test_where_another_model_cannot_the_live_one_looks_again_and_the_session_says_so(
    model: str, language: str | None, why: str
) -> None:
    options = CaptionOptions(second_model=model, language=language, voice_gate=False)
    session = open_captions(lambda _: Follower(), options, clock=SimulatedClock())
    (incident,) = session.incidents
    assert "the model that hears live" in incident.message and why in incident.message
    session.close()
