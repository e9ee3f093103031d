"""The hush word: half a second of trained sound that tells one Whisper model that speech has ended (WhisperFlow).

It is made by `earshot train hush-word` for the very weights that it was trained with, whose fingerprint it carries:
to any other model it is noise, so any other model refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import ModelError
from engine.models.catalogue import ASSETS
from engine.models.safetensors import ADVICE, read_header

if TYPE_CHECKING:
    from engine.models.load import HearingModel

HUSH_SAMPLES = SAMPLE_RATE_HZ // 2
LOUDEST = 0.05  # louder would raise the floor of the log-mel, which is relative to the loudest frame
SHIPPED = ASSETS / "hush_words"
_TENSOR = "hush_word"


@dataclass(frozen=True, slots=True)
class HushWord:
    """A trained hush word.

    Attributes:
        samples: (8000,) float32 at 16 kHz, within ±LOUDEST.
        fingerprint: of the model it belongs to.
        model: that model's name, for people.
        losses, word_errors: what its training measured on held-out recordings, by padding: the loss of their
            transcripts, and the share of words that a greedy decoding gets wrong.
    """

    samples: Samples
    fingerprint: str
    model: str
    losses: Mapping[str, float]
    word_errors: Mapping[str, float] = field(default_factory=dict)


def own_hush_words() -> Path:
    """The folder where the hush words are that were trained on this machine."""
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False) / "hush_words"


def find_hush_word(hearing: HearingModel) -> HushWord | None:
    """The hush word of a model: the user's own, else the shipped one; None where there is none.

    ModelError where there is one and it is damaged or belongs to another model.
    """
    for folder in (own_hush_words(), SHIPPED):
        path = folder / f"{hearing.fingerprint}.safetensors"
        if path.is_file():
            return load_hush_word(path, hearing)
    return None


def load_hush_word(path: Path, hearing: HearingModel) -> HushWord:
    """Load a model's hush word. ModelError says what is wrong with it, and whose it is where it is another's."""
    return check_owner(_load(path, path.stat().st_mtime_ns if path.is_file() else 0), hearing)


def check_owner(word: HushWord, hearing: HearingModel) -> HushWord:
    """Give the word if it is the model's own. ModelError if it is another's."""
    if word.fingerprint != hearing.fingerprint:
        raise ModelError(
            f"This hush word belongs to the model {word.model} (fingerprint {word.fingerprint}): to {hearing.name} "
            f"({hearing.fingerprint}) it is noise. {train_command(hearing)}"
        )
    return word


def save_hush_word(word: HushWord, path: Path) -> Path:
    """Write a hush word; readers see the old file or the new one."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    metadata = {"format": "hush word", "fingerprint": word.fingerprint, "model": word.model}
    for what, measured in (("loss", word.losses), ("word errors", word.word_errors)):
        metadata |= {f"{what} {padding}": f"{value:.6f}" for padding, value in measured.items()}
    save_file({_TENSOR: np.ascontiguousarray(word.samples, np.float32)}, partial, metadata=metadata)
    partial.chmod(0o644)  # safetensors writes for its owner alone
    partial.replace(path)
    return path


def train_command(hearing: HearingModel) -> str:
    """How to make one, in words."""
    return (
        f"'earshot train hush-word --model {hearing.folder if hearing.name == hearing.folder.name else hearing.name} "
        "--data MANIFEST --out FOLDER' trains one."
    )


@cache
def _load(path: Path, _changed: int) -> HushWord:
    from safetensors import safe_open

    tensors = read_header(path)
    if _TENSOR not in tensors or tensors[_TENSOR].shape != (HUSH_SAMPLES,):
        raise ModelError(f"{path} holds no hush word of {HUSH_SAMPLES} samples.")
    with safe_open(str(path), framework="numpy") as file:
        metadata: dict[str, str] = file.metadata() or {}
        samples: Samples = file.get_tensor(_TENSOR).astype(np.float32)
    if "fingerprint" not in metadata:
        raise ModelError(f"{path} does not say which model it belongs to. {ADVICE}")
    loudest = float(np.abs(samples).max())
    if not loudest <= LOUDEST * 1.0001:  # also refuses NaN
        raise ModelError(f"{path} is damaged: a hush word stays within ±{LOUDEST}, not {loudest:g}. {ADVICE}")
    measured = (_measured(metadata, what) for what in ("loss ", "word errors "))
    return HushWord(samples, metadata["fingerprint"], metadata.get("model", "?"), *measured)


def _measured(metadata: Mapping[str, str], what: str) -> dict[str, float]:
    return {key.removeprefix(what): float(text) for key, text in metadata.items() if key.startswith(what)}
