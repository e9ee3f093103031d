"""Recordings are transcribed in few long rounds, with fewer errors than live captions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.source import read_audio
from engine.captions.for_files import CANDIDATES, CERTAIN_PROBABILITY, MARGIN_SECONDS, STEP_SECONDS, for_files
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.metrics import WordErrors, normalized_words, word_errors
from engine.options import CaptionOptions, DecodeOptions
from tests.people_clips import PEOPLE, people_clips


@pytest.fixture(scope="module")
def starter() -> HearingModel:
    return load_hearing_model("starter")


def test_what_was_chosen_to_be_slower_stays() -> None:
    made = for_files(CaptionOptions())
    assert (made.step_seconds, made.attention_margin_seconds) == (STEP_SECONDS, MARGIN_SECONDS)
    assert (made.certain_probability, made.decode.beam_size) == (CERTAIN_PROBABILITY, CANDIDATES)
    slower = CaptionOptions(
        step_seconds=20, attention_margin_seconds=2, decode=DecodeOptions(beam_size=8), language="en"
    )
    assert for_files(slower) == replace(slower, certain_probability=CERTAIN_PROBABILITY, second_look=False)


def test_case_a_number_of_candidates_that_was_chosen_stays() -> None:
    assert for_files(CaptionOptions(), own_search=True).decode.beam_size == 1


def test_several_tokens_at_once_stay_what_was_chosen() -> None:
    chosen = DecodeOptions("multitoken", tokens_ahead=3)
    assert for_files(CaptionOptions(decode=chosen)).decode == chosen


def heard(starter: HearingModel, options: CaptionOptions, samples: Samples) -> tuple[str, int]:
    """Hear samples: the text, and in how many rounds, each taken to cost nothing."""
    session = CaptionSession(WhisperRecognizer(starter, options.decode), options, SimulatedClock(lambda: 0.0))
    chunks = (samples[at : at + 1600] for at in range(0, len(samples), 1600))
    captions = [event for event in feed(chunks, session, pace="fast") if isinstance(event, Caption) and event.final]
    return " ".join(caption.text for caption in captions), session.summary.rounds


def test_people_are_heard_with_fewer_mistakes_in_fewer_rounds(starter: HearingModel) -> None:
    # Noise makes mistakes enough to be counted in so few sentences.
    generator = np.random.default_rng(1)
    ways = {"live": CaptionOptions(), "for_files": for_files(CaptionOptions())}
    errors, rounds = dict.fromkeys(ways, WordErrors()), dict.fromkeys(ways, 0)
    for clip in people_clips():
        loudness = float(np.sqrt(np.mean(clip.samples**2)))
        noise = generator.normal(0, loudness * 10 ** (-15 / 20), len(clip.samples))
        for way, options in ways.items():
            text, count = heard(starter, options, (clip.samples + noise).astype(np.float32))
            errors[way] += word_errors(clip.text, text, "en")
            rounds[way] += count
    assert errors["for_files"].rate < errors["live"].rate
    assert rounds["for_files"] < rounds["live"] / 4


def test_case_what_a_person_repeats_after_a_pause_is_written_again(starter: HearingModel) -> None:
    said = read_audio(PEOPLE / "librispeech" / "652-129742-0002.ogg")[: 4 * SAMPLE_RATE_HZ]
    serve, pause = said[: round(0.78 * SAMPLE_RATE_HZ)], np.zeros(round(1.5 * SAMPLE_RATE_HZ), np.float32)
    samples = np.concatenate([serve, serve, pause, serve, said, pause[: SAMPLE_RATE_HZ // 2]])
    noise = np.random.default_rng(0).standard_normal(len(samples)) * 3e-4
    text, _ = heard(starter, for_files(CaptionOptions()), (samples + noise).astype(np.float32))
    assert normalized_words(text)[:6] == ["serve", "serve", "serve", "serve", "with", "french"]
