"""Speech at another speed: shorter or longer, in the same pitch, whatever its pieces."""

from __future__ import annotations

import numpy as np
import pytest

from app.sound.tempo import LEAST_SPEED, MOST_SPEED, at_speed
from engine.audio import SAMPLE_RATE_HZ

SECONDS = 4.0
TONE_HZ = 440.0


def tone() -> np.ndarray:
    at = np.arange(round(SECONDS * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    return (0.3 * np.sin(2 * np.pi * TONE_HZ * at)).astype(np.float32)


@pytest.mark.parametrize("size", [777, 8000, SAMPLE_RATE_HZ * 10])
@pytest.mark.parametrize("speed", [LEAST_SPEED, 0.75, 1.25, MOST_SPEED])
def test_it_lasts_as_long_as_the_speed_says_and_keeps_its_pitch(speed: float, size: int) -> None:
    whole = tone()
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    heard = np.concatenate(list(at_speed(pieces, speed)))
    assert heard.dtype == np.float32
    assert len(heard) / SAMPLE_RATE_HZ == pytest.approx(SECONDS / speed, abs=0.1)
    loudest = np.argmax(np.abs(np.fft.rfft(heard))) * SAMPLE_RATE_HZ / len(heard)
    assert loudest == pytest.approx(TONE_HZ, abs=2.0)


def test_at_its_own_speed_nothing_is_changed() -> None:
    pieces = [tone()[:100], tone()[100:300]]
    assert [each is piece for each, piece in zip(at_speed(pieces, 1.0), pieces, strict=True)] == [True, True]


def test_silence_without_samples_is_no_sound() -> None:
    assert sum(map(len, at_speed([], 1.5))) == 0
