"""Hours of audio through one session."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.clips import spoken_files
from engine.bench.captions.long_audio import (
    MEBIBYTE,
    LongAudio,
    Moment,
    figures,
    hear_long,
    loop,
    report,
    resident_bytes,
    tape_of,
)
from engine.events import Hypothesis
from engine.options import CaptionOptions
from tests.app.scripted_hearing import ScriptedRecognizer


class CostlyRecognizer(ScriptedRecognizer):
    """Says that every round took a tenth of a second, and the later ones twice as long."""

    def hear(self, samples: np.ndarray, *, offset_seconds: float, **context: object) -> Hypothesis:
        cost = 0.1 if offset_seconds + len(samples) / SAMPLE_RATE_HZ < 10.5 else 0.2
        return Hypothesis((), "en", encode_seconds=cost / 2, decode_seconds=cost / 4, align_seconds=cost / 4)


def moment(minute: float, mebibytes: float, seconds: float | None = 0.1, rounds: int = 10) -> Moment:
    return Moment(60 * minute, round(mebibytes * MEBIBYTE), rounds, seconds)


def test_a_loop_begins_again_and_ends_on_time() -> None:
    tape = np.arange(25, dtype=np.float32) * 160
    heard = np.concatenate(list(loop(tape, 60 / SAMPLE_RATE_HZ)))
    assert heard.tolist() == np.concatenate([tape, tape, tape[:10]]).tolist()


def test_a_tape_is_exactly_as_long_as_asked() -> None:
    tape = tape_of(spoken_files(0.2), 20)
    assert len(tape) == 20 * SAMPLE_RATE_HZ
    assert np.abs(tape[: 5 * SAMPLE_RATE_HZ]).max() > 0.05


def test_every_round_of_a_long_stream_is_counted_once() -> None:
    options = CaptionOptions(voice_gate=False, step_seconds=1)
    tape = np.ones(3 * SAMPLE_RATE_HZ, np.float32) / 10
    moments = list(hear_long(CostlyRecognizer(()), options, tape, 30, sample_seconds=5))
    assert [m.audio_seconds for m in moments] == pytest.approx([5, 10, 15, 20, 25, 30])
    assert sum(m.rounds for m in moments) in (29, 30)  # the last one may be due with the last sample
    assert all(m.memory_bytes > 10 * MEBIBYTE for m in moments)
    found = LongAudio(tuple(moments), slice_seconds=10)
    assert found.slices[0] == pytest.approx(0.1)
    assert found.slowest_over_first == pytest.approx(2.0)


def test_growth_is_the_most_memory_after_the_first_slice_over_that_at_its_end() -> None:
    found = LongAudio(tuple(moment(m, size) for m, size in ((1, 90), (5, 100), (6, 104), (10, 101))))
    assert found.memory_growth_mebibytes == pytest.approx(4.0)
    assert figures(found)["memory_growth_mebibytes"] == 4.0


def test_a_slice_is_weighed_by_its_rounds_and_only_whole_ones_count() -> None:
    moments = (moment(2, 1, 0.1, 30), moment(5, 1, 0.2, 10), moment(10, 1, 0.15), moment(12, 1, 9.0))
    found = LongAudio(moments)
    assert found.slices == pytest.approx([0.125, 0.15])
    assert found.slowest_over_first == pytest.approx(0.15 / 0.125)


def test_too_short_a_stream_claims_nothing() -> None:
    assert figures(LongAudio(())) == {
        "memory_growth_mebibytes": None,
        "slowest_over_first": None,
        "audio_seconds": 0.0,
    }
    found = LongAudio((moment(1, 100), moment(5, 100)))
    assert (found.memory_growth_mebibytes, found.slowest_over_first) == (None, None)
    assert "memory grew" not in report(found)


def test_the_report_has_memory_by_the_minute_and_rounds_by_the_slice() -> None:
    text = report(LongAudio(tuple(moment(m, 100 + m) for m in range(1, 11))))
    assert "minute  memory MiB" in text
    assert "5 to 10" in text
    assert "After minute 5 memory grew by 5.0 MiB" in text


def test_resident_memory_follows_what_is_held() -> None:
    before = resident_bytes()
    with mmap.mmap(-1, 64 * MEBIBYTE) as block:  # fresh pages: an array might get memory that another gave back
        block.write(b"\1" * (64 * MEBIBYTE))
        assert resident_bytes() >= before + 60 * MEBIBYTE
