"""The bench of words said again: phrases are cut out where the words are, and lost is what has no word in its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.terminal.cli import main
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import NO_REFERENCE, Recognizer
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.captions.repeated import Splice, Unprompted, losses_of, splices

SAID = ["We", "saw", "the", "old", "cat", "sit", "down", "on", "the", "mat"]
WORDS = [Word(f" {text}", 0.5 * place, 0.5 * place + 0.4) for place, text in enumerate(SAID)]
SENTENCE = np.linspace(0, 5, 5 * SAMPLE_RATE_HZ, dtype=np.float32)  # each sample tells its time
OPTIONS = replace(CaptionOptions(), voice_gate=False, second_look=False, pipeline=False)


class Ear(Recognizer):
    """Hears the words of a part of the sentence, and writes down the prompts."""

    languages = ("en",)
    buffer_seconds = 30.0

    def __init__(self, *heard: str) -> None:
        self._heard = heard
        self.prompts: list[str] = []

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        self.prompts.append(prompt)
        if self._heard:
            spans = [(0.4 * place, 0.4 * place + 0.3) for place in range(len(self._heard))]
            return Hypothesis(
                tuple(Word(f" {text}", *span) for text, span in zip(self._heard, spans, strict=True)), "en"
            )
        begin, end = float(samples[0]) - 0.2, float(samples[-1]) + 0.2
        return Hypothesis(tuple(word for word in WORDS if word.start >= begin and word.end <= end), "en")


def test_phrases_are_said_again_behind_and_before_their_sentence() -> None:
    clips = [Clip(str(place), " ".join(SAID), samples=SENTENCE) for place in range(3)]
    again, on, breath = splices(Ear(), clips)
    said = tuple(text.lower() for text in SAID)
    assert (again.kind, again.said, again.repeated) == ("again", (*said, "mat", "mat"), 2)
    assert (on.kind, on.said, on.repeated) == ("on", ("we", "saw", *said), 2)
    assert (breath.kind, breath.said, breath.repeated) == ("breath", (*said, *2 * ("on", "the", "mat")), 6)
    assert len(again.samples) / SAMPLE_RATE_HZ == pytest.approx(5 + 2 * (again.pause_seconds + 0.5) + 1, abs=0.3)


def test_what_has_no_word_in_its_place_is_lost() -> None:
    said = ("thank", "you", "thank", "you")
    splice = Splice("thanks", "again", 1.4, np.zeros(2 * SAMPLE_RATE_HZ, np.float32), said, 2)
    assert losses_of(Ear("Thank", "you."), splice, OPTIONS, lambda: 0.0).lost == 2
    assert losses_of(Ear("Thank", "you.", "Think", "you."), splice, OPTIONS, lambda: 0.0).lost == 0


def test_an_unprompted_ear_is_told_nothing() -> None:
    told = Ear("Yes.")
    Unprompted(told).hear(SENTENCE, offset_seconds=0.0, prompt="No.", language="en")
    assert told.prompts == [""]


def test_the_number_of_utterances_must_be_above_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "lost-words", "--repeated", "0"]) != 0
    assert "--repeated must be at least 1" in capsys.readouterr().err
