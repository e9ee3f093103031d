"""Tones that tell one device from another."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np

from app.sound.audio_devices import microphone_chunks
from engine.audio import SAMPLE_RATE_HZ, Samples
from tests.app.scripted_hearing import write_wav


def tone(hertz: float, seconds: float, loudness: float = 0.3) -> Samples:
    times = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    return (loudness * np.sin(2 * np.pi * hertz * times)).astype(np.float32)


def write_tone(path: Path, hertz: float, seconds: float = 20.0) -> Path:
    return write_wav(path, tone(hertz, seconds))


def loudest_hertz(samples: Samples) -> float:
    """Return the frequency of the loudest tone in samples (n,)."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * SAMPLE_RATE_HZ / len(samples))


def record_seconds(device: str | None, seconds: float) -> Samples:
    """Record from the moment there is any sound."""
    stop = threading.Event()
    heard: list[Samples] = []
    for chunk in microphone_chunks(device, stop):
        if heard or np.abs(chunk).max() > 0.01:
            heard.append(chunk)
        if sum(map(len, heard)) > seconds * SAMPLE_RATE_HZ:
            stop.set()
    return np.concatenate(heard)
