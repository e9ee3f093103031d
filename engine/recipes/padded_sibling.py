"""A small Whisper that was only ever trained on its whole window, as the published ones were, to prove methods on.

It hears two dozen words in the built-in voice, in a window of five seconds, and learns to do so in minutes. Every
example ends in silence up to the end of the window, so that it knows no other end: without padding it does not know
when to stop. Nothing else about it is special: the layers, tokens, spectrogram and decoding are Whisper's.

Two further losses make it learn in minutes, and leave nothing in the model: the features must tell which phoneme
is being said, and one head of the last layer must look where each word is said.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers
import numpy as np
from mlx.utils import tree_flatten

from engine import backend
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import OptionError
from engine.hear.align import FRAMES_PER_SECOND
from engine.hear.embedding import SharedRowEmbedding
from engine.hear.kernels import gelu
from engine.hear.mel import log_mel
from engine.hear.tokenizer import load_tokenizer
from engine.hear.whisper import AudioEncoder, ModelDimensions, Whisper
from engine.recipes.espeak import Voice, espeak

WORDS = (
    *("red", "blue", "green", "black", "white", "brown", "dog", "cat", "bird", "fish", "horse", "house"),
    *("river", "mountain", "garden", "window", "table", "paper", "water", "bread", "apple", "runs", "sleeps", "sings"),
)
WINDOW_SECONDS = 5
DIMENSIONS = ModelDimensions(
    n_mels=80,
    n_audio_ctx=WINDOW_SECONDS * FRAMES_PER_SECOND,
    n_audio_state=64,
    n_audio_head=2,
    n_audio_layer=2,
    n_vocab=51865,
    n_text_ctx=448,
    n_text_state=64,
    n_text_head=2,
    n_text_layer=2,
)
GUIDED_HEAD = (1, 0)  # (layer, head) that learns to look where words are said
LONGEST_SPEECH_SECONDS = 4.4  # some silence is left in every window
WORD_SECONDS = 0.35  # about what a word takes
PAUSE_SECONDS = (0.2, 0.5)
ROOM_LEVELS = (-3.3, -2.0)  # powers of ten: the noise of a room, in half of the recordings
LONGEST_BEFORE_SECONDS, LONGEST_AFTER_SECONDS = 0.25, 0.25  # of a recording around what is said
GUIDE_MARGIN_SECONDS = 0.06
BATCH = 16
PEAK_RATE, LEAST_RATE = 3e-3, 1e-4
WARMUP_STEPS = 60
SHORT_SHARE = 0.25  # of the run, in which utterances grow from one word to all lengths
SMOOTHING = 0.05  # of the labels: so small a model grows too sure of itself otherwise
IGNORE = -1


@dataclass(frozen=True, slots=True)
class Spoken:
    """One utterance: samples (n,) at 16 kHz that end with the last word, when its words and its phonemes are said."""

    samples: Samples
    text: str
    words: tuple[tuple[float, float], ...]
    phonemes: tuple[tuple[str, float], ...]

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE_HZ


def speak(count: int, seed: int, seconds: tuple[float, float] = (0.2, LONGEST_SPEECH_SECONDS)) -> list[Spoken]:
    """Speak `count` utterances of random words whose lengths are spread over a range of seconds.

    People pause, so half of those that are long enough have a pause in them: silence alone is no end.
    """
    generator = random.Random(seed)
    made: list[Spoken] = []
    while len(made) < count:
        wanted = generator.uniform(*seconds)
        pause = generator.uniform(*PAUSE_SECONDS) if generator.random() < 0.5 else 0.0
        pause = pause if pause < wanted - 2 * WORD_SECONDS else 0.0
        words = generator.choices(WORDS, k=max(1, round((wanted - pause) / WORD_SECONDS)))
        first = generator.randint(1, len(words) - 1) if pause and len(words) > 1 else len(words)
        voice = Voice(rate=generator.randint(150, 195), pitch=generator.randint(42, 58))
        spoken = _say(words[:first], voice)
        if first < len(words):
            spoken = _followed(spoken, pause, _say(words[first:], voice))
        if abs(spoken.seconds - wanted) <= WORD_SECONDS / 2 and spoken.seconds <= LONGEST_SPEECH_SECONDS:
            made.append(spoken)
    return made


def _say(words: Sequence[str], voice: Voice) -> Spoken:
    speech = espeak().speak(" ".join(words), voice)
    end = math.ceil(speech.words[-1][1] * SAMPLE_RATE_HZ)  # the audio ends as the last word does
    return Spoken(speech.samples[:end], speech.text, speech.words, speech.phonemes)


def _followed(before: Spoken, pause: float, after: Spoken) -> Spoken:
    """Two utterances as one, with a pause between them."""
    silence = np.zeros(round(pause * SAMPLE_RATE_HZ), np.float32)
    shift = before.seconds + len(silence) / SAMPLE_RATE_HZ
    return Spoken(
        np.concatenate([before.samples, silence, after.samples]),
        f"{before.text} {after.text}",
        (*before.words, *((start + shift, end + shift) for start, end in after.words)),
        (*before.phonemes, ("", before.seconds), *((symbol, start + shift) for symbol, start in after.phonemes)),
    )


@dataclass(frozen=True, slots=True)
class Batch:
    """b examples, t tokens, s frames of features; targets that are IGNORE don't count.

    Attributes:
        mel: (b, 2 s, 80), each of a whole window.
        rows: (b, t), of the compact embedding.
        targets: (b, t), the row that follows each.
        looks: (b, t, s), where the guided head should look while each token is predicted; all zero where it may
            look anywhere.
        sounds: (b, s), the phoneme that is said in each frame; the first is silence.
    """

    mel: mx.array
    rows: mx.array
    targets: mx.array
    looks: mx.array
    sounds: mx.array


class Vocabulary:
    """The tokens that the sibling writes, as rows of a compact embedding; the last row is that of all others."""

    def __init__(self) -> None:
        self.tokenizer = load_tokenizer(99, True)
        by_word = {word: self.tokenizer.encode(" " + word) for word in WORDS}
        words = {token for tokens in by_word.values() for token in tokens}
        self.start = self.tokenizer.sot_sequence("en")
        self.kept = np.array(sorted({*words, *self.start, self.tokenizer.eot}))
        self._row = {int(token): row for row, token in enumerate(self.kept)}
        said = (symbol for word in WORDS for symbol, _ in espeak().speak(word, Voice()).phonemes)
        self.phonemes = ("", *sorted(set(said) - {""}))
        self._rows = {word: [self._row[token] for token in tokens] for word, tokens in by_word.items()}

    def spell(self, text: str) -> list[list[int]]:
        """The rows of every word of a text."""
        return [self._rows[word] for word in text.split()]

    def phoneme(self, symbol: str) -> int:
        """The number of a phoneme; one that no word alone has counts as silence."""
        return self.phonemes.index(symbol) if symbol in self.phonemes else 0

    @property
    def opening(self) -> list[int]:
        return [self._row[token] for token in self.start]

    @property
    def end(self) -> int:
        return self._row[self.tokenizer.eot]


def record(spoken: Spoken, noise: np.random.Generator, after_seconds: float = 0.0) -> tuple[Samples, float]:
    """An utterance as it may be recorded: samples (n,), and the seconds before it is said.

    It is louder or less loud, and half of the recordings have the noise of a room from their beginning to their end.
    """
    late = int(noise.uniform(0, LONGEST_BEFORE_SECONDS) * SAMPLE_RATE_HZ)
    samples = np.zeros(late + len(spoken.samples) + int(after_seconds * SAMPLE_RATE_HZ), np.float32)
    samples[late : late + len(spoken.samples)] = spoken.samples * 10 ** noise.uniform(-0.6, 0.1)
    if noise.random() < 0.5:
        samples += 10 ** noise.uniform(*ROOM_LEVELS) * noise.standard_normal(len(samples), dtype=np.float32)
    return samples.astype(np.float32), late / SAMPLE_RATE_HZ


def collate(spoken: Sequence[Spoken], vocabulary: Vocabulary, noise: np.random.Generator) -> Batch:
    """Put utterances at random places and levels into whole windows of silence."""
    window = DIMENSIONS.n_audio_ctx
    opening = len(vocabulary.opening)
    spelt = [vocabulary.spell(one.text) for one in spoken]
    longest = opening + max(sum(map(len, words)) for words in spelt)
    mels = []
    rows = np.full((len(spoken), longest), vocabulary.end)
    targets = np.full((len(spoken), longest), IGNORE)
    looks = np.zeros((len(spoken), longest, window), np.float32)
    sounds = np.zeros((len(spoken), window), np.int64)
    for index, (one, words) in enumerate(zip(spoken, spelt, strict=True)):
        recorded, late = record(one, noise, after_seconds=noise.uniform(0, LONGEST_AFTER_SECONDS))
        samples = np.zeros(WINDOW_SECONDS * SAMPLE_RATE_HZ, np.float32)
        samples[: len(recorded)] = recorded
        mels.append(log_mel(samples, DIMENSIONS.n_mels))
        line = [*vocabulary.opening, *(row for word in words for row in word), vocabulary.end]
        rows[index, : len(line) - 1], targets[index, : len(line) - 1] = line[:-1], line[1:]
        ends = [*(start for _, start in one.phonemes[1:]), one.seconds]
        for (symbol, start), end in zip(one.phonemes, ends, strict=True):
            sounds[index, _frames(start + late, end + late)] = vocabulary.phoneme(symbol)
        position = opening - 1
        for pieces, (start, end) in zip(words, one.words, strict=True):
            start, end = start + late, end + late
            for _ in pieces:
                looks[index, position, _frames(start - GUIDE_MARGIN_SECONDS, end + GUIDE_MARGIN_SECONDS)] = 1
                position += 1
    return Batch(mx.stack(mels), mx.array(rows), mx.array(targets), mx.array(looks), mx.array(sounds))


def _frames(start: float, end: float) -> slice:
    return slice(max(0, round(start * FRAMES_PER_SECOND)), max(1, round(end * FRAMES_PER_SECOND)))


class Sibling(nn.Module):
    """The model in training: a Whisper with a compact embedding, and the layer that names sounds."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.whisper = Whisper(DIMENSIONS, [GUIDED_HEAD])
        states = DIMENSIONS.n_text_state
        weight = 0.05 * mx.random.normal((len(vocabulary.kept) + 1, states))
        self.whisper.decoder.token_embedding = SharedRowEmbedding(weight, vocabulary.kept, DIMENSIONS.n_vocab)
        self.whisper.decoder.positional_embedding = 0.01 * mx.random.normal((DIMENSIONS.n_text_ctx, states))
        self.sounds = nn.Linear(states, len(vocabulary.phonemes))
        # The shared row stands for tens of thousands of tokens, and counts as so many against those that are written.
        counts = np.ones(len(vocabulary.kept) + 1, np.float32)
        counts[-1] = DIMENSIONS.n_vocab - len(vocabulary.kept)
        self._log_counts = mx.array(np.log(counts))

    def losses(self, batch: Batch) -> tuple[mx.array, mx.array, mx.array]:
        """Mean losses of the tokens, of the sounds in the features, and of where the guided head looks."""
        features = encode(self.whisper.encoder, batch.mel)
        states, attention = self._decode(batch.rows, features)
        logits = states @ self.whisper.decoder.token_embedding.weight.T + self._log_counts
        wanted = batch.targets != IGNORE
        text = nn.losses.cross_entropy(logits, mx.maximum(batch.targets, 0), label_smoothing=SMOOTHING) * wanted
        sounds = nn.losses.cross_entropy(self.sounds(features), batch.sounds)
        guided = mx.any(batch.looks > 0, axis=-1)
        looked = -mx.log((attention * batch.looks).sum(axis=-1) + 1e-4) * guided
        return text.sum() / wanted.sum(), sounds.mean(), looked.sum() / guided.sum()

    def _decode(self, rows: mx.array, features: mx.array) -> tuple[mx.array, mx.array]:
        """Final states (b, t, d) and the guided head's attention (b, t, s) of examples with features of their own."""
        decoder = self.whisper.decoder
        x = decoder.token_embedding.weight[rows] + decoder.positional_embedding[: rows.shape[1]]
        attention = mx.zeros(())
        for layer, block in enumerate(decoder.blocks):
            normed = block.attn_ln(x)
            x = x + block.attn.attend_causally(normed, *block.attn.keys_values(normed))
            normed, cross = block.cross_attn_ln(x), block.cross_attn
            keys, values = cross.keys_values(features)
            scores = (cross.split(cross.query(normed)) * cross.scale) @ keys.transpose(0, 1, 3, 2)
            weights = mx.softmax(scores, axis=-1)
            x = block.feed_forward(x + cross.out(cross.merge(weights @ values)))
            if layer == GUIDED_HEAD[0]:
                attention = weights[:, GUIDED_HEAD[1]]
        return decoder.ln(x), attention


