import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.resample import Resampler, mix_down, resample


def tone(rate_hz: int, seconds: float = 1.0, pitch_hz: float = 440.0) -> np.ndarray:
    return np.sin(2 * np.pi * pitch_hz * np.arange(round(rate_hz * seconds)) / rate_hz).astype(np.float32)


def test_channels_are_averaged() -> None:
    frames = np.array([[1.0, 0.0, 0.5], [-1.0, 0.0, 1.0]], np.float32)
    np.testing.assert_allclose(mix_down(frames), [0.5, 0.0])
    assert mix_down(frames).dtype == np.float32


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 22_050, 44_100, 48_000, 96_000])
def test_a_tone_keeps_its_pitch_and_length(rate_hz: int) -> None:
    heard = resample(tone(rate_hz), rate_hz)
    assert abs(len(heard) - SAMPLE_RATE_HZ) <= 2
    middle = slice(2_000, 14_000)
    np.testing.assert_allclose(heard[middle], tone(SAMPLE_RATE_HZ)[middle], atol=2e-3)


def test_16_khz_passes_untouched() -> None:
    samples = tone(SAMPLE_RATE_HZ)
    np.testing.assert_array_equal(resample(samples, SAMPLE_RATE_HZ), samples)


@pytest.mark.parametrize("chunk", [1, 37, 441, 44_100])
def test_the_size_of_chunks_makes_no_difference(chunk: int) -> None:
    samples = tone(44_100, seconds=0.2)
    resampler = Resampler(44_100)
    parts = [resampler.add(samples[i : i + chunk]) for i in range(0, len(samples), chunk)]
    streamed = np.concatenate([*parts, resampler.finish()])
    np.testing.assert_allclose(streamed, resample(samples, 44_100), atol=1e-6)


def test_case_opposite_channels_are_heard_by_one_of_them() -> None:
    wave = tone(SAMPLE_RATE_HZ)
    for other in (-wave, -0.95 * wave, -wave + 0.001 * np.random.default_rng(0).normal(size=len(wave))):
        frames = np.stack([wave, other], axis=1).astype(np.float32)
        np.testing.assert_array_equal(mix_down(frames), wave)
        halves = [mix_down(part) for part in np.array_split(frames, 7)]
        np.testing.assert_array_equal(np.concatenate(halves), wave, "no block is turned over against the one before")
    quiet = np.stack([np.zeros_like(wave), wave], axis=1)
    np.testing.assert_allclose(mix_down(quiet), wave / 2)
    assert not mix_down(np.zeros((100, 2), np.float32)).any()
