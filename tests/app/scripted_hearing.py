"""A recognizer that knows what will be said: real speech through the real session, without a model's mistakes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import soundfile

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Hypothesis, Word
from engine.hear.recognizer import Recognizer
from lab.recipes.speech.espeak import Speech, SyntheticVoice, espeak

SENTENCE = "Good morning, everyone, and thank you very much for coming."


class ScriptedRecognizer(Recognizer):
    """Hears the words that have been said in full.

    Attributes:
        on_hear: called before each round, for what happens meanwhile.
    """

    languages = ("en",)
    buffer_seconds = 15.0

    def __init__(self, words: tuple[Word, ...]) -> None:
        self.on_hear: Callable[[], None] = lambda: None
        self._words = words

    def hear(
        self, samples: Samples, *, offset_seconds: float, prompt: str, language: str | None, **context: object
    ) -> Hypothesis:
        self.on_hear()
        end = offset_seconds + len(samples) / SAMPLE_RATE_HZ
        heard = [word for word in self._words if offset_seconds - 0.1 <= word.start and word.end <= end]
        return Hypothesis(tuple(heard), language or "en")


@cache
def say(text: str = SENTENCE) -> Speech:
    """Speak a text with the built-in voice, once: espeak-ng never says it twice in the same time.

    A recognizer that knows one speech would miss the end of another that is 10 ms shorter.
    """
    return espeak().speak(text, SyntheticVoice())


def scripted(speech: Speech) -> ScriptedRecognizer:
    """Know what a speech says and when."""
    pairs = zip(speech.text.split(), speech.words, strict=True)
    return ScriptedRecognizer(tuple(Word(f" {text}", start, end, 0.9) for text, (start, end) in pairs))


def write_wav(path: Path, samples: np.ndarray, **format: object) -> Path:
    """Write samples (n,) or (n, channels) as a sound file; return its path."""
    soundfile.write(path, samples, format.pop("samplerate", SAMPLE_RATE_HZ), **format)
    return path
