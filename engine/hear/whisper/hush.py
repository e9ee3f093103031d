"""The hush word: a short trained sound that signals the end of speech to one Whisper model (WhisperFlow).

A hush word may come with extra keys and values that every layer attends to, as if the silence of a full window were
there; the model itself stays as published. It is made by `earshot train hush-word` for the very weights that it was
trained with, whose fingerprint it carries: for any other model it is noise, so any other model refuses it.

Shapes: l layers, h heads, m extra positions, s states of a head.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import ModelError
from engine.models.catalogue import ASSETS
from engine.weights.safetensors import ADVICE, read_header

if TYPE_CHECKING:
    from engine.hear.whisper.load import HearingModel

SHORTEST_SECONDS, LONGEST_SECONDS = 0.1, 2.0
LOUDEST = 0.05  # a louder sound would raise the floor of the log-mel, which is relative to the loudest frame
MOST_LOST = 0.005  # of the words: acceptable loss of a padding compared with the full window
SHIPPED = ASSETS / "hush_words"
IN_A_FOLDER = "hush_word.safetensors"
_TENSOR = "hush_word"
_MEASURED = {"word_errors": "word errors ", "cut_errors": "cut errors ", "gmacs": "gmacs "}
TRUSTED = ("full", "silence_cache")
"""Paddings that need no measurement on speech that is cut off: to the model they are the window it was trained on."""

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ExtraKeysValues:
    """Keys and values (l, h, m, s) that frames attend to in the encoder, and tokens in the decoder; float32."""

    encoder_keys: Array
    encoder_values: Array
    decoder_keys: Array
    decoder_values: Array


@dataclass(frozen=True, slots=True)
class HushWord:
    """A trained hush word.

    Attributes:
        fingerprint: fingerprint of its model.
        model: name of its model, for people.
        samples: (n,) float32 at 16 kHz, within ±LOUDEST.
        kept: extra keys and values; None if the word is alone, as published.
        word_errors, cut_errors, gmacs: measurements of its training on held-out speakers, by padding: the word error
            rate of greedy decoding, that of speech which is cut off, and the computation of encoding.
    """

    fingerprint: str
    model: str
    samples: Samples
    kept: ExtraKeysValues | None = None
    word_errors: Mapping[str, float] = field(default_factory=dict)
    cut_errors: Mapping[str, float] = field(default_factory=dict)
    gmacs: Mapping[str, float] = field(default_factory=dict)

    def best_padding(self) -> str:
        """Return the padding with the least computation among those with hardly more errors than the full window.

        A word that was trained before speech was cut off in its measurement is trusted by whole utterances.
        """
        return least_work(self.word_errors, self.cut_errors or self.word_errors, self.gmacs)


def least_work(word_errors: Mapping[str, float], cut_errors: Mapping[str, float], gmacs: Mapping[str, float]) -> str:
    """Return the padding with the least computation among those at most MOST_LOST worse than the full window.

    They are as good on whole utterances and, unless they are TRUSTED, on speech that is cut off: most rounds hear that.
    """
    good = [
        name
        for name in word_errors
        if _is_as_good(name, word_errors) and (name in TRUSTED or _is_as_good(name, cut_errors))
    ]
    return min(good, key=lambda name: gmacs.get(name, math.inf), default="full")


def _is_as_good(name: str, errors: Mapping[str, float]) -> bool:
    return errors.get(name, math.inf) <= errors.get("full", -math.inf) + MOST_LOST


_KEPT_NAMES = tuple(field.name for field in fields(ExtraKeysValues))


def own_hush_words() -> Path:
    """Return the folder of the hush words that were trained on this machine."""
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False) / "hush_words"


def find_hush_word(hearing: HearingModel) -> HushWord | None:
    """Return the hush word of a model: in its folder, else the user's own, else the shipped one; None without one.

    Raises ModelError if it is damaged or belongs to another model.
    """
    named = f"{hearing.fingerprint}.safetensors"
    for path in (hearing.folder / IN_A_FOLDER, own_hush_words() / named, SHIPPED / named):
        if path.is_file():
            return load_hush_word(path, hearing)
    return None


def load_hush_word(path: Path, hearing: HearingModel) -> HushWord:
    """Load a model's hush word. Raises ModelError if it is damaged, or another model's, which is named."""
    return check_owner(_load(path, path.stat().st_mtime_ns if path.is_file() else 0), hearing)


def check_owner(word: HushWord, hearing: HearingModel) -> HushWord:
    """Return the word if it is the model's own. Raises ModelError if it is another's."""
    if word.fingerprint != hearing.fingerprint:
        raise ModelError(
            f"This hush word belongs to the model {word.model} (fingerprint {word.fingerprint}): to {hearing.name} "
            f"({hearing.fingerprint}) it is noise. {train_command(hearing)}"
        )
    return word


def save_hush_word(word: HushWord, path: Path) -> Path:
    """Write a hush word atomically."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    metadata = {"format": "hush word", "fingerprint": word.fingerprint, "model": word.model}
    for name, what in _MEASURED.items():
        metadata |= {f"{what}{padding}": f"{value:.6f}" for padding, value in getattr(word, name).items()}
    tensors = {_TENSOR: np.ascontiguousarray(word.samples, np.float32)}
    if word.kept is not None:
        tensors |= {name: np.ascontiguousarray(getattr(word.kept, name), np.float16) for name in _KEPT_NAMES}
    save_file(tensors, partial, metadata=metadata)
    partial.chmod(0o644)  # safetensors makes it readable for its owner alone
    partial.replace(path)
    return path


