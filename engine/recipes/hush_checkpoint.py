"""Where the training of a hush word stands, kept in one file that is replaced whole."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError

Vector = NDArray[np.float32]
FILE = "checkpoint.safetensors"


@dataclass(slots=True)
class Progress:
    """The word (8000,), Adam's means of its gradient and of its square, and the best words so far, best first."""

    word: Vector
    mean: Vector
    square: Vector
    step: int = 0
    minutes: float = 0.0
    best_words: list[Vector] = field(default_factory=list)
    best_losses: list[float] = field(default_factory=list)
    curve: list[tuple[int, float]] = field(default_factory=list)

    @classmethod
    def begin(cls, word: Vector) -> Progress:
        """A run that has not begun."""
        return cls(word, np.zeros_like(word), np.zeros_like(word))

    def follow(self, gradient: Vector, rate: float, betas: tuple[float, float], epsilon: float, loudest: float) -> None:
        """Take one step of Adam (arXiv:1412.6980) against a gradient, and stay within ±loudest."""
        first, second = betas
        self.mean = (first * self.mean + (1 - first) * gradient).astype(np.float32)
        self.square = (second * self.square + (1 - second) * gradient**2).astype(np.float32)
        slope: Vector = self.mean / (1 - first ** (self.step + 1))
        size: Vector = np.sqrt(self.square / (1 - second ** (self.step + 1)))
        moved: Vector = self.word - rate * slope / (size + epsilon)
        self.word = np.clip(moved, -loudest, loudest).astype(np.float32)

    def remember(self, loss: float, most: int) -> None:
        """Keep the word as it is now if its held-out loss is among the lowest `most`."""
        self.curve.append((self.step, loss))
        ranked = sorted([*zip(self.best_losses, self.best_words, strict=True), (loss, self.word.copy())], key=_loss)
        self.best_losses = [loss for loss, _ in ranked[:most]]
        self.best_words = [word for _, word in ranked[:most]]

    def average(self) -> Vector:
        """The mean of the best words."""
        mean: Vector = np.stack(self.best_words).mean(axis=0, dtype=np.float32)
        return mean


def save_progress(progress: Progress, folder: Path, fingerprint: str) -> Path:
    """Write the checkpoint of a run; the last one stays until the new one is whole."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    said = {name: getattr(progress, name) for name in ("step", "minutes", "best_losses", "curve")}
    arrays = {"word": progress.word, "mean": progress.mean, "square": progress.square}
    arrays |= {f"best.{index}": word for index, word in enumerate(progress.best_words)}
    partial = folder / "checkpoint.partial"
    save_file(arrays, partial, metadata={"fingerprint": fingerprint, "progress": json.dumps(said)})
    partial.replace(folder / FILE)
    return folder / FILE


def load_progress(folder: Path, fingerprint: str) -> Progress | None:
    """Read a run's checkpoint, if there is one. ModelError where it is damaged or another model's."""
    from safetensors import SafetensorError, safe_open

    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        said = json.loads(metadata["progress"])
        best = [arrays[f"best.{index}"] for index in range(len(said["best_losses"]))]
        loaded = Progress(arrays["word"], arrays["mean"], arrays["square"], best_words=best)
        loaded.step, loaded.minutes, loaded.best_losses = said["step"], said["minutes"], said["best_losses"]
        loaded.curve = [(step, loss) for step, loss in said["curve"]]
    except (SafetensorError, KeyError, ValueError, OSError) as error:
        raise ModelError(f"The checkpoint {path} is damaged ({error}). Train without --resume.") from error
    if metadata.get("fingerprint") != fingerprint:
        raise ModelError(f"The checkpoint {path} is of another model. Train without --resume, or in another folder.")
    return loaded


def _loss(pair: tuple[float, Vector]) -> float:
    return pair[0]
