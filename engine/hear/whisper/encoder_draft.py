"""A draft of the whole text from the encoder alone, which the decoder then verifies as one block.

A small network reads the features of the frozen encoder and writes without autoregression (CTC, Graves et al. 2006):
one piece of a word or nothing for every 40 ms. It knows little of language and misspells names, but it needs no forward
of the decoder, which corrects it where it differs (engine.hear.decode.reference, engine.hear.decode.resync). So the
text is the one that decoding token by token writes, in several times fewer forwards. IBM's self-speculative decoding
drafts with the CTC output of the encoder as well, and writes on token by token after the first difference
(arXiv:2603.11243).

The file of a draft network carries the fingerprint of the model whose encoder it was trained on. It writes text, so
that a model of another shape on the same encoder, with its own tokens, can verify it as well.

Shapes: t frames (50 per second), s strides of two frames, d states, p pieces and one more for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.events import Word
from engine.models.catalogue import ASSETS
from engine.weights.safetensors import ADVICE, read_header

SHIPPED = ASSETS / "drafts"
STRIDE, FRAMES_PER_SECOND = 2, 50
EPSILON = 1e-5
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DraftShape:
    """Sizes of a draft network.

    Attributes:
        features: states of the encoder.
        states: states of the network, d.
        layers: number of layers.
        width: frames of STRIDE that a layer mixes.
        pieces: number of pieces, p.
    """

    features: int
    states: int = 256
    layers: int = 4
    width: int = 15
    pieces: int = 1024

    def __post_init__(self) -> None:
        sizes = (self.features, self.states, self.layers, self.width, self.pieces)
        if not all(isinstance(size, int) and 0 < size <= 1 << 16 for size in sizes) or self.width % 2 == 0:
            raise ValueError(f"a draft network cannot have the sizes {sizes}")


class EncoderDraft:
    """The draft network of an encoder, computed in numpy because it is small.

    Attributes:
        shape: its sizes.
        pieces: bytes of each piece.
        weights: weights by name.
    """

    def __init__(self, shape: DraftShape, pieces: Sequence[bytes], weights: Mapping[str, Matrix]) -> None:
        """Store pieces and weights. Raises ValueError if they do not match the shape."""
        if len(pieces) != shape.pieces or {name: array.shape for name, array in weights.items()} != expected_shapes(
            shape
        ):
            raise ValueError("its weights are not those of the shape that it speaks of")
        self.shape, self.pieces = shape, tuple(pieces)
        self.weights = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}

    @property
    def digest(self) -> str:
        """Digest that distinguishes it from other networks."""
        return sha256(b"".join(self.weights[name].tobytes() for name in sorted(self.weights))).hexdigest()[:16]

    def logits(self, features: Matrix) -> Matrix:
        """Return the logits (s, p + 1) of features (t, d); the last column is that of nothing."""
        features = np.pad(features.astype(np.float32), [(0, -len(features) % STRIDE), (0, 0)])
        x = self._linear("enter", features.reshape(-1, STRIDE * features.shape[1]))
        for layer in range(self.shape.layers):
            x = x + self._mixed(f"layers.{layer}.", x)
            hidden = self._linear(f"layers.{layer}.mlp1", self._normed(f"layers.{layer}.mlp_ln", x))
            x = x + self._linear(f"layers.{layer}.mlp2", _silu(hidden))
        return self._linear("leave", self._normed("ln", x))

    def words(self, features: Matrix, offset_seconds: float = 0.0) -> tuple[Word, ...]:
        """Return the words of features (t, d) of audio that starts at `offset_seconds`."""
        return self.spelled(self.logits(features).argmax(axis=1), offset_seconds)

    def spelled(self, best: NDArray[np.int64], offset_seconds: float = 0.0) -> tuple[Word, ...]:
        """Return the words of a path (s,) of likeliest pieces, each from its first piece to its last."""
        found: list[tuple[bytes, int, int]] = []
        for stride in spoken(best, len(self.pieces)):
            piece = self.pieces[best[stride]]
            if found and not piece.startswith(b" "):
                text, begin, _ = found.pop()
                found.append((text + piece, begin, stride + 1))
            else:
                found.append((piece, stride, stride + 1))
        seconds = STRIDE / FRAMES_PER_SECOND
        return tuple(
            Word(text.decode("utf-8", "ignore"), offset_seconds + seconds * begin, offset_seconds + seconds * end)
            for text, begin, end in found
        )

    def _mixed(self, layer: str, x: Matrix) -> Matrix:
        """Mix neighbouring frames of x (s, d)."""
        value, gate = np.split(self._linear(f"{layer}mix_in", self._normed(f"{layer}mix_ln", x)), 2, axis=1)
        weights = self.weights[f"{layer}mix"]
        around = len(weights) // 2
        padded = np.pad(value * _sigmoid(gate), [(around, around), (0, 0)])
        mixed = np.zeros_like(x)
        for shift, weight in enumerate(weights):
            mixed += padded[shift : shift + len(x)] * weight
        return self._linear(f"{layer}mix_out", _silu(mixed))

    def _linear(self, name: str, x: Matrix) -> Matrix:
        product: Matrix = x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return product

    def _normed(self, name: str, x: Matrix) -> Matrix:
        x = x - x.mean(axis=1, keepdims=True)
        scale = 1 / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + EPSILON)
        normed: Matrix = x * scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return normed


def _sigmoid(x: Matrix) -> Matrix:
    curve: Matrix = 1 / (1 + np.exp(-x.clip(-60, 60)))
    return curve


def _silu(x: Matrix) -> Matrix:
    return x * _sigmoid(x)


def expected_shapes(shape: DraftShape) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a network by name."""
    d = shape.states
    linear = {"enter": (d, STRIDE * shape.features), "leave": (shape.pieces + 1, d)}
    norms, mixes = {"ln": d}, {}
    for layer in (f"layers.{number}." for number in range(shape.layers)):
        linear |= {f"{layer}mix_in": (2 * d, d), f"{layer}mix_out": (d, d)}
        linear |= {f"{layer}mlp1": (2 * d, d), f"{layer}mlp2": (d, 2 * d)}
        norms |= {f"{layer}mix_ln": d, f"{layer}mlp_ln": d}
        mixes[f"{layer}mix"] = (shape.width, d)
    shapes: dict[str, tuple[int, ...]] = dict(mixes)
    for name, size in linear.items():
        shapes |= {f"{name}.weight": size, f"{name}.bias": size[:1]}
    for name, width in norms.items():
        shapes |= {f"{name}.weight": (width,), f"{name}.bias": (width,)}
    return shapes


