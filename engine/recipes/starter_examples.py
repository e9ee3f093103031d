"""Training examples: spoken sentences joined, cut, dirtied, with their targets.

A target row says which token comes next, and where in the audio it is said.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import tiktoken

from engine.recipes.starter_tokens import (
    END,
    ENGLISH,
    NO_SPEECH,
    NO_TIMESTAMPS,
    PREVIOUS,
    START,
    TIME_ZERO,
    TRANSCRIBE,
    Vocabulary,
)

RATE = 16_000
IGNORE = -100
FRAME_SECONDS = 0.02  # one encoder frame
LONGEST_SECONDS = 28.0
SPARE_SECONDS = 0.05  # of its end that a word may lack and still count as heard
PHONEMES = (
    "", "ð", "eɪ", "ɑːɹ", "m", "aɪ", "s", "ɪ", "t", "ɚ", "z", "j", "uː", "ɡ", "ɔːɹ", "dʒ",
    "ə", "n", "h", "ɜː", "ɔː", "w", "iː", "ʌ", "ɔ", "ɐ", "l", "ɾ", "əl", "ɛ", "p", "k", "v",
    "ɹ", "i", "ɑː", "ᵻ", "b", "f", "ʊɹ", "a", "oʊ", "æ", "aʊ", "ʃ", "ŋ", "ɛɹ", "tʃ", "ɔɪ",
    "d", "ʊ", "ɒ", "θ", "ɪɹ", "iə", "ʒ", "aɪɚ", "n̩", "r", "oː", "eː", "ʔ", "aɪə", "əʊ",
)  # fmt: skip
_PHONEME_IDS = {symbol: index for index, symbol in enumerate(PHONEMES)}


@dataclass(frozen=True, slots=True)
class Utterance:
    """One spoken sentence of a shard; unknown times are empty."""

    text: str
    voice: str
    file: Path
    position: int
    count: int
    words: np.ndarray  # (words, 2) seconds
    phonemes: np.ndarray  # (phonemes,) ids, IGNORE where the symbol is rare
    phoneme_starts: np.ndarray  # (phonemes,) seconds

    @property
    def seconds(self) -> float:
        return self.count / RATE

    def samples(self) -> np.ndarray:
        """Read the samples (n,) float32."""
        raw = np.fromfile(self.file, "<i2", self.count, offset=2 * self.position)
        return raw.astype(np.float32) / 32768.0


def read_shard(index: Path) -> list[Utterance]:
    """Read a shard's list of utterances (its samples stay on disk)."""
    utterances = []
    for line in index.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        symbols = [_PHONEME_IDS.get(symbol, IGNORE) for symbol, _ in record["phonemes"]]
        utterances.append(
            Utterance(
                text=record["text"],
                voice=record["voice"],
                file=index.with_suffix(".pcm"),
                position=record["position"],
                count=record["count"],
                words=np.array(record["words"], np.float32).reshape(-1, 2),
                phonemes=np.array(symbols, np.int64),
                phoneme_starts=np.array([s for _, s in record["phonemes"]], np.float32),
            )
        )
    return utterances


@dataclass(slots=True)
class Scene:
    """Audio under construction: sentences one after the other, with their times."""

    samples: np.ndarray  # (n,)
    sentences: list[list[str]] = field(default_factory=list)  # words of each sentence
    words: list[np.ndarray] = field(default_factory=list)  # (words, 2) of each sentence
    phonemes: np.ndarray | None = None  # (frames,) ids; None: times unknown

    @property
    def seconds(self) -> float:
        return len(self.samples) / RATE

    @property
    def has_speech(self) -> bool:
        """Say whether anything is said, be it half a word."""
        if self.sentences or self.phonemes is None:
            return bool(self.sentences)
        return bool((self.phonemes[: int(self.seconds / FRAME_SECONDS)] != 0).any())

    @property
    def timed(self) -> bool:
        return bool(self.words) and all(len(words) for words in self.words)


@dataclass(slots=True)
class Example:
    """What the model sees and should say.

    `windows` (t, 2) holds the seconds in which each target is said, NaN if unknown.
    """

    samples: np.ndarray  # (n,) float32
    tokens: np.ndarray  # (t,) vocabulary rows fed in
    targets: np.ndarray  # (t,) vocabulary rows to predict, IGNORE where there is no loss
    windows: np.ndarray  # (t, 2) float32
    phonemes: np.ndarray | None  # (frames,) int64


def join(utterances: list[Utterance], pauses: list[float]) -> Scene:
    """Put sentences one after the other; pauses come before each and after the last."""
    parts = [_silence(pauses[0])]
    scene = Scene(parts[0])
    at = len(parts[0])
    tracks = []
    for utterance, pause in zip(utterances, pauses[1:], strict=True):
        start = at / RATE
        parts += [utterance.samples(), _silence(pause)]
        at += utterance.count + len(parts[-1])
        scene.sentences.append(utterance.text.split())
        scene.words.append(utterance.words + start)
        tracks.append((utterance, start))
    scene.samples = np.concatenate(parts)
    if scene.timed:
        scene.phonemes = _phoneme_track(tracks, scene.seconds)
    return scene


def _silence(seconds: float) -> np.ndarray:
    return np.zeros(int(seconds * RATE), np.float32)


def _phoneme_track(tracks: list[tuple[Utterance, float]], seconds: float) -> np.ndarray:
    """Name the phoneme of every encoder frame (frames,): silence between sentences."""
    frames = np.arange(math.ceil(seconds / FRAME_SECONDS) + 1) * FRAME_SECONDS
    track = np.zeros(len(frames), np.int64)
    for utterance, start in tracks:
        inside = (frames >= start) & (frames < start + utterance.seconds)
        which = np.searchsorted(utterance.phoneme_starts, frames[inside] - start, "right") - 1
        track[inside] = np.where(which >= 0, utterance.phonemes[np.maximum(which, 0)], 0)
    return track