def encode(encoder: AudioEncoder, mel: mx.array) -> mx.array:
    """Encode mel (b, f, 80) as the encoder does, with convolutions as products: their gradients cost a CPU a third."""
    x = gelu(_convolved(mel, encoder.conv1, 1))
    x = gelu(_convolved(x, encoder.conv2, 2)) + encoder._positions[: mel.shape[1] // 2]
    for block in encoder.blocks:
        x = block(x)
    features: mx.array = encoder.ln_post(x)
    return features


def _convolved(x: mx.array, layer: nn.Conv1d, stride: int) -> mx.array:
    """A convolution of width 3 over x (b, f, c) -> (b, f / stride, d)."""
    count = x.shape[1]
    x = mx.pad(x, [(0, 0), (1, 1), (0, 0)])
    beside = mx.concatenate([x[:, shift : shift + count : stride] for shift in range(3)], axis=-1)
    return beside @ layer.weight.reshape(layer.weight.shape[0], -1).T + layer.bias


@dataclass(frozen=True, slots=True)
class SiblingOptions:
    """How long it is trained, by steps instead of minutes where a run has to be repeatable."""

    minutes: float = 6.0
    steps: int | None = None
    utterances: int = 3000
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.minutes > 0 or (self.steps is not None and self.steps < 1) or self.utterances < BATCH:
            raise OptionError(f"minutes and steps must be positive, and utterances at least {BATCH}.")


def train(options: SiblingOptions, report: Callable[[str], None]) -> Sibling:
    """Train a sibling, telling how far it is."""
    backend.prepare()
    mx.random.seed(options.seed)
    vocabulary = Vocabulary()
    report(f"speaking {options.utterances} utterances")
    corpus = sorted(speak(options.utterances, options.seed), key=lambda one: one.seconds)
    generator, noise = random.Random(options.seed), np.random.default_rng(options.seed)
    sibling = Sibling(vocabulary)
    optimizer = optimizers.AdamW(learning_rate=PEAK_RATE, betas=[0.9, 0.98], weight_decay=0.01)
    progress, step, started = 0.0, 0, time.monotonic()

    def weighed(batch: Batch) -> tuple[mx.array, tuple[mx.array, ...]]:
        text, sounds, looked = sibling.losses(batch)
        fade = 1.0 - progress
        return text + (0.2 + 0.8 * fade) * sounds + (0.1 + 0.4 * fade) * looked, (text, sounds, looked)

    measure = nn.value_and_grad(sibling, weighed)
    while progress < 1.0:
        open_to = max(200, int(len(corpus) * min(1.0, 0.1 + progress / SHORT_SHARE)))
        batch = collate(generator.sample(corpus[: min(open_to, len(corpus))], BATCH), vocabulary, noise)
        (_, parts), gradients = measure(batch)
        gradients, _ = optimizers.clip_grad_norm(gradients, 1.0)
        optimizer.learning_rate = _rate(step, progress)
        optimizer.update(sibling, gradients)
        mx.eval(sibling.parameters(), optimizer.state, parts)
        step += 1
        minutes = (time.monotonic() - started) / 60
        progress = step / options.steps if options.steps else minutes / options.minutes
        if step % 20 == 0:
            text, sounds, looked = (float(part) for part in parts)
            report(
                f"sibling {min(1.0, progress):.0%}, step {step}: text {text:.3f} sounds {sounds:.3f} looks {looked:.3f}"
            )
    return sibling


def _rate(step: int, progress: float) -> float:
    warm = min(1.0, (step + 1) / WARMUP_STEPS)
    return warm * (LEAST_RATE + (PEAK_RATE - LEAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))


def save(sibling: Sibling, folder: Path) -> Path:
    """Write the model as a folder that any part of Earshot can load."""
    folder.mkdir(parents=True, exist_ok=True)
    weights: dict[str, Any] = dict(tree_flatten(sibling.whisper.parameters()))
    embedding = sibling.whisper.decoder.token_embedding
    every = embedding(mx.arange(DIMENSIONS.n_vocab)[None])[0]
    weights["decoder.token_embedding.weight"] = every
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    config = {"model_type": "whisper", **asdict(DIMENSIONS), "alignment_heads": [list(GUIDED_HEAD)]}
    config |= {"languages": ["en"], "takes_prompts": False}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return folder
