"""Batches of the starter hearing model: a curriculum that any resumed run repeats."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from engine.recipes.starter_examples import (
    IGNORE,
    LONGEST_SECONDS,
    RATE,
    Example,
    Scene,
    Utterance,
    begin_late,
    cut,
    join,
    read_shard,
)
from engine.recipes.starter_mel import N_MELS, log_mel

BUILT_IN_VOICE = "en-us"
PADDED_SECONDS = 30
RARE_SHARE = 0.8  # of the sentences are drawn by how rare their words are
LEAST_LEARNT = 5


@dataclass(frozen=True, slots=True)
class Stage:
    """What the examples look like in one part of the run; shares are of all examples."""

    until: float  # share of the run
    most_sentences: int
    joined: float = 0.0
    cut: float = 0.0
    longest_seconds: float = LONGEST_SECONDS
    plain: float = 0.7  # examples in the built-in voice alone
    people: float = 0.0  # examples of recordings and of voices recorded from people
    timestamps: float = 0.0
    prompted: float = 0.0  # other sentences as the previous text
    late: float = 0.0  # begun in the middle, half of them with the words before as prompt
    silent: float = 0.0
    padded: float = 0.0
    reverberant: float = 0.0
    masked: float = 0.3  # SpecAugment over frequency


STAGES: tuple[Stage, ...] = (
    Stage(0.10, 1, longest_seconds=3.2, plain=0.85),
    Stage(0.18, 2, joined=0.15, cut=0.10, longest_seconds=6.0),
    Stage(0.38, 2, joined=0.30, cut=0.20, longest_seconds=9.0, silent=0.01, people=0.04, late=0.05),
    Stage(0.60, 4, joined=0.35, cut=0.20, longest_seconds=16.0, silent=0.01, people=0.05, late=0.15),
    Stage(
        1.01, 6, joined=0.35, cut=0.15, timestamps=0.06, prompted=0.06, silent=0.02,
        padded=0.005, reverberant=0.05, plain=0.70, people=0.03, late=0.12, masked=0.15,
    ),
)  # fmt: skip


def stage_at(progress: float, stages: tuple[Stage, ...] = STAGES) -> Stage:
    """The stage of a run that has done this share of its way."""
    return next(stage for stage in stages if progress < stage.until)


@dataclass(slots=True)
class Batch:
    """b examples, padded; f log-mel frames, s = f / 2 encoder frames, t tokens."""

    mel: Tensor  # (b, f, 80)
    frames: Tensor  # (b,) log-mel frames of each
    tokens: Tensor  # (b, t)
    targets: Tensor  # (b, t)
    windows: Tensor  # (b, t, 2)
    phonemes: Tensor  # (b, s)

    def to(self, device: str) -> Batch:
        """The same batch on a device."""
        return Batch(*(getattr(self, field.name).to(device) for field in fields(self)))


class TargetMaker(Protocol):
    """Turns what is said in a scene into what a model should write."""

    def example(self, scene: Scene, previous: list[str] | None = None, timestamps: bool = False) -> Example:
        """Make the example of a scene, after a prompt of previous words if given."""

    def covers(self, text: str) -> bool:
        """Say whether a text can be spelled."""


class Corpus:
    """The utterances at hand; new shards are found while they are being made."""

    def __init__(self, folder: Path, targets: TargetMaker) -> None:
        self._folder = folder
        self._targets = targets
        self._names: list[str] = []
        self.utterances: list[Utterance] = []
        self._groups: dict[str, list[int]] = {"plain": [], "varied": [], "people": []}
        self._chances: dict[str, list[float]] = {}  # running sums, for random.choices

    @property
    def shards(self) -> list[str]:
        return list(self._names)

    def refresh(self, names: list[str] | None = None) -> None:
        """Read the shards that are new, or, on resuming, exactly those named."""
        before = len(self.utterances)
        found = names or sorted(path.stem for path in self._folder.glob("*.jsonl"))
        for name in found:
            if name in self._names:
                continue
            self._names.append(name)
            for utterance in read_shard(self._folder / f"{name}.jsonl"):
                if self._targets.covers(utterance.text):
                    self._groups[_group(utterance)].append(len(self.utterances))
                    self.utterances.append(utterance)
        if len(self.utterances) > before:
            rarity = rarities([utterance.text for utterance in self.utterances])
            for group, members in self._groups.items():
                self._chances[group] = list(itertools.accumulate(rarity[index] for index in members))

    def pick(self, generator: random.Random, group: str, longest: float) -> Utterance:
        """Draw an utterance of a group, or of any where it is empty, that is short enough."""
        among = self._groups[group]
        for _ in range(1000):
            if not among:
                index = generator.randrange(len(self.utterances))
            elif generator.random() < RARE_SHARE:
                (index,) = generator.choices(among, cum_weights=self._chances[group])
            else:
                index = generator.choice(among)
            if self.utterances[index].seconds <= longest:
                return self.utterances[index]
        raise ValueError(f"the corpus has no utterance of {longest:.1f} s or less")


def rarities(texts: list[str]) -> list[float]:
    """How much each text is worth hearing: by its rarest word that can still be learnt.

    Names that occur a few times only are not learnt from so few examples.
    """
    split = [re.sub(r"[^a-z' ]+", " ", text.lower()).split() for text in texts]
    counts = Counter(word for words in split for word in words)
    least = LEAST_LEARNT if len(texts) > 1000 else 1
    worth = {word: 1.0 / count if count >= least else 1e-3 for word, count in counts.items()}
    return [max((worth[word] for word in words), default=1e-3) for words in split]


def _group(utterance: Utterance) -> str:
    if utterance.voice == BUILT_IN_VOICE:
        return "plain"
    return "varied" if len(utterance.words) else "people"


class Composer:
    """Makes pools of batches; everything random comes from the pool's number."""

    def __init__(
        self, corpus: Corpus, targets: TargetMaker, seed: int, batch_seconds: float, stages: tuple[Stage, ...] = STAGES
    ) -> None:
        self._corpus = corpus
        self._targets = targets
        self._stages = stages
        self._seed = seed
        self._batch_frames = int(batch_seconds * 100)

    def pool(self, number: int, progress: float, examples: int) -> list[list[int]]:
        """Plan a pool: the seeds of its examples, grouped into batches of like length."""
        stage = stage_at(progress, self._stages)
        generator = random.Random(f"{self._seed} {number}")
        seeds = [generator.getrandbits(48) for _ in range(examples)]
        lengths = {seed: plan_example(self._corpus, stage, random.Random(seed)).seconds for seed in seeds}
        batches: list[list[int]] = [[]]
        for seed in sorted(seeds, key=lambda seed: lengths[seed]):
            full = (len(batches[-1]) + 1) * lengths[seed] * 100 > self._batch_frames
            if full and batches[-1]:
                batches.append([])
            batches[-1].append(seed)
        generator.shuffle(batches)
        return batches

    def batch(self, seeds: list[int], progress: float) -> Batch:
        """Make one batch of a pool."""
        stage = stage_at(progress, self._stages)
        made = [self._example(stage, seed) for seed in seeds]
        return collate([example for example, _ in made], [mel for _, mel in made])

    def _example(self, stage: Stage, seed: int) -> tuple[Example, Tensor]:
        generator = random.Random(seed)
        noise = np.random.default_rng(seed)
        plan = plan_example(self._corpus, stage, generator)
        scene, previous = self._scene(plan, stage, generator)
        example = self._targets.example(scene, previous, plan.kind == "timestamps" and scene.timed)
        example.samples = _dirty(example.samples, stage, generator, noise, plan.kind)
        if plan.kind == "padded":
            example.samples = np.pad(example.samples, (0, PADDED_SECONDS * RATE - len(example.samples)))
        mel = log_mel(torch.from_numpy(example.samples))
        return example, _mask_bands(mel, generator) if generator.random() < stage.masked else mel

    def _scene(self, plan: Plan, stage: Stage, generator: random.Random) -> tuple[Scene, list[str]]:
        """Make the audio of a plan, and the text that comes before it."""
        if plan.kind == "silent":
            return Scene(np.zeros(int(plan.seconds * RATE), np.float32)), []
        scene = join(plan.utterances, plan.pauses)
        previous: list[str] = []
        if generator.random() < stage.prompted:
            for _ in range(generator.randint(1, 6)):
                previous += self._corpus.pick(generator, "plain", LONGEST_SECONDS).text.split()
        if plan.begin and scene.timed:
            count = sum(len(words) for words in scene.sentences)
            scene, before = begin_late(scene, int(plan.begin * count), generator.randint(0, 1))
            previous = generator.choice(([], [*previous, *before]))
        if plan.kind == "cut" and scene.timed and scene.seconds > 0.5:
            scene = cut(scene, 0.3 + plan.end * (scene.seconds - 0.35))
        return scene, previous