def cut(scene: Scene, seconds: float) -> Scene:
    """End a scene in the middle: only words that were heard to their end remain."""
    sentences, windows = [], []
    for words, times in zip(scene.sentences, scene.words, strict=True):
        heard = int((times[:, 1] <= seconds + SPARE_SECONDS).sum())
        if not heard:
            break
        kept = words[:heard]
        if seconds < times[heard - 1, 1] + 0.1:  # too early to hear which mark follows
            kept = [*kept[:-1], kept[-1].rstrip(".,?!")]
        sentences.append(kept)
        windows.append(times[:heard])
    track = scene.phonemes
    return Scene(scene.samples[: int(seconds * RATE)], sentences, windows, track)


def begin_late(scene: Scene, first: int, earlier_frames: int) -> tuple[Scene, list[str]]:
    """Begin a scene at a word, some frames early: what a buffer holds after it was trimmed.

    Gives the scene and the words that came before it.
    """
    words = [word for sentence in scene.sentences for word in sentence]
    start = np.concatenate(scene.words)[first, 0]
    frame = max(0, int(start / FRAME_SECONDS) - earlier_frames)
    offset = frame * FRAME_SECONDS
    sentences, windows, passed = [], [], 0
    for sentence, times in zip(scene.sentences, scene.words, strict=True):
        skipped = min(max(first - passed, 0), len(sentence))
        passed += len(sentence)
        if skipped < len(sentence):
            sentences.append(sentence[skipped:])
            windows.append(np.maximum(times[skipped:] - offset, 0.0))
    track = None if scene.phonemes is None else scene.phonemes[frame:]
    return Scene(scene.samples[round(offset * RATE) :], sentences, windows, track), words[:first]


class Targets:
    """Turns the words of a scene into Whisper's token sequences."""

    def __init__(self, encoding: tiktoken.Encoding, vocabulary: Vocabulary) -> None:
        self._encoding = encoding
        self.vocabulary = vocabulary

    def example(self, scene: Scene, previous: list[str] | None = None, timestamps: bool = False) -> Example:
        """Make the example of a scene, after a prompt of previous words if given."""
        prompt = self._prompt(previous)
        full, windows = self._text(scene, timestamps)
        head = [START, ENGLISH, TRANSCRIBE] + ([] if timestamps else [NO_TIMESTAMPS])
        sequence = [*prompt, *head, *full, END]
        targets = np.array([self.vocabulary.row(token) for token in sequence[1:]])
        targets[: len(prompt)] = IGNORE
        targets[len(prompt)] = self.vocabulary.row(ENGLISH if scene.has_speech else NO_SPEECH)
        nowhere = [(math.nan, math.nan)] * (len(prompt) + len(head) - 1)
        last = scene.words[-1][-1, 1] if scene.timed else math.nan
        ending = (last, scene.seconds) if scene.timed else (math.nan, math.nan)
        return Example(
            samples=scene.samples,
            tokens=np.array([self.vocabulary.row(token) for token in sequence[:-1]]),
            targets=targets,
            windows=np.array([*nowhere, *windows, ending], np.float32),
            phonemes=scene.phonemes,
        )

    def covers(self, text: str) -> bool:
        """Say whether a text can be spelled in the vocabulary."""
        try:
            self._spell(" " + text)
        except ValueError:
            return False
        return True

    def _spell(self, text: str) -> list[int]:
        return self.vocabulary.spell(self._encoding, text)

    def rows(self, text: str) -> list[int]:
        """The vocabulary rows of a whole transcript."""
        full = [START, ENGLISH, TRANSCRIBE, NO_TIMESTAMPS]
        return [self.vocabulary.row(token) for token in full + self._spell(" " + text)]

    def text(self, rows: list[int]) -> str:
        """Read vocabulary rows as text, up to the first that is not text."""
        full = [int(self.vocabulary.full_ids[row]) for row in rows]
        stop = next((i for i, token in enumerate(full) if token >= END), len(full))
        return self._encoding.decode(full[:stop]).strip()

    def _prompt(self, previous: list[str] | None) -> list[int]:
        if not previous:
            return []
        return [PREVIOUS, *self._spell(" " + " ".join(previous))]

    def _text(self, scene: Scene, timestamps: bool) -> tuple[list[int], list[tuple[float, float]]]:
        tokens: list[int] = []
        windows: list[tuple[float, float]] = []
        for words, times in zip(scene.sentences, scene.words, strict=True):
            spoken, where = self._sentence(words, times)
            if timestamps:
                start, end = float(times[0, 0]), float(times[-1, 1])
                spoken = [_time_token(start), *spoken, _time_token(end)]
                where = [(start, start + 0.2), *where, (end - 0.2, end)]
            tokens += spoken
            windows += where
        return tokens, windows

    def _sentence(self, words: list[str], times: np.ndarray) -> tuple[list[int], list[tuple[float, float]]]:
        """Tokenise a sentence and give each token the window of its word."""
        text = " " + " ".join(words)
        tokens = self._spell(text)
        if not len(times):
            return tokens, [(math.nan, math.nan)] * len(tokens)
        windows, position = [], 0
        encoded = text.encode()
        for token in tokens:
            piece = self._encoding.decode_single_token_bytes(token)
            word = encoded[: position + 1].count(b" ") - 1
            windows.append((float(times[word, 0]), float(times[word, 1])))
            position += len(piece)
        return tokens, windows


def _time_token(seconds: float) -> int:
    return TIME_ZERO + round(seconds / 0.02)