def train_command(hearing: HearingModel) -> str:
    """Return a sentence about how to train one."""
    return (
        f"'earshot train hush-word --model {hearing.folder if hearing.name == hearing.folder.name else hearing.name} "
        "--data TRANSCRIPTS --out FOLDER' trains one."
    )


@cache
def _load(path: Path, _changed: int) -> HushWord:
    from safetensors import safe_open

    header = read_header(path)
    shape = header[_TENSOR].shape if _TENSOR in header else ()
    if len(shape) != 1 or not SHORTEST_SECONDS <= shape[0] / SAMPLE_RATE_HZ <= LONGEST_SECONDS:
        raise ModelError(f"{path} holds no hush word of {SHORTEST_SECONDS:g} to {LONGEST_SECONDS:g} s. {ADVICE}")
    with safe_open(str(path), framework="numpy") as file:
        metadata: dict[str, str] = file.metadata() or {}
        tensors = {name: file.get_tensor(name).astype(np.float32) for name in header}
    if "fingerprint" not in metadata:
        raise ModelError(f"{path} does not say which model it belongs to. {ADVICE}")
    loudest = float(np.abs(tensors[_TENSOR]).max())
    if not loudest <= LOUDEST * 1.0001:  # also refuses NaN
        raise ModelError(f"{path} is damaged: a hush word stays within ±{LOUDEST}, not {loudest:g}. {ADVICE}")
    measured = {name: _measured(metadata, what) for name, what in _MEASURED.items()}
    return HushWord(
        metadata["fingerprint"], metadata.get("model", "?"), tensors.pop(_TENSOR), _kept(tensors, path), **measured
    )


def _kept(tensors: Mapping[str, Array], path: Path) -> ExtraKeysValues | None:
    if not tensors:
        return None
    whole = set(tensors) == set(_KEPT_NAMES) and all(array.ndim == 4 for array in tensors.values())
    if not whole or not all(np.isfinite(array).all() for array in tensors.values()):
        raise ModelError(f"{path} is damaged: the keys and values beside the hush word are not whole. {ADVICE}")
    return ExtraKeysValues(**tensors)


def _measured(metadata: Mapping[str, str], what: str) -> dict[str, float]:
    return {key.removeprefix(what): float(text) for key, text in metadata.items() if key.startswith(what)}
