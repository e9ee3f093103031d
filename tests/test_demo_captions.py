"""The demo with the models that ship and the settings that it is played with: all that is shown of it is right."""

from __future__ import annotations

import json
import math

import pytest

from app.sound.audio_sources import demo_clip
from app.sound.pace import CHUNK_SECONDS
from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.audio.source import read_audio
from engine.captions.session import CaptionSession
from engine.clock import Clock, SimulatedClock
from engine.events import Caption, Translation
from engine.loading.ready import make_ready
from engine.options import CaptionOptions, TranslationOptions
from engine.process.loading import load_translation
from engine.translate.live import LiveTranslation

CHUNK = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
ROUND_SECONDS = (0.1, 0.4)
"""What a round takes on a usual machine and on a slow one."""


class SteadyTimer:
    """A stopwatch of a machine on which every computation takes as long, however busy the real one is."""

    def __init__(self, round_seconds: float) -> None:
        self._seconds = 0.0
        self._round_seconds = round_seconds

    def __call__(self) -> float:
        self._seconds += self._round_seconds
        return self._seconds


class PlayedClock(SimulatedClock):
    """A clock beside a loudspeaker: audio is there by whole chunks, each when its last sample was played."""

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        almost = 1e-6  # of a chunk, for sums of tenths
        due = math.ceil(due_seconds / CHUNK_SECONDS - almost)
        arrived = math.floor(self.now() / CHUNK_SECONDS + almost)
        return max(due, arrived) * CHUNK_SECONDS


def without_commas(text: str) -> str:
    """Leave words, capitals and the ends of sentences: commas are a matter of taste."""
    return text.replace(",", "")


@pytest.fixture(scope="module")
def sentences() -> list[dict[str, object]]:
    told = json.loads(demo_clip().with_suffix(".json").read_text(encoding="utf-8"))
    return list(told["sentences"])


@pytest.fixture(scope="module", params=[(SimulatedClock, 0.1), *((PlayedClock, cost) for cost in ROUND_SECONDS)])
def captions(request: pytest.FixtureRequest) -> list[Caption]:
    make_clock, round_seconds = request.param
    return play(make_clock(SteadyTimer(round_seconds)))[0]


def play(clock: Clock, translation: LiveTranslation | None = None) -> tuple[list[Caption], list[Translation]]:
    """Give the final captions of the demo, and their final translations."""
    options = CaptionOptions()
    samples = read_audio(demo_clip())
    session = CaptionSession(make_ready("starter").recognizer(options), options, clock, translation=translation)
    chunks = [samples[at : at + CHUNK] for at in range(0, len(samples), CHUNK)]
    shown = [each for each in feed(chunks, session, pace="fast") if each.final]
    captions = [each for each in shown if isinstance(each, Caption)]
    return captions, [each for each in shown if isinstance(each, Translation)]


def test_every_caption_of_the_demo_is_what_was_said(
    captions: list[Caption], sentences: list[dict[str, object]]
) -> None:
    said = [without_commas(str(sentence["text"])) for sentence in sentences]
    assert [without_commas(caption.text.strip()) for caption in captions] == said


def test_every_caption_of_the_demo_stands_where_it_was_said(
    captions: list[Caption], sentences: list[dict[str, object]]
) -> None:
    for caption, sentence in zip(captions, sentences, strict=True):
        middle = (float(str(sentence["start"])) + float(str(sentence["end"]))) / 2
        assert caption.start < middle < caption.end


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_translation_of_the_demo_is_one_that_was_judged_right(
    language: str, sentences: list[dict[str, dict[str, str]]]
) -> None:
    _, make = load_translation("starter-language")
    _, translations = play(PlayedClock(SteadyTimer(0.1)), make(TranslationOptions(language)))
    for shown, sentence in zip(translations, sentences, strict=True):
        judged = (sentence["translations"], sentence.get("also_right", {}))
        assert shown.text in [right[language] for right in judged if language in right]
