"""espeak-ng by ctypes: speech with the times of its words and phonemes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import soxr

SAMPLE_RATE = 16_000

_SYNCHRONOUS = 2
_PHONEME_EVENTS_IN_IPA = 0x1 | 0x2
_DO_NOT_EXIT = 0x8000
_RATE, _PITCH = 1, 3
_POSITION_IN_CHARACTERS, _UTF8 = 1, 1
_END_OF_LIST, _WORD_EVENT, _PHONEME_EVENT = 0, 1, 7
_BUFFER_MS = 200


class _EventId(ctypes.Union):
    _fields_ = [
        ("number", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("string", ctypes.c_char * 8),
    ]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@dataclass(frozen=True, slots=True)
class Voice:
    """How a sentence is spoken: an espeak-ng voice, words a minute, pitch 0-99."""

    name: str = "en-us"
    rate: int = 175
    pitch: int = 50


@dataclass(frozen=True, slots=True)
class Speech:
    """Speech at 16 kHz with the times, in seconds, of its words and phonemes."""

    samples: np.ndarray  # (n,) float32
    text: str
    voice: str
    words: tuple[tuple[float, float], ...]  # (start, end) of text.split()
    phonemes: tuple[tuple[str, float], ...]  # (IPA without stress, start)

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE


class Espeak:
    """The one espeak-ng engine of this process (the library keeps global state)."""

    def __init__(self) -> None:
        import espeakng_loader

        library = ctypes.CDLL(espeakng_loader.get_library_path())
        library.espeak_Synth.argtypes = [
            ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_int,
            ctypes.c_uint, ctypes.c_uint, ctypes.POINTER(ctypes.c_uint), ctypes.c_void_p,
        ]  # fmt: skip
        options = _DO_NOT_EXIT | _PHONEME_EVENTS_IN_IPA
        data = espeakng_loader.get_data_path().encode()
        self._rate_hz = library.espeak_Initialize(_SYNCHRONOUS, _BUFFER_MS, data, options)
        if self._rate_hz <= 0:
            raise RuntimeError("espeak-ng cannot start: its data folder is missing")
        self._library = library
        self._chunks: list[np.ndarray] = []
        self._word_starts: list[tuple[int, float]] = []
        self._phonemes: list[tuple[str, float]] = []
        self._callback = _Callback(self._collect)  # kept alive for the library
        library.espeak_SetSynthCallback(self._callback)

    def speak(self, text: str, voice: Voice) -> Speech:
        """Speak one text and say when each of its words starts and ends."""
        self._chunks, self._word_starts, self._phonemes = [], [], []
        if self._library.espeak_SetVoiceByName(voice.name.encode()) != 0:
            raise ValueError(f"espeak-ng has no voice named {voice.name!r}")
        self._library.espeak_SetParameter(_RATE, voice.rate, 0)
        self._library.espeak_SetParameter(_PITCH, voice.pitch, 0)
        encoded = text.encode()
        self._library.espeak_Synth(encoded, len(encoded) + 1, 0, _POSITION_IN_CHARACTERS, 0, _UTF8, None, None)
        if not self._chunks:
            raise ValueError(f"espeak-ng says nothing for {text!r}")
        native = np.concatenate(self._chunks).astype(np.float32) / 32768.0
        samples = soxr.resample(native, self._rate_hz, SAMPLE_RATE, quality="HQ")
        words = _word_times(text, self._word_starts, samples)
        return Speech(samples.astype(np.float32), text, voice.name, words, tuple(self._phonemes))

    def _collect(self, wave: Any, count: int, events: Any) -> int:
        position = 0
        while events[position].type != _END_OF_LIST:
            event = events[position]
            seconds = event.audio_position / 1000.0
            if event.type == _WORD_EVENT:
                self._word_starts.append((event.text_position - 1, seconds))
            elif event.type == _PHONEME_EVENT:
                symbol = event.id.string.decode("utf-8", "ignore").strip("ˈˌ ")
                self._phonemes.append((symbol, seconds))
            position += 1
        if wave and count > 0:
            self._chunks.append(np.ctypeslib.as_array(wave, shape=(count,)).copy())
        return 0


@cache
def espeak() -> Espeak:
    """The engine, started when first asked for."""
    return Espeak()


def _word_times(text: str, starts: list[tuple[int, float]], samples: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Give every whitespace-separated word of the text a start and an end."""
    spans = _word_spans(text)
    seconds = len(samples) / SAMPLE_RATE
    known: list[float | None] = []
    for begin, end in spans:
        inside = [time for position, time in starts if begin <= position < end]
        known.append(min(inside) if inside else None)
    filled = _fill_gaps(known, seconds)
    ends = [*filled[1:], seconds]
    loud = _loud_frames(samples)
    return tuple((start, _last_loud(loud, start, end)) for start, end in zip(filled, ends, strict=True))


def _word_spans(text: str) -> list[tuple[int, int]]:
    spans, position = [], 0
    for word in text.split():
        begin = text.index(word, position)
        position = begin + len(word)
        spans.append((begin, position))
    return spans


def _fill_gaps(known: list[float | None], seconds: float) -> list[float]:
    """Spread words that espeak-ng spoke as one ("of the") evenly over their time."""
    index = [i for i, time in enumerate(known) if time is not None]
    times = [time for time in known if time is not None]
    if not index or index[0] > 0:
        index, times = [0, *index], [0.0, *times]
    filled = np.interp(np.arange(len(known)), [*index, len(known)], [*times, seconds])
    return [float(time) for time in np.maximum.accumulate(filled)]


def _loud_frames(samples: np.ndarray) -> np.ndarray:
    """Mark the 10 ms frames (n // 160,) above a hundredth of the peak."""
    count = len(samples) // 160
    frames = np.abs(samples[: count * 160]).reshape(count, 160).max(axis=1)
    loud: np.ndarray = frames > 0.01 * max(float(frames.max(initial=0.0)), 1e-6)
    return loud


def _last_loud(loud: np.ndarray, start: float, end: float) -> float:
    """The end of the sound between start and end: pauses belong to no word."""
    first, last = int(start * 100), int(end * 100)
    hits = np.flatnonzero(loud[first:last])
    return min(end, (first + int(hits[-1]) + 1) / 100.0) if len(hits) else end
