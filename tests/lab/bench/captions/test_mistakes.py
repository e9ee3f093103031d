"""The bench of mistakes: planted mistakes are found, each with the cause it was planted for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from app.terminal.cli import main
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import NO_REFERENCE, Recognizer
from engine.options import CaptionOptions
from lab.bench.captions import mistakes
from lab.bench.captions.clips import Clip, Utterance
from lab.bench.captions.mistakes import (
    CANDIDATES,
    CAUSES,
    CONTEXT,
    FIGURES,
    FIRST,
    FLOATS,
    HALF,
    MORE_AUDIO,
    TOGETHER,
    WHOLE_UTTERANCE,
    WINDOW,
    Ears,
    count,
    mistakes_of,
)

SAID = "we saw the old big cat sit down on a mat there"
WORD_SECONDS = 0.5
OPTIONS = replace(CaptionOptions(), voice_gate=False, second_look=False, pipeline=False)

Mishear = Callable[[str, float], str]
"""Function from a word and the audio heard after it, in seconds, to what is written."""


class Ear(Recognizer):
    """A recognizer that knows what is said, and mishears as planted."""

    languages = ("en",)
    buffer_seconds = 20.0

    def __init__(self, mishear: Mishear = lambda word, beyond: word) -> None:
        self._mishear = mishear

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
        end = offset_seconds + len(samples) / SAMPLE_RATE_HZ
        said = [word for word in CLIP.words if word.start >= offset_seconds and word.end <= end]
        heard = (replace(word, text=self._mishear(word.text, end - word.end)) for word in said)
        return Hypothesis(tuple(word for word in heard if word.text.strip()), "en")


def _clip() -> Clip:
    starts = [1.0 + WORD_SECONDS * index for index in range(len(SAID.split()))]
    words = tuple(
        Word(f" {text}", start, start + WORD_SECONDS, attended=start + WORD_SECONDS / 2)
        for text, start in zip(SAID.split(), starts, strict=True)
    )
    seconds = words[-1].end + 1.0
    noise = np.random.default_rng(0).normal(0, 0.05, round(seconds * SAMPLE_RATE_HZ)).astype(np.float32)
    return Clip("planted", SAID, samples=noise, words=words, utterances=(Utterance(SAID, 0.0, seconds),))


CLIP = _clip()


def found(live: Mishear, **changed: Mishear) -> mistakes.ClipMistakes:
    """Return the mistakes of live ears; those that differ in one thing hear as they do unless named."""
    names = {"candidates": CANDIDATES, "window": WINDOW, "floats": FLOATS}
    ears = {name: Ear(changed.get(key, live)) for key, name in names.items()}
    return mistakes_of(Ears(Ear(live), ears, Ear()), CLIP, OPTIONS, lambda: 0.0)


def swap(before: str, after: str, *, until: float = 99.0) -> Mishear:
    """Mishear one word until so much audio has been heard after it."""
    return lambda word, beyond: f" {after}" if word.strip() == before and beyond < until else word


def test_what_is_right_with_more_audio_was_committed_too_early() -> None:
    (mistake,) = found(swap("cat", "cut", until=1.1)).mistakes
    assert (mistake.said, mistake.heard, mistake.words) == ("big cat sit", "big cut sit", 1)
    assert mistake.cause in (CONTEXT, HALF)
    assert {MORE_AUDIO, WHOLE_UTTERANCE} <= set(mistake.mended_by) and CANDIDATES not in mistake.mended_by


def test_the_first_word_has_a_cause_of_its_own() -> None:
    (mistake,) = found(swap("we", "he", until=1.1)).mistakes
    assert mistake.cause == FIRST


@pytest.mark.parametrize(("changed", "cause"), [("candidates", CANDIDATES), ("window", WINDOW), ("floats", FLOATS)])
def test_what_one_change_mends_is_its_cause(changed: str, cause: str) -> None:
    mended: dict[str, Mishear] = {changed: lambda word, beyond: word}
    (mistake,) = found(swap("cat", "cut"), **mended).mistakes
    assert mistake.cause == cause and mistake.mended_by == (cause,)


def test_what_no_change_mends_alone_needs_several() -> None:
    (mistake,) = found(swap("cat", "cut")).mistakes
    assert mistake.cause == TOGETHER and mistake.mended_by == ()


def test_a_figure_is_a_cause_of_its_own() -> None:
    (mistake,) = found(swap("old", "6th", until=1.1)).mistakes
    assert mistake.cause == FIGURES


def test_words_in_a_row_are_one_mistake_and_count_each() -> None:
    swapped = {"big": "bad", "cat": "cut"}
    result = found(lambda word, beyond: f" {swapped.get(word.strip(), word.strip())}")
    (mistake,) = result.mistakes
    assert mistake.words == 2
    assert count([result], lambda each: (each.cause,), CAUSES)[TOGETHER] == 2
    assert result.live.edits == 2 and result.offline.edits == 0


def test_a_missing_word_is_found_where_it_should_stand() -> None:
    (mistake,) = found(lambda word, beyond: "" if word.strip() == "cat" else word).mistakes
    assert (mistake.said, mistake.heard, mistake.words) == ("big cat sit", "big sit", 1)
    assert mistake.probability is None


def test_what_is_wrong_offline_too_is_no_mistake_of_live_captions() -> None:
    wrong = swap("cat", "cut")
    same = {name: Ear(wrong) for name in (CANDIDATES, WINDOW, FLOATS)}
    assert mistakes_of(Ears(Ear(wrong), same, Ear(wrong)), CLIP, OPTIONS, lambda: 0.0).mistakes == ()


def test_minutes_must_be_above_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "mistakes", "--minutes", "0"]) == 2
    assert "--minutes must be above 0 and at most 1440, not 0." in capsys.readouterr().err