@dataclass(slots=True)
class Plan:
    """What an example will be, known before its audio is read."""

    utterances: list[Utterance]
    pauses: list[float]
    kind: str
    begin: float  # share of the words that are left out in front
    end: float  # share of what remains after which it is cut

    @property
    def seconds(self) -> float:
        """About how long the example will be."""
        if self.kind == "padded":
            return PADDED_SECONDS
        whole = sum(utterance.seconds for utterance in self.utterances) + sum(self.pauses)
        return whole * (1.0 - self.begin) * self.end


def plan_example(corpus: Corpus, stage: Stage, generator: random.Random) -> Plan:
    """Choose the sentences, the pauses and the kind of an example."""
    kinds = {"silent": stage.silent, "cut": stage.cut, "timestamps": stage.timestamps, "padded": stage.padded}
    whole = 1.0 - sum(kinds.values())
    (kind,) = generator.choices([*kinds, "whole"], [*kinds.values(), whole])
    draw = generator.random()
    group = "people" if draw < stage.people else "varied"
    if draw >= 1.0 - stage.plain * (1.0 - stage.people):
        group = "plain"
    utterances = _choose(corpus, stage, generator, group)
    pauses = [generator.choice((0.0, generator.uniform(0.0, 0.3), generator.uniform(0.0, 0.8)))]
    pauses += [generator.uniform(0.1, generator.choice((0.5, 1.2))) for _ in utterances[1:]]
    pauses.append(generator.choice((0.0, generator.uniform(0.0, 0.3), generator.uniform(0.0, 1.5))))
    begin = generator.random() if generator.random() < stage.late and kind != "silent" else 0.0
    end = generator.uniform(0.0, 1.0) if kind == "cut" else 1.0
    return Plan(utterances, pauses, kind, begin, end)


