"""Heads that look ahead: from the states that predict the next token they predict the ones after it.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), whose two kinds of heads are
`projection` and `latent`. `residual` is the form of Whisper-Medusa, whose heads are added to a trained Whisper that
stays as it is; `block` is ours for the same purpose: the last state of a model that was only taught the next token
knows little of those after it, so one more layer listens to the audio again (engine.hear.whisper.draft_block).

Head 1 is the model itself; heads 2 to K are here. A file of heads carries the fingerprint of the model that they were
trained for: to any other model they are noise, so any other model refuses them. It is `heads.safetensors` in the
model's folder, or FINGERPRINT.safetensors among the shipped and the user's own heads.

Shapes: m positions, d states, u tokens that are predicted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Protocol, cast, get_args

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten

from engine.errors import ModelError, OptionError
from engine.hear.decode.decoder import Tokens
from engine.hear.whisper.draft_block import DraftBlock, HeardAudio
from engine.hear.whisper.kernels import silu
from engine.hear.whisper.model import Whisper
from engine.models.catalogue import ASSETS
from engine.options import MOST_TOKENS_AHEAD, AcceptanceRule
from engine.weights.safetensors import ADVICE, read_header

Kind = Literal["latent", "projection", "residual", "block"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SHIPPED = ASSETS / "heads"
IN_A_FOLDER = "heads.safetensors"
_DRAFT_TOKENS = "draft_tokens"


class Embedding(Protocol):
    """A model's token embedding, which is its unembedding too."""

    def __call__(self, tokens: mx.array) -> mx.array:
        """Look tokens (n,) up: (n, d)."""

    def as_linear(self, x: mx.array) -> mx.array:
        """Give the logits (…, v) of states (…, d)."""


class Trunk(Protocol):
    """A model that heads are attached to: Whisper or Speech-LLaMA."""

    @property
    def embedding(self) -> Embedding:
        """Its token embedding."""


