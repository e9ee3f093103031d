"""Hibari: a small network that speaks as one voice of Kokoro's, from the same phonemes, in far less time.

For each frame the network gives a pitch and parts of a spectrum. Sound is their sum, transformed back: a train of
pulses at that pitch, which is filtered; noise, which is shaped; and a part that has phases of its own.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.audio import Samples
from engine.errors import OptionError, VoiceError
from engine.speak.joining import trimmed
from engine.speak.kokoro import RATE_HZ, USUAL_WORDS_PER_MINUTE, read_vocabulary
from engine.speak.onnx_model import Network, inputs_of, read_model
from engine.speak.phonemes import clauses, pieces
from engine.speak.voice import has_words, in_chunks, plain_text
from engine.weights.storage import HIBARI_FILE

LONG_TEXT, MOST_PHONEMES = 80, 200
"""Phonemes from which on the first clause is spoken by itself, and the most that are spoken at once."""

PAUSE_SECONDS = 0.12
"""Pause between two pieces of a sentence, in seconds."""

SLOWEST, FASTEST = 0.5, 2.0
"""Speeds that the network knows, as multiples of the usual one."""

_OUTPUTS = ("lh", "theta", "ln", "lr", "phi", "f0")
_FRAME, _HOP = 1200, 300
_LARGEST = 7.0  # of a logarithm of the spectrum
_LEAST_PITCH_HZ, _HIGHEST_HARMONIC_HZ = 40.0, 11_000.0

_SPELT = {
    "aɪ": "I", "aʊ": "W", "eɪ": "A", "oʊ": "O", "ɔɪ": "Y", "dʒ": "ʤ", "tʃ": "ʧ",
    "ɜːɹ": "ɜɹ", "ɜː": "ɜɹ", "ɚ": "əɹ", "əl": "ᵊl", "n̩": "ᵊn", "ɾ": "T", "ɐ": "ə", "ʔ": "t", "ː": "", "ʲ": "",
    "o": "ɔ", "e": "A", "a": "æ", "r": "ɹ", "x": "k", "ç": "k", "ɬ": "l",
}  # fmt: skip
"""Phonemes of English as the network has learnt them, by espeak-ng's."""

_SOUNDS = re.compile("|".join(sorted(_SPELT, key=len, reverse=True)))


