"""What recipes in MLX hear: sentences said by espeak-ng, a corpus that is ready, or the recordings of a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Protocol

import numpy as np

from engine.audio import Samples
from engine.errors import EngineError
from engine.recipes.espeak import Voice, espeak
from engine.recipes.hush_word import Recording, read_recordings, split
from engine.recipes.starter_examples import Utterance, read_shard
from engine.recipes.starter_speech import PLAIN_ONLY_SHARDS, choose_voice
from engine.recipes.starter_text import check_texts, fraction, held_out_sentences, training_sentences

HELD_OUT = 48
HELD_OUT_VOICES = (Voice("en-us", 175), Voice("en-us+f3", 160), Voice("en-us+m3", 175))
HELD_OUT_IN = 20  # so many sentences of a ready corpus, one is held out, up to HELD_OUT
NOISY = 0.5
NOISE_DECIBELS = (8.0, 40.0)  # below the speech
LEVEL_DECIBELS = (-12.0, 2.0)


class SpeechError(EngineError):
    """Speech that nothing can be learnt from."""


class SpeechSource(Protocol):
    """Speech whose words are known; all that it gives has its samples."""

    def draw(self, random: Random) -> Recording:
        """Something to learn from."""

    def held_out(self) -> Sequence[Recording]:
        """What is never learnt from."""


class SpokenSentences:
    """English sentences in the voices that the starter models were taught by.

    espeak-ng never says a sentence twice in quite the same way, so a run that hears it cannot be repeated exactly.
    """

    def __init__(self, data: Path, held_out: int = HELD_OUT) -> None:
        """Read the texts of a data folder. EngineError where there are none."""
        check_texts(data)
        self._sentences = training_sentences(data)
        self._held_out = held_out_sentences(data, held_out)

    def draw(self, random: Random) -> Recording:
        sentence = random.choice(self._sentences)
        samples = espeak().speak(sentence, choose_voice(sentence, PLAIN_ONLY_SHARDS)).samples
        return Recording(sentence, samples=samples)

    def held_out(self) -> list[Recording]:
        voices = HELD_OUT_VOICES
        return [
            Recording(sentence, samples=espeak().speak(sentence, voices[index % len(voices)]).samples)
            for index, sentence in enumerate(self._held_out)
        ]


class RecordedSpeech:
    """The recordings of a manifest in some languages, some of them held out by what is said in them."""

    def __init__(self, recordings: Sequence[Recording], held_out: int = HELD_OUT) -> None:
        """Hold some out. SpeechError where nothing else is said in the rest."""
        apart, self._recordings = split(recordings)
        if not self._recordings:
            raise SpeechError("Two recordings with different words are needed at least, one of them to measure with.")
        self._held_out = apart[:held_out]

    @classmethod
    def read(cls, manifest: Path, languages: Sequence[str]) -> RecordedSpeech:
        """Read a manifest; see hush_word.read_recordings, which says what raises HushWordError."""
        return cls(read_recordings(manifest, languages))

    def draw(self, random: Random) -> Recording:
        return _heard(random.choice(self._recordings))

    def held_out(self) -> list[Recording]:
        return [_heard(recording) for recording in self._held_out]


class ShardSpeech:
    """A ready corpus: the shards that engine.recipes.starter_speech writes."""

    def __init__(self, folder: Path, held_out: int = HELD_OUT) -> None:
        """Find the utterances. SpeechError where there are too few."""
        found = [utterance for index in sorted(folder.glob("*.jsonl")) for utterance in read_shard(index)]
        texts = sorted({utterance.text for utterance in found}, key=lambda text: (fraction(text, "held out"), text))
        apart = set(texts[: max(1, min(held_out, len(texts) // HELD_OUT_IN))])
        self._held_out = [utterance for utterance in found if utterance.text in apart]
        self._utterances = [utterance for utterance in found if utterance.text not in apart]
        if not self._utterances:
            raise SpeechError(f"{folder} holds too few utterances; see engine.recipes.starter_speech.")

    def draw(self, random: Random) -> Recording:
        return _recording(random.choice(self._utterances))

    def held_out(self) -> list[Recording]:
        return [_recording(utterance) for utterance in self._held_out]


def find_speech(data: Path, languages: Sequence[str]) -> SpeechSource:
    """The speech of a ready corpus, of the texts in a folder, or of a manifest. EngineError where there is none."""
    if data.is_dir() and any(data.glob("*.pcm")):
        return ShardSpeech(data)
    return SpokenSentences(data) if data.is_dir() else RecordedSpeech.read(data, languages)


def dirtied(samples: Samples, random: Random) -> Samples:
    """Samples (n,) at some level, half of the time with white noise."""
    noise = np.random.default_rng(random.getrandbits(32))
    if random.random() < NOISY:
        level = float(np.sqrt(np.mean(np.square(samples)))) * 10 ** (-random.uniform(*NOISE_DECIBELS) / 20)
        samples = samples + level * noise.standard_normal(len(samples), dtype=np.float32)
    peak = max(float(np.abs(samples).max(initial=0.0)), 1e-6)
    loud: Samples = (samples * min(10 ** (random.uniform(*LEVEL_DECIBELS) / 20), 1.0 / peak)).astype(np.float32)
    return loud


def _recording(utterance: Utterance) -> Recording:
    return Recording(utterance.text, samples=utterance.samples())


def _heard(recording: Recording) -> Recording:
    return replace(recording, samples=recording.listen())
