"""Voices side by side: how many of their words a recogniser mishears, how soon they begin, and what they take.

All speak the same sentences: fixed answers of the starter assistant, in an order that depends on nothing else. What the
recogniser hears is compared with the sentence as it goes to the voice, numbers and signs in words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from app.terminal.tables import Cell
from engine.answer.intents.classifier import taught_replies
from engine.answer.sentences import sentences_of
from engine.audio import Samples
from engine.audio.resample import Resampler
from engine.hear.recognizer import Recognizer
from engine.metrics import WordErrors, word_errors
from engine.speak.ahead import SpeechAhead
from engine.speak.choice import language_of
from engine.speak.reading import read_aloud
from engine.speak.voice import Voice
from lab.bench.intervals import rate_interval
from lab.bench.tables import Column, mean, percent, ratio
from lab.recipes.sentences.text import fraction

LEAST_WORDS, MOST_WORDS = 4, 20
"""Words of a sentence that is spoken."""

SAMPLES = 10
"""Answers that `write_samples` writes."""


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """The outcome of one sentence.

    Attributes:
        first_seconds, whole_seconds: until its first sound, and until all of it was made.
        processor_seconds: that all of it took, on all threads.
    """

    text: str
    sound_seconds: float
    first_seconds: float
    whole_seconds: float
    processor_seconds: float
    errors: WordErrors


@dataclass(frozen=True, slots=True)
class VoiceRow:
    """The outcome of a voice.

    Attributes:
        megabytes: size of its files; 0 of one that is built in.
        load_seconds: until it could speak.
    """

    name: str
    megabytes: float
    load_seconds: float
    spoken: Sequence[SpokenSentence]

    @property
    def misheard(self) -> float | None:
        """Share of the words that were misheard."""
        return ratio(*self._edits_and_words())

    def bound(self, place: int) -> float | None:
        """Return the lower (0) or upper (1) bound of `misheard` at 95%, by sentences."""
        return rate_interval([each.errors for each in self.spoken])[place] if self.spoken else None

    def share_of_sound(self, seconds: Callable[[SpokenSentence], float]) -> float | None:
        """Return a time over that of the sound."""
        return ratio(sum(map(seconds, self.spoken)), sum(each.sound_seconds for each in self.spoken))

    def _edits_and_words(self) -> tuple[float, float]:
        total = sum((each.errors for each in self.spoken), WordErrors())
        return total.edits, total.reference_words


def sentences(limit: int) -> list[str]:
    """Return sentences of fixed answers, in a fixed, shuffled order."""
    found = {sentence for reply in taught_replies().values() for sentence in sentences_of(reply)}
    fitting = [each for each in found if LEAST_WORDS <= len(each.split()) <= MOST_WORDS]
    return sorted(fitting, key=lambda each: (fraction(each, "voices"), each))[:limit]


def answers() -> list[str]:
    """Return the answers that `write_samples` writes."""
    whole = sorted(set(taught_replies().values()), key=lambda each: (fraction(each, "answers"), each))
    return whole[:SAMPLES]


def measure(voice: Voice, text: str, recognizer: Recognizer) -> SpokenSentence:
    """Speak a sentence, as an answer does, and hear it."""
    started, worked, first = time.perf_counter(), time.process_time(), None
    parts: list[Samples] = []
    ahead = SpeechAhead(voice)
    for chunk in ahead.speak(text):
        if len(chunk):
            first = time.perf_counter() - started if first is None else first
            parts.append(chunk)
    whole, processor = time.perf_counter() - started, time.process_time() - worked
    sound = np.concatenate([np.zeros(0, np.float32), *parts])
    errors = word_errors(read_aloud(text, language_of(voice)), _heard(recognizer, sound, voice.rate_hz))
    return SpokenSentence(text, len(sound) / voice.rate_hz, first or whole, whole, processor, errors)


def write_samples(voice: Voice, folder: Path) -> list[Path]:
    """Write SAMPLES answers in a voice as WAV files; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, answer in enumerate(answers(), 1):
        path = folder / f"{voice.name.split()[0]}-{number:02d}.wav"
        with closing(SpeechAhead(voice)) as ahead:
            sound = [chunk for sentence in sentences_of(answer) for chunk in (*ahead.speak(sentence), _pause(voice))]
        soundfile.write(path, np.concatenate(sound), voice.rate_hz)
        written.append(path)
    return written


def _pause(voice: Voice) -> Samples:
    return np.zeros(round(0.2 * voice.rate_hz), np.float32)


def _heard(recognizer: Recognizer, sound: Samples, rate_hz: int) -> str:
    resampler = Resampler(rate_hz)
    silence = np.zeros(round(0.2 * rate_hz), np.float32)
    at_16_khz = [resampler.add(np.concatenate([silence, sound, silence])), resampler.finish()]
    heard = recognizer.hear(np.concatenate(at_16_khz), offset_seconds=0.0, prompt="", language="en", final=True)
    return "".join(word.text for word in heard.words)


def figures(rows: Sequence[VoiceRow]) -> dict[str, Cell]:
    """Return the headline numbers, by voice."""
    misheard: dict[str, Cell] = {f"misheard_{row.name}": row.misheard for row in rows}
    work = {f"processor_share_{row.name}": row.share_of_sound(lambda each: each.processor_seconds) for row in rows}
    return misheard | work


COLUMNS: tuple[Column[VoiceRow], ...] = (
    Column("voice", lambda row: row.name, "voice"),
    Column("sentences", lambda row: len(row.spoken), "sentences"),
    Column("megabytes", lambda row: row.megabytes, "MB"),
    Column("load_seconds", lambda row: row.load_seconds, "load s"),
    Column("misheard_share", lambda row: row.misheard, "misheard", percent),
    Column("misheard_low", lambda row: row.bound(0), "from", percent),
    Column("misheard_high", lambda row: row.bound(1), "to", percent),
    Column("first_sound_seconds", lambda row: mean(each.first_seconds for each in row.spoken), "first sound s"),
    Column("whole_share", lambda row: row.share_of_sound(lambda each: each.whole_seconds), "of real time"),
    Column("processor_share", lambda row: row.share_of_sound(lambda each: each.processor_seconds), "processor"),
)
