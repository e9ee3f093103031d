"""The starter hears people: what they say, when, and in captions that keep what they have committed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, Hypothesis
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.metrics import WordErrors, committed_words, word_errors
from engine.options import CaptionOptions, DecodeOptions
from tests.hear.planted import FakeTimer
from tests.people_clips import PersonClip, people_clips

MOST_ERRORS = 0.10  # four of the 107 words are misheard by Whisper tiny.en in float16
PAUSE = np.zeros(round(0.6 * SAMPLE_RATE_HZ), np.float32)


@pytest.fixture(scope="module")
def clips() -> tuple[PersonClip, ...]:
    return people_clips()


@pytest.fixture(scope="module")
def starter() -> HearingModel:
    return load_hearing_model("starter")


@pytest.fixture(scope="module")
def whole_window(starter: HearingModel) -> WhisperRecognizer:
    return WhisperRecognizer(starter, DecodeOptions(), padding="full")


@pytest.fixture(scope="module")
def heard(whole_window: WhisperRecognizer, clips: tuple[PersonClip, ...]) -> list[Hypothesis]:
    return [whole_window.hear(clip.samples, language="en") for clip in clips]


@pytest.fixture(scope="module")
def captions(starter: HearingModel, clips: tuple[PersonClip, ...]) -> list[Caption]:
    """Two of the sentences as they are captioned live, a round a second."""
    speech = np.concatenate([PAUSE, clips[1].samples, PAUSE, clips[2].samples, PAUSE])
    options = CaptionOptions(language="en", step_seconds=1.0)
    recognizer = WhisperRecognizer(starter, options.decode, padding=options.padding)
    session = CaptionSession(recognizer, options, SimulatedClock(FakeTimer()))
    chunks = [speech[first : first + 1600] for first in range(0, len(speech), 1600)]
    return list(feed(chunks, session, pace="fast"))


def test_people_are_heard(heard: list[Hypothesis], clips: tuple[PersonClip, ...]) -> None:
    errors = [word_errors(clip.text, found.text) for clip, found in zip(clips, heard, strict=True)]
    assert sum(errors, WordErrors()).rate <= MOST_ERRORS


def test_a_draft_that_the_decoder_corrects_changes_no_text_and_saves_most_forwards(
    starter: HearingModel, clips: tuple[PersonClip, ...]
) -> None:
    plain, drafting = (WhisperRecognizer(starter, DecodeOptions(draft=draft)) for draft in (False, True))
    forwards = [0, 0]
    for clip in clips:
        said, found = (each.hear(clip.samples, language="en") for each in (plain, drafting))
        assert [word.tokens for word in found.words] == [word.tokens for word in said.words]
        forwards = [forwards[0] + said.forwards, forwards[1] + found.forwards]
    assert forwards[0] > 2.5 * forwards[1]


def test_words_come_one_after_another_from_the_beginning_of_what_is_said_to_its_end(
    heard: list[Hypothesis], clips: tuple[PersonClip, ...]
) -> None:
    for clip, found in zip(clips, heard, strict=True):
        times = [moment for word in found.words for moment in (word.start, word.end)]
        assert times == sorted(times)
        assert 0 <= times[0] < 0.8
        assert clip.seconds - 0.8 < times[-1] <= clip.seconds


def test_words_are_said_later_by_the_silence_before_them(
    whole_window: WhisperRecognizer, heard: list[Hypothesis], clips: tuple[PersonClip, ...]
) -> None:
    late = whole_window.hear(np.concatenate([np.zeros(SAMPLE_RATE_HZ, np.float32), clips[1].samples]), language="en")
    at_once = heard[1]
    assert [word.text for word in late.words] == [word.text for word in at_once.words]
    shifts = [after.end - before.end for after, before in zip(late.words, at_once.words, strict=True)]
    assert np.median(shifts) == pytest.approx(1.0, abs=0.1)
    assert max(abs(shift - 1.0) for shift in shifts) < 0.4


def test_live_captions_say_what_was_said(captions: list[Caption], clips: tuple[PersonClip, ...]) -> None:
    text = " ".join(caption.text for caption in captions if caption.final)
    assert word_errors(f"{clips[1].text} {clips[2].text}", text).rate <= 2 * MOST_ERRORS


def test_a_committed_word_never_changes_and_all_come_in_order(captions: list[Caption]) -> None:
    latest: dict[int, Caption] = {}
    for shown in captions:
        before = latest.get(shown.id)
        assert before is None or shown.committed[: len(before.committed)] == before.committed
        latest[shown.id] = shown
    assert all(shown.final for shown in latest.values())
    words = [word for word, _ in committed_words(captions)]
    assert all(one.start <= other.start for one, other in pairwise(words))


def test_no_word_is_committed_before_it_was_said_or_much_later(captions: list[Caption]) -> None:
    delays = [shown - word.end for word, shown in committed_words(captions)]
    assert min(delays) > -0.1  # a time is right to a tenth of a second
    assert max(delays) < 4.0  # computation aside: two steps, and what waits for the end of a sentence