def _choose(corpus: Corpus, stage: Stage, generator: random.Random, group: str) -> list[Utterance]:
    """Choose one or several utterances that fit into the stage's longest example."""
    several = stage.most_sentences > 1 and generator.random() < stage.joined
    room = stage.longest_seconds
    chosen: list[Utterance] = []
    for _ in range(generator.randint(2, stage.most_sentences) if several else 1):
        if room < 3.0 and chosen:
            break
        chosen.append(corpus.pick(generator, group, room))
        room -= chosen[-1].seconds + 1.2
    return chosen


def _dirty(
    samples: np.ndarray, stage: Stage, generator: random.Random, noise: np.random.Generator,
    kind: str,
) -> np.ndarray:  # fmt: skip
    """Reverberation, noise at a random ratio and gain, as microphones have them."""
    if kind != "silent" and generator.random() < stage.reverberant:
        samples = _reverberate(samples, generator, noise)
    if generator.random() < (0.8 if kind == "silent" else 0.5):
        level = float(np.sqrt(np.mean(np.square(samples)))) or 0.05
        level *= 10 ** (-generator.uniform(8.0, 40.0) / 20)
        samples = samples + level * _noise(len(samples), generator, noise)
    peak = float(np.abs(samples).max(initial=0.0)) or 1.0
    gain = min(10 ** (generator.uniform(-20.0, 4.0) / 20), 1.0 / peak)
    return (samples * gain).astype(np.float32)


def _noise(count: int, generator: random.Random, noise: np.random.Generator) -> np.ndarray:
    """White, pink or in-between noise (n,) of power one."""
    white = noise.standard_normal(count, dtype=np.float32)
    tilt = generator.choice((0.0, 0.5, 1.0))
    if not tilt:
        return white
    spectrum = np.fft.rfft(white)
    spectrum /= np.maximum(np.arange(len(spectrum)), 1.0) ** (tilt / 2)
    shaped: np.ndarray = np.fft.irfft(spectrum, count)
    shaped /= shaped.std() + 1e-9
    return shaped.astype(np.float32)


def _reverberate(samples: np.ndarray, generator: random.Random, noise: np.random.Generator) -> np.ndarray:
    """Convolve with a decaying tail, as a room does."""
    decay = generator.uniform(0.1, 0.4)
    count = int(decay * RATE)
    tail = noise.standard_normal(count) * np.exp(-6.9 * np.arange(count) / count)
    tail *= generator.uniform(0.1, 0.5) / np.sqrt(np.square(tail).sum())
    tail[0] = 1.0
    size = len(samples) + count
    wet = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(tail, size), size)
    return wet[: len(samples)].astype(np.float32)


def _mask_bands(mel: Tensor, generator: random.Random) -> Tensor:
    """Hide one or two bands of frequency (SpecAugment): never time, which is truth."""
    for _ in range(generator.randint(1, 2)):
        width = generator.randint(1, 12)
        start = generator.randrange(N_MELS - width)
        mel[:, start : start + width] = mel.mean()
    return mel


def collate(examples: list[Example], mels: list[Tensor]) -> Batch:
    """Pad examples to the longest of them."""
    frames = torch.tensor([len(mel) for mel in mels])
    longest = int(frames.max()) + int(frames.max()) % 2
    count = len(examples)
    steps = max(len(example.tokens) for example in examples)
    mel = torch.zeros(count, longest, N_MELS)
    tokens = torch.zeros(count, steps, dtype=torch.long)
    targets = torch.full((count, steps), IGNORE)
    windows = torch.full((count, steps, 2), float("nan"))
    phonemes = torch.full((count, longest // 2), IGNORE)
    for row, (example, own) in enumerate(zip(examples, mels, strict=True)):
        length = len(example.tokens)
        mel[row, : len(own)] = own
        tokens[row, :length] = torch.from_numpy(example.tokens)
        targets[row, :length] = torch.from_numpy(example.targets)
        windows[row, :length] = torch.from_numpy(example.windows)
        if example.phonemes is not None:
            track = torch.from_numpy(example.phonemes)[: (len(own) + 1) // 2]
            phonemes[row, : len(track)] = track
    return Batch(mel, frames, tokens, targets, windows, phonemes)


def audio_mask(frames: Tensor, longest: int) -> Tensor:
    """The mask (b, 1, 1, s) that is True on the encoder frames that are audio."""
    seen = torch.arange(longest // 2, device=frames.device)[None] < ((frames + 1) // 2)[:, None]
    return seen[:, None, None, :]
