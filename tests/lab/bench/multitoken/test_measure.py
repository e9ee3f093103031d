"""Results of hearing in several ways, and the tables and records of them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import Stage
from engine.metrics import WordErrors, decoder_calls_per_word, word_errors
from lab.bench.captions.clips import Clip
from lab.bench.errors import BenchError
from lab.bench.multitoken.measure import COLUMNS, DecodingRow, HeardClip, figures, fitting, hear_clip, rows
from lab.bench.multitoken.methods import METHODS
from lab.bench.tables import records_of, table_of
from tests.hear.planted import FakeTimer

BY_NAME = {way.name: way for way in METHODS}


def heard(clip: str = "a", forwards: int = 10, seconds: float = 1.0, text: str = "red blue") -> HeardClip:
    """Return a clip of ten seconds in which two words were said."""
    tokens = tuple(range(len(text.split())))
    return HeardClip(clip, text, tokens, word_errors("red blue", text), forwards, len(tokens) * 2, seconds, 10.0)


FOUND = {
    "single": [heard(), heard("b")],
    "draft": [heard(forwards=4, seconds=0.6), heard("b", forwards=4, seconds=0.6)],
    "draft-heads": [heard(forwards=2, seconds=0.4), heard("b", forwards=2, seconds=0.4)],
    "latent-4-top-1": [heard(forwards=5, seconds=0.8), heard("b", forwards=5, seconds=0.8)],
    "latent-4-0.8": [heard(forwards=3, seconds=0.5), heard("b", forwards=2, seconds=0.5, text="red glue")],
    "single-beam": [heard(forwards=8)],
    "latent-4-top-1-beam": [heard(forwards=4)],
    "latent-4-0.8-beam": [heard(forwards=2)],
    "draft-beam": [heard(forwards=2)],
    "whisper-greedy": [heard(forwards=12, seconds=2.0)],
    "whisper-draft": [heard(forwards=6, seconds=1.5)],
}


class ScriptedStages:
    """A recognizer whose stages take seconds that are known: encoding 100, each forward 1, the words' times 1000."""

    def __init__(self, timer: FakeTimer) -> None:
        self.asked: list[dict[str, Any]] = []
        self._timer = timer

    def stages(self, samples: np.ndarray, **how: Any) -> Generator[Stage, None, Hypothesis]:
        self.asked.append(how)
        self._timer.seconds += 100
        yield "encoded"
        for _ in range(2):
            self._timer.seconds += 1
            yield "decoding"
        self._timer.seconds += 1
        yield "decoded"
        self._timer.seconds += 1000
        words = (Word(" red", 0, 1, tokens=(7, 8)), Word(" glue", 1, 2, tokens=(9,)))
        return Hypothesis(words, "en", forwards=3, tokens=3)


def test_decoder_calls_per_word_are_the_harmonic_mean_over_words_said_and_heard() -> None:
    errors = word_errors("red blue green white", "red blue green")  # 4 said, 3 heard
    assert decoder_calls_per_word(7, errors) == pytest.approx(2.0)
    per_said, per_heard = 7 / 4, 7 / 3
    assert decoder_calls_per_word(7, errors) == pytest.approx(2 / (1 / per_said + 1 / per_heard))
    assert word_errors("red", "red blue green").heard_words == 3
    assert decoder_calls_per_word(1, WordErrors()) is None


def test_only_decoding_counts_as_decoding() -> None:
    timer = FakeTimer()
    recognizer = ScriptedStages(timer)
    clip = Clip("a", "red blue", samples=np.zeros(2 * SAMPLE_RATE_HZ, np.float32))
    found = hear_clip(recognizer, clip, lambda: timer.seconds)
    assert found.decode_seconds == 3.0
    assert (found.forwards, found.written, found.tokens, found.text) == (3, 3, (7, 8, 9), "red glue")
    assert (found.audio_seconds, found.errors.substitutions) == (2.0, 1)
    (asked,) = recognizer.asked
    assert asked == {"offset_seconds": 0.0, "prompt": "", "language": "en", "final": False, "reference": Reference()}


def test_clips_are_summed_before_anything_is_divided() -> None:
    found = DecodingRow(BY_NAME["latent-4-0.8"], FOUND["latent-4-0.8"], FOUND["single"])
    assert (found.forwards, found.written, found.errors.rate) == (5, 8, 0.25)
    assert found.eta == pytest.approx(2 * 5 / 8)
    assert found.decoder_rtf == pytest.approx(1.0 / 20)
    assert found.identical_share == 0.5
    other = [replace(each, tokens=(5, 6)) for each in FOUND["single"]]
    assert DecodingRow(BY_NAME["draft"], other, FOUND["single"]).identical_share == 0.0


def test_every_way_is_held_against_one_of_its_own_model_and_beam() -> None:
    assert len(BY_NAME) == len(METHODS)
    for way in METHODS:
        single = BY_NAME[way.single]
        assert (single.model, single.decode.beam_size) == (way.model, way.decode.beam_size)
        assert single.decode.decoder != "multitoken" and not single.drafts


def test_the_headline_figures_are_ratios_to_the_single_head_of_the_same_model() -> None:
    found = figures(rows(METHODS, FOUND))
    assert (found["eta_ratio"], found["draft_eta_ratio"], found["heads_eta_ratio"]) == (5.0, 2.5, 2.0)
    assert (found["decoder_rtf_ratio"], found["identical_share"], found["wer_delta_points"]) == (0.4, 1.0, 0.0)
    assert (found["published_wer_delta_points"], found["published_identical_share"]) == (25.0, 0.5)
    assert (found["whisper_eta_ratio"], found["whisper_rtf_ratio"]) == (2.0, 0.75)
    assert (found["eta_ratio_beam"], found["published_eta_ratio_beam"]) == (2.0, 4.0)
    assert (found["draft_eta_ratio_beam"], found["draft_beam_identical_share"]) == (4.0, 1.0)
    missing = figures(rows(METHODS, {"draft-heads": FOUND["draft-heads"]}))
    assert set(missing) == set(found) and set(missing.values()) == {None}


def test_tables_and_records_have_a_line_for_every_way_that_was_run() -> None:
    found = rows(METHODS, FOUND)
    assert [record["method"] for record in records_of(COLUMNS, found)] == list(FOUND)
    shown = table_of(COLUMNS, found).splitlines()
    assert len(shown) == 2 + len(FOUND)


def test_recordings_that_are_too_long_are_left_out() -> None:
    short, long = (Clip("a", "red", samples=np.zeros(count * SAMPLE_RATE_HZ, np.float32)) for count in (1, 29))
    assert [clip.text for clip in fitting([short, long])] == ["red"]
    with pytest.raises(BenchError, match="longer than 28 s"):
        fitting([long])
