"""The demo with the models that ship and the settings that it is played with."""

from __future__ import annotations

import math

import pytest

from app.sound.audio_sources import demo_clip, demo_script
from app.sound.pace import CHUNK_SECONDS
from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.audio.source import read_audio
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, Translation
from engine.loading.ready import make_ready
from engine.metrics import word_errors
from engine.options import CaptionOptions, TranslationOptions
from engine.process.loading import load_translation
from engine.translate.targets import model_for
from lab.bench.captions.clips import read_manifest

CHUNK = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
ROUND_SECONDS = 0.1
"""Time that a round takes on a usual machine, in seconds."""

MOST_WRONG = 0.06
"""Share of words that may be wrong: more than twice of what is."""


class SteadyTimer:
    """A stopwatch of a machine on which every computation takes as long, however busy the real one is."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def __call__(self) -> float:
        self._seconds += ROUND_SECONDS
        return self._seconds


class PlayedClock(SimulatedClock):
    """A clock beside a loudspeaker: audio is there by whole chunks, each when its last sample was played."""

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        almost = 1e-6  # of a chunk, for sums of tenths
        due = math.ceil(due_seconds / CHUNK_SECONDS - almost)
        arrived = math.floor(self.now() / CHUNK_SECONDS + almost)
        return max(due, arrived) * CHUNK_SECONDS


@pytest.fixture(scope="module")
def shown() -> list[Caption | Translation]:
    """Final captions of the demo, and their translations into Portuguese."""
    options = CaptionOptions()
    samples = read_audio(demo_clip())
    _, make_translation = load_translation(str(model_for("starter-language", "pt")))
    translation = make_translation(TranslationOptions("pt"))
    recognizer = make_ready("starter").recognizer(options)
    session = CaptionSession(recognizer, options, PlayedClock(SteadyTimer()), translation=translation)
    chunks = [samples[at : at + CHUNK] for at in range(0, len(samples), CHUNK)]
    events = feed(chunks, session, pace="fast")
    return [each for each in events if isinstance(each, Caption | Translation) and each.final]


def test_nearly_every_word_of_the_demo_is_heard(shown: list[Caption | Translation]) -> None:
    heard = " ".join(each.text.strip() for each in shown if isinstance(each, Caption))
    assert word_errors(demo_script()["text"], heard).rate < MOST_WRONG


def test_the_manifest_holds_what_is_said_in_the_demo() -> None:
    (clip,) = read_manifest(demo_clip().with_name("manifest.jsonl"), ["en"])
    assert (clip.file, clip.text) == (demo_clip(), demo_script()["text"])


def test_every_part_of_the_demo_is_captioned_where_it_was_said(shown: list[Caption | Translation]) -> None:
    captions = [each for each in shown if isinstance(each, Caption)]
    for part in demo_script()["parts"]:
        middle = (part["start"] + part["end"]) / 2
        assert any(caption.start < middle < caption.end for caption in captions), part["text"]


def test_every_caption_of_the_demo_is_translated(shown: list[Caption | Translation]) -> None:
    captions = {each.id: each.text for each in shown if isinstance(each, Caption)}
    translations = {each.id: each.text for each in shown if isinstance(each, Translation)}
    assert translations.keys() == captions.keys()
    assert all(text.strip() and text != captions[number] for number, text in translations.items())