class Headed(Protocol):
    """A loaded model that heads are looked for: a HearingModel or a SpeechLlamaModel."""

    @property
    def name(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def model(self) -> Trunk: ...


@dataclass(frozen=True, slots=True)
class HeadsShape:
    """The shape that heads are built by.

    Attributes:
        ahead: K, how many tokens are predicted at once, the next one included.
        states: d, of the model.
        draft_tokens: how many tokens there are to choose from: a shortlist, or the whole vocabulary.
        layers, attention_heads: of the model's decoder, which a block goes on from.
        cross_layers: the layers of the model's decoder whose keys and values of the audio a block attends to.
        acceptance: which rule suits these heads; see DecodeOptions.acceptance.
    """

    kind: Kind
    ahead: int
    states: int
    draft_tokens: int
    layers: int = 0
    attention_heads: int = 0
    cross_layers: tuple[int, ...] = ()
    acceptance: AcceptanceRule = "top-m"

    def __post_init__(self) -> None:
        if not 2 <= self.ahead <= MOST_TOKENS_AHEAD:
            raise OptionError(f"ahead must be between 2 and {MOST_TOKENS_AHEAD}, not {self.ahead!r}.")
        if self.kind not in KINDS:
            raise OptionError(f"kind must be one of {', '.join(KINDS)}, not {self.kind!r}.")
        if self.kind == "block" and not (self.layers and self.attention_heads and self.cross_layers):
            raise OptionError("Heads of the kind block need a decoder that attends to audio, as Whisper's does.")


class Heads(nn.Module):
    """Heads 2 to K of one model.

    Attributes:
        shape: what they are built by.
        draft_tokens: the token of each column of their logits (u,), or None where they are the whole vocabulary.
    """

    def __init__(self, shape: HeadsShape, embedding: Embedding, draft_tokens: Sequence[int] | Tokens | None) -> None:
        """Untrained heads of a model with this embedding; see make_heads."""
        super().__init__()
        self.shape = shape
        self.draft_tokens = None if draft_tokens is None else np.asarray(draft_tokens, np.int64)
        rest, d = shape.ahead - 1, shape.states
        rows = None if self.draft_tokens is None else embedding(mx.array(self.draft_tokens))
        if shape.kind == "projection":
            everything = mx.arange(shape.draft_tokens)
            start = embedding(everything) if rows is None else rows
            self.projection = mx.repeat(start[None], rest, axis=0)
            return
        if shape.kind == "latent":
            self.latent = mx.repeat(mx.eye(d)[None], rest, axis=0)
        elif shape.kind == "residual":
            self.residual = mx.zeros((rest, d, d))
        else:
            self.block = DraftBlock(d, shape.layers, shape.attention_heads, shape.cross_layers, shape.ahead)
        self._unembed: Callable[[mx.array], mx.array] = embedding.as_linear
        self._embed: Callable[[mx.array], mx.array] = embedding.__call__
        if rows is not None:
            self._rows = mx.contiguous(rows.T)
            self._unembed, self._embed = self._by_rows, self._of_rows

    @property
    def kind(self) -> Kind:
        return self.shape.kind

    @property
    def ahead(self) -> int:
        """Return how many tokens are predicted at once, the next one included."""
        return self.shape.ahead

    def logits(self, states: mx.array, count: int, heard: HeardAudio | None = None) -> mx.array:
        """The logits (m, count, u), float32, of heads 2 to count + 1 for states (m, d).

        A block wants the states of `draft_block.foresee`, and what it is to hear.
        """
        if self.kind == "projection":
            return _each(states, self.projection[:count]).astype(mx.float32)
        if self.kind == "block":
            assert heard is not None, "A block listens to the audio."
            return self.block.draft(states, count, heard, self.embed, self.unembed).astype(mx.float32)
        if self.kind == "latent":
            seen = _each(states, self.latent[:count])
        else:
            seen = states[:, None] + silu(_each(states, self.residual[:count]))
        return self.unembed(seen).astype(mx.float32)

    def unembed(self, states: mx.array) -> mx.array:
        """The logits (…, u) of states (…, d)."""
        return self._unembed(states)

    def embed(self, columns: mx.array) -> mx.array:
        """The embedding (…, d) of tokens by their column (…)."""
        return self._embed(columns)

    def constants(self) -> list[mx.array]:
        """Return what is the model's own, to be evaluated."""
        return [self._rows] if "_rows" in self else []

    def _by_rows(self, states: mx.array) -> mx.array:
        return states @ self._rows

    def _of_rows(self, columns: mx.array) -> mx.array:
        return self._rows.T[columns]


def _each(states: mx.array, matrices: mx.array) -> mx.array:
    """The product (m, k, o) of states (m, d) with each of matrices (k, o, d), as one."""
    count, out, d = matrices.shape
    return (states @ matrices.reshape(count * out, d).T).reshape(states.shape[0], count, out)


def make_heads(
    kind: Kind,
    ahead: int,
    model: Trunk,
    *,
    draft_tokens: Sequence[int] | Tokens | None = None,
    cross_layers: Sequence[int] | None = None,
    acceptance: AcceptanceRule = "top-m",
) -> Heads:
    """Untrained heads for a model; head 1, which is the model itself, is counted in `ahead`.

    Latent, projection and residual heads begin with what head 1 says, a block with what the model's last layer does.
    `draft_tokens` (u,) is a shortlist of what they may say, with a large vocabulary most of their cost; None lets them
    say everything. A block attends to the audio by `cross_layers` of Whisper's decoder, the upper half where nothing is
    said. OptionError for what can't be built.
    """
    states = model.embedding(mx.zeros((1,), mx.int32)).shape[-1]
    vocabulary = model.embedding.as_linear(mx.zeros((1, 1, states))).shape[-1]
    count = vocabulary if draft_tokens is None else _checked(draft_tokens, vocabulary)
    if kind != "block" or not isinstance(model, Whisper):
        return Heads(HeadsShape(kind, ahead, states, count, acceptance=acceptance), model.embedding, draft_tokens)
    layers = model.dims.n_text_layer
    heard = tuple(cross_layers or range(layers // 2, layers))
    shape = HeadsShape(kind, ahead, states, count, layers, model.dims.n_text_head, heard, acceptance)
    heads = Heads(shape, model.embedding, draft_tokens)
    heads.block.begin_like(model)
    return heads


def _checked(draft_tokens: Sequence[int] | Tokens, vocabulary: int) -> int:
    """Return how many tokens a shortlist holds."""
    ids = np.asarray(draft_tokens)
    if not ids.size or ids.ndim != 1 or ids.min() < 0 or ids.max() >= vocabulary or len(np.unique(ids)) < len(ids):
        raise OptionError(f"draft_tokens must be different tokens of the model's {vocabulary}, at least one.")
    return len(ids)


def own_heads() -> Path:
    """The folder where the heads are that were trained on this machine."""
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False) / "heads"


def find_heads(hearing: Headed) -> Heads | None:
    """The heads of a model: those in its folder, else the user's own, else the shipped ones; None where there are none.

    ModelError where there are some and they are damaged or belong to another model.
    """
    named = f"{hearing.fingerprint}.safetensors"
    for path in (hearing.folder / IN_A_FOLDER, own_heads() / named, SHIPPED / named):
        if path.is_file():
            return load_heads(path, hearing)
    return None


def needed_heads(hearing: Headed) -> Heads:
    """The heads of a model, as find_heads finds them. ModelError where there are none."""
    found = find_heads(hearing)
    if found is None:
        raise ModelError(f"{hearing.name} has no heads for the multitoken decoder; starter-speech-llama has some.")
    return found


def save_heads(heads: Heads, path: Path, owner: Headed, **measured: str) -> Path:
    """Write heads for the model that they were trained for; readers see the old file or the new one.

    `measured` is what else the file says of them, for people.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {name: array.astype(mx.float16) for name, array in _parameters(heads).items()}
    if heads.draft_tokens is not None:
        tensors[_DRAFT_TOKENS] = mx.array(heads.draft_tokens.astype(np.int32))
    about = {"format": "heads", "fingerprint": owner.fingerprint, "model": owner.name}
    partial = path.with_suffix(".partial.safetensors")  # MLX adds the ending where it lacks
    mx.save_safetensors(str(partial), tensors, about | {"shape": json.dumps(asdict(heads.shape))} | measured)
    partial.chmod(0o644)
    partial.replace(path)
    return path


def load_heads(path: Path, hearing: Headed, *, of_another: bool = False) -> Heads:
    """Load a model's heads. ModelError says what is wrong with them, and whose they are where they are another's.

    of_another: take them although they are, for training to begin with; they must have this model's shape.
    """
    tensors, about = _read(path)
    if about["fingerprint"] != hearing.fingerprint and not of_another:
        raise ModelError(
            f"These heads belong to the model {about.get('model', '?')} (fingerprint {about['fingerprint']}): what "
            f"they predict is nothing to {hearing.name} ({hearing.fingerprint})."
        )
    draft = tensors.pop(_DRAFT_TOKENS, None)
    try:
        fields = json.loads(about["shape"])
        shape = HeadsShape(**fields | {"cross_layers": tuple(fields["cross_layers"])})
        heads = _built(shape, hearing.model, None if draft is None else np.array(draft))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: its heads do not fit {hearing.name} ({error}). {ADVICE}") from error
    expected = {name: array.shape for name, array in _parameters(heads).items()}
    if {name: array.shape for name, array in tensors.items()} != expected:
        raise ModelError(f"{path} is damaged: it does not hold the {shape.kind} heads that it speaks of. {ADVICE}")
    if not all(mx.all(mx.isfinite(array)).item() for array in tensors.values()):
        raise ModelError(f"{path} is damaged: it holds values that are not numbers. {ADVICE}")
    heads.load_weights(list(tensors.items()))
    return _ready(heads, hearing.model)


def _read(path: Path) -> tuple[dict[str, mx.array], dict[str, str]]:
    """Read what a file of heads holds, and what it says of them."""
    read_header(path)
    try:
        held = mx.load(str(path), return_metadata=True)
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"{path} is damaged ({error}). {ADVICE}") from error
    tensors, about = cast(tuple[dict[str, mx.array], dict[str, str]], held)
    if "fingerprint" not in about or "shape" not in about:
        raise ModelError(f"{path} holds no heads that say which model they belong to. {ADVICE}")
    return tensors, about


def _built(shape: HeadsShape, model: Trunk, draft: Tokens | None) -> Heads:
    """Untrained heads of a shape that a file speaks of. ValueError where the model has no place for them."""
    made = make_heads(
        shape.kind,
        shape.ahead,
        model,
        draft_tokens=draft,
        cross_layers=shape.cross_layers,
        acceptance=shape.acceptance,
    )
    if made.shape != shape:
        raise ValueError(f"{made.shape} is not {shape}")
    return made


def _ready(heads: Heads, model: Trunk) -> Heads:
    """Evaluated, in the type that the model computes in, so that any thread may run them."""
    heads.set_dtype(model.embedding(mx.zeros((1,), mx.int32)).dtype)
    heads.eval()
    heads.freeze()
    mx.eval(heads.parameters(), heads.constants())
    return heads


def _parameters(heads: Heads) -> dict[str, mx.array]:
    return dict(cast(list[tuple[str, mx.array]], tree_flatten(heads.parameters())))