class HibariVoice:
    """Hibari as a Voice.

    Attributes:
        name, rate_hz, language, words_per_minute, store_name: see Voice.
    """

    def __init__(self, folder: Path, speaker: str | None = None, words_per_minute: int = 175) -> None:
        """Load the network in a folder.

        Raises:
            OptionError: a speaker is given; there is one alone.
            VoiceError: the folder holds no whole network.
        """
        if speaker is not None:
            raise OptionError(f"speaker must not be given for this voice, which has one alone, not {speaker!r}.")
        file = folder / HIBARI_FILE
        model = read_model(file)
        if not {"ids", "speed"} <= inputs_of(model):
            raise VoiceError(f"{file} is no network of Hibari's: it reads {', '.join(sorted(inputs_of(model)))}.")
        self._network = Network(model, file.name)
        self._vocabulary = read_vocabulary(folder)
        self.name = f"hibari {words_per_minute}"
        self.rate_hz = RATE_HZ
        self.language: str | None = "en"
        self.words_per_minute = words_per_minute
        self.store_name: str | None = None

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Start a sentence (see Voice)."""
        text = plain_text(sentence)
        if has_words(text):
            yield from in_chunks(self._sound(text), self.rate_hz)

    def _sound(self, text: str) -> Iterator[Samples]:
        known = ("".join(filter(self._vocabulary.__contains__, spelt(clause))) for clause in clauses(text, "en-us"))
        for number, piece in enumerate(pieces(filter(None, known), LONG_TEXT, MOST_PHONEMES)):
            if number:
                yield np.zeros(round(PAUSE_SECONDS * self.rate_hz), np.float32)
            yield from trimmed(iter([self._spoken(piece)]), self.rate_hz)

    def _spoken(self, piece: str) -> Samples:
        ids = np.array([[0, *(self._vocabulary[each] for each in piece), 0]], np.int64)
        speed = np.clip(np.float32(self.words_per_minute / USUAL_WORDS_PER_MINUTE), SLOWEST, FASTEST)
        parts = self._network.outputs({"ids": ids, "speed": np.array([speed], np.float32)}, _OUTPUTS)
        samples: Samples = np.clip(np.nan_to_num(sound_of(*(part[0] for part in parts))), -1, 1)
        return samples


def spelt(phonemes: str) -> str:
    """Return English phonemes as the network has learnt them."""
    return _SOUNDS.sub(lambda found: _SPELT[found[0]], phonemes)


def sound_of(
    filtered: Samples, turned: Samples, noisy: Samples, free: Samples, phases: Samples, pitches_hz: Samples
) -> Samples:
    """Return the sound (300 * n,) of a network's frames (601, n) and pitches (n,).

    Args:
        filtered, turned: logarithms of the gain of the pulses' spectrum, and how far it is turned.
        noisy: logarithms of the level of the noise.
        free, phases: logarithms of the level of the part with phases of its own, and these.
        pitches_hz: 0 where there is no voice.
    """
    turns = np.float32(np.pi) * np.tanh(turned)
    spectrum = np.multiply(_transformed(_pulses(pitches_hz)), _polar(filtered, turns))
    noise = np.random.default_rng(0).standard_normal((*noisy.shape, 2), np.float32).view(np.complex64)[..., 0]
    spectrum += np.exp(np.minimum(noisy, _LARGEST)) * noise
    spectrum += _polar(free, phases)
    return _transformed_back(spectrum)


def _polar(logarithms: Samples, angles: Samples) -> NDArray[np.complex64]:
    sizes = np.exp(np.minimum(logarithms, _LARGEST))
    found = np.empty(sizes.shape, np.complex64)
    found.real, found.imag = sizes * np.cos(angles), sizes * np.sin(angles)
    return found


def _pulses(pitches_hz: Samples) -> Samples:
    """Return a train of pulses (300 * n,): the sum of all harmonics of the pitch, each of the level 1.

    The sum of the cosines of the first multiples of an angle has a closed form.
    """
    frames = np.arange(len(pitches_hz))
    times = (np.arange(len(pitches_hz) * _HOP) + 0.5) / _HOP - 0.5
    pitch = np.interp(times, frames, pitches_hz)
    voiced = pitch > _LEAST_PITCH_HZ
    pitch = np.maximum(pitch, _LEAST_PITCH_HZ)
    angle = 2 * np.pi * (np.cumsum(pitch) / RATE_HZ % 1.0)
    half, count = np.sin(angle / 2), np.floor(_HIGHEST_HARMONIC_HZ / pitch) + 0.5
    at_peak = np.abs(half) < 1e-3
    found = np.where(at_peak, count, np.sin(count * angle) / np.where(at_peak, 1.0, 2 * half)) - 0.5
    return np.where(voiced, found, 0.0).astype(np.float32)


def _window() -> Samples:
    return np.hanning(_FRAME + 1)[:_FRAME].astype(np.float32)


def _transformed(sound: Samples) -> NDArray[np.complex64]:
    """Return the spectrum (601, n) of sound (300 * n,), in which a cosine of the level 1 has the size 2 at its peak."""
    padded = np.pad(sound, _FRAME // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::_HOP][: len(sound) // _HOP]
    return np.fft.rfft(frames * (_window() / _HOP)).T.astype(np.complex64)


def _transformed_back(spectrum: NDArray[np.complex64]) -> Samples:
    """Return the sound (300 * n,) of a spectrum (601, n): frames are windowed again, added and brought to level."""
    shape, window = (spectrum.shape[1] + _FRAME // _HOP - 1, _HOP), _window()
    frames = (np.fft.irfft(spectrum.T, _FRAME) * window).astype(np.float32).reshape(-1, _FRAME // _HOP, _HOP)
    squares = np.square(window).reshape(-1, _HOP)
    sound, level = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for part in range(_FRAME // _HOP):
        sound[part : part + len(frames)] += frames[:, part]
        level[part : part + len(frames)] += squares[part]
    sound /= np.maximum(level, np.float32(1e-11))
    return sound.reshape(-1)[_FRAME // 2 :][: len(frames) * _HOP]