def spoken(best: NDArray[np.int64], nothing: int) -> list[int]:
    """Return the strides of a path (s,) of likeliest pieces at which a piece starts; a repeated piece counts once."""
    begins = np.r_[True, best[1:] != best[:-1]] & (best != nothing)
    strides: list[int] = np.flatnonzero(begins).tolist()
    return strides


def find_draft(fingerprint: str) -> EncoderDraft | None:
    """Return the draft network of a model's encoder: the user's own, else the shipped one; None without one.

    Raises ModelError if it is damaged.
    """
    name = f"{fingerprint}.safetensors"
    for folder in (own_drafts(), SHIPPED):
        if (folder / name).is_file():
            return load_draft(folder / name, fingerprint)
    return None


def own_drafts() -> Path:
    """Return the folder of the draft networks that were trained on this machine."""
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False) / "drafts"


def save_draft(draft: EncoderDraft, path: Path, fingerprint: str, model: str) -> None:
    """Write the draft network of a model's encoder atomically."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"fingerprint": fingerprint, "model": model, "shape": json.dumps(asdict(draft.shape))}
    about["pieces"] = json.dumps([piece.decode("latin-1") for piece in draft.pieces])
    partial = path.with_suffix(".partial")
    save_file({name: array.astype(np.float16) for name, array in draft.weights.items()}, partial, about)
    partial.chmod(0o644)
    partial.replace(path)


def load_draft(path: Path, fingerprint: str) -> EncoderDraft:
    """Load the draft network of a model's encoder. Raises ModelError with a sentence if it is damaged."""
    from safetensors import SafetensorError, safe_open

    read_header(path)
    try:
        with safe_open(str(path), framework="numpy") as file:
            about = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (no mapping)
        if about["fingerprint"] != fingerprint:
            raise ModelError(f"{path} was trained on the encoder of another model, {about.get('model', '?')}.")
        pieces = [piece.encode("latin-1") for piece in json.loads(about["pieces"])]
        draft = EncoderDraft(DraftShape(**json.loads(about["shape"])), pieces, weights)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} is damaged ({error}). {ADVICE}") from error
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise ModelError(f"{path} is damaged: it holds values that are not numbers. {ADVICE}")
    return draft
