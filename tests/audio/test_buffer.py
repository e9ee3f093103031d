import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.buffer import AudioBuffer


def ramp(count: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + count, dtype=np.float32)


def test_times_are_absolute_and_survive_cuts() -> None:
    buffer = AudioBuffer(10)
    buffer.append(ramp(3 * SAMPLE_RATE_HZ))
    buffer.cut_before(1.25)
    assert (buffer.start_seconds, buffer.end_seconds, buffer.seconds) == (1.25, 3.0, 1.75)
    assert buffer.samples[0] == 1.25 * SAMPLE_RATE_HZ


@pytest.mark.parametrize(("cut", "start"), [(-1.0, 0.0), (0.5, 0.5), (99.0, 2.0)])
def test_a_cut_outside_the_buffer_means_its_nearest_end(cut: float, start: float) -> None:
    buffer = AudioBuffer(10)
    buffer.append(ramp(2 * SAMPLE_RATE_HZ))
    buffer.cut_before(cut)
    assert buffer.start_seconds == start
    assert buffer.end_seconds == 2.0


def test_a_chunk_longer_than_the_limit_leaves_its_own_end() -> None:
    buffer = AudioBuffer(1)
    buffer.append(ramp(10))
    buffer.append(ramp(3 * SAMPLE_RATE_HZ, first=10))
    assert buffer.seconds == 1
    assert buffer.start_sample == 2 * SAMPLE_RATE_HZ + 10
    assert buffer.samples[0] == buffer.start_sample


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 400)), max_size=60))
def test_what_is_kept_is_always_the_newest_audio_at_its_own_place(steps: list[tuple[int, int]]) -> None:
    buffer = AudioBuffer(200 / SAMPLE_RATE_HZ)
    total = 0
    for count, cut in steps:
        buffer.append(ramp(count, first=total))
        total += count
        buffer.cut_before((buffer.start_sample + cut) / SAMPLE_RATE_HZ)
        assert len(buffer) <= 200
        assert buffer.end_sample == total
        np.testing.assert_array_equal(buffer.samples, ramp(len(buffer), first=buffer.start_sample))
